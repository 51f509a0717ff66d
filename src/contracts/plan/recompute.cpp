// Levels and parts of activation recomputation that are worth trying.
#include "contracts/plan/recompute.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

namespace shapelint::contracts {

namespace {

using model::FieldId;
using model::Recompute;

constexpr std::uint8_t bit_of(FieldId field) {
  for (std::size_t i = 0; i < recomputed_parts.size(); ++i)
    if (recomputed_parts[i] == field) return static_cast<std::uint8_t>(1U << i);
  return 0;
}
constexpr std::uint8_t norms = bit_of(FieldId::recompute_norms);
constexpr std::uint8_t up_projections = bit_of(FieldId::recompute_up_projections);
constexpr std::uint8_t expert_activations = bit_of(FieldId::recompute_expert_activations);
constexpr std::uint8_t mlp = bit_of(FieldId::recompute_mlp);
constexpr std::uint8_t shared_experts = bit_of(FieldId::recompute_shared_experts);
constexpr std::uint8_t experts = bit_of(FieldId::recompute_experts);

// Whole experts have their activation functions in them.
std::uint8_t all_of(std::uint8_t parts) {
  return (parts & experts) != 0 ? static_cast<std::uint8_t>(parts | expert_activations) : parts;
}

// Parts that the model has, cheap ones and others.
struct Parts {
  std::uint8_t light = norms;
  std::vector<std::uint8_t> heavy;  // each with what stands before it
};
Parts parts_of(const model::ModelSpec& model) {
  Parts out;
  if (model.mla.kv_lora_rank > 0) out.light |= up_projections;
  const bool is_mixture = model.moe.num_experts > 0;
  if (is_mixture) out.light |= expert_activations;
  if (!is_mixture) out.heavy = {mlp};
  if (is_mixture && model.moe.shared_intermediate_size > 0) out.heavy.push_back(shared_experts);
  if (is_mixture) out.heavy.push_back(experts);
  return out;
}

// none < selective < others < full
int order_of(Recompute level) {
  return level == Recompute::none ? 0 : level == Recompute::selective ? 1 : level == Recompute::full ? 3 : 2;
}

}  // namespace

bool is_within(const RecomputeChoice& a, const RecomputeChoice& b) {
  const std::uint8_t parts = all_of(a.parts);
  const std::uint8_t of = all_of(b.parts);
  const bool has_parts = (parts & of) == parts;
  if (a.level == b.level) return has_parts;
  if (a.level == Recompute::none) return b.level == Recompute::full || has_parts;
  return a.level == Recompute::selective && b.level == Recompute::full;
}

RecomputeChoice recompute_of(const model::Plan& plan) {
  RecomputeChoice out{plan.recompute, 0};
  if (plan.recompute_norms) out.parts |= norms;
  if (plan.recompute_up_projections) out.parts |= up_projections;
  if (plan.recompute_expert_activations) out.parts |= expert_activations;
  if (plan.recompute_mlp) out.parts |= mlp;
  if (plan.recompute_shared_experts) out.parts |= shared_experts;
  if (plan.recompute_experts) out.parts |= experts;
  return out;
}

void apply(const RecomputeChoice& choice, model::Plan& plan) {
  const auto has = [&](std::uint8_t part) { return (choice.parts & part) != 0; };
  plan.recompute = choice.level;
  plan.recompute_norms = has(norms);
  plan.recompute_up_projections = has(up_projections);
  plan.recompute_expert_activations = has(expert_activations);
  plan.recompute_mlp = has(mlp);
  plan.recompute_shared_experts = has(shared_experts);
  plan.recompute_experts = has(experts);
}

std::vector<RecomputeChoice> recompute_choices(const model::Setup& own, const AllowsValue& allows) {
  const Parts parts = parts_of(own.model);
  std::vector<std::uint8_t> sets;
  for (unsigned set = 0; set <= parts.light; ++set)
    if ((set & ~static_cast<unsigned>(parts.light)) == 0) sets.push_back(static_cast<std::uint8_t>(set));
  std::uint8_t all = parts.light;
  for (const std::uint8_t each : parts.heavy) {
    all |= each;
    sets.push_back((each & experts) != 0 ? static_cast<std::uint8_t>(all & ~expert_activations) : all);
  }
  std::vector<RecomputeChoice> out;
  const RecomputeChoice of_file = recompute_of(own.plan);
  const auto add = [&](const RecomputeChoice& each) {
    const bool is_known = std::any_of(out.begin(), out.end(), [&](const RecomputeChoice& known) {
      return known.level == each.level && known.parts == each.parts;
    });
    if (is_known || !allows(FieldId::recompute, static_cast<std::int64_t>(each.level))) return;
    for (std::size_t i = 0; i < recomputed_parts.size(); ++i)
      if (!allows(recomputed_parts[i], (each.parts >> i) & 1)) return;
    out.push_back(each);
  };
  for (const Recompute level : {Recompute::none, Recompute::selective})
    for (const std::uint8_t set : sets) add({level, set});
  add({Recompute::full, 0});
  add({of_file.level, of_file.parts});
  add({of_file.level, 0});
  if (out.empty()) out.push_back(of_file);
  std::stable_sort(out.begin(), out.end(), [](const RecomputeChoice& a, const RecomputeChoice& b) {
    return std::tuple(order_of(a.level), std::popcount(all_of(a.parts))) <
           std::tuple(order_of(b.level), std::popcount(all_of(b.parts)));
  });
  return out;
}

std::vector<RecomputeChoice> max_recomputed(const std::vector<RecomputeChoice>& choices, bool all_layers) {
  std::vector<RecomputeChoice> out;
  for (const RecomputeChoice& each : choices) {
    const auto same = std::find_if(out.begin(), out.end(),
                                   [&](const RecomputeChoice& known) { return known.level == each.level; });
    if (same == out.end()) {
      out.push_back(each);
    } else {
      same->parts |= each.parts;
    }
  }
  // A lower level needs no less than the same parts at a higher one, and nothing less than all layers'
  // inputs.
  const auto has = [&](Recompute level) {
    return std::any_of(out.begin(), out.end(),
                       [&](const RecomputeChoice& each) { return each.level == level; });
  };
  if (all_layers && has(Recompute::full)) return {{Recompute::full, 0}};
  if (has(Recompute::selective))
    std::erase_if(out, [](const RecomputeChoice& each) { return each.level == Recompute::none; });
  return out;
}

}  // namespace shapelint::contracts
