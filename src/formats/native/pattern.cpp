// Patterns of layers: letters, words and lists.
#include "formats/native/internal.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/number.hpp"
#include "base/strings.hpp"
#include "model/fields.hpp"
#include "model/layer_list.hpp"
#include "model/mixer.hpp"

namespace shapelint::formats {

namespace {

using model::FieldId;
using model::MixerKind;

// One layer: what it mixes tokens by, and what follows.
struct LayerParts {
  bool attention = false;
  bool window = false;
  MixerKind mixer = MixerKind::none;
  bool mlp = false;
  bool experts = false;  // where letters tell experts from an MLP
};

struct Layers {
  std::vector<LayerParts> kinds;
  bool repeats = false;  // over num_layers
  bool letters = false;
};

std::vector<std::string_view> kind_names() {
  std::vector<std::string_view> out{"attention", "window_attention", "mlp"};
  const auto mixers = model::info(FieldId::mixer).choices;
  out.insert(out.end(), mixers.begin() + 1, mixers.end());
  return out;
}

std::optional<LayerParts> kind_of(std::string_view name) {
  if (name == "attention" || name == "full_attention") return LayerParts{.attention = true, .mlp = true};
  if (name == "window_attention" || name == "sliding_attention")
    return LayerParts{.attention = true, .window = true, .mlp = true};
  if (name == "mlp") return LayerParts{.mlp = true};
  const auto mixers = model::info(FieldId::mixer).choices;
  const auto found = std::find(mixers.begin() + 1, mixers.end(), name);
  if (found == mixers.end()) return std::nullopt;
  return LayerParts{.mixer = static_cast<MixerKind>(found - mixers.begin()), .mlp = true};
}

std::optional<LayerParts> kind_of(char letter) {
  switch (letter) {
    case 'M':
      return LayerParts{.mixer = MixerKind::mamba2};
    case 'G':
      return LayerParts{.mixer = MixerKind::gated_delta_net};
    case '*':
      return LayerParts{.attention = true};
    case '-':
      return LayerParts{.mlp = true};
    case 'E':
      return LayerParts{.experts = true};
    default:
      return std::nullopt;
  }
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

constexpr std::string_view forms =
    "write kinds and how many follow each other, `\"3 gated_delta_net, 1 attention\"`, a list of kinds, or a "
    "letter per layer, `\"M-M*-\"`";

Error unknown_kind(const text::NodeRef& node, std::string_view name) {
  const std::vector<std::string_view> known = kind_names();
  std::string hint = did_you_mean(name, known);
  if (hint.empty()) hint = "kinds are those of `[model.mixer]`, `attention`, `window_attention` and `mlp`";
  return node.error(fmt::format("`{}` is not a kind of layer", name), hint);
}

std::optional<Layers> of_letters(std::string_view text) {
  if (text.find_first_not_of("MG*-E") != std::string_view::npos) return std::nullopt;
  Layers out;
  out.letters = true;
  for (const char letter : text) out.kinds.push_back(*kind_of(letter));
  return out;
}

constexpr std::int64_t max_layers = 65'536;

std::optional<Layers> of_text(const text::NodeRef& node, std::string_view text, std::vector<Error>& errors) {
  if (text.empty()) {
    errors.push_back(node.error("`layers` is empty", std::string(forms)));
    return std::nullopt;
  }
  if (auto letters = of_letters(text)) return letters;
  Layers out;
  out.repeats = true;
  while (!text.empty()) {
    const auto comma = text.find(',');
    const std::string_view part = trimmed(text.substr(0, comma));
    text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
    const auto blank = part.find(' ');
    std::int64_t count = 1;
    std::string_view name = part;
    if (blank != std::string_view::npos) {
      const auto number = parse_integer(part.substr(0, blank));
      if (!number || *number < 1 || *number > max_layers) {
        errors.push_back(node.error(fmt::format("`{}` is not a number of layers", part.substr(0, blank)),
                                    std::string(forms)));
        return std::nullopt;
      }
      count = *number;
      name = trimmed(part.substr(blank));
    }
    const auto kind = kind_of(name);
    if (!kind) {
      errors.push_back(unknown_kind(node, name));
      return std::nullopt;
    }
    out.kinds.insert(out.kinds.end(), static_cast<std::size_t>(count), *kind);
  }
  return out;
}

std::optional<Layers> of_list(const text::NodeRef& node, std::vector<Error>& errors) {
  Layers out;
  for (const text::NodeRef each : node) {
    const auto name = each.as_string();
    const auto kind = name ? kind_of(*name) : std::nullopt;
    if (!kind) {
      errors.push_back(
          name ? unknown_kind(each, *name)
               : each.error(fmt::format("a layer is {}", text::describe(each.kind())), std::string(forms)));
      return std::nullopt;
    }
    out.kinds.push_back(*kind);
  }
  if (out.kinds.empty()) {
    errors.push_back(node.error("`layers` is empty", std::string(forms)));
    return std::nullopt;
  }
  return out;
}

// Sets fields that nothing else states.
class Setter {
 public:
  Setter(const text::NodeRef& node, model::Reading& reading, std::vector<Error>& errors)
      : node_(node), reading_(reading), errors_(errors) {}

  void set(FieldId field, std::int64_t value) {
    model::Origin& origin = reading_.origins[field];
    if (origin.kind == model::Origin::Kind::command_line) return;
    if (origin.kind == model::Origin::Kind::stated) {
      if (model::get(reading_.setup, field) == value) return;
      const model::FieldInfo& info = model::info(field);
      errors_.push_back(node_.error(
          fmt::format("`layers` makes `{}` `{}`, but it is `{}`", info.key, model::value_text(field, value),
                      model::value_text(field, model::get(reading_.setup, field))),
          fmt::format("leave `{}` of `[{}]` out", info.key, info.section)));
      return;
    }
    model::set(reading_.setup, field, value);
    origin = {};
    origin.kind = model::Origin::Kind::stated;
    origin.path = reading_.path;
    origin.span = node_.span();
    origin.key_span = node_.key_span();
    origin.key_path = node_.path();
    origin.note = "counted";
  }

 private:
  const text::NodeRef& node_;
  model::Reading& reading_;
  std::vector<Error>& errors_;
};

using Mixers = std::vector<std::pair<MixerKind, std::int64_t>>;

// Each kind's layers are those of the table that names it, or of the first that names none.
void set_mixers(const Mixers& mixers, const text::NodeRef& node, const model::Reading& reading,
                Setter& setter, std::vector<Error>& errors) {
  if (mixers.size() > model::most_mixers) {
    std::string tables;
    for (const model::MixerFields& each : model::mixer_fields)
      tables += fmt::format("{}`[{}]`", tables.empty() ? "" : ", ", model::info(each.kind).section);
    errors.push_back(
        node.error(fmt::format("`layers` has {} kinds of layers without attention", mixers.size()),
                   fmt::format("a model has at most {}, those of {}", model::most_mixers, tables)));
    return;
  }
  std::array<bool, model::most_mixers> taken{};
  const auto is_stated = [&](std::size_t which) {
    return is_known(reading, model::mixer_fields[which].kind) &&
           reading.setup.model.mixers[which].kind != MixerKind::none;
  };
  std::vector<std::size_t> tables(mixers.size(), model::most_mixers);
  const auto give = [&](auto fits) {
    for (std::size_t i = 0; i < mixers.size(); ++i) {
      for (std::size_t which = 0; which < model::most_mixers && tables[i] == model::most_mixers; ++which) {
        if (taken[which] || !fits(i, which)) continue;
        tables[i] = which;
        taken[which] = true;
      }
    }
  };
  give([&](std::size_t i, std::size_t which) {
    return is_stated(which) && reading.setup.model.mixers[which].kind == mixers[i].first;
  });
  // The only kind is that of the first table, whatever that says: a contradiction is an error.
  if (mixers.size() > 1) give([&](std::size_t, std::size_t which) { return !is_stated(which); });
  give([](std::size_t, std::size_t) { return true; });
  for (std::size_t i = 0; i < mixers.size(); ++i) {
    const model::MixerFields& fields = model::mixer_fields[tables[i]];
    setter.set(fields.kind, static_cast<std::int64_t>(mixers[i].first));
    setter.set(fields.layers, mixers[i].second);
  }
  for (std::size_t which = 0; which < model::most_mixers && !mixers.empty(); ++which) {
    if (taken[which] || !is_stated(which) || reading.setup.model.mixers[which].parallel) continue;
    const model::FieldInfo& kind = model::info(model::mixer_fields[which].kind);
    errors.push_back(
        node.error(fmt::format("`layers` has no {}, but `[{}]` describes one",
                               model::value_text(kind.id, kind.get(reading.setup)), kind.section),
                   "name it in `layers`, or leave the table out"));
  }
}

// The same as a list, for the order.
void keep_order(const Layers& layers, std::int64_t all, model::Reading& reading) {
  const model::ModelSpec& spec = reading.setup.model;
  const auto number = [](auto value) { return static_cast<std::int64_t>(value); };
  std::vector<model::LayerGroup> list;
  for (std::int64_t i = 0; i < all; ++i) {
    const LayerParts& each = layers.kinds[static_cast<std::size_t>(i) % layers.kinds.size()];
    model::TransformerLayer layer;
    layer.mixing = number(each.attention ? model::Mixing::attention : model::Mixing::none);
    for (std::size_t which = 0; which < model::most_mixers && each.mixer != MixerKind::none; ++which) {
      if (spec.mixers[which].kind == each.mixer) layer.mixing = model::mixing_by(which);
    }
    if (each.attention && spec.window.size > 0) layer.window = each.window ? spec.window.size : 0;
    if (layers.letters || !each.mlp)
      layer.feeding = number(each.experts ? model::Feeding::mixture
                             : each.mlp   ? model::Feeding::mlp
                                          : model::Feeding::none);
    model::add_layers(list, 1, layer);
  }
  model::set_layers(reading, std::move(list));
}

}  // namespace

void read_pattern(const text::NodeRef& node, model::Reading& reading, std::vector<Error>& errors) {
  std::optional<Layers> layers;
  if (node.is(text::Kind::list)) {
    layers = of_list(node, errors);
  } else if (const auto text = node.as_string()) {
    layers = of_text(node, trimmed(*text), errors);
  } else {
    errors.push_back(
        node.error(fmt::format("`layers` is {}", text::describe(node.kind())), std::string(forms)));
  }
  if (!layers) return;

  Setter setter(node, reading, errors);
  auto all = static_cast<std::int64_t>(layers->kinds.size());
  if (layers->repeats) {
    if (!is_known(reading, FieldId::num_layers)) {
      errors.push_back(
          node.error("`layers` repeats over `num_layers`, which is missing", "add `num_layers`"));
      return;
    }
    all = reading.setup.model.num_layers;
  } else {
    setter.set(FieldId::num_layers, all);
  }
  std::int64_t attention = 0;
  std::int64_t window = 0;
  std::int64_t mlp = 0;
  std::int64_t experts = 0;
  std::vector<std::pair<MixerKind, std::int64_t>> mixers;  // in the order of their first layers
  for (std::int64_t i = 0; i < all; ++i) {
    const LayerParts& each = layers->kinds[static_cast<std::size_t>(i) % layers->kinds.size()];
    attention += each.attention ? 1 : 0;
    window += each.window ? 1 : 0;
    mlp += each.mlp ? 1 : 0;
    experts += each.experts ? 1 : 0;
    if (each.mixer == MixerKind::none) continue;
    const auto known =
        std::find_if(mixers.begin(), mixers.end(), [&](const auto& one) { return one.first == each.mixer; });
    if (known != mixers.end()) {
      ++known->second;
    } else {
      mixers.emplace_back(each.mixer, 1);
    }
  }
  setter.set(FieldId::layers_without_attention, all - attention);
  setter.set(FieldId::layers_without_mlp, all - mlp - experts);
  set_mixers(mixers, node, reading, setter, errors);
  if (window > 0) setter.set(FieldId::window_layers, window);
  // Layers that are experts alone come where others would have an MLP: the rest counts as leading dense ones.
  if (layers->letters && experts > 0) setter.set(FieldId::moe_first_dense_layers, all - experts);
  if (layers->letters) setter.set(FieldId::norms_per_layer, 1);
  keep_order(*layers, all, reading);
}

}  // namespace shapelint::formats
