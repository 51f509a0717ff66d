// Room for the KV cache.
#include "suggest/serving/capacity.hpp"

#include <algorithm>

#include "gpu/engines.hpp"
#include "model/arithmetic.hpp"
#include "model/fields.hpp"
#include "model/lower/lower.hpp"
#include "model/reading.hpp"
#include "suggest/edit/footprint.hpp"

namespace shapelint::suggest {

namespace {

using model::real;

// The most tokens of one sequence whose cache takes no more than `room`.
std::int64_t most_tokens(const model::Setup& setup, double room, std::int64_t most) {
  constexpr std::int64_t unbounded = std::int64_t{1}
                                     << 40;  // where windows are full, or states alone are kept
  std::int64_t high = most > 0 ? most : unbounded;
  if (model::cache_bytes(setup, real(high)) <= room) return high;
  std::int64_t low = 0;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (model::cache_bytes(setup, real(middle)) <= room ? low : high) = middle;
  }
  return low;
}

}  // namespace

std::int64_t longest_sequence(const model::Setup& setup) {
  return setup.plan.longest_sequence > 0 ? setup.plan.longest_sequence : setup.model.max_positions;
}

Capacity capacity_of(const gpu::Gpu& gpu, const model::Setup& setup) {
  Capacity out;
  const model::Plan& plan = setup.plan;
  out.longest = longest_sequence(setup);
  const bool keeps_cache = setup.model.conv.empty() && model::decodes(setup.model);
  if (plan.mode == model::Mode::train || !keeps_cache || gpu::memory_gib(gpu) <= 0) return out;
  out.is_known = !model::weights_are_unknown(plan);
  const gpu::EngineMemory* engine = engine_of(plan);
  out.checks_longest = engine != nullptr && engine->checks_longest;
  out.budget_bytes = budget_bytes(gpu::memory_gib(gpu), plan);
  out.weight_bytes = model::served_weight_bytes(setup);
  out.runtime_bytes = runtime_bytes(gpu::memory_gib(gpu), setup);
  out.cache_bytes = std::max(0.0, usable_bytes(gpu::memory_gib(gpu), setup) - out.weight_bytes);
  out.token_bytes = model::cache_bytes_per_token(setup);
  if (!out.is_known) return out;
  const std::int64_t tokens = out.longest > 0 ? out.longest : std::max<std::int64_t>(1, plan.context_length);
  out.longest_bytes = model::cache_bytes(setup, real(tokens));
  if (out.longest_bytes > 0) {
    out.requests = out.cache_bytes / out.longest_bytes;
    constexpr double most = 1e15;
    out.tokens = static_cast<std::int64_t>(std::min(most, out.requests * real(tokens)));
  }
  out.largest = most_tokens(setup, out.cache_bytes, setup.model.max_positions);
  return out;
}

bool certainly_lacks_cache(const Capacity& capacity) {
  return capacity.is_known && capacity.checks_longest && capacity.longest > 0 &&
         capacity.longest_bytes > capacity.budget_bytes - capacity.weight_bytes;
}

bool lacks_cache(const Capacity& capacity) {
  return capacity.is_known && capacity.checks_longest && capacity.longest > 0 &&
         capacity.longest_bytes > capacity.cache_bytes;
}

model::Setup with_narrow_cache(model::Setup setup) {
  setup.plan.kv_cache_bits = 8;
  return setup;
}

}  // namespace shapelint::suggest
