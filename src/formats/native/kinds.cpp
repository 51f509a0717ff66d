// Kinds of layers.
#include "formats/native/internal.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "base/strings.hpp"
#include "catalog/entry.hpp"
#include "model/layer_list.hpp"
#include "model/mixer.hpp"

namespace shapelint::formats {

namespace {

using model::FieldId;
using model::Mixing;
using model::TransformerLayer;
using text::Kind;
using text::NodeRef;

// The key of its table in `[model]`: `mixer`.
std::string_view mixer_table(const model::MixerFields& mixer) {
  const std::string_view section = model::info(mixer.kind).section;
  return section.substr(section.find('.') + 1);
}

class Kinds {
 public:
  Kinds(const LayerNodes& nodes, model::Reading& reading, std::vector<Error>& errors)
      : nodes_(nodes), reading_(reading), errors_(errors), before_(errors.size()) {}

  void read() {
    if (nodes_.shared) read_shared(*nodes_.shared);
    if (nodes_.kinds) {
      for (const NodeRef kind : *nodes_.kinds) read_kind(kind);
    }
    for (const NodeRef list : nodes_.lists) read_list(list);
    if (!is_known(reading_, FieldId::num_layers) && !description_.lists.empty())
      state(FieldId::num_layers, static_cast<std::int64_t>(description_.lists.front().second.size()),
            nodes_.lists.front());
    if (nodes_.order) read_order(*nodes_.order);
    if (!nodes_.order && nodes_.kinds) {
      errors_.push_back(nodes_.kinds->key_error("kinds of layers need `layers`",
                                                "such as `layers = \"5 local, 1 global\"` in `[model]`"));
    }
    if (errors_.size() > before_) return;
    if (!is_known(reading_, FieldId::num_layers)) return;  // check_required says so
    std::string problem;
    add_built_in();
    std::vector<model::LayerGroup> list =
        model::layers_of(description_, reading_.setup.model.num_layers, problem);
    if (!problem.empty()) {
      errors_.push_back((nodes_.order ? *nodes_.order : nodes_.lists.front()).error(problem, hint()));
      return;
    }
    give_defaults(list);
    note_places();
    count_parallel(list);
    model::set_layers(reading_, std::move(list));
    model::Origin& window = reading_.origins[FieldId::window_size];
    if (window.kind != model::Origin::Kind::unknown || reading_.setup.model.layers.empty()) return;
    window.kind = model::Origin::Kind::derived;
    window.note = "counted among the layers";
  }

 private:
  std::string hint() const {
    std::string names;
    for (const auto& [name, layer] : description_.kinds)
      names += fmt::format("{}`{}`", names.empty() ? "" : ", ", name);
    return names.empty() ? std::string() : "kinds are " + names;
  }

  // Of a field that the file does not state itself.
  void state(FieldId field, std::int64_t value, const NodeRef& node) {
    model::Origin& origin = reading_.origins[field];
    if (origin.kind != model::Origin::Kind::unknown) return;
    model::set(reading_.setup, field, value);
    origin.kind = model::Origin::Kind::stated;
    origin.path = reading_.path;
    origin.span = node.span();
    origin.key_span = node.key_span();
    origin.key_path = node.path();
  }

  void read_kind(const NodeRef& table) {
    if (!table.is(Kind::table)) {
      errors_.push_back(table.error(fmt::format("`{}` is {}", table.path(), text::describe(table.kind())),
                                    fmt::format("write a table: `[model.layer.{}]`", table.key())));
      return;
    }
    TransformerLayer layer;
    if (!table["mixer"]) take_mixer_of_name(table, layer);
    for (const NodeRef node : table) {
      if (node.key() == "uses") continue;  // with what else it has
      const model::LayerKey* key = model::find_layer_key(node.key());
      if (key == nullptr) {
        std::vector<std::string_view> names{"uses"};
        for (const model::LayerKey& each : model::layer_keys()) names.push_back(each.name);
        errors_.push_back(with_code(
            node.key_error(fmt::format("unknown key `{}` in `[model.layer.{}]`", node.key(), table.key()),
                           did_you_mean(node.key(), names)),
            ErrorCode::unknown_name));
      } else if (key->name == "mixer") {
        read_mixer(node, table, layer);
      } else if (const auto value = catalog::layer_value(node, *key, errors_)) {
        layer.*(key->member) = *value;
        if (key->field != model::no_field) stated_.push_back({key, node, table.key()});
      }
    }
    if (table["uses"]) use_block(table["uses"], layer);
    description_.kinds.emplace_back(std::string(table.key()), layer);
  }

