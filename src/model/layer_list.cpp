// Lists of layers.
#include "model/layer_list.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "base/number.hpp"
#include "model/arithmetic.hpp"
#include "model/lower/lower.hpp"
#include "model/mixer.hpp"

namespace shapelint::model {

namespace {

constexpr std::array<std::string_view, 4> mixing_names{"none", "attention", "linear", "mixer"};
constexpr std::array<std::string_view, 4> feeding_names{"none", "mlp", "moe", "linear"};

constexpr std::array<LayerKey, 14> layer_key_table{{
    {"mixer", &TransformerLayer::mixing, no_field, mixing_names},
    {"ffn", &TransformerLayer::feeding, no_field, feeding_names},
    {"num_attention_heads", &TransformerLayer::num_attention_heads, FieldId::num_attention_heads, {}},
    {"num_key_value_heads", &TransformerLayer::num_key_value_heads, FieldId::num_key_value_heads, {}},
    {"head_dim", &TransformerLayer::head_dim, FieldId::head_dim, {}},
    {"value_head_dim", &TransformerLayer::value_head_dim, FieldId::value_head_dim, {}},
    {"intermediate_size", &TransformerLayer::intermediate_size, FieldId::intermediate_size, {}},
    {"window", &TransformerLayer::window, FieldId::window_size, {}},
    {"num_experts", &TransformerLayer::num_experts, FieldId::moe_num_experts, {}},
    {"key_values", &TransformerLayer::key_values, FieldId::key_values, key_value_names},
    {"compressed_ratio", &TransformerLayer::compressed_ratio, FieldId::compressed_ratio, {}},
    {"indexer_keys", &TransformerLayer::indexer_keys, FieldId::indexer_keys, {}},
    {"shares_key_values", &TransformerLayer::borrows_keys, no_field, {}},
    {"joint", &TransformerLayer::joint, no_field, {}},
}};

Mixing mixing_of(const TransformerLayer& layer) {
  return layer.mixing < 0 ? Mixing::attention : static_cast<Mixing>(layer.mixing);
}

Feeding feeding_of(const ModelSpec& model, const TransformerLayer& layer) {
  const std::int64_t experts = layer.num_experts >= 0 ? layer.num_experts : model.moe.num_experts;
  if (layer.feeding < 0) return experts > 0 ? Feeding::mixture : Feeding::mlp;
  return static_cast<Feeding>(layer.feeding);
}

// Whether the layer has a size that its model's fields do not say.
bool has_own_sizes(const Setup& setup, const TransformerLayer& layer) {
  const ModelSpec& model = setup.model;
  for (const LayerKey& key : layer_key_table) {
    const std::int64_t own = layer.*key.member;
    if (own < 0 || key.field == no_field || key.field == FieldId::window_size) continue;
    if (own != get(setup, key.field)) return true;
  }
  return (layer.window > 0 && layer.window != model.window.size) || mixing_of(layer) == Mixing::linear ||
         feeding_of(model, layer) == Feeding::linear;
}

// How many of so many listed layers are among num_layers.
std::int64_t scaled(const ModelSpec& model, std::int64_t some, std::int64_t all) {
  return all == model.num_layers || all <= 0 ? some : times(model.num_layers, some) / all;
}

template <class Is>
std::int64_t count_if(const std::vector<LayerGroup>& list, Is is) {
  std::int64_t out = 0;
  for (const LayerGroup& group : list) out = plus(out, is(group.layer) ? group.count : 0);
  return out;
}

// The fields that count kinds of layers say what the model's list does; those that do already stay as they
// are.
void count_layers(ModelSpec& model) {
  const auto number = [&](auto is) { return count_if(model.layers, is); };
  model.layers_without_attention =
      number([](const TransformerLayer& layer) { return mixing_of(layer) != Mixing::attention; });
  model.layers_without_mlp = number([&](const TransformerLayer& layer) {
    const Feeding feeding = feeding_of(model, layer);
    return feeding == Feeding::none || feeding == Feeding::linear;
  });
  for (std::size_t which = 0; which < most_mixers; ++which) {
    if (model.mixers[which].kind == MixerKind::none || model.mixers[which].parallel) continue;
    const std::int64_t layers =
        number([&](const TransformerLayer& layer) { return mixer_of(mixing_of(layer)) == which; });
    if (num_mixer_layers(model, which) != layers) model.mixers[which].layers = layers;
  }
  const std::int64_t windows = number([&](const TransformerLayer& layer) {
    return mixing_of(layer) == Mixing::attention && (layer.window < 0 ? model.window.size : layer.window) > 0;
  });
  if (model.layers_differ || num_window_layers(model) != windows) model.window.layers = windows;
  // The window of some layers is not that of those which state none.
  if (windows > 0 && model.window.size <= 0) {
    for (LayerGroup& group : model.layers) {
      model.window.size = std::max(model.window.size, group.layer.window);
      if (group.layer.window < 0) group.layer.window = 0;
    }
  }
  model.shared_key_value_layers =
      number([](const TransformerLayer& layer) { return layer.borrows_keys > 0; });
  // Layers without experts count as leading dense ones.
  if (const std::int64_t mixtures =
          number([&](const TransformerLayer& layer) { return feeding_of(model, layer) == Feeding::mixture; });
      model.moe.num_experts > 0 && (model.layers_differ || num_moe_layers(model) != mixtures)) {
    model.moe.layer_interval = 1;
    model.moe.first_dense_layers = model.num_layers - mixtures;
  }
}

}  // namespace

std::span<const LayerKey> layer_keys() {
  return layer_key_table;
}

const LayerKey* find_layer_key(std::string_view name) {
  const auto found = std::find_if(layer_key_table.begin(), layer_key_table.end(),
                                  [&](const LayerKey& key) { return key.name == name; });
  return found == layer_key_table.end() ? nullptr : &*found;
}

const LayerKey* own_size(FieldId field) {
  constexpr std::array sizes{
      FieldId::num_attention_heads, FieldId::num_key_value_heads, FieldId::head_dim,
      FieldId::value_head_dim,      FieldId::intermediate_size,   FieldId::moe_num_experts};
  if (std::find(sizes.begin(), sizes.end(), field) == sizes.end()) return nullptr;
  return &*std::find_if(layer_key_table.begin(), layer_key_table.end(),
                        [&](const LayerKey& key) { return key.field == field; });
}

TransformerLayer layer_at(const ModelSpec& model, std::int64_t place) {
  for (const LayerGroup& group : model.layers) {
    if (place < group.count) return group.layer;
    place -= group.count;
  }
  return {};
}

void make_common(ModelSpec& model, const LayerKey& key, std::int64_t value) {
  Setup setup{std::move(model), {}};
  const std::int64_t before = get(setup, key.field);
  // Values that are as wide as keys stay so (layer_model).
  const bool widens = key.field == FieldId::head_dim && setup.model.value_head_dim == before;
  for (LayerGroup& group : setup.model.layers) {
    std::int64_t& own = group.layer.*key.member;
    if (own < 0) {
      own = before;
    } else if (own == value) {
      own = -1;
    }
  }
  set(setup, key.field, value);
  if (widens) setup.model.value_head_dim = value;
  model = std::move(setup.model);
}

bool change_layers(ModelSpec& model, const LayerKey& key, std::int64_t from, std::int64_t to) {
  bool is_any = false;
  std::int64_t least = to;
  std::int64_t most = to;
  for (LayerGroup& group : model.layers) {
    std::int64_t& own = group.layer.*key.member;
    if (own == from) {
      own = to;
      is_any = true;
    }
    least = std::min(least, own);
    most = std::max(most, own);
  }
  if (least < 0) return is_any;
  Setup setup{std::move(model), {}};
  set(setup, key.field, most);
  model = std::move(setup.model);
  return is_any;
}

std::int64_t smallest(const LayerKey& key) {
  return key.field == no_field ? 0 : info(key.field).minimum;
}

std::int64_t largest(const LayerKey& key) {
  if (key.member == &TransformerLayer::mixing) return mixing_by(most_mixers - 1);
  if (key.field != no_field) return info(key.field).maximum;
  return key.choices.empty() ? 1 : static_cast<std::int64_t>(key.choices.size()) - 1;
}

std::string_view name_of(const ModelSpec& model, const LayerKey& key, std::int64_t value) {
  if (key.choices.empty() || value < 0) return {};
  if (key.member == &TransformerLayer::mixing) {
    const std::size_t which = mixer_of(static_cast<Mixing>(value));
    if (which < most_mixers && model.mixers[which].kind != MixerKind::none)
      return form_of(model.mixers[which].kind).name;
  }
  return key.choices[std::min(static_cast<std::size_t>(value), key.choices.size() - 1)];
}

void add_layers(std::vector<LayerGroup>& list, std::int64_t count, const TransformerLayer& layer) {
  if (count <= 0) return;
  if (!list.empty() && list.back().layer == layer) {
    list.back().count = plus(list.back().count, count);
  } else {
    list.push_back({count, layer});
  }
}

std::int64_t listed_layers(const ModelSpec& model) {
  return count_if(model.layers, [](const TransformerLayer&) { return true; });
}

void set_layers(ModelSpec& model, std::vector<LayerGroup> list) {
  model.layers.clear();
  model.layers_differ = false;
  const Setup uniform{model, {}};
  const bool is_one_kind = list.size() == 1 && !has_own_sizes(uniform, list.front().layer) &&
                           mixing_of(list.front().layer) == Mixing::attention &&
                           feeding_of(model, list.front().layer) != Feeding::none &&
                           list.front().layer.window <= 0 && list.front().layer.borrows_keys <= 0;
  if (list.empty() || is_one_kind) return;
  model.layers = std::move(list);
  for (const LayerGroup& group : model.layers) model.layers_differ |= has_own_sizes(uniform, group.layer);
  model.num_layers = listed_layers(model);
  count_layers(model);
}

void set_layers(Reading& reading, std::vector<LayerGroup> list) {
  Setup& setup = reading.setup;
  if (list.empty()) return set_layers(setup.model, {});
  const Setup before = setup;
  set_layers(setup.model, std::move(list));
  if (setup.model.layers.empty()) return;
  const auto note = [&](FieldId field) {
    Origin& origin = reading.origins[field];
    const bool is_new = setup.model.layers_differ && origin.kind == Origin::Kind::unknown;
    if (!is_new && get(before, field) == get(setup, field)) return;
    origin = {};
    origin.kind = Origin::Kind::derived;
    origin.note = "counted among the layers";
  };
  for (const FieldId field :
       {FieldId::layers_without_attention, FieldId::layers_without_mlp, FieldId::window_layers,
        FieldId::shared_key_value_layers, FieldId::moe_first_dense_layers, FieldId::moe_layer_interval})
    note(field);
  for (std::size_t which = 0; which < most_mixers; ++which) {
    if (setup.model.mixers[which].kind != MixerKind::none) note(mixer_fields[which].layers);
  }
}

ModelSpec layer_model(const ModelSpec& model, const TransformerLayer& layer) {
  Setup setup{model, {}};
  ModelSpec& one = setup.model;
  one.layers.clear();
  one.layers_differ = false;
  one.single = {.is_one = true};
  for (const LayerKey& key : layer_key_table) {
    if (key.field != no_field && layer.*key.member >= 0) set(setup, key.field, layer.*key.member);
  }
  // Values are as wide as keys where the list says nothing else of them.
  if (layer.head_dim >= 0 && layer.value_head_dim < 0 && model.value_head_dim == model.head_dim)
    one.value_head_dim = layer.head_dim;
  const Mixing mixing = mixing_of(layer);
  const Feeding feeding = feeding_of(one, {.feeding = layer.feeding});
  one.num_layers = 1;
  one.mtp_layers = 0;
  one.layers_without_attention = mixing == Mixing::attention ? 0 : 1;
  for (std::size_t which = 0; which < most_mixers; ++which) {
    Mixer& mixer = one.mixers[which];
    const bool has = mixer_of(mixing) == which || (mixer.parallel && mixing == Mixing::attention);
    mixer.layers = has && mixer.kind != MixerKind::none ? 1 : 0;
    if (mixer.layers == 0) mixer.kind = MixerKind::none;
  }
  if (feeding != Feeding::mixture) one.moe.num_experts = 0;
  one.moe.first_dense_layers = 0;
  one.moe.layer_interval = 1;
  const bool has_mlp = feeding == Feeding::mlp || feeding == Feeding::mixture;
  one.layers_without_mlp = has_mlp ? 0 : 1;
  one.window.layers = one.window.size > 0 ? 1 : 0;
  one.shared_key_value_layers = 0;
  one.single.borrows_keys = layer.borrows_keys > 0;
  one.single.sharing = model.shared_block.blocks > 0 ? num_attention_layers(model) : 0;
  const bool all_are_joint = num_joint_layers(model) > 0 && num_joint_layers(model) == model.num_layers;
  one.diffusion.joint_layers = layer.joint < 0 ? (all_are_joint ? 1 : 0) : layer.joint;
  one.single.linear_mixing = mixing == Mixing::linear;
  one.single.linear_feeding = feeding == Feeding::linear;
  // A branch that is not there has no norms before and behind it.
  const bool lacks_one = (mixing == Mixing::none) != (feeding == Feeding::none);
  if (lacks_one && !model.parallel_block) one.norms_per_layer = divide_up(model.norms_per_layer, 2);
  if (mixing == Mixing::none && feeding == Feeding::none) one.norms_per_layer = 0;
  return std::move(setup.model);
}

std::vector<DistinctLayer> distinct_layers(const Setup& setup) {
  std::vector<DistinctLayer> out;
  for (const LayerGroup& group : setup.model.layers) {
    const auto known = std::find_if(out.begin(), out.end(),
                                    [&](const DistinctLayer& each) { return each.layer == group.layer; });
    if (known != out.end()) {
      known->count = plus(known->count, group.count);
      continue;
    }
    out.push_back({group.layer, group.count, {layer_model(setup.model, group.layer), setup.plan}});
  }
  // Where num_layers is another than the list's, its kinds have their shares of it.
  const std::int64_t all = listed_layers(setup.model);
  std::int64_t left = setup.model.num_layers;
  for (DistinctLayer& each : out) left -= each.count = scaled(setup.model, each.count, all);
  for (std::size_t i = 0; left > 0 && i < out.size(); ++i, --left) ++out[i].count;
  return out;
}

std::vector<LayerGroup> layer_list(const ModelSpec& model) {
  if (!model.layers.empty()) return model.layers;
  // What fields count is spread evenly: the layer at `i` of `all` is one of `some` where their number grows.
  const auto is_one_of = [](std::int64_t i, std::int64_t some, std::int64_t all) {
    return all > 0 && (i + 1) * some / all > i * some / all;
  };
  const std::int64_t layers = std::max<std::int64_t>(0, model.num_layers);
  const std::int64_t attention = std::min(layers, num_attention_layers(model));
  const std::int64_t mixtures = num_moe_layers(model);
  const std::int64_t dense = num_dense_layers(model);
  const std::int64_t windows = num_window_layers(model);
  const std::int64_t borrowing = num_shared_key_value_layers(model);
  const std::int64_t joint = num_joint_layers(model);  // the first ones (Flux)
  std::array<std::int64_t, most_mixers> mixers{};
  for (std::size_t which = 0; which < most_mixers; ++which) {
    // What is next to attention stands alone in the other layers (Zamba).
    const std::int64_t beside = model.mixers[which].parallel ? attention : 0;
    mixers[which] = std::max<std::int64_t>(0, num_mixer_layers(model, which) - beside);
  }
  const std::int64_t mixed = std::accumulate(mixers.begin(), mixers.end(), std::int64_t{0});
  // Where the parts add up to the layers, each layer is one of them (Nemotron-H): these mix no tokens.
  const std::int64_t feeding_alone =
      model.layers_without_mlp > 0 && attention + mixed + dense + mixtures == layers ? dense + mixtures : 0;
  const std::int64_t mixing_layers = layers - feeding_alone;
  std::vector<LayerGroup> out;
  std::int64_t fed = 0;
  std::int64_t attended = 0;
  std::int64_t other = 0;
  for (std::int64_t i = 0; i < layers; ++i) {
    TransformerLayer layer;
    if (is_one_of(i, feeding_alone, layers)) {
      layer.mixing = static_cast<std::int64_t>(Mixing::none);
      layer.feeding = static_cast<std::int64_t>(fed++ < dense ? Feeding::mlp : Feeding::mixture);
      add_layers(out, 1, layer);
      continue;
    }
    if (is_one_of(attended + other, attention, mixing_layers)) {
      if (windows > 0) layer.window = is_one_of(attended, windows, attention) ? model.window.size : 0;
      if (joint > 0 && joint < attention) layer.joint = attended < joint ? 1 : 0;
      if (borrowing > 0) layer.borrows_keys = is_one_of(attended, borrowing, attention) ? 1 : 0;
      ++attended;
    } else {
      Mixing mixing = Mixing::none;
      const std::int64_t others = mixing_layers - attention;
      if (is_one_of(other, std::min(mixed, others), others)) {
        std::int64_t at = other * mixed / std::max<std::int64_t>(1, others);
        for (std::size_t which = 0; which < most_mixers && mixing == Mixing::none; ++which) {
          if (at < mixers[which]) mixing = static_cast<Mixing>(mixing_by(which));
          at -= mixers[which];
        }
      }
      layer.mixing = static_cast<std::int64_t>(mixing);
      ++other;
    }
    if (feeding_alone > 0) {
      layer.feeding = static_cast<std::int64_t>(Feeding::none);
    } else if (mixtures > 0 || model.layers_without_mlp > 0) {
      const std::int64_t leading = mixtures > 0 ? std::min(dense, model.moe.first_dense_layers) : 0;
      const std::int64_t rest = layers - leading;
      Feeding feeding = Feeding::none;
      if (i < leading || is_one_of(i - leading, dense - leading, rest)) {
        feeding = Feeding::mlp;
      } else if (const std::int64_t behind = rest - (dense - leading);
                 is_one_of(i - leading, std::min(mixtures, behind), std::max<std::int64_t>(1, behind)) ||
                 mixtures >= behind) {
        feeding = Feeding::mixture;
      }
      layer.feeding = static_cast<std::int64_t>(feeding);
    }
    add_layers(out, 1, layer);
  }
  return out;
}

std::vector<std::pair<std::int64_t, std::string_view>> layer_order(std::string_view text,
                                                                   std::int64_t num_layers,
                                                                   std::string& problem) {
  using Part = std::pair<std::int64_t, std::string_view>;
  std::vector<Part> out;
  const auto trim = [](std::string_view part) {
    while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
    while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
    return part;
  };
  std::int64_t all = 0;
  bool has_rest = false;
  const auto put = [&](std::int64_t count, std::string_view kind) {
    out.emplace_back(count, kind);
    all += count;
  };
  for (std::string_view left = text; !left.empty() || all == 0;) {
    // Up to the next comma outside of parentheses.
    std::size_t end = 0;
    for (int depth = 0; end < left.size() && (left[end] != ',' || depth > 0); ++end)
      depth += left[end] == '(' ? 1 : left[end] == ')' ? -1 : 0;
    const std::string_view part = trim(left.substr(0, end));
    left = end < left.size() ? left.substr(end + 1) : std::string_view{};
    const std::size_t blank = part.find(' ');
    const std::string_view first = part.substr(0, blank);
    std::int64_t count = 1;
    std::string_view kinds = part;
    if (first == "rest" && blank != std::string_view::npos) {
      if (num_layers <= all) {
        problem = "nothing is left for `rest`";
        return {};
      }
      count = num_layers - all;
      has_rest = true;
      kinds = trim(part.substr(blank));
    } else if (blank != std::string_view::npos && !first.empty() && first.front() >= '0' &&
               first.front() <= '9') {
      count = 0;
      for (const char c : first) {
        if (c < '0' || c > '9' || count > num_layers) {
          problem = fmt::format("`{}` is not a number of layers", first);
          return {};
        }
        count = 10 * count + (c - '0');
      }
      kinds = trim(part.substr(blank));
    }
    if (kinds.empty() || count < 1) {
      problem = fmt::format("`{}` is not a kind of layer", part);
      return {};
    }
    if (kinds.front() != '(') {
      put(count, kinds);
      continue;
    }
    if (kinds.back() != ')') {
      problem = fmt::format("`{}` has no closing parenthesis", kinds);
      return {};
    }
    std::vector<std::string_view> turns;
    for (std::string_view inner = kinds.substr(1, kinds.size() - 2); !inner.empty();) {
      const std::size_t comma = inner.find(',');
      turns.push_back(trim(inner.substr(0, comma)));
      inner = comma == std::string_view::npos ? std::string_view{} : inner.substr(comma + 1);
    }
    if (turns.empty()) {
      problem = "`()` holds no kind of layer";
      return {};
    }
    // `rest` takes turns layer by layer; a number repeats all of them.
    const std::int64_t each = first == "rest" ? count : times(count, static_cast<std::int64_t>(turns.size()));
    if (each > num_layers) {
      problem = fmt::format("`{}` is more than num_layers", part);
      return {};
    }
    for (std::int64_t i = 0; i < each; ++i) put(1, turns[static_cast<std::size_t>(i) % turns.size()]);
  }
  if (has_rest || all == num_layers) {
    if (all != num_layers)
      problem =
          fmt::format("{} named, and num_layers is {}", counted(all, "layer is|layers are"), num_layers);
    if (all != num_layers) out.clear();
    return out;
  }
  // Repeated, and cut where it does not divide.
  if (all > num_layers) {
    problem = fmt::format("{} named, and num_layers is {}", counted(all, "layer is|layers are"), num_layers);
    return {};
  }
  const std::vector<Part> pattern = out;
  std::size_t at = 0;
  while (!pattern.empty() && all < num_layers) {
    Part next = pattern[at++ % pattern.size()];
    next.first = std::min(next.first, num_layers - all);
    put(next.first, next.second);
  }
  return out;
}

std::vector<LayerGroup> layers_of(const LayerDescription& description, std::int64_t num_layers,
                                  std::string& problem) {
  std::vector<TransformerLayer> layers(static_cast<std::size_t>(std::max<std::int64_t>(0, num_layers)));
  if (!description.order.empty()) {
    std::size_t at = 0;
    for (const auto& [count, kind] : layer_order(description.order, num_layers, problem)) {
      const auto found = std::find_if(description.kinds.begin(), description.kinds.end(),
                                      [&, name = kind](const auto& each) { return each.first == name; });
      if (found == description.kinds.end()) {
        problem = fmt::format("`{}` is not a kind of layer", kind);
        return {};
      }
      for (std::int64_t i = 0; i < count && at < layers.size(); ++i) layers[at++] = found->second;
    }
    if (!problem.empty()) return {};
  }
  for (const auto& [key, values] : description.lists) {
    if (values.size() != layers.size()) {
      problem = fmt::format("`{}` has {}, and num_layers is {}", key->name, counted(values.size(), "number"),
                            num_layers);
      return {};
    }
    for (std::size_t i = 0; i < layers.size(); ++i) layers[i].*(key->member) = values[i];
  }
  std::vector<LayerGroup> out;
  for (const TransformerLayer& each : layers) add_layers(out, 1, each);
  return out;
}

namespace {

std::string layer_text(const ModelSpec& model, const TransformerLayer& layer) {
  const ModelSpec one = layer_model(model, layer);
  std::string mixing;
  if (one.layers_without_attention == 0) {
    mixing = fmt::format(
        "attention {}/{} heads, head_dim {}", one.num_attention_heads, one.num_key_value_heads,
        one.mla.kv_lora_rank > 0 ? one.mla.qk_nope_head_dim + one.mla.qk_rope_head_dim : one.head_dim);
    if (one.mla.kv_lora_rank > 0)
      mixing = fmt::format("MLA {}, head_dim {}", counted(one.num_attention_heads, "head"),
                           one.mla.qk_nope_head_dim + one.mla.qk_rope_head_dim);
    if (one.window.size > 0) mixing += fmt::format(", window {}", one.window.size);
    if (one.compressed.ratio > 0) mixing += fmt::format(", KV compressed {}x", one.compressed.ratio);
    if (one.indexer.keys > 0) mixing += fmt::format(", sparse top-{}", one.indexer.keys);
    if (one.single.borrows_keys) mixing += ", shared KV";
    if (one.single.sharing > one.shared_block.blocks)
      mixing +=
          fmt::format(", weights of {}", one.shared_block.blocks == 1
                                             ? std::string("one block")
                                             : fmt::format("one of {} blocks", one.shared_block.blocks));
    if (num_joint_layers(one) > 0) mixing += ", separate image and text weights";
  }
  for (const Mixer& mixer : one.mixers) {
    if (mixer.layers == 0) continue;
    mixing += fmt::format("{}{} {}/{} heads", mixing.empty() ? "" : " in parallel with ",
                          form_of(mixer.kind).name, mixer.key_heads, mixer.value_heads);
  }
  if (one.single.linear_mixing) mixing = "one GEMM";
  std::string feeding =
      one.layers_without_mlp > 0 ? ""
      : one.moe.num_experts > 0
          ? fmt::format("{} x {}", counted(one.moe.num_experts, "expert"), one.moe.intermediate_size)
      : one.mlps_per_layer > 1 ? fmt::format("{} MLPs x {}", one.mlps_per_layer, one.intermediate_size)
                               : fmt::format("MLP {}", one.intermediate_size);
  if (one.single.linear_feeding) feeding = "one GEMM";
  if (mixing.empty() || feeding.empty())
    return fmt::format("[{}]", mixing.empty() && feeding.empty() ? "nothing" : mixing + feeding);
  return fmt::format("[{} + {}]", mixing, feeding);
}

// The shortest part of a list that, repeated, is most of it, and what follows, in the same way.
std::string list_text(const ModelSpec& model, std::span<const LayerGroup> list) {
  std::string out;
  while (!list.empty()) {
    std::size_t best = 1;
    std::size_t most = 1;
    for (std::size_t width = 2; 2 * width <= list.size(); ++width) {
      std::size_t runs = 1;
      while ((runs + 1) * width <= list.size() &&
             std::equal(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(width),
                        list.begin() + static_cast<std::ptrdiff_t>(runs * width)))
        ++runs;
      if (runs > 1 && runs * width > best * most) {
        best = width;
        most = runs;
      }
    }
    if (!out.empty()) out += ", ";
    out += most > 1 ? fmt::format("{} x ({})", most, list_text(model, list.first(best)))
                    : fmt::format("{} x {}", list.front().count, layer_text(model, list.front().layer));
    list = list.subspan(best * most);
  }
  return out;
}

}  // namespace

std::string layers_text(const ModelSpec& model) {
  return fmt::format("{} = {}", counted(model.num_layers, "layer"), list_text(model, layer_list(model)));
}

}  // namespace shapelint::model
