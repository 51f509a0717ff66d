// Changes and what follows from them.
#include "suggest/change.hpp"

#include <algorithm>

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

bool changes_field(std::span<const Change> changes, std::string_view name) {
  const FieldId field = model::find_field(name);
  return std::any_of(changes.begin(), changes.end(), [&](const Change& c) { return c.field == field; });
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
  links.moe_intermediate_size =
      is_derived(reading, "moe_intermediate_size") && model.moe.intermediate_size == model.intermediate_size;
  return links;
}

std::optional<model::Setup> apply(const model::Setup& start, const Links& links,
                                  std::span<const Change> changes) {
  model::Setup setup = start;
  for (const Change& change : changes) {
    const model::FieldInfo& field = model::fields()[static_cast<std::size_t>(change.field)];
    if (change.to < field.minimum || change.to > field.maximum) return std::nullopt;
    field.set(setup, change.to);
  }
  model::ModelSpec& model = setup.model;
  const bool hidden = changes_field(changes, "hidden_size");
  const bool heads = changes_field(changes, "num_attention_heads");
  if (links.head_dim_from_hidden) {
    const bool head_dim = changes_field(changes, "head_dim");
    if ((hidden || heads) && !head_dim) {
      if (model.num_attention_heads <= 0 || model.hidden_size % model.num_attention_heads != 0)
        return std::nullopt;
      model.head_dim = model.hidden_size / model.num_attention_heads;
    } else if (head_dim && !heads) {
      if (model.head_dim <= 0 || model.hidden_size % model.head_dim != 0) return std::nullopt;
      model.num_attention_heads = model.hidden_size / model.head_dim;
    }
  }
  if (links.value_head_dim && !changes_field(changes, "value_head_dim"))
    model.value_head_dim = model.head_dim;
  if (links.key_value_heads && !changes_field(changes, "num_key_value_heads")) {
    model.num_key_value_heads = model.num_attention_heads;
  }
  if (links.intermediate_size && hidden && !changes_field(changes, "intermediate_size")) {
    const auto width = scaled(start.model.intermediate_size, start.model.hidden_size, model.hidden_size);
    if (!width) return std::nullopt;
    model.intermediate_size = *width;
  }
  if (links.moe_intermediate_size && !changes_field(changes, "moe_intermediate_size")) {
    model.moe.intermediate_size = model.intermediate_size;
  }
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
