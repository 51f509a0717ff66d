// The fullest moment of a training step.
#include "model/memory/training.hpp"

#include <algorithm>
#include <initializer_list>

#include "base/dtype.hpp"
#include "model/activations.hpp"
#include "model/arithmetic.hpp"
#include "model/cnn/cnn.hpp"
#include "model/memory/gathered.hpp"
#include "model/memory/states.hpp"
#include "model/parameter_bytes.hpp"
#include "model/stages.hpp"

namespace shapelint::model {

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
// has the logits, one, and with chunks p - (p - 1) / chunks.
struct InFlight {
  double first = 1;
  double last = 1;
};
InFlight micro_batches_in_flight(const Plan& plan) {
  const auto chunks = static_cast<double>(pipeline_chunks(plan));
  const double stages = at_least_one(plan.pipeline);
  const double others = (stages - 1) / chunks;
  const double all = at_least_one(plan.gradient_accumulation);
  return {std::min(chunks > 1 ? stages + others : stages, all),
          std::min(chunks > 1 ? stages - others : 1, all)};
}

// Copies of weights in fp32 that products read, which wait for the backward pass (PyTorch, torch.autocast:
// cache_enabled); ranks that gather weights gather them in 16 bits.
double cast_bytes(const Plan& plan, RankParameters held) {
  const bool casts = plan.weight_precision == WeightPrecision::fp32 && bytes_of(plan.dtype) <= half_bytes;
  if (!casts || plan.zero >= 3 || plan.adapters) return 0;
  return half_bytes * (held.dense + held.expert);
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
  const double stages = at_least_one(plan.pipeline);
  const double layers = at_least_one(model.num_layers) / stages;
  const double tokens =
      at_least_one(plan.micro_batch_size) * at_least_one(plan.sequence_length) / at_least_one(plan.context);
  const double logits =
      model.lm_head ? tokens * at_least_one(vocab_rows(setup)) / at_least_one(plan.tensor) * logit_bytes(plan)
                    : 0;
  const InFlight in_flight = micro_batches_in_flight(plan);
  const LayerActivations each = layer_activations(setup);
  const Gathered units = gathered(setup, held);
  // The loss's own are gone when the last layer goes backward.
  const double sequence = gathered_sequence_bytes(setup);
  const double layer = each.again + units.layer + sequence;
  const double first = waiting_bytes(plan, each, layers * in_flight.first) + layer;
  const double last = waiting_bytes(plan, each, (layers + mtp_layers(setup)) * in_flight.last) +
                      std::max(layer, logits + units.head + sequence);
  // At the end of the backward pass one layer is left, and its gradients.
  const double end = each.kept + each.scores + layer;
  const bool is_freed = plan.gradient_storage == GradientStorage::freed && plan.gradient_accumulation <= 1;
  const auto with_peak = [&](RankParameters own, std::initializer_list<double> peaks) {
    TrainingMemory out = of_states(held_states(setup, data, own));
    const double absent = is_freed ? out.gradients : 0;
    for (const double peak : peaks)
      out.activations = std::max(out.activations, peak + cast_bytes(plan, own) - absent);
    out.activations = std::max(out.activations, std::min(first, end));
    return out;
  };
  if (stages <= 1) return with_peak(held, {first, last});
  const StageParameters own = stage_parameters(setup, held);
  TrainingMemory on_first = with_peak(own.first, {first});
  on_first.micro_batches = in_flight.first;
  TrainingMemory on_last = with_peak(own.last, {last});
  on_last.is_last_stage = true;
  on_last.micro_batches = in_flight.last;
  return total(on_first) > total(on_last) ? on_first : on_last;
}

}  // namespace shapelint::model
