// What a rank holds while it serves: cached keys and values, states of recurrences, weights as stored.
#include <algorithm>

#include "model/arithmetic.hpp"
#include "model/layer_list.hpp"
#include "model/layer_weights.hpp"
#include "model/lower/emit.hpp"
#include "model/lower/lower.hpp"
#include "model/lower/whole.hpp"
#include "model/mixer.hpp"
#include "model/parameter_bytes.hpp"

namespace shapelint::model {
namespace {

// Tokens of keys and values that native sparse attention keeps beside those that it selects from.
double sparse_cache(const ModelSpec& model, double tokens) {
  const Sparse& sparse = model.sparse;
  if (sparse.blocks <= 0 || model.mla.kv_lora_rank > 0) return 0;
  const double compressed = tokens / at_least_one(sparse.compressed_stride);
  return compressed + (sparse.shared ? 0.0 : std::min(tokens, real(sparse.window)));
}

// Beside an even share of all, bytes of what each tensor-parallel rank holds whole of attention over
// compressed keys: the products down to narrow vectors and the indexer, `packed` bytes each, and what
// compresses keys, in fp32 (DeepSeek-V4's inference/model.py, Compressor).
double whole_bytes(const Setup& setup, double packed) {
  const ModelSpec& model = setup.model;
  const auto ranks = at_least_one(setup.plan.tensor);
  if (model.layers_differ) {
    double sum = 0;
    for (const DistinctLayer& each : distinct_layers(setup))
      sum += real(each.count) * whole_bytes(each.one, packed);
    return sum / at_least_one(setup.plan.pipeline);
  }
  if (model.compressed.q_lora_rank <= 0 || setup.plan.mode == Mode::train) return 0;
  std::int64_t down = 0;
  std::int64_t made = 0;
  // One head of keys is nothing to divide.
  const bool has_one_head = model.num_key_value_heads == 1;
  visit_weights(model, StepPart::attention, {}, [&](const Weight& weight) {
    const bool is_whole = weight.split == Split::none || (weight.is_lent && has_one_head);
    if (weight.is_fp32)
      made = plus(made, elements_of(weight));
    else if (weight.kind >= WeightKind::product && is_whole)
      down = plus(down, elements_of(weight));
  });
  const double layers = real(num_attention_layers(model));
  return layers * ((1 - 1 / ranks) * packed * real(down) + (fp32_bytes - packed / ranks) * real(made));
}

// Layers of the stage with most, as a multiple of an even share.
double fullest_share(const Setup& setup) {
  if (setup.plan.pipeline <= 1 || setup.plan.stage_layers <= 0) return 1;
  const auto layers = at_least_one(setup.model.num_layers);
  return real(layers_of_stage(setup)) * real(setup.plan.pipeline) / layers;
}

// Parameters of all layers' attention.
double of_all_attention(const Setup& setup) {
  if (setup.model.layers_differ) return real(part_size(setup, StepPart::attention).parameters);
  return real(num_attention_layers(setup.model)) *
         real(layer_parameters(setup.model, StepPart::attention, 0));
}

}  // namespace

bool weights_are_unknown(const Plan& plan) {
  return plan.mode != Mode::train && plan.unknown_weights && plan.weight_bits == 0 &&
         bytes_of(plan.dtype) >= 2;
}

double cache_bytes_per_token(const Setup& setup) {
  return cache_bytes(setup, 1) - cache_bytes(setup, 0);
}

double cache_bytes(const Setup& setup, double tokens) {
  const Shared shared(setup);
  const ModelSpec& model = setup.model;
  if (model.layers_differ) {
    double sum = 0;
    for (const DistinctLayer& each : distinct_layers(setup))
      sum += real(each.count) * cache_bytes(each.one, tokens);
    return shared.layers_per_rank * sum / at_least_one(model.num_layers);
  }
  const Mla& mla = model.mla;
  const double layers = at_least_one(model.num_layers);
  const auto of_rank = [&](std::int64_t some) {
    return shared.layers_per_rank * real(std::min(model.num_layers, some)) / layers;
  };
  const bool is_one_tensor = model.key_values == KeyValues::one_tensor;
  const double width =
      mla.kv_lora_rank > 0
          ? real(plus(mla.kv_lora_rank, mla.qk_rope_head_dim))
          : real(shared.key_value_heads.value) *
                real(is_one_tensor ? model.head_dim : plus(model.head_dim, model.value_head_dim));
  const double element = shared.cache_bytes > 0 ? shared.cache_bytes : shared.activation;
  // The indexer's keys are cached in fp8 with a scale (DeepSeek-V3.2, inference/model.py).
  constexpr double index_scale_bytes = 4;
  const double indexed = model.indexer.keys > 0 ? real(model.indexer.head_dim) + index_scale_bytes : 0.0;
  const std::int64_t attention = num_attention_layers(model);
  const std::int64_t narrow = num_window_layers(model);
  const double seen = std::min(tokens, real(model.window.size));
  // Layers that share keys and values have a window as often as others.
  const double own = 1 - real(num_shared_key_value_layers(model)) / at_least_one(attention);
  // Where keys are compressed, those, and the last ones as they are.
  const auto ratio = real(model.compressed.ratio);
  const double kept = own * (ratio > 0 ? of_rank(attention) * tokens / ratio
                                       : of_rank(attention - narrow) * tokens + of_rank(narrow) * seen);
  const double last = ratio > 0 ? own * of_rank(narrow) * seen : 0.0;
  const double cached = kept * (width * element + indexed) + last * width * element +
                        of_rank(attention) * sparse_cache(model, tokens) * width * element;
  // States are kept in fp32, the convolution's last inputs as activations (vLLM, mamba_utils.py).
  constexpr double state_bytes = 4;
  double states = 0;
  for (std::size_t which = 0; which < most_mixers; ++which) {
    const MixerState state = mixer_state(model.mixers[which]);
    states += of_rank(num_mixer_layers(model, which)) *
              (state.recurrent_elements * state_bytes + state.convolution_elements * shared.activation);
  }
  return cached + states / at_least_one(setup.plan.tensor);
}

double served_weight_bytes(const Setup& setup) {
  return served_weight_bytes(setup, parameters_per_rank(setup));
}

double served_weight_bytes(const Setup& setup, RankParameters held) {
  const Shared shared(setup);
  const double ranks = real(setup.plan.tensor) * real(setup.plan.pipeline);
  const double ends = real(plus(embedding_parameters(setup.model), head_parameters(setup.model))) / ranks;
  // On the stage with most layers, where they are not shared out evenly.
  const double fullest = fullest_share(setup);
  held.dense = held.dense > ends ? ends + fullest * (held.dense - ends) : held.dense;
  held.expert *= fullest;
  // Training keeps weights of 16 bits or more beside products of 8, unless they are packed.
  const double whole = shared.training ? shared.activation : bytes_of(shared.linear_dtype);
  const double packed = packed_bytes(setup.plan) > 0 ? packed_bytes(setup.plan) : whole;
  const double attention = setup.plan.wide_attention
                               ? shared.layers_per_rank * of_all_attention(setup) /
                                     at_least_one(setup.model.num_layers) / real(setup.plan.tensor)
                               : 0.0;
  // What is in no format that is known counts as nothing: who shows it says so (unknown_weights).
  if (weights_are_unknown(setup.plan)) return 0;
  const double expert =
      !shared.training && setup.plan.expert_weight_bits > 0 ? expert_packed_bytes(setup.plan) : packed;
  const double narrow = std::max(0.0, held.dense - ends - attention);
  // Where nothing else is, a part of the experts is what embedding and head are more than.
  const double routed = std::max(0.0, held.expert + std::min(0.0, held.dense - ends - attention));
  const double tables = real(setup.plan.position_table_bytes) * real(setup.model.max_positions);
  return (ends + attention) * shared.activation + narrow * packed + routed * expert + tables +
         fullest * whole_bytes(setup, packed);
}

}  // namespace shapelint::model
