// Changes and what follows from them.
#include "suggest/edit/change.hpp"

#include <algorithm>

#include "model/cnn/cnn.hpp"
#include "model/derive.hpp"

namespace shapelint::suggest {

namespace {

using model::FieldId;
using model::Origin;

bool is_derived(const model::Reading& reading, std::string_view name) {
  const FieldId field = model::find_field(name);
  const auto index = static_cast<std::size_t>(field);
  return field != model::no_field && index < reading.origins.size() &&
         reading.origins[index].kind == Origin::Kind::derived;
}

// Whether one value of the file says both.
bool one_value(const model::Reading& reading, std::string_view a, std::string_view b) {
  const auto first = static_cast<std::size_t>(model::find_field(a));
  const auto second = static_cast<std::size_t>(model::find_field(b));
  if (first >= reading.origins.size() || second >= reading.origins.size()) return false;
  const Origin& x = reading.origins[first];
  const Origin& y = reading.origins[second];
  return x.kind == Origin::Kind::stated && y.kind == Origin::Kind::stated && x.path == y.path &&
         x.span == y.span;
}

// value * to / from when that is whole.
std::optional<std::int64_t> scaled(std::int64_t value, std::int64_t from, std::int64_t to) {
  if (from <= 0 || (value * to) % from != 0) return std::nullopt;
  return value * to / from;
}

}  // namespace

Links links_of(const model::Reading& reading) {
  const model::ModelSpec& model = reading.setup.model;
  Links links;
  links.head_dim_from_hidden =
      model.mla.kv_lora_rank == 0 &&
      (is_derived(reading, "head_dim") || model.head_dim * model.num_attention_heads == model.hidden_size);
  links.value_head_dim = model.value_head_dim == model.head_dim;
  links.key_value_heads = model.num_key_value_heads == model.num_attention_heads;
  links.intermediate_size = is_derived(reading, "intermediate_size");
  links.intermediate_size_from_table =
      links.intermediate_size && model::derives_from_table(reading, model::find_field("intermediate_size"));
  links.moe_shared_intermediate_size = is_derived(reading, "moe_shared_intermediate_size");
  links.moe_intermediate_size = model.moe.intermediate_size == model.intermediate_size &&
                                (is_derived(reading, "moe_intermediate_size") ||
                                 one_value(reading, "moe_intermediate_size", "intermediate_size"));
  return links;
}

Links links_of_unstated(const model::Reading& reading) {
  Links links = links_of(reading);
  links.head_dim_from_hidden = links.head_dim_from_hidden && is_derived(reading, "head_dim");
  links.value_head_dim = links.value_head_dim && is_derived(reading, "value_head_dim");
  links.key_value_heads = links.key_value_heads && is_derived(reading, "num_key_value_heads");
  return links;
}

bool is_copy(model::FieldId field, const Links& links, const model::Setup& setup) {
  const std::string_view name = model::fields()[static_cast<std::size_t>(field)].name;
  return (name == "value_head_dim" && links.value_head_dim) ||
         (name == "num_key_value_heads" && links.key_value_heads) ||
         (name.starts_with("moe_") && setup.model.moe.num_experts == 0);
}

model::FieldId num_key_value_heads_field() {
  static const FieldId field = model::find_field("num_key_value_heads");
  return field;
}

void Moved::add(model::FieldId field) {
  const std::string_view name = model::fields()[static_cast<std::size_t>(field)].name;
  hidden_size = hidden_size || name == "hidden_size";
  num_attention_heads = num_attention_heads || name == "num_attention_heads";
  num_key_value_heads = num_key_value_heads || name == "num_key_value_heads";
  head_dim = head_dim || name == "head_dim";
  value_head_dim = value_head_dim || name == "value_head_dim";
  intermediate_size = intermediate_size || name == "intermediate_size";
  moe_intermediate_size = moe_intermediate_size || name == "moe_intermediate_size";
  moe_shared_intermediate_size = moe_shared_intermediate_size || name == "moe_shared_intermediate_size";
}

LinkFailures follow(const model::Setup& start, const Links& links, const Moved& moved, model::Setup& setup) {
  LinkFailures failed;
  model::ModelSpec& model = setup.model;
  if (links.head_dim_from_hidden) {
    if ((moved.hidden_size || moved.num_attention_heads) && !moved.head_dim) {
      failed.heads = model.num_attention_heads <= 0 || model.hidden_size % model.num_attention_heads != 0;
      if (!failed.heads) model.head_dim = model.hidden_size / model.num_attention_heads;
    } else if (moved.head_dim && !moved.num_attention_heads) {
      failed.heads = model.head_dim <= 0 || model.hidden_size % model.head_dim != 0;
      if (!failed.heads) model.num_attention_heads = model.hidden_size / model.head_dim;
    }
  }
  if (links.value_head_dim && !moved.value_head_dim) model.value_head_dim = model.head_dim;
  if (links.key_value_heads && !moved.num_key_value_heads) {
    model.num_key_value_heads = model.num_attention_heads;
  }
  if (links.intermediate_size && moved.hidden_size && !moved.intermediate_size) {
    if (links.intermediate_size_from_table) {
      model.intermediate_size = model::derived_intermediate_size(setup);
    } else {
      const auto width = scaled(start.model.intermediate_size, start.model.hidden_size, model.hidden_size);
      failed.intermediate = !width;
      if (width) model.intermediate_size = *width;
    }
  }
  if (links.moe_intermediate_size && !moved.moe_intermediate_size) {
    model.moe.intermediate_size = model.intermediate_size;
  }
  if (links.moe_shared_intermediate_size && !moved.moe_shared_intermediate_size) {
    model.moe.shared_intermediate_size = model.moe.num_shared_experts * model.moe.intermediate_size;
  }
  return failed;
}

std::optional<model::Setup> apply(const model::Setup& start, const Links& links,
                                  std::span<const Change> changes) {
  model::Setup setup = start;
  Moved moved;
  for (const Change& change : changes) {
    if (!change.key.empty()) {
      if (!model::set_layer_number(setup.model, change.layer, change.key, change.to)) return std::nullopt;
      continue;
    }
    const model::FieldInfo& field = model::fields()[static_cast<std::size_t>(change.field)];
    if (change.to < field.minimum || change.to > field.maximum) return std::nullopt;
    field.set(setup, change.to);
    moved.add(change.field);
  }
  const LinkFailures failed = follow(start, links, moved, setup);
  if (failed.heads || failed.intermediate) return std::nullopt;
  if (!setup.model.conv.empty() && !model::resolve(setup.model).problems.empty()) return std::nullopt;
  return setup;
}

std::vector<Change> differences(const model::Setup& from, const model::Setup& to) {
  std::vector<Change> out;
  const auto fields = model::fields();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::int64_t before = fields[i].get(from);
    const std::int64_t after = fields[i].get(to);
    if (before != after) out.push_back({static_cast<FieldId>(i), before, after});
  }
  return out;
}

}  // namespace shapelint::suggest
