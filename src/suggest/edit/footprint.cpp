// Memory per GPU.
#include "suggest/edit/footprint.hpp"

#include <algorithm>
#include <limits>

#include "base/dtype.hpp"
#include "base/units.hpp"
#include "gpu/engines.hpp"
#include "model/arithmetic.hpp"
#include "model/cnn/cnn.hpp"
#include "model/fields.hpp"
#include "model/lower/lower.hpp"
#include "model/memory/training.hpp"

namespace shapelint::suggest {

namespace {

constexpr double percent = 100;

using model::at_least_one;

// Of a CNN two tensors in inference, where the largest decides.
Footprint network_footprint(const model::Setup& setup) {
  const model::NetworkSize size = model::size_of(model::resolve(setup.model));
  const double element = std::max(2.0, bytes_of(setup.plan.dtype));
  return {static_cast<double>(size.parameters) * bytes_of(setup.plan.dtype),
          2 * at_least_one(setup.plan.micro_batch_size) * size.largest_elements * element};
}

// What the widest layer of a step keeps of each token, in 16 bits: its input three times (as it is, normed,
// and what is added to it), and of an MLP both halves and their product. A mixture has that of each expert of
// a token, and their outputs in place of the halves where these are narrower. Llama-3.1-8B: 110,592 bytes;
// vLLM took 2.07 GiB for 20,000 tokens and 2.99 for 29,000 (vllm-project/vllm#10517).
double token_bytes_of_step(const model::Setup& setup) {
  constexpr double element = 2;
  const model::ModelSpec& model = setup.model;
  const double hidden = at_least_one(model.hidden_size);
  const double tensor = at_least_one(setup.plan.tensor);
  const double mlp = (model.mlp_gated ? 3 : 2) * static_cast<double>(model.intermediate_size) / tensor;
  double experts = 0;
  if (model.moe.num_experts > 0) {
    const double width =
        static_cast<double>(model.moe.intermediate_size) / at_least_one(setup.plan.expert_tensor);
    const double halves = (model.mlp_gated ? 2 : 1) * width;
    experts = at_least_one(model.moe.experts_per_token) * (std::max(halves, hidden) + width);
  }
  return element * (3 * hidden + std::max(mlp, experts));
}

// Weights, and the cache of keys and values.
double served_bytes(const model::Setup& setup, model::RankParameters held) {
  const model::Plan& plan = setup.plan;
  const double sequences =
      at_least_one(plan.micro_batch_size) * at_least_one(plan.pipeline);  // a batch in every stage
  const double tokens = static_cast<double>(plan.context_length) +
                        (plan.mode == model::Mode::decode ? static_cast<double>(plan.speculative_tokens) + 1
                                                          : at_least_one(plan.sequence_length));
  const double read = plan.mode == model::Mode::decode && plan.prefill_tokens > 0
                          ? model::cache_bytes(setup, static_cast<double>(plan.context_length)) *
                                static_cast<double>(model::prompts_of_step(plan))
                          : 0.0;  // the prompts' own cache
  return model::served_weight_bytes(setup, held) + sequences * model::cache_bytes(setup, tokens) + read;
}

// With `data` data-parallel ranks, of a model of which each rank holds so many parameters.
Footprint footprint(const model::Setup& setup, double data, model::RankParameters held) {
  if (setup.plan.mode == model::Mode::train) {
    const model::TrainingMemory memory = model::training_memory(setup, data, held);
    return {memory.weights + memory.gradients + memory.optimizer, memory.activations, memory.host};
  }
  if (!setup.model.conv.empty()) return network_footprint(setup);
  return {served_bytes(setup, held), 0, 0};
}

}  // namespace

Footprint footprint(const model::Setup& setup) {
  return footprint(setup, at_least_one(setup.plan.data), model::parameters_per_rank(setup));
}

Footprint min_footprint(const model::Setup& setup) {
  return footprint(setup, std::numeric_limits<double>::infinity(), model::parameters_per_rank(setup));
}

double memory_bytes(const model::Setup& setup) {
  return memory_bytes(setup, model::parameters_per_rank(setup));
}

double memory_bytes(const model::Setup& setup, model::RankParameters held) {
  const Footprint both = footprint(setup, at_least_one(setup.plan.data), held);
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

const gpu::EngineMemory* engine_of(const model::Plan& plan) {
  return gpu::engine_memory(
      model::value_text(model::FieldId::engine, static_cast<std::int64_t>(plan.engine)));
}

std::int64_t sequences_at_a_time(double memory_gib, const model::Plan& plan) {
  if (plan.most_sequences > 0) return plan.most_sequences;
  const gpu::EngineMemory* engine = engine_of(plan);
  if (engine == nullptr) return 0;
  return memory_gib < engine->small_below_gib ? engine->small_sequences : engine->sequences;
}

double runtime_bytes(double memory_gib, const model::Setup& setup) {
  const model::Plan& plan = setup.plan;
  const double budget = budget_bytes(memory_gib, plan);
  const gpu::EngineMemory* engine = engine_of(plan);
  const bool has_ranks = plan.tensor > 1 || plan.data > 1;
  if (engine != nullptr && engine->shares_free && plan.memory_percent > 0) {
    const double outside = has_ranks ? engine->runtime_ranks_gib : engine->runtime_gib;
    return outside * bytes_per_gib * static_cast<double>(plan.memory_percent) / percent;
  }
  // Of the others only what stands outside of their tensors is known.
  if (engine == nullptr || engine->activation_gib <= 0) return budget - usable_bytes(budget / bytes_per_gib);
  const std::int64_t sequences = sequences_at_a_time(memory_gib, plan);
  const bool is_mixture = setup.model.moe.num_experts > 0;
  const double sampled = setup.model.lm_head
                             ? engine->sampler_bytes * static_cast<double>(model::vocab_rows(setup)) *
                                   static_cast<double>(sequences)
                             : 0.0;
  const std::int64_t unstated =
      memory_gib < engine->small_below_gib ? engine->small_step_tokens : engine->step_tokens;
  const std::int64_t tokens = plan.step_tokens > 0 ? plan.step_tokens : unstated;
  const double computed = static_cast<double>(tokens) * token_bytes_of_step(setup);
  const double gib = engine->activation_gib + (is_mixture ? engine->mixture_gib : 0.0) +
                     (has_ranks ? engine->runtime_ranks_gib : engine->runtime_gib);
  return gib * bytes_per_gib + std::max(sampled, computed);
}

double usable_bytes(double memory_gib, const model::Setup& setup) {
  const model::Plan& plan = setup.plan;
  if (memory_gib <= 0) return usable_bytes(memory_gib);
  if (plan.mode == model::Mode::train) {
    const double others = static_cast<double>(plan.colocated_mib) * bytes_per_mib;
    return std::max(0.0, memory_gib * bytes_per_gib - others - context_bytes) / (1 + fragmentation);
  }
  const double usable = std::max(0.0, budget_bytes(memory_gib, plan) - runtime_bytes(memory_gib, setup));
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

bool memory_allowed(const model::Setup& candidate, double needed, const model::Setup& start,
                    double start_needs, double usable) {
  usable /= 1 + start.plan.beside_share;
  if (needed <= usable) return true;
  if (start_needs <= usable || needed > start_needs * (1 + memory_slack)) return false;
  // What activations may be spared, weights and states may not: a run that can begin must go on to.
  const double all = usable * (1 + fragmentation) + context_bytes;
  if (footprint(start).state_bytes <= all && footprint(candidate).state_bytes > all) return false;
  return memory_bytes({start.model, candidate.plan}) <= start_needs;
}

}  // namespace shapelint::suggest
