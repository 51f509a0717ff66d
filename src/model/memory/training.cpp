// What training keeps, part by part, and its fullest moment.
#include "model/memory/training.hpp"

#include <algorithm>
#include <initializer_list>

#include "base/dtype.hpp"
#include "model/arithmetic.hpp"
#include "model/cnn/cnn.hpp"
#include "model/lower/learning/learning.hpp"
#include "model/lower/lower.hpp"
#include "model/stages.hpp"
#include "model/training_bytes.hpp"
#include "model/weights.hpp"

namespace shapelint::model {

namespace {

constexpr double percent = 100;

// Elements that matrices have in addition to two states each, or fewer (dense, and of routed experts): Muon
// has no variance of them; Shampoo has the statistics of both sides and their roots, and the moments of
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

// For `parameters` that as many ranks hold.
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

// Bytes of the embedding's states beyond those of other parameters, on the ranks of one stage: the
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
  const double ranks = plan.zero_ranks > 0 ? std::min(data, real(plan.zero_ranks)) : data;
  return held_of(plan, ranks, parameters, 0);
}

namespace {

// Frozen weights, in the run's format: they have neither gradients nor optimizer states, and
// ZeRO 3 shares them as any.
HeldStates frozen_states(const Plan& plan, const Replicas& same, RankParameters parameters) {
  const auto shared = [&](double some, double ranks) {
    return some * wide_bytes(plan) / (plan.zero >= 3 ? ranks : 1);
  };
  HeldStates out;
  (plan.offload_weights ? out.host : out.weights) =
      shared(parameters.dense, same.dense) + shared(parameters.expert, same.expert);
  return out;
}

HeldStates learning_states(const Setup& setup, const Replicas& same, RankParameters held) {
  const Plan& plan = setup.plan;
  if (plan.adapters) {
    const AdapterSize adapters = adapter_size(setup);
    const RankParameters learning =
        parameters_per_rank(plan, static_cast<double>(adapters.dense), static_cast<double>(adapters.expert));
    HeldStates out = held_of(plan, same.dense, learning.dense + learning_table_parameters(setup), 0) +
                     held_of(plan, same.expert, learning.expert, 0);
    const double frozen = served_weight_bytes(setup, held) / (plan.zero >= 3 ? same.dense : 1);
    (plan.offload_weights ? out.host : out.weights) += frozen;
    return out;
  }
  const RankParameters learning = learning_parameters(setup, held);
  const ParameterBytes each = parameter_bytes(plan);
  RankParameters extra;  // bytes of states
  if (!freezes_layers(setup)) {
    const double state = each.states / std::max(1.0, number_of_states(plan.optimizer));
    const RankParameters elements = extra_elements(setup);
    extra = {elements.dense * state + wide_embedding_bytes(setup, each), elements.expert * state};
  }
  return held_of(plan, same.dense, learning.dense, extra.dense) +
         held_of(plan, same.expert, learning.expert, extra.expert) +
         frozen_states(plan, same, {held.dense - learning.dense, held.expert - learning.expert});
}

}  // namespace

HeldStates held_states(const Setup& setup, double data, RankParameters held) {
  const Plan& plan = setup.plan;
  const Replicas same = shards(plan, data);
  const double copies = real(plan.reference_models);
  return learning_states(setup, same, held) +
         frozen_states(plan, same, {copies * held.dense, copies * held.expert});
}

namespace {

constexpr double summed_bytes = 4;

}  // namespace

Gathered gathered(const Setup& setup, RankParameters held) {
  const ModelSpec& model = setup.model;
  const Plan& plan = setup.plan;
  const Replicas same = shards(plan);
  const bool has_others = std::max(same.dense, same.expert) > 1;
  const bool shares_gradients = plan.zero >= 2 && has_others;
  const bool gathers = (plan.zero >= 3 && has_others) || plan.offload_weights;
  const bool passes_gradients =
      shares_gradients || plan.offload_gradients || plan.gradient_storage == GradientStorage::in_backward;
  if (plan.mode != Mode::train || !(gathers || passes_gradients)) return {};
  // Of weights as they are gathered, of gradients as they are computed.
  const double element = wide_bytes(plan);
  const double stages = static_cast<double>(std::max<std::int64_t>(1, plan.pipeline));
  const double tensor = static_cast<double>(std::max<std::int64_t>(1, plan.tensor));
  const double table = static_cast<double>(vocab_rows(setup)) * static_cast<double>(model.hidden_size);
  const double head = model.lm_head ? table / tensor : 0;
  const double tables = (model.lm_head && !model.tie_word_embeddings ? 2 : 1) * table / tensor / stages;
  const double towers = real(model.tower_parameters) / tensor / stages;
  const double layers = static_cast<double>(std::max<std::int64_t>(1, model.num_layers)) / stages;
  // Mixtures are the largest layers of a model that has others, too.
  const double mixtures = std::max(1.0, static_cast<double>(num_moe_layers(model)) / stages);
  double dense = std::max(0.0, held.dense - tables - towers) / layers;
  double expert = held.expert / mixtures;
  double weights = element * (dense + expert);
  if (plan.adapters) {
    weights *= served_weight_bytes(setup, held) / (element * (held.dense + held.expert));
    dense = expert = 0;  // the gradients are the adapters'
  }
  const double of_gradients = (passes_gradients ? element : 0) + (shares_gradients ? summed_bytes : 0);
  const double head_learns = plan.adapters ? 0 : of_gradients;
  const double gradients = of_gradients * (dense + expert);
  if (!gathers) return {gradients, shares_gradients ? head_learns * head : 0};
  return {std::min(2.0, layers) * weights + gradients, (element + head_learns) * head + weights};
}

namespace {

// Layers whose activations wait for their backward pass, and those of them that are in the GPU's memory:
// where they are offloaded, the one that is computed and the one that is copied.
double waiting_bytes(const Plan& plan, const LayerActivations& each, double layers) {
  constexpr double layers_beside_copies = 2;
  const double held = plan.offload_activations ? std::min(layers, layers_beside_copies) : layers;
  return held * each.kept + layers * each.scores;
}

// Micro-batches whose activations a stage keeps at a time, all its layers counted. The first keeps as many as
// there are stages, and with chunks (p - 1) / chunks more (arXiv 2205.05198, section 4.2.3); the last, which
// has the logits, one, and with chunks p - (p - 1) / chunks. All keep as many as the first where the schedule
// delays weight gradients (2401.10241, sections 2.1 and 6) or starts at both ends (2412.19437, table 2).
struct InFlight {
  double first = 1;
  double last = 1;
};
InFlight micro_batches_in_flight(const Plan& plan) {
  constexpr double half_a_stage = 0.5;  // of 2 p stages half as long, one more than these
  const auto chunks = static_cast<double>(pipeline_chunks(plan));
  const double stages = at_least_one(plan.pipeline);
  const double others = (stages - 1) / chunks;
  const double all = at_least_one(plan.gradient_accumulation);
  const InFlight in_turn{std::min(chunks > 1 ? stages + others : stages, all),
                         std::min(chunks > 1 ? stages - others : 1, all)};
  const auto same = [&](double most) { return InFlight{std::min(most, all), std::min(most, all)}; };
  if (plan.pipeline <= 1) return in_turn;
  switch (plan.pipeline_schedule) {
    case PipelineSchedule::one_forward_one_backward:
      return in_turn;
    case PipelineSchedule::gpipe:
      return same(all);
    case PipelineSchedule::zero_bubble:
      return same(in_turn.first);
    case PipelineSchedule::zero_bubble_v:
      return same(stages);
    case PipelineSchedule::dualpipe:
      return same(stages + 1);
    case PipelineSchedule::dualpipe_v:
      return same(stages + half_a_stage);
    case PipelineSchedule::in_turn:
      return same(1);
  }
  return in_turn;
}

// Copies of weights in fp32 that products read, which wait for the backward pass (PyTorch, torch.autocast:
// cache_enabled); ranks that gather weights gather them in 16 bits.
double cast_bytes(const Plan& plan, RankParameters held) {
  const bool casts = plan.weight_precision == WeightPrecision::fp32 && bytes_of(plan.dtype) <= half_bytes;
  if (!casts || plan.zero >= 3 || plan.adapters) return 0;
  return half_bytes * (held.dense + held.expert);
}

// Bytes of each logit at the loss's peak.
double loss_bytes(const Setup& setup) {
  return has_narrow_logits(setup) ? 3 * wide_bytes(setup.plan) : logit_bytes(setup.plan);
}

double total(const TrainingMemory& memory) {
  return memory.weights + memory.gradients + memory.optimizer + memory.activations;
}

TrainingMemory of_states(const HeldStates& held) {
  return {held.weights, held.gradients, held.optimizer, 0, held.host};
}

TrainingMemory network_memory(const Setup& setup, double data) {
  const NetworkSize size = size_of(resolve(setup.model));
  const double element = wide_bytes(setup.plan);
  TrainingMemory out = of_states(held_states(setup.plan, data, static_cast<double>(size.parameters)));
  out.activations =
      at_least_one(setup.plan.micro_batch_size) * (size.output_elements + size.normalized_elements) * element;
  return out;
}

}  // namespace

TrainingMemory training_memory(const Setup& setup, double data, RankParameters held) {
  const ModelSpec& model = setup.model;
  const Plan& plan = setup.plan;
  if (!model.conv.empty()) return network_memory(setup, data);
  const StageLayers layers = stage_layers(setup);
  const double tokens =
      at_least_one(plan.micro_batch_size) * at_least_one(plan.sequence_length) / at_least_one(plan.context);
  const double logits =
      model.lm_head ? tokens * at_least_one(vocab_rows(setup)) / at_least_one(plan.tensor) * loss_bytes(setup)
                    : 0;
  const InFlight in_flight = micro_batches_in_flight(plan);
  const LayerActivations each = layer_activations(setup);
  const Gathered units = gathered(setup, held);
  // The loss's own are gone when the last layer goes backward.
  const double sequence = gathered_sequence_bytes(setup);
  const double layer = each.again + units.layer + sequence;
  const double first = waiting_bytes(plan, each, layers.first * in_flight.first) + layer;
  const double last = waiting_bytes(plan, each, (layers.last + mtp_layers(setup)) * in_flight.last) +
                      std::max(layer, logits + units.head + sequence);
  // At the end of the backward pass one layer is left, and its gradients.
  const double end = each.kept + each.scores + layer;
  const bool is_freed = plan.gradient_storage == GradientStorage::freed && plan.gradient_accumulation <= 1;
  const auto with_peak = [&](RankParameters own, std::initializer_list<double> peaks) {
    TrainingMemory out = of_states(held_states(setup, data, own));
    // Two ranks have the same two stages, and share the optimizer's states.
    if (runs_both_ways(plan)) out.optimizer /= 2;
    const double absent = is_freed ? out.gradients : 0;
    for (const double peak : peaks)
      out.activations = std::max(out.activations, peak + cast_bytes(plan, own) - absent);
    out.activations = std::max(out.activations, std::min(first, end));
    return out;
  };
  if (plan.pipeline <= 1) return with_peak(held, {first, last});
  const StageParameters own = stage_parameters(setup, held, layers);
  TrainingMemory on_first = with_peak(own.first, {first});
  on_first.micro_batches = in_flight.first;
  TrainingMemory on_last = with_peak(own.last, {last});
  on_last.is_last_stage = !ends_share_a_stage(plan);
  on_last.micro_batches = in_flight.last;
  return total(on_first) > total(on_last) ? on_first : on_last;
}

}  // namespace shapelint::model
