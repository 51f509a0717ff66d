// A model as the list of its layers: which of its values a layer may have of its own, what one layer is like,
// and which layers are distinct. A model whose layers are all alike, or differ only in what fields count
// (such as `layers_without_attention`), needs no list to be lowered or counted; it may have one for the
// order.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/fields.hpp"
#include "model/reading.hpp"
#include "model/spec.hpp"

namespace shapelint::model {

// How keys and values are made, as files name it.
inline constexpr std::array<std::string_view, 3> key_value_names{"apart", "one_projection", "one_tensor"};

// One value that a layer of a list may have of its own.
struct LayerKey {
  std::string_view name;  // as files call it: `head_dim`
  std::int64_t TransformerLayer::*member;
  FieldId field;  // of the model, where a layer says nothing; no_field: `mixer`, `ffn`, `shares_key_values`
  std::span<const std::string_view> choices;  // names of its values; empty: a number
};
std::span<const LayerKey> layer_keys();
// nullptr when there is none of the name.
const LayerKey* find_layer_key(std::string_view name);
// Bounds of its value.
std::int64_t smallest(const LayerKey& key);
std::int64_t largest(const LayerKey& key);

// A choice's name; of a mixer that of its kind.
std::string_view name_of(const ModelSpec& model, const LayerKey& key, std::int64_t value);

// What a layer with one of the model's mixers has, and which one it is; most_mixers: none.
constexpr std::int64_t mixing_by(std::size_t which) {
  return static_cast<std::int64_t>(Mixing::mixer) + static_cast<std::int64_t>(which);
}
constexpr std::size_t mixer_of(Mixing mixing) {
  return mixing < Mixing::mixer ? most_mixers
                                : static_cast<std::size_t>(mixing) - static_cast<std::size_t>(Mixing::mixer);
}

// The key of the sizes that layers may have of their own in place of the field; nullptr where they cannot.
const LayerKey* own_size(FieldId field);
// The layer at that place; nothing of its own where the list has none.
TransformerLayer layer_at(const ModelSpec& model, std::int64_t place);
// The same model in other words: its field is the value of the layers that state `value`, and the other
// layers state theirs.
void make_common(ModelSpec& model, const LayerKey& key, std::int64_t value);
// Layers that have `from` of their own have `to`; a field that every layer states is their largest. Whether
// there are any.
bool change_layers(ModelSpec& model, const LayerKey& key, std::int64_t from, std::int64_t to);

// Appends a group, or adds to the last one where the layer is the same.
void add_layers(std::vector<LayerGroup>& list, std::int64_t count, const TransformerLayer& layer);
// The model is this list: `num_layers`, and the fields that count its kinds, say what the list does. Layers
// that have nothing of their own are no list.
void set_layers(ModelSpec& model, std::vector<LayerGroup> list);
// The same of what a file says; the origin of what is counted says so.
void set_layers(Reading& reading, std::vector<LayerGroup> list);
// Layers of a list; 0 without one.
std::int64_t listed_layers(const ModelSpec& model);

// The list of any model, in order, equal neighbours merged: one group where all layers are alike. Where only
// counts are known, layers of a kind are spread evenly (leading dense layers of a mixture come first).
std::vector<LayerGroup> layer_list(const ModelSpec& model);

// A model of just this layer: what it has otherwise is in its fields.
ModelSpec layer_model(const ModelSpec& model, const TransformerLayer& layer);

// Layers that are alike, wherever they stand, as a model of one of them.
struct DistinctLayer {
  TransformerLayer layer;
  std::int64_t count = 0;  // of num_layers
  Setup one;
};
// Of a model whose layers differ (`layers_differ`), in the order of their first places; their counts sum to
// num_layers.
std::vector<DistinctLayer> distinct_layers(const Setup& setup);

// Kinds of layers in order from a text: `5 local, 1 global`, repeated over `num_layers`, which they divide;
// `3 dense, rest moe`; `rest (csa, hca)` takes turns. Empty with a message in `problem`.
std::vector<std::pair<std::int64_t, std::string_view>> layer_order(std::string_view text,
                                                                   std::int64_t num_layers,
                                                                   std::string& problem);

// How a file describes them: kinds by name, their order, and values that vary from layer to layer.
struct LayerDescription {
  std::string order;  // as layer_order() reads it; empty: of one kind
  std::vector<std::pair<std::string, TransformerLayer>> kinds;
  std::vector<std::pair<const LayerKey*, std::vector<std::int64_t>>> lists;  // one number for each layer
};
// Empty, with a message in `problem`, where they do not fit `num_layers`, or name a kind that is not
// described.
std::vector<LayerGroup> layers_of(const LayerDescription& description, std::int64_t num_layers,
                                  std::string& problem);

// `48 layers = 12 x (3 x [gated_delta_net + 512 experts], 1 x [attention 16/2 heads of 256 + 512 experts])`
std::string layers_text(const ModelSpec& model);

}  // namespace shapelint::model
