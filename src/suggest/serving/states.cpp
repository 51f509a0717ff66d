// Blocks of states.
#include "suggest/serving/states.hpp"

#include <algorithm>
#include <cmath>

#include "model/arithmetic.hpp"
#include "model/lower/lower.hpp"
#include "suggest/edit/footprint.hpp"
#include "suggest/serving/capacity.hpp"

namespace shapelint::suggest {

namespace {

using model::real;

// A block holds as many tokens of a layer's keys and values as take the room of one layer's state, in units
// of 16, for each layer of a group: as many as there are of the rarest kind, or of the commonest where that
// is hardly more (vLLM, v1/core/kv_cache_utils.py, unify_kv_cache_spec_page_size and
// _get_kv_cache_groups_uniform_page_size).
double block_bytes(const model::Setup& setup) {
  const model::ModelSpec& model = setup.model;
  const std::int64_t mixers = model::num_mixer_layers(model);
  const double states = model::cache_bytes(setup, 0);
  if (model.layers_differ || mixers <= 0 || states <= 0 || setup.plan.pipeline > 1) return 0;
  const std::int64_t attention = model::num_attention_layers(model);
  double bytes = states / real(mixers);
  constexpr double tokens = 16;
  const double unit = attention > 0 ? tokens * model::cache_bytes_per_token(setup) / real(attention) : 0;
  if (unit > 0) bytes = std::ceil(bytes / unit) * unit;
  std::int64_t fewest = mixers;
  std::int64_t most = mixers;
  for (const std::int64_t layers : {attention - model.window.layers, model.window.layers}) {
    if (layers <= 0) continue;
    fewest = std::min(fewest, layers);
    most = std::max(most, layers);
  }
  constexpr double hardly_more = 1.25;
  return bytes * real(real(most) < hardly_more * real(fewest) ? most : fewest);
}

}  // namespace

StateRoom state_room(const gpu::Gpu& gpu, const model::Setup& setup) {
  StateRoom out;
  const Capacity capacity = capacity_of(gpu, setup);
  out.sequences = sequences_at_a_time(gpu::memory_gib(gpu), setup.plan);
  const double each = capacity.is_known && capacity.checks_longest ? block_bytes(setup) : 0;
  if (each <= 0) return out;
  out.blocks = std::floor(capacity.cache_bytes / each);
  out.most_blocks = std::floor(std::max(0.0, capacity.budget_bytes - capacity.weight_bytes) / each);
  return out;
}

}  // namespace shapelint::suggest
