// Memory per GPU.
#include "suggest/edit/footprint.hpp"

#include <algorithm>
#include <limits>

#include "base/dtype.hpp"
#include "base/units.hpp"
#include "model/activations.hpp"
#include "model/cnn/cnn.hpp"
#include "model/lower/learning/learning.hpp"
#include "model/lower/whole.hpp"
#include "suggest/edit/gathered.hpp"

namespace shapelint::suggest {

namespace {

// Bytes per parameter (arXiv 1910.02054, section 3.1).
constexpr double weight_bytes = 2;
constexpr double gradient_bytes = 2;  // of the 16-bit weight's type, unless the plan says otherwise
constexpr double optimizer_bytes = 12;
constexpr double fp32_bytes = 4;
constexpr double percent = 100;

double real(std::int64_t value) {
  return static_cast<double>(std::max<std::int64_t>(1, value));
}

// Layers whose activations wait for their backward pass, and those of them that are in the GPU's memory:
// where they are offloaded, the one that is computed and the one that is copied.
double waiting_bytes(const model::Plan& plan, const model::LayerActivations& each, double layers) {
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
InFlight micro_batches_in_flight(const model::Plan& plan) {
  const auto chunks = static_cast<double>(model::pipeline_chunks(plan));
  const double stages = real(plan.pipeline);
  const double others = (stages - 1) / chunks;
  const double all = real(plan.gradient_accumulation);
  return {std::min(chunks > 1 ? stages + others : stages, all),
          std::min(chunks > 1 ? stages - others : 1, all)};
}

// Bytes of what one rank keeps of `parameters` in training: ZeRO's stages share optimizer states, then
// gradients, then weights over `ranks`.
double kept_bytes(double parameters, const model::Plan& plan, double ranks) {
  const auto shared = [&](double bytes, std::int64_t stage) {
    return plan.zero >= stage ? bytes / ranks : bytes;
  };
  constexpr double bits_per_byte = 8;
  const double gradient =
      plan.gradient_bits > 0 ? static_cast<double>(plan.gradient_bits) / bits_per_byte : gradient_bytes;
  return parameters * (shared(weight_bytes, 3) + shared(gradient, 2) + shared(optimizer_bytes, 1));
}

// What ranks keep beside Adam's states, or less than these (dense, and of routed experts), before ZeRO shares
// it: Muon has no variance of matrices; Shampoo has the statistics of both sides and their roots in fp32,
// beside the moments of Adam, on whose size its updates are grafted (2309.06497, section 3).
model::RankParameters extra_states(const model::Setup& setup) {
  model::RankParameters out;
  for (const model::MatrixSizes& each : model::matrix_sizes(setup)) {
    double bytes = -fp32_bytes * each.inputs * each.outputs;
    if (setup.plan.optimizer == model::Optimizer::shampoo) bytes = 2 * fp32_bytes * each.preconditioners;
    (each.is_expert ? out.expert : out.dense) += each.per_rank * bytes;
  }
  return out;
}

// Of a CNN: what every layer's gradient needs is kept in training (a batch norm keeps its input beside its
// output), and two tensors in inference, where the largest decides.
Footprint network_footprint(const model::Setup& setup, double data) {
  const model::NetworkSize size = model::size_of(model::resolve(setup.model));
  const double element = std::max(2.0, bytes_of(setup.plan.dtype));
  const double images = real(setup.plan.micro_batch_size);
  const auto parameters = static_cast<double>(size.parameters);
  if (setup.plan.mode != model::Mode::train)
    return {parameters * bytes_of(setup.plan.dtype), 2 * images * size.largest_elements * element};
  return {kept_bytes(parameters, setup.plan, data),
          images * (size.output_elements + size.normalized_elements) * element};
}

// Weights, and the cache of keys and values.
double served_bytes(const model::Setup& setup, model::RankParameters held) {
  const model::Plan& plan = setup.plan;
  const double sequences = real(plan.micro_batch_size) * real(plan.pipeline);  // a batch in every stage
  const double tokens = static_cast<double>(plan.context_length) +
                        (plan.mode == model::Mode::decode ? static_cast<double>(plan.speculative_tokens) + 1
                                                          : real(plan.sequence_length));
  const double read = plan.mode == model::Mode::decode && plan.prefill_tokens > 0
                          ? model::cache_bytes(setup, static_cast<double>(plan.context_length))
                          : 0.0;  // the prompt's own cache
  return model::served_weight_bytes(setup, held) + sequences * model::cache_bytes(setup, tokens) + read;
}

// With `data` data-parallel ranks, of a model of which each rank holds so many parameters.
Footprint footprint(const model::Setup& setup, double data, model::RankParameters held) {
  const model::ModelSpec& model = setup.model;
  const model::Plan& plan = setup.plan;
  if (!model.conv.empty()) return network_footprint(setup, data);
  if (plan.mode != model::Mode::train) return {served_bytes(setup, held), 0};
  const model::Replicas same = model::replicas(plan, data);
  double state = 0;
  if (plan.adapters) {
    // Weights that do not learn have neither gradients nor optimizer states; ZeRO 3 shares them as any.
    const model::AdapterSize adapters = model::adapter_size(setup);
    const model::RankParameters learning = model::parameters_per_rank(
        plan, static_cast<double>(adapters.dense), static_cast<double>(adapters.expert));
    state = model::served_weight_bytes(setup, held) / (plan.zero >= 3 ? same.dense : 1) +
            kept_bytes(learning.dense, plan, same.dense) + kept_bytes(learning.expert, plan, same.expert);
  } else {
    state = kept_bytes(held.dense, plan, same.dense) + kept_bytes(held.expert, plan, same.expert);
    if (plan.optimizer != model::Optimizer::adam) {
      const model::RankParameters extra = extra_states(setup);
      state +=
          plan.zero >= 1 ? extra.dense / same.dense + extra.expert / same.expert : extra.dense + extra.expert;
    }
  }
  const double layers = real(model.num_layers) / real(plan.pipeline);
  const double tokens = real(plan.micro_batch_size) * real(plan.sequence_length) / real(plan.context);
  const double logits =
      model.lm_head ? tokens * real(model::vocab_rows(setup)) / real(plan.tensor) * model::logit_bytes(plan)
                    : 0;
  const InFlight in_flight = micro_batches_in_flight(plan);
  const model::LayerActivations each = model::layer_activations(setup);
  const Gathered units = gathered(setup, held);
  // The loss's own are gone when the last layer goes backward.
  const double sequence = model::gathered_sequence_bytes(setup);
  const double layer = each.again + units.layer + sequence;
  return {state, std::max(waiting_bytes(plan, each, layers * in_flight.first) + layer,
                          waiting_bytes(plan, each, layers * in_flight.last) +
                              std::max(layer, logits + units.head + sequence))};
}

}  // namespace

Footprint footprint(const model::Setup& setup) {
  return footprint(setup, real(setup.plan.data), model::parameters_per_rank(setup));
}

Footprint least_footprint(const model::Setup& setup) {
  return footprint(setup, std::numeric_limits<double>::infinity(), model::parameters_per_rank(setup));
}

double memory_bytes(const model::Setup& setup) {
  return memory_bytes(setup, model::parameters_per_rank(setup));
}

double memory_bytes(const model::Setup& setup, model::RankParameters held) {
  const Footprint both = footprint(setup, real(setup.plan.data), held);
  return both.state_bytes + both.activation_bytes;
}

double usable_bytes(double memory_gib) {
  if (memory_gib <= 0) return std::numeric_limits<double>::infinity();
  return (memory_gib * bytes_per_gib - context_bytes) / (1 + fragmentation);
}

double budget_bytes(double memory_gib, const model::Plan& plan) {
  if (memory_gib <= 0) return std::numeric_limits<double>::infinity();
  const double all = memory_gib * bytes_per_gib;
  if (plan.mode == model::Mode::train || plan.memory_percent <= 0) return all;
  return all * static_cast<double>(plan.memory_percent) / percent;
}

double usable_bytes(double memory_gib, const model::Setup& setup) {
  const model::Plan& plan = setup.plan;
  if (memory_gib <= 0 || plan.mode == model::Mode::train) return usable_bytes(memory_gib);
  const double usable = usable_bytes(budget_bytes(memory_gib, plan) / bytes_per_gib);
  if (plan.cache_percent <= 0) return usable;
  const double weights = std::min(usable, model::served_weight_bytes(setup));
  return weights + (usable - weights) * static_cast<double>(plan.cache_percent) / percent;
}

std::int64_t resident_sequences(double memory_gib, const model::Setup& setup) {
  const auto needed = [&](std::int64_t sequences) {
    model::Setup held = setup;
    held.plan.micro_batch_size = sequences;
    return memory_bytes(held);
  };
  const double one = needed(1);
  const double each = needed(2) - one;
  const double room = usable_bytes(memory_gib, setup) - one;
  if (room <= 0 || each <= 0) return room <= 0 ? 1 : std::numeric_limits<std::int64_t>::max();
  return 1 + static_cast<std::int64_t>(std::min(room / each, 1e9));
}

bool may_need(const model::Setup& candidate, double needed, const model::Setup& start, double start_needs,
              double usable) {
  if (needed <= usable) return true;
  if (start_needs <= usable || needed > start_needs * (1 + memory_slack)) return false;
  // What activations may be spared, weights and states may not: a run that can begin must go on to.
  const double all = usable * (1 + fragmentation) + context_bytes;
  if (footprint(start).state_bytes <= all && footprint(candidate).state_bytes > all) return false;
  return memory_bytes({start.model, candidate.plan}) <= start_needs;
}

}  // namespace shapelint::suggest