  // The one block that layers share: attention and MLP with their sizes, and what is each layer's own.
  void read_shared(const NodeRef& tables) {
    if (!tables.is(Kind::table) || tables.size() != 1 || !(*tables.begin()).is(Kind::table)) {
      errors_.push_back(tables.key_error("`[model.shared]` is not a single block",
                                         "write one table, such as `[model.shared.block]`"));
      return;
    }
    const NodeRef block = *tables.begin();
    block_ = std::string(block.key());
    if (!block["copies"]) state(FieldId::shared_blocks, 1, block);
    for (const NodeRef node : block) {
      const std::string_view key = node.key() == "copies" ? "blocks" : node.key();
      std::vector<std::string_view> names{"copies"};
      const model::FieldInfo* field = nullptr;
      for (const model::FieldInfo& each : model::fields()) {
        const model::LayerKey* of_layer = each.section == "model" ? model::find_layer_key(each.key) : nullptr;
        if (each.section != "model.shared_block" && of_layer == nullptr) continue;
        names.push_back(each.key);
        if (each.key == key) field = &each;
      }
      const auto flag = node.as_boolean();
      const auto number = flag ? std::optional<std::int64_t>(*flag ? 1 : 0) : node.as_integer();
      if (field == nullptr) {
        errors_.push_back(with_code(
            node.key_error(fmt::format("unknown key `{}` in `[model.shared.{}]`", node.key(), *block_),
                           did_you_mean(node.key(), names)),
            ErrorCode::unknown_name));
      } else if (!number || *number < field->minimum || *number > field->maximum) {
        errors_.push_back(node.error(
            fmt::format("`{}` is not a number from {} to {}", node.key(), field->minimum, field->maximum)));
      } else {
        state(field->id, *number, node);
      }
    }
  }

  // The layer has the block's attention and MLP; its own mixer comes in addition.
  void use_block(const NodeRef& name, TransformerLayer& layer) {
    if (!block_ || name.as_string() != *block_) {
      errors_.push_back(
          name.error("unknown block", block_ ? fmt::format("`[model.shared.{}]` exists", *block_)
                                             : std::string("describe it in `[model.shared.NAME]`")));
      return;
    }
    const std::size_t slot =
        layer.mixing < 0 ? model::most_mixers : model::mixer_of(static_cast<Mixing>(layer.mixing));
    if (slot < model::most_mixers) state(model::mixer_fields[slot].parallel, 1, name);
    layer.mixing = static_cast<std::int64_t>(Mixing::attention);
    layer.feeding = static_cast<std::int64_t>(model::Feeding::mlp);
  }

  void note_place(std::int64_t layer, std::string_view key, const NodeRef& node) {
    reading_.layers.push_back(
        {static_cast<std::int32_t>(layer), std::string(key), node.span(), node.key_span(), node.path()});
  }

  // Where the layers' own values stand: those of a kind once, at its first layer.
  void note_places() {
    std::string problem;
    const auto order = model::layer_order(description_.order, reading_.setup.model.num_layers, problem);
    for (const auto& [key, node, kind] : stated_) {
      std::int64_t first = 0;
      for (const auto& [count, name] : order) {
        if (name == kind) {
          note_place(first, key->name, node);
          break;
        }
        first += count;
      }
    }
    for (const NodeRef list : nodes_.lists) {
      std::int64_t layer = 0;
      for (const NodeRef each : list) note_place(layer++, list.key(), each);
    }
  }

  // A mixer next to attention is in layers of both kinds.
  void count_parallel(const std::vector<model::LayerGroup>& list) {
    for (std::size_t slot = 0; slot < model::most_mixers && block_; ++slot) {
      if (!reading_.setup.model.mixers[slot].parallel) continue;
      std::int64_t number = 0;
      for (const model::LayerGroup& group : list) {
        const auto mixing = static_cast<Mixing>(group.layer.mixing);
        if (group.layer.mixing < 0 || mixing == Mixing::attention || model::mixer_of(mixing) == slot)
          number += group.count;
      }
      state(model::mixer_fields[slot].layers, number, *nodes_.shared);
    }
  }

