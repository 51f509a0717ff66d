// Internal to the native format: layers that are described by kinds, `[model.layer.NAME]`, and numbers that
// are lists with one for each layer.
#pragma once

#include <optional>
#include <vector>

#include "base/error.hpp"
#include "model/reading.hpp"
#include "text/document.hpp"

namespace shapelint::formats {

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

// The model becomes the list that they describe. A kind has what `[model]` says but for its own keys; `mixer`
// is `attention`, `none`, or what `[model.mixer]` may be, as a name or a table with the sizes; `ffn` is
// `mlp`, `moe` or `none`. `layers` gives the order: `"5 local, 1 global"`, repeated over num_layers, `"3
// dense, rest moe"`, or a table of positions from 0, `{ hybrid = [6, 12], rest = "mamba" }`. A kind that
// `uses` a block runs `[model.shared.NAME]`, attention and MLP whose weights all such layers have in common.
void read_kinds(const LayerNodes& nodes, model::Reading& reading, std::vector<Error>& errors);

}  // namespace shapelint::formats
