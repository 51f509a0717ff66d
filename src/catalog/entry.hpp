// Entries of a table of published models, and layers that are described one by one there and in the native
// file.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "model/fields.hpp"
#include "model/layer_list.hpp"
#include "text/document.hpp"

namespace shapelint::catalog {

using FieldValue = std::pair<model::FieldId, std::int64_t>;

// The field that an entry's key names and its value; of a choice, its number. Nothing, and an error with its
// place, if it is invalid.
std::optional<FieldValue> field_value(text::NodeRef entry, std::vector<Error>& errors);

// Instead of what `values` say of the field.
void put(std::vector<FieldValue>& values, const FieldValue& value);

// The value of a layer's key: a number within its bounds, one of its choices, or true or false. Nothing, and
// an error with its place, if it is invalid.
std::optional<std::int64_t> layer_value(text::NodeRef node, const model::LayerKey& key,
                                        std::vector<Error>& errors);

// What a table says of the layers of one kind; `mixer` may name the kind of one of the mixers in the model's
// `values`. Errors (unknown keys, values of other types) are appended.
model::TransformerLayer read_layer(text::NodeRef table, const std::vector<FieldValue>& values,
                                   std::vector<Error>& errors);

}  // namespace shapelint::catalog