  // `[model.layer.mamba2]` needs no `mixer = "mamba2"`.
  void take_mixer_of_name(const NodeRef& table, TransformerLayer& layer) {
    const auto kinds = model::info(FieldId::mixer).choices;
    const auto found = std::find(kinds.begin() + 1, kinds.end(), table.key());
    if (found != kinds.end()) layer.mixing = slot_of(found - kinds.begin(), table);
  }

  void read_mixer(const NodeRef& node, const NodeRef& table, TransformerLayer& layer) {
    const auto kinds = model::info(FieldId::mixer).choices;
    const auto kind_of = [&](std::string_view name) {
      const auto found = std::find(kinds.begin() + 1, kinds.end(), name);
      return found == kinds.end() ? std::int64_t{0} : static_cast<std::int64_t>(found - kinds.begin());
    };
    if (const auto name = node.as_string()) {
      const model::LayerKey& key = *model::find_layer_key("mixer");
      const auto found = std::find(key.choices.begin(), key.choices.end(), *name);
      const auto by_table =
          std::find_if(model::mixer_fields.begin(), model::mixer_fields.end(),
                       [&](const model::MixerFields& each) { return mixer_table(each) == *name; });
      if (found != key.choices.end()) {
        layer.mixing = found - key.choices.begin();
      } else if (by_table != model::mixer_fields.end()) {
        layer.mixing = model::mixing_by(static_cast<std::size_t>(by_table - model::mixer_fields.begin()));
      } else if (const std::int64_t kind = kind_of(*name); kind > 0) {
        layer.mixing = slot_of(kind, node);
      } else {
        std::vector<std::string_view> names(kinds.begin() + 1, kinds.end());
        names.insert(names.end(), key.choices.begin(), key.choices.end());
        errors_.push_back(node.error(fmt::format("`mixer` is `{}`", *name), did_you_mean(*name, names)));
      }
      return;
    }
    if (!node.is(Kind::table)) {
      errors_.push_back(node.error(fmt::format("`mixer` is {}", text::describe(node.kind())),
                                   "write the name of a kind, or a table with its sizes"));
      return;
    }
    const std::int64_t kind = kind_of(node["kind"].as_string().value_or(table.key()));
    if (kind == 0) {
      errors_.push_back(
          node.error("`kind` is missing from `mixer`", "write it, such as `kind = \"mamba2\"`"));
      return;
    }
    layer.mixing = slot_of(kind, node);
    const std::size_t slot = model::mixer_of(static_cast<Mixing>(layer.mixing));
    if (slot >= model::most_mixers) return;  // slot_of() said why
    const std::string_view section = model::info(model::mixer_fields[slot].kind).section;
    for (const NodeRef size : node) {
      if (size.key() == "kind") continue;
      const auto fields = model::fields();
      const auto field = std::find_if(fields.begin(), fields.end(), [&](const model::FieldInfo& each) {
        return each.section == section && each.key == size.key();
      });
      const auto flag = size.as_boolean();
      const auto number = flag ? std::optional<std::int64_t>(*flag ? 1 : 0) : size.as_integer();
      if (field == fields.end() || !number || *number < field->minimum || *number > field->maximum) {
        errors_.push_back(with_code(
            size.key_error(field == fields.end() ? fmt::format("unknown key `{}` of a mixer", size.key())
                                                 : fmt::format("`{}` is not a number from {} to {}",
                                                               size.key(), field->minimum, field->maximum)),
            ErrorCode::unknown_name));
        continue;
      }
      state(field->id, *number, size);
    }
  }

  // Where the model describes mixers of that kind: a table that names it, or the first that names none.
  std::int64_t slot_of(std::int64_t kind, const NodeRef& node) {
    for (const bool wants_same : {true, false}) {
      for (std::size_t slot = 0; slot < model::most_mixers; ++slot) {
        const FieldId field = model::mixer_fields[slot].kind;
        const bool is_none = reading_.setup.model.mixers[slot].kind == model::MixerKind::none;
        if (wants_same ? model::get(reading_.setup, field) != kind : !is_none) continue;
        state(field, kind, node);
        return model::mixing_by(slot);
      }
    }
    errors_.push_back(node.error("a model has at most three kinds of layers without softmax attention", ""));
    return static_cast<std::int64_t>(Mixing::none);
  }

