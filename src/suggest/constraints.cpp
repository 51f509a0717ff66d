// Conditions on what is proposed.
#include "suggest/constraints.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "model/cnn/cnn.hpp"
#include "model/fields.hpp"
#include "model/mixer.hpp"

namespace shapelint::suggest {

namespace {

using model::FieldId;

constexpr std::array fillable{FieldId::intermediate_size, FieldId::moe_intermediate_size,
                              FieldId::moe_shared_intermediate_size};

bool keeps(Shape shape, const model::Setup& start, const model::Setup& setup) {
  for (const model::FieldInfo& field : model::fields()) {
    if (model::kind_of(field.id) != model::FieldKind::shape) continue;
    const std::int64_t before = field.get(start);
    const std::int64_t after = field.get(setup);
    if (before == after) continue;
    const bool fills = shape == Shape::padding && after > before &&
                       std::find(fillable.begin(), fillable.end(), field.id) != fillable.end();
    if (!fills) return false;
  }
  std::vector<std::int64_t> before;
  std::vector<std::int64_t> after;
  model::append_sizes(start.model, before);
  model::append_sizes(setup.model, after);
  return before == after;
}

}  // namespace

bool names_shape(std::span<const std::string> fields) {
  return std::any_of(fields.begin(), fields.end(), [](std::string_view field) {
    const FieldId id = model::find_field(field.substr(0, field.find('=')));
    return id != model::no_field && model::kind_of(id) == model::FieldKind::shape;
  });
}

std::vector<Constraint> shape_constraints(Shape shape, const model::Setup& start) {
  if (shape == Shape::free) return {};
  return {{fmt::format("`--shape {}`: the model is trained already",
                       model::shape_names[static_cast<std::size_t>(shape)]),
           [shape, start](const model::Setup& setup) { return keeps(shape, start, setup); }}};
}

std::vector<Constraint> head_constraints(std::int64_t multiple, const model::Setup& start) {
  if (multiple <= 1) return {};
  const auto splits = [multiple](std::int64_t now, std::int64_t before) {
    return now == before || now % multiple == 0 || (now > 0 && now < multiple && multiple % now == 0);
  };
  // One head is no choice among heads; one group is multi-query attention.
  const auto attends_in_parts = [heads = start.model.num_attention_heads](std::int64_t now) {
    return now > 1 || now == heads;
  };
  return {{fmt::format("`--head-multiple {}`: heads that tensor parallelism can split", multiple),
           [splits, attends_in_parts, heads = start.model.num_attention_heads,
            groups = start.model.num_key_value_heads](const model::Setup& setup) {
             return attends_in_parts(setup.model.num_attention_heads) &&
                    splits(setup.model.num_attention_heads, heads) &&
                    splits(setup.model.num_key_value_heads, groups);
           }}};
}

// How much a layer remembers is not a question of speed, and groups share whole heads: two conditions, so
// that a shape none is allowed of says which it breaks.
std::vector<Constraint> mixer_constraints(const model::Setup& start) {
  std::vector<Constraint> out;
  for (std::size_t which = 0; which < model::most_mixers; ++which) {
    if (start.model.mixers[which].kind == model::MixerKind::none) continue;
    const std::string_view section = model::info(model::mixer_fields[which].kind).section;
    const double remembered = model::mixer_state(start.model.mixers[which]).recurrent_elements;
    out.push_back({fmt::format("`[{}]`: its state gets no smaller", section),
                   [remembered, which](const model::Setup& setup) {
                     return model::mixer_state(setup.model.mixers[which]).recurrent_elements >= remembered;
                   }});
    out.push_back(
        {fmt::format("`[{}]`: each of its key heads serves the same number of value heads", section),
         [which](const model::Setup& setup) {
           const model::Mixer& mixer = setup.model.mixers[which];
           return mixer.key_heads <= 0 || mixer.value_heads % mixer.key_heads == 0;
         }});
  }
  return out;
}

std::vector<Constraint> policy_constraints(const ShapePolicy& policy, const model::Setup& start) {
  std::vector<Constraint> out = shape_constraints(policy.shape, start);
  for (Constraint& each : head_constraints(policy.head_multiple, start)) out.push_back(std::move(each));
  for (Constraint& each : mixer_constraints(start)) out.push_back(std::move(each));
  return out;
}

}  // namespace shapelint::suggest
