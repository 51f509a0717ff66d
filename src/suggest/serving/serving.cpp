// Prefill and decode of one plan.
#include "suggest/serving/serving.hpp"

#include <algorithm>
#include <array>

#include "base/units.hpp"
#include "cost/roofline.hpp"
#include "cost/stages.hpp"
#include "cost/step.hpp"
#include "cost/step_interval.hpp"
#include "gpu/engines.hpp"
#include "model/arithmetic.hpp"
#include "model/lower/lower.hpp"
#include "suggest/edit/footprint.hpp"

namespace shapelint::suggest {

namespace {

using model::at_least_one;

// GPUs of all replicas.
double gpus_of(const model::Plan& plan) {
  return at_least_one(plan.tensor) * at_least_one(plan.pipeline) * at_least_one(plan.data);
}

// Until the first token a host takes so long for each layer of a pass over a prompt that no CUDA graph holds
// (these hold decoding alone, vLLM's also as few tokens: vllm/config/vllm.py, max_cudagraph_capture_size),
// and so long for each of the prompt's tokens, which it takes apart and sends between processes. Both come on
// top of the GPU's time. Fitted to half of the published campaigns (bench/first_token.py); first tokens of
// the other half are off 1.2 times with them, 2.6 times without.
struct Host {
  model::ServingEngine engine;
  double layer_us;
  std::int64_t captured_tokens;
  bool mixtures_only;  // what was published
};
constexpr std::array hosts{Host{model::ServingEngine::sglang, 3320, 0, true},
                           Host{model::ServingEngine::trtllm, 1380, 0, true},
                           Host{model::ServingEngine::vllm, 470, 512, false}};
constexpr double prompt_token_us = 4;

// Null: of no published run.
const Host* host_of(const model::Setup& setup) {
  const bool is_mixture = setup.model.moe.num_experts > 0;
  const auto* found = std::find_if(hosts.begin(), hosts.end(), [&](const Host& host) {
    return host.engine == setup.plan.engine && (is_mixture || !host.mixtures_only);
  });
  return found == hosts.end() ? nullptr : found;
}

// The host's time beside a pass over so many tokens of a prompt.
double host_us(const model::Setup& setup, std::int64_t tokens) {
  const Host* host = host_of(setup);
  if (host == nullptr) return 0;
  const double launching_us =
      tokens > host->captured_tokens ? host->layer_us * at_least_one(setup.model.num_layers) : 0;
  return launching_us + prompt_token_us * static_cast<double>(tokens);
}

// Tokens that a step of the engine reads at most, whose prompts come in chunks of as many; 0: no limit is
// known. A vLLM that is told none takes fewer on any A100, whatever its memory (vllm/engine/arg_utils.py,
// get_batch_defaults).
std::int64_t most_step_tokens(const gpu::Gpu& gpu, const model::Plan& plan) {
  if (plan.step_tokens > 0) return plan.step_tokens;
  const gpu::EngineMemory* engine = engine_of(plan);
  if (engine == nullptr) return 0;
  const bool is_small = gpu::memory_gib(gpu) < engine->small_below_gib || gpu.id.starts_with("a100");
  return is_small ? engine->small_step_tokens : engine->step_tokens;
}

// One prompt, chunk after chunk; each attends to those before it, only the last one's logits are needed.
double first_token_us(const gpu::Gpu& gpu, const model::Setup& from, std::int64_t prompt,
                      std::int64_t chunk) {
  cost::PriceMemo memo(gpu);
  cost::StepCost step;
  model::Setup setup = from;
  setup.plan.mode = model::Mode::prefill;
  setup.plan.micro_batch_size = 1;
  setup.plan.prefill_tokens = 0;
  double time_us = 0;
  for (std::int64_t done = 0; done < prompt; done += chunk) {
    setup.plan.context_length = done;
    setup.plan.sequence_length = std::min(chunk, prompt - done);
    setup.model.lm_head = from.model.lm_head && done + chunk >= prompt;
    cost::price_step(memo, setup, step);
    time_us += step.time_us * at_least_one(from.plan.pipeline) + host_us(from, setup.plan.sequence_length);
  }
  return time_us;
}

}  // namespace

std::int64_t prompt_of(const model::Plan& plan) {
  const std::int64_t tokens =
      plan.mode == model::Mode::decode
          ? plan.context_length
          : model::plus(plan.sequence_length, plan.mode == model::Mode::prefill ? plan.context_length : 0);
  return std::max<std::int64_t>(1, tokens);
}

namespace {

// The draft as it runs beside a plan.
model::Setup drafting(const model::Plan& plan, const Draft& draft) {
  model::Setup out = draft.setup;
  out.plan.mode = model::Mode::decode;
  out.plan.micro_batch_size = plan.micro_batch_size;
  out.plan.context_length = plan.context_length;
  out.plan.dtype = plan.dtype;
  out.plan.attention = plan.attention;
  out.plan.fusion = plan.fusion;
  out.plan.speculative_tokens = 0;
  out.plan.prefill_tokens = 0;
  return out;
}

// Whether the products of a step take longer for their arithmetic than for their traffic.
bool compute_bound(const gpu::Gpu& gpu, model::Setup setup, std::int64_t prefill_tokens) {
  setup.plan.prefill_tokens = prefill_tokens;
  const cost::Roofline line = cost::roofline(gpu, cost::paced_workload(gpu, setup), setup.plan.dtype);
  return line.product_compute_us >= line.product_memory_us;
}

// The fewest tokens of a prompt with which the products are compute-bound; nothing where `most` are too few.
std::optional<std::int64_t> compute_bound_from(const gpu::Gpu& gpu, const model::Setup& decoding) {
  constexpr std::int64_t most = 8192;
  if (compute_bound(gpu, decoding, 0)) return 0;
  if (!compute_bound(gpu, decoding, most)) return std::nullopt;
  std::int64_t low = 0;
  std::int64_t high = most;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (compute_bound(gpu, decoding, middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace

double draft_us(const gpu::Gpu& gpu, const model::Plan& plan, const Draft& draft) {
  if (plan.speculative_tokens <= 0) return 0;
  const model::Setup setup = drafting(plan, draft);
  const cost::StepCost step = cost::price_step(gpu, setup);
  return step.time_us * at_least_one(setup.plan.pipeline) * static_cast<double>(plan.speculative_tokens);
}

double draft_bytes(const model::Plan& plan, const Draft& draft) {
  return plan.speculative_tokens > 0 ? memory_bytes(drafting(plan, draft)) : 0.0;
}

Serving serving_of(const gpu::Gpu& gpu, const model::Setup& setup, std::int64_t chunk, const Draft* draft) {
  // A chunk is a pass over all layers: no more of them than this are priced.
  constexpr std::int64_t most_chunks = 4096;
  Serving out;
  out.prompt = prompt_of(setup.plan);
  if (chunk == 0) chunk = most_step_tokens(gpu, setup.plan);
  out.chunk = chunk > 0 ? std::min(chunk, out.prompt) : out.prompt;
  out.chunk = std::max(out.chunk, model::divide_up(out.prompt, most_chunks));
  out.first_token_us = first_token_us(gpu, setup, out.prompt, out.chunk);

  model::Setup decoding = setup;
  decoding.plan.mode = model::Mode::decode;
  decoding.plan.context_length = out.prompt;
  const model::Workload workload = cost::paced_workload(gpu, decoding);
  const cost::StepCost step = cost::price(gpu, workload, decoding.plan.dtype);
  out.accepted_tokens = model::accepted_tokens(decoding.plan);
  if (draft != nullptr) out.draft_us = draft_us(gpu, decoding.plan, *draft);
  const double step_us = step.time_us * at_least_one(setup.plan.pipeline) + out.draft_us;
  out.token_us = step_us / out.accepted_tokens;
  // As many batches as stages are under way, and advance by a step in the same time.
  out.tokens_per_s = workload.tokens_per_step * at_least_one(setup.plan.pipeline) *
                     at_least_one(setup.plan.data) / step_us * us_per_s;
  if (setup.plan.mode == model::Mode::decode && setup.plan.prefill_tokens > 0) {
    model::Setup alone = decoding;
    alone.plan.prefill_tokens = 0;
    out.token_alone_us =
        (cost::price_step(gpu, alone).time_us * at_least_one(setup.plan.pipeline) + out.draft_us) /
        out.accepted_tokens;
    const double steps = static_cast<double>(model::divide_up(out.prompt, setup.plan.prefill_tokens));
    out.mixed_first_token_us = steps * step_us;
    out.prompt_compute_bound_from = compute_bound_from(gpu, decoding);
    out.prompt_tokens_per_s = static_cast<double>(out.prompt) / out.mixed_first_token_us * us_per_s *
                              at_least_one(setup.plan.pipeline);
  }
  out.tokens_per_s_per_gpu = out.tokens_per_s / gpus_of(setup.plan);
  const cost::Spread of_first = cost::first_token_spread(gpu, decoding, host_of(decoding) != nullptr);
  out.first_token_low_us = of_first.low * out.first_token_us;
  out.first_token_high_us = of_first.high * out.first_token_us;
  const cost::Spread of_step = cost::step_spread(gpu, decoding);
  out.token_low_us = of_step.low * out.token_us;
  out.token_high_us = of_step.high * out.token_us;
  const auto cached = static_cast<double>(out.prompt);
  out.cache_bytes_per_token = model::cache_bytes(decoding, cached + 1) - model::cache_bytes(decoding, cached);
  out.first_cache_bytes_per_token = model::cache_bytes_per_token(decoding);
  // Every stage keeps the cache of its layers for the batches in all stages.
  out.cache_bytes = model::cache_bytes(decoding, static_cast<double>(out.prompt)) *
                    at_least_one(setup.plan.micro_batch_size) * at_least_one(setup.plan.pipeline);
  out.weight_bytes = model::served_weight_bytes(decoding);
  return out;
}

Generation generation_of(const gpu::Gpu& gpu, const model::Setup& setup, std::int64_t prompt,
                         std::int64_t output, const Draft* draft) {
  // The time of a step grows almost in proportion to the cache: the middles of a few stretches tell the rest.
  constexpr std::int64_t most_stretches = 8;
  Generation out;
  out.output = std::max<std::int64_t>(1, output);
  cost::PriceMemo memo(gpu);
  cost::StepCost step;
  model::Setup at = setup;
  at.plan.mode = model::Mode::prefill;
  at.plan.prefill_tokens = 0;
  at.plan.sequence_length = std::max<std::int64_t>(1, prompt);
  at.plan.context_length = 0;
  cost::price_step(memo, at, step);
  out.prompts_us = step.time_us * at_least_one(setup.plan.pipeline);
  out.total_us = out.prompts_us;
  at.plan.mode = model::Mode::decode;
  const std::int64_t decoded = out.output - 1;
  const std::int64_t stretches = std::min(decoded, most_stretches);
  const double accepted = model::accepted_tokens(setup.plan);
  for (std::int64_t i = 0; i < stretches; ++i) {
    const std::int64_t begin = decoded * i / stretches;
    const std::int64_t end = decoded * (i + 1) / stretches;
    at.plan.context_length = prompt + (begin + end) / 2;
    cost::price_step(memo, at, step);
    const double drafting_us = draft != nullptr ? draft_us(gpu, at.plan, *draft) : 0.0;
    out.total_us += (step.time_us * at_least_one(setup.plan.pipeline) + drafting_us) *
                    static_cast<double>(end - begin) / accepted;
  }
  // Batches in the other stages advance in the same time.
  out.tokens_per_s = static_cast<double>(out.output) * at_least_one(setup.plan.micro_batch_size) *
                     at_least_one(setup.plan.pipeline) * at_least_one(setup.plan.data) / out.total_us *
                     us_per_s;
  out.tokens_per_s_per_gpu = out.tokens_per_s / gpus_of(setup.plan);
  return out;
}

}  // namespace shapelint::suggest