  void read_list(const NodeRef& list) {
    const model::LayerKey* key = model::find_layer_key(list.key());
    std::vector<std::int64_t> values;
    for (const NodeRef each : list) {
      const auto value = catalog::layer_value(each, *key, errors_);
      if (!value) return;
      values.push_back(*value);
    }
    if (values.empty()) {
      errors_.push_back(list.error(fmt::format("`{}` is empty", list.key()), "write one number per layer"));
      return;
    }
    description_.lists.emplace_back(key, std::move(values));
  }

  void read_order(const NodeRef& node) {
    if (const auto text = node.as_string()) {
      description_.order = std::string(*text);
      return;
    }
    if (!node.is(Kind::table) || !is_known(reading_, FieldId::num_layers)) {
      if (!node.is(Kind::table))
        errors_.push_back(node.error(fmt::format("`layers` is {}", text::describe(node.kind())),
                                     "write kinds with their counts, or with their positions"));
      return;
    }
    const std::string rest(node["rest"].as_string().value_or(""));
    std::vector<std::string> order(static_cast<std::size_t>(reading_.setup.model.num_layers), rest);
    for (const NodeRef kind : node) {
      if (kind.key() == "rest") continue;
      for (const NodeRef place : kind) {
        const auto at = place.as_integer();
        if (!at || *at < 0 || *at >= reading_.setup.model.num_layers) {
          errors_.push_back(place.error("no layer has this index", "indices count from 0"));
          return;
        }
        order[static_cast<std::size_t>(*at)] = std::string(kind.key());
      }
    }
    for (const std::string& each : order) {
      if (each.empty()) {
        errors_.push_back(
            node.error("not every layer has a kind", "name that of the others: `rest = \"…\"`"));
        return;
      }
      description_.order += (description_.order.empty() ? "" : ", ") + each;
    }
  }

  // Kinds that need no table.
  void add_built_in() {
    const auto add = [&](std::string_view name, TransformerLayer layer) {
      const bool is_there = std::any_of(description_.kinds.begin(), description_.kinds.end(),
                                        [&](const auto& each) { return each.first == name; });
      if (!is_there) description_.kinds.emplace_back(std::string(name), layer);
    };
    TransformerLayer window;
    window.window = reading_.setup.model.window.size;
    TransformerLayer all;
    if (window.window > 0) all.window = 0;
    add("attention", all);
    add("window_attention", window);
    TransformerLayer alone;
    alone.mixing = static_cast<std::int64_t>(Mixing::none);
    add("mlp", alone);
    for (std::size_t slot = 0; slot < model::most_mixers; ++slot) {
      const model::Mixer& mixer = reading_.setup.model.mixers[slot];
      if (mixer.kind == model::MixerKind::none) continue;
      TransformerLayer layer;
      layer.mixing = model::mixing_by(slot);
      add(model::form_of(mixer.kind).name, layer);
    }
  }

  // The model's own value of what only its layers state is their largest, and stands where that does.
  void give_defaults(const std::vector<model::LayerGroup>& list) {
    for (const model::LayerKey& key : model::layer_keys()) {
      if (key.field == model::no_field || is_known(reading_, key.field)) continue;
      std::int64_t most = -1;
      for (const model::LayerGroup& group : list) most = std::max(most, group.layer.*key.member);
      if (most < 0) continue;
      NodeRef place;
      for (const auto& [each, node, kind] : stated_) {
        if (each == &key && (!place || node.as_integer() == most)) place = node;
      }
      for (const NodeRef each : nodes_.lists) {
        if (each.key() != key.name) continue;
        place = each;
        for (const NodeRef value : each) {
          if (value.as_integer() != most) continue;
          place = value;
          break;
        }
      }
      if (key.field == FieldId::window_size || key.field == FieldId::compressed_ratio ||
          key.field == FieldId::indexer_keys || !place)
        continue;
      state(key.field, most, place);
    }
  }

  const LayerNodes& nodes_;
  std::optional<std::string> block_;  // the name of what layers share
  model::Reading& reading_;
  std::vector<Error>& errors_;
  std::size_t before_;
  model::LayerDescription description_;
  struct Stated {
    const model::LayerKey* key;
    NodeRef node;
    std::string_view kind;
  };
  std::vector<Stated> stated_;
};

}  // namespace

void read_kinds(const LayerNodes& nodes, model::Reading& reading, std::vector<Error>& errors) {
  Kinds(nodes, reading, errors).read();
}

}  // namespace shapelint::formats
