// What of the activations a training plan computes again in the backward pass: a level, and parts of every
// layer.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "model/fields.hpp"
#include "model/spec.hpp"

namespace shapelint::contracts {

// A bit of RecomputeChoice::parts each (Megatron-Core's recompute_modules).
inline constexpr std::array recomputed_parts{model::FieldId::recompute_norms,
                                             model::FieldId::recompute_up_projections,
                                             model::FieldId::recompute_expert_activations,
                                             model::FieldId::recompute_mlp,
                                             model::FieldId::recompute_shared_experts,
                                             model::FieldId::recompute_experts};

struct RecomputeChoice {
  model::Recompute level = model::Recompute::none;
  std::uint8_t parts = 0;  // bits by place in recomputed_parts
};

// Whether all that `a` computes again `b` does, too: of plans that differ in nothing else `a` is no slower.
bool is_within(const RecomputeChoice& a, const RecomputeChoice& b);

RecomputeChoice recompute_of(const model::Plan& plan);
void apply(const RecomputeChoice& choice, model::Plan& plan);

// Those that the model has a use for and `allows` takes, and the plan's own; what is within another stands
// before it. Of norms, up-projections and expert activations, which cost least, all subsets; the others
// together with all of these.
using AllowsValue = std::function<bool(model::FieldId field, std::int64_t value)>;
std::vector<RecomputeChoice> recompute_choices(const model::Setup& own, const AllowsValue& allows);

// The least memory that any of them leaves a plan with is that of one of these, which need not be among them.
// `all_layers`: full recomputation is of all.
std::vector<RecomputeChoice> max_recomputed(const std::vector<RecomputeChoice>& choices, bool all_layers);

}  // namespace shapelint::contracts
