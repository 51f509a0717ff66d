// Changes and what follows from them.
#include "suggest/edit/change.hpp"

#include <algorithm>

#include "model/cnn/cnn.hpp"
#include "model/derive.hpp"
#include "model/layer_list.hpp"

namespace shapelint::suggest {

namespace {

using model::FieldId;
using model::Origin;

bool is_derived(const model::Reading& reading, FieldId field) {
  return reading.origins[field].kind == Origin::Kind::derived;
}

// Whether one value of the file says both.
bool one_value(const model::Reading& reading, FieldId a, FieldId b) {
  const Origin& x = reading.origins[a];
  const Origin& y = reading.origins[b];
  return x.kind == Origin::Kind::stated && y.kind == Origin::Kind::stated && x.path == y.path &&
         x.span == y.span;
}

// value * to / from when that is whole.
std::optional<std::int64_t> scaled(std::int64_t value, std::int64_t from, std::int64_t to) {
  if (from <= 0 || (value * to) % from != 0) return std::nullopt;
  return value * to / from;
}

}  // namespace

bool same_target(const Change& a, const Change& b) {
  const bool same_layers = a.of_layers == b.of_layers && (!a.of_layers || a.from == b.from);
  return a.field == b.field && a.layer == b.layer && a.key == b.key && same_layers;
}

bool sets_all(std::span<const Change> all, std::span<const Change> changes) {
  const auto is_set = [&](const Change& change) {
    return std::any_of(all.begin(), all.end(),
                       [&](const Change& each) { return same_target(each, change) && each.to == change.to; });
  };
  return !changes.empty() && std::all_of(changes.begin(), changes.end(), is_set);
}

FieldDependencies links_of(const model::Reading& reading) {
  const model::ModelSpec& model = reading.setup.model;
  FieldDependencies links;
  links.head_dim_from_hidden =
      model.mla.kv_lora_rank == 0 && (is_derived(reading, FieldId::head_dim) ||
                                      model.head_dim * model.num_attention_heads == model.hidden_size);
  links.value_head_dim = model.value_head_dim == model.head_dim;
  links.key_value_heads = model.num_key_value_heads == model.num_attention_heads;
  links.intermediate_size = is_derived(reading, FieldId::intermediate_size) ||
                            reading.origins[FieldId::intermediate_size].scales_with_width;
  links.intermediate_size_from_table =
      links.intermediate_size && model::derives_from_table(reading, FieldId::intermediate_size);
  links.moe_shared_intermediate_size = is_derived(reading, FieldId::moe_shared_intermediate_size);
  links.moe_intermediate_size =
      model.moe.intermediate_size == model.intermediate_size &&
      (is_derived(reading, FieldId::moe_intermediate_size) ||
       one_value(reading, FieldId::moe_intermediate_size, FieldId::intermediate_size));
  // Frameworks work it out of their ranks, by a rule of the reader's.
  const model::Plan& plan = reading.setup.plan;
  const bool is_defaulted = reading.origins[FieldId::expert_tensor].kind == Origin::Kind::defaulted;
  links.experts_over_data = plan.data > 1 && plan.expert_tensor == plan.tensor * plan.data;
  links.experts_in_groups =
      plan.expert > 1 && plan.expert_tensor != plan.tensor && plan.expert_tensor * plan.expert == plan.tensor;
  const bool is_of_ranks = plan.expert_tensor > 1 && (plan.expert_tensor == plan.tensor ||
                                                      links.experts_over_data || links.experts_in_groups);
  if (is_derived(reading, FieldId::expert_tensor) &&
      model::derives_from_table(reading, FieldId::expert_tensor)) {
    links.expert_tensor = plan.expert <= 1;
  } else {
    links.expert_tensor = is_of_ranks && (is_defaulted || is_derived(reading, FieldId::expert_tensor));
  }
  links.expert = is_derived(reading, FieldId::expert) && plan.expert > 1 && plan.tensor > 1 &&
                 plan.expert == plan.tensor * plan.data;
  return links;
}

FieldDependencies links_of_unstated(const model::Reading& reading) {
  FieldDependencies links = links_of(reading);
  links.head_dim_from_hidden = links.head_dim_from_hidden && is_derived(reading, FieldId::head_dim);
  links.value_head_dim = links.value_head_dim && is_derived(reading, FieldId::value_head_dim);
  links.key_value_heads = links.key_value_heads && is_derived(reading, FieldId::num_key_value_heads);
  return links;
}

bool is_copy(model::FieldId field, const FieldDependencies& links, const model::Setup& setup) {
  return (field == FieldId::value_head_dim && links.value_head_dim) ||
         (field == FieldId::num_key_value_heads && links.key_value_heads) ||
         (field == FieldId::expert_tensor && links.expert_tensor) ||
         (field == FieldId::expert && links.expert) ||
         (model::info(field).section == "model.moe" && setup.model.moe.num_experts == 0);
}

void ChangedFields::add(model::FieldId field) {
  hidden_size = hidden_size || field == FieldId::hidden_size;
  num_attention_heads = num_attention_heads || field == FieldId::num_attention_heads;
  num_key_value_heads = num_key_value_heads || field == FieldId::num_key_value_heads;
  head_dim = head_dim || field == FieldId::head_dim;
  value_head_dim = value_head_dim || field == FieldId::value_head_dim;
  intermediate_size = intermediate_size || field == FieldId::intermediate_size;
  moe_intermediate_size = moe_intermediate_size || field == FieldId::moe_intermediate_size;
  moe_shared_intermediate_size =
      moe_shared_intermediate_size || field == FieldId::moe_shared_intermediate_size;
  expert_tensor = expert_tensor || field == FieldId::expert_tensor;
  expert = expert || field == FieldId::expert;
}

void follow_tensor(const FieldDependencies& links, model::Setup& setup) {
  model::Plan& plan = setup.plan;
  if (links.expert_tensor) {
    const std::int64_t ranks = plan.tensor * (links.experts_over_data ? plan.data : 1);
    plan.expert_tensor = links.experts_in_groups
                             ? std::max<std::int64_t>(1, ranks / std::max<std::int64_t>(1, plan.expert))
                             : ranks;
  }
  if (links.expert) plan.expert = plan.tensor * plan.data;
}

DependencyFailures follow(const model::Setup& start, const FieldDependencies& links,
                          const ChangedFields& moved, model::Setup& setup) {
  DependencyFailures failed;
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
  FieldDependencies of_tensor = links;
  of_tensor.expert_tensor = links.expert_tensor && !moved.expert_tensor;
  of_tensor.expert = links.expert && !moved.expert;
  follow_tensor(of_tensor, setup);
  return failed;
}

std::optional<model::Setup> apply(const model::Setup& start, const FieldDependencies& links,
                                  std::span<const Change> changes) {
  model::Setup setup = start;
  ChangedFields moved;
  for (const Change& change : changes) {
    if (!change.key.empty()) {
      if (!model::set_layer_number(setup.model, change.layer, change.key, change.to)) return std::nullopt;
      continue;
    }
    const model::FieldInfo& field = model::info(change.field);
    if (change.to < field.minimum || change.to > field.maximum) return std::nullopt;
    if (change.of_layers) {
      const model::LayerKey* key = model::own_size(change.field);
      if (key == nullptr || !model::change_layers(setup.model, *key, change.from, change.to))
        return std::nullopt;
      continue;
    }
    field.set(setup, change.to);
    moved.add(change.field);
  }
  const DependencyFailures failed = follow(start, links, moved, setup);
  if (failed.heads || failed.intermediate) return std::nullopt;
  if (!setup.model.conv.empty() && !model::resolve(setup.model).problems.empty()) return std::nullopt;
  return setup;
}

std::vector<Change> differences(const model::Setup& from, const model::Setup& to) {
  std::vector<Change> out;
  for (const model::FieldInfo& field : model::fields()) {
    const std::int64_t before = field.get(from);
    const std::int64_t after = field.get(to);
    if (before != after) out.push_back({field.id, before, after});
  }
  return out;
}

}  // namespace shapelint::suggest
