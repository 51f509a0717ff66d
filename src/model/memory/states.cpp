// Bytes of weights, gradients and optimizer states.
#include "model/memory/states.hpp"

#include <algorithm>

#include "model/lower/learning/learning.hpp"
#include "model/lower/whole.hpp"

namespace shapelint::model {

namespace {

constexpr double percent = 100;

// Elements that matrices have beside two states each, or less than these (dense, and of routed experts): Muon
// has no variance of them; Shampoo has the statistics of both sides and their roots, beside the moments of
// Adam, on whose size its updates are grafted (2309.06497, section 3); GaLore has two moments of rank x the
// longer side, and the projection of the shorter one (2403.03507, section 4.2).
RankParameters extra_elements(const Setup& setup) {
  RankParameters out;
  const Plan& plan = setup.plan;
  const bool has_own = plan.optimizer == Optimizer::muon || plan.optimizer == Optimizer::shampoo ||
                       plan.optimizer == Optimizer::low_rank;
  if (!has_own) return out;
  for (const MatrixSizes& each : matrix_sizes(setup)) {
    const double elements = each.inputs * each.outputs;
    const double shorter = std::min(each.inputs, each.outputs);
    const double longer = std::max(each.inputs, each.outputs);
    double extra = 0;
    if (plan.optimizer == Optimizer::muon) extra = -elements;
    if (plan.optimizer == Optimizer::shampoo) extra = 2 * each.preconditioners;
    if (plan.optimizer == Optimizer::low_rank && plan.optimizer_rank > 0) {
      const double rank = std::min(shorter, static_cast<double>(plan.optimizer_rank));
      extra = std::min(0.0, 2 * rank * longer + rank * shorter - 2 * elements);
    }
    (each.is_expert ? out.expert : out.dense) += each.per_rank * extra;
  }
  return out;
}

// Of `parameters` that as many ranks hold.
HeldStates held_of(const Plan& plan, double ranks, double parameters, double extra_state_bytes) {
  const ParameterBytes each = parameter_bytes(plan);
  const auto share = [&](std::int64_t stage) { return plan.zero >= stage ? 1 / ranks : 1.0; };
  HeldStates out;
  const double weights = parameters * each.weight * share(3);
  const double gradients = parameters * each.gradient * share(2);
  const double states = std::max(0.0, parameters * each.states + extra_state_bytes) * share(1);
  const double optimizer = parameters * each.master * share(1) + states;
  const double away = static_cast<double>(plan.offload_optimizer) / percent;
  const double paged = plan.paged_optimizer ? states * (1 - away) : 0;
  out.weights = plan.offload_weights ? 0 : weights;
  out.gradients =
      plan.offload_gradients || plan.gradient_storage == GradientStorage::in_backward ? 0 : gradients;
  out.optimizer = optimizer * (1 - away) - paged;
  out.host = (plan.offload_weights ? weights : 0) + optimizer * away + paged +
             (plan.offload_gradients ? parameters * fp32_bytes * share(1) : 0);
  return out;
}

HeldStates operator+(const HeldStates& a, const HeldStates& b) {
  return {a.weights + b.weights, a.gradients + b.gradients, a.optimizer + b.optimizer, a.host + b.host};
}

// Bytes that the embedding's states have beside those of the other parameters, on the ranks of one stage: the
// mean over the stages.
double wide_embedding_bytes(const Setup& setup, const ParameterBytes& each) {
  const Plan& plan = setup.plan;
  if (!plan.wide_embedding_states || plan.adapters) return 0;
  const double wide = number_of_states(plan.optimizer) * fp32_bytes;
  const double rows = static_cast<double>(vocab_rows(setup)) * static_cast<double>(setup.model.hidden_size);
  return std::max(0.0, wide - each.states) * rows /
         static_cast<double>(std::max<std::int64_t>(1, plan.tensor)) /
         static_cast<double>(std::max<std::int64_t>(1, plan.pipeline));
}

}  // namespace

HeldStates held_states(const Plan& plan, double data, double parameters) {
  return held_of(plan, data, parameters, 0);
}

HeldStates held_states(const Setup& setup, double data, RankParameters held) {
  const Plan& plan = setup.plan;
  const Replicas same = replicas(plan, data);
  if (plan.adapters) {
    // Weights that do not learn have neither gradients nor optimizer states; ZeRO 3 shares them as any.
    const AdapterSize adapters = adapter_size(setup);
    const RankParameters learning =
        parameters_per_rank(plan, static_cast<double>(adapters.dense), static_cast<double>(adapters.expert));
    HeldStates out =
        held_of(plan, same.dense, learning.dense, 0) + held_of(plan, same.expert, learning.expert, 0);
    const double frozen = served_weight_bytes(setup, held) / (plan.zero >= 3 ? same.dense : 1);
    (plan.offload_weights ? out.host : out.weights) += frozen;
    return out;
  }
  const ParameterBytes each = parameter_bytes(plan);
  const double state = each.states / std::max(1.0, number_of_states(plan.optimizer));
  const RankParameters extra = extra_elements(setup);
  return held_of(plan, same.dense, held.dense, extra.dense * state + wide_embedding_bytes(setup, each)) +
         held_of(plan, same.expert, held.expert, extra.expert * state);
}

}  // namespace shapelint::model
