// Layers that are described one by one, in tables of published models and in the native file.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "model/layer_list.hpp"
#include "text/document.hpp"

namespace shapelint::catalog {

// The value of a layer's key: a number within its bounds, one of its choices, or true or false. Nothing, and
// an error with its place, where it is none.
std::optional<std::int64_t> layer_value(text::NodeRef node, const model::LayerKey& key,
                                        std::vector<Error>& errors);

// What a table says of the layers of one kind. Errors (unknown keys, values of other types) are appended.
model::TransformerLayer read_layer(text::NodeRef table, std::vector<Error>& errors);

}  // namespace shapelint::catalog
