// What a rank holds while it serves: cached keys and values, states of recurrences, weights as stored.
#include <algorithm>

#include "model/arithmetic.hpp"
#include "model/layer_list.hpp"
#include "model/layer_weights.hpp"
#include "model/lower/emit.hpp"
#include "model/lower/lower.hpp"
#include "model/mixer.hpp"
#include "model/training_bytes.hpp"

namespace shapelint::model {
namespace {

// Of so many tokens, those that an entry of a layer's cache is of, in the mean of the layers with that part.
double tokens_of(const ModelSpec& model, Extent span, double tokens) {
  const double narrow = real(num_window_layers(model)) / at_least_one(num_attention_layers(model));
  const double seen = narrow * std::min(tokens, real(model.window.size));
  switch (span) {
    case Extent::all:
      return (1 - narrow) * tokens + seen;
    case Extent::window:
      return seen;
    case Extent::compressed:
      return tokens / at_least_one(model.compressed.ratio);
    case Extent::strides:
      return tokens / at_least_one(model.sparse.compressed_stride);
    case Extent::last:
      return std::min(tokens, real(model.sparse.window));
    case Extent::once:
      break;
  }
  return 1;
}

// Takes what is cached of a layer's description.
template <class Add>
struct Caching {
  Add add;
  void operator()(const Weight& weight) const { (void)weight; }
  void operator()(const Cached& cached) const { add(cached); }
};
template <class Add>
Caching(Add) -> Caching<Add>;

// Beside what parameters_per_rank() says, bytes of what each tensor-parallel rank holds whole of attention
// over compressed keys: the indexer and one head of keys, which is nothing to divide, `packed` bytes each,
// and what compresses keys, in fp32 (DeepSeek-V4's inference/model.py, Compressor).
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
  const bool has_one_head = model.num_key_value_heads == 1;
  visit_weights(model, ModelComponent::attention, {}, [&](const Weight& weight) {
    const bool is_whole =
        !is_on_every_rank(weight) && (weight.split == Split::none || (weight.is_lent && has_one_head));
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
  if (setup.plan.pipeline <= 1) return 1;
  const auto layers = at_least_one(setup.model.num_layers);
  return real(layers_of_stage(setup)) * real(setup.plan.pipeline) / layers;
}

// Parameters of all layers' attention.
double of_all_attention(const Setup& setup) {
  if (setup.model.layers_differ) return real(part_size(setup, ModelComponent::attention).parameters);
  return real(num_attention_layers(setup.model)) *
         real(layer_parameters(setup.model, ModelComponent::attention, 0));
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
  const LoweringContext shared(setup);
  const ModelSpec& model = setup.model;
  if (model.layers_differ) {
    double sum = 0;
    for (const DistinctLayer& each : distinct_layers(setup))
      sum += real(each.count) * cache_bytes(each.one, tokens);
    return shared.layers_per_rank * sum / at_least_one(model.num_layers);
  }
  const double element = shared.cache_bytes > 0 ? shared.cache_bytes : shared.activation;
  const auto bytes_of = [&](Stored stored) {
    // States are kept in fp32, the convolution's last inputs as activations (vLLM, mamba_utils.py).
    return stored == Stored::cache   ? element
           : stored == Stored::index ? 1.0
           : stored == Stored::fp32  ? fp32_bytes
                                     : shared.activation;
  };
  double sum = 0;
  for (const ModelComponent part : weighty_parts) {
    const std::int64_t layers = std::min(model.num_layers, layers_of(model, part));
    if (layers <= 0 || part == ModelComponent::mlp || part == ModelComponent::mixture) continue;
    visit_weights(model, part, {setup.plan.tensor}, Caching{[&](const Cached& each) {
                    sum += real(layers) * (each.is_lent ? share_of_layers_with_own_keys(model) : 1) *
                           each.elements * bytes_of(each.stored) * tokens_of(model, each.span, tokens);
                  }});
  }
  return shared.layers_per_rank * sum / at_least_one(model.num_layers);
}

double served_weight_bytes(const Setup& setup) {
  return served_weight_bytes(setup, parameters_per_rank(setup));
}

double served_weight_bytes(const Setup& setup, RankParameters held) {
  const LoweringContext shared(setup);
  const double ranks = real(setup.plan.tensor) * real(setup.plan.pipeline);
  const double ends = real(plus(embedding_parameters(setup.model), head_parameters(setup.model))) / ranks;
  // On the stage with most layers, where they are not shared out evenly.
  const double fullest = fullest_share(setup);
  held.dense = held.dense > ends ? ends + fullest * (held.dense - ends) : held.dense;
  held.expert *= fullest;
  // Training keeps weights of 16 bits or more for GEMMs of 8, unless they are packed.
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
  // What ZeRO 3 shares out while one model learns, it also shards of another one that only runs
  // forward.
  const double sharing =
      setup.plan.mode == Mode::prefill && setup.plan.zero >= 3 ? at_least_one(setup.plan.data) : 1;
  // Layers in 16 bits among narrower ones.
  const double wide = real(num_wide_layers(setup)) / at_least_one(setup.model.num_layers);
  const double layers =
      (1 - wide) * (narrow * packed + routed * expert) + wide * (narrow + routed) * shared.activation;
  return ((ends + attention) * shared.activation + layers + tables + fullest * whole_bytes(setup, packed)) /
         sharing;
}

}  // namespace shapelint::model
