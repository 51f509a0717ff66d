// Internal to the native format: single values, layers by kinds and by a pattern, and what is checked of the
// whole.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "model/reading.hpp"
#include "text/document.hpp"

namespace shapelint::formats {

// What was written, for a message: numbers and booleans as they stand in the file.
std::string written(const text::Document& document, const text::NodeRef& node);

struct Bounds {
  std::int64_t minimum = 0;
  std::int64_t maximum = 0;
};
// The integer of a node; nothing, and an error, when it is none or out of bounds.
std::optional<std::int64_t> integer_value(const text::Document& document, const text::NodeRef& node,
                                          std::string_view key, Bounds bounds, std::vector<Error>& errors);
// The same for `true` and `false`.
std::optional<bool> boolean_value(const text::Document& document, const text::NodeRef& node,
                                  std::string_view key, std::vector<Error>& errors);

// Layers that are described by kinds, `[model.layer.NAME]`, and numbers that are lists with one for each
// layer.

// What a file says of single layers.
struct LayerNodes {
  std::optional<text::NodeRef> order;   // `layers`
  std::optional<text::NodeRef> kinds;   // the table `layer`
  std::optional<text::NodeRef> shared;  // the table `shared`
  std::vector<text::NodeRef> lists;     // `num_attention_heads = [12, 12, 16]`
};

// Whether they describe a list, which `layers` alone, of kinds that need no table, does not.
inline bool describes_layers(const LayerNodes& nodes) {
  return nodes.kinds.has_value() || nodes.shared.has_value() || !nodes.lists.empty();
}

// The model becomes the list that they describe. A kind has what `[model]` says except for its own keys;
// `mixer` is `attention`, `none`, or what `[model.mixer]` may be, as a name or a table with the sizes; `ffn`
// is `mlp`, `moe` or `none`. `layers` gives the order: `"5 local, 1 global"`, repeated over num_layers, `"3
// dense, rest moe"`, or a table of positions from 0, `{ hybrid = [6, 12], rest = "mamba" }`. A kind that
// `uses` a block runs `[model.shared.NAME]`, attention and MLP whose weights all such layers have in common.
void read_kinds(const LayerNodes& nodes, model::Reading& reading, std::vector<Error>& errors);

// `layers` of [model], which says of what kind each layer is.

// What `layers` says becomes the counts of fields(): layers without attention, of the mixer, with a window,
// and without an MLP. A list names each layer (`["gated_delta_net", "attention"]`), a text counts kinds that
// repeat over num_layers (`"3 gated_delta_net, 1 attention"`), or has a letter for each layer (`"M-M*-"`, as
// Nemotron-H's: `M` Mamba-2, `G` gated delta net, `*` attention, `-` MLP, `E` experts), which then is that
// part alone.
void read_pattern(const text::NodeRef& node, model::Reading& reading, std::vector<Error>& errors);

// What must be there, and what cannot be true together.

// Fields that nothing can be assumed for.
void check_required(const text::Document& document, const model::Reading& reading,
                    std::vector<Error>& errors);

// Values that contradict each other or multiply to more than can be counted; the reading is complete.
void check_consistent(const text::Document& document, const model::Reading& reading,
                      std::vector<Error>& errors);

// The list [[conv]] and the image's keys in [model] (native_layers.cpp).
void read_network(const text::Document& document, model::Reading& reading, std::vector<Error>& errors);
// Layers that do not fit each other, and what a CNN cannot be run with.
void check_network(const text::Document& document, const model::Reading& reading, std::vector<Error>& errors);

}  // namespace shapelint::formats
