// Prefill and decode of one plan.
#include "suggest/serving.hpp"

#include <algorithm>

#include "cost/step.hpp"
#include "model/arithmetic.hpp"
#include "model/lower.hpp"

namespace shapelint::suggest {

namespace {

constexpr double us_per_s = 1e6;

double real(std::int64_t value) {
  return static_cast<double>(std::max<std::int64_t>(1, value));
}

// One prompt, chunk after chunk; each attends to those before it, only the last one's logits are needed.
double first_token_us(const gpu::Gpu& gpu, const model::Setup& from, std::int64_t prompt,
                      std::int64_t chunk) {
  cost::PriceMemo memo(gpu);
  cost::StepCost step;
  model::Setup setup = from;
  setup.plan.mode = model::Mode::prefill;
  setup.plan.micro_batch_size = 1;
  double time_us = 0;
  for (std::int64_t done = 0; done < prompt; done += chunk) {
    setup.plan.context_length = done;
    setup.plan.sequence_length = std::min(chunk, prompt - done);
    setup.model.lm_head = from.model.lm_head && done + chunk >= prompt;
    memo.price(model::lower(setup), setup.plan.dtype, step);
    time_us += step.time_us;
  }
  return time_us * real(from.plan.pipeline);
}

}  // namespace

std::int64_t prompt_of(const model::Plan& plan) {
  const std::int64_t tokens =
      plan.mode == model::Mode::decode
          ? plan.context_length
          : model::plus(plan.sequence_length, plan.mode == model::Mode::prefill ? plan.context_length : 0);
  return std::max<std::int64_t>(1, tokens);
}

Serving serving_of(const gpu::Gpu& gpu, const model::Setup& setup, std::int64_t chunk) {
  // A chunk is a pass over all layers: no more of them than this are priced.
  constexpr std::int64_t most_chunks = 4096;
  Serving out;
  out.prompt = prompt_of(setup.plan);
  out.chunk = chunk > 0 ? std::min(chunk, out.prompt) : out.prompt;
  out.chunk = std::max(out.chunk, model::divide_up(out.prompt, most_chunks));
  out.first_token_us = first_token_us(gpu, setup, out.prompt, out.chunk);

  model::Setup decoding = setup;
  decoding.plan.mode = model::Mode::decode;
  decoding.plan.context_length = out.prompt;
  const model::Workload workload = model::lower(decoding);
  const cost::StepCost step = cost::price(gpu, workload, decoding.plan.dtype);
  out.accepted_tokens = model::accepted_tokens(decoding.plan);
  out.token_us = step.time_us * real(setup.plan.pipeline) / out.accepted_tokens;
  out.tokens_per_s = workload.tokens_per_step / step.time_us * us_per_s;
  out.tokens_per_s_per_gpu = out.tokens_per_s / real(setup.plan.tensor) / real(setup.plan.pipeline);
  out.cache_bytes_per_token = model::cache_bytes_per_token(decoding);
  // Every stage keeps the cache of its layers for the batches in all stages.
  out.cache_bytes = out.cache_bytes_per_token * static_cast<double>(out.prompt) *
                    real(setup.plan.micro_batch_size) * real(setup.plan.pipeline);
  out.weight_bytes = model::served_weight_bytes(decoding);
  return out;
}

}  // namespace shapelint::suggest
