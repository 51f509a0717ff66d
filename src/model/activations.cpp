// Activations of a layer.
#include "model/activations.hpp"

#include <algorithm>

#include "base/recipe.hpp"
#include "model/lower/lower.hpp"
#include "model/lower/whole.hpp"

namespace shapelint::model {

namespace {

constexpr double wide = 2;  // bytes of an element in 16 bits
constexpr double mask = 1;  // bytes of an element of a dropout's mask

double real(std::int64_t value) {
  return static_cast<double>(std::max<std::int64_t>(1, value));
}

// Bytes that a part of a layer keeps for each token: `whole` on every rank of tensor parallelism, `split` on
// all of them together.
struct Kept {
  double whole = 0;
  double split = 0;

  Kept& operator+=(const Kept& other) {
    whole += other.whole;
    split += other.split;
    return *this;
  }
  friend Kept operator*(double times, const Kept& each) { return {times * each.whole, times * each.split}; }
};

// A product keeps its input as it read it: with a recipe as quantized for the weights' gradient (Transformer
// Engine, pytorch/module/linear.py).
double input_bytes(const Plan& plan) {
  if (plan.recipe == Recipe::none) return wide;
  constexpr double bits_per_byte = 8;
  return info(plan.recipe).operand_bits / bits_per_byte + info(plan.recipe).a_scale_bytes;
}

// Models with a layer norm are trained with dropout (GPT-2 and 3, BERT, OPT), those with RMSNorm without.
double mask_bytes(const ModelSpec& model) {
  return model.norm == Norm::layernorm ? mask * real(model.hidden_size) : 0;
}

// Norm and product read the stream; queries, keys, values and what comes of them are read in 16 bits, the
// last of these by the projection, too.
Kept of_attention(const ModelSpec& model, double input) {
  const double hidden = real(model.hidden_size);
  const double heads = real(model.num_attention_heads);
  Kept kept{(wide + input) * hidden + mask_bytes(model), 0};
  double values = 0;
  if (const Mla& mla = model.mla; mla.kv_lora_rank > 0) {
    const auto latents = static_cast<double>(mla.q_lora_rank + mla.kv_lora_rank);  // and their norms
    kept.whole += (wide + input) * latents + wide * static_cast<double>(mla.qk_rope_head_dim);
    const auto key = static_cast<double>(mla.qk_nope_head_dim + mla.qk_rope_head_dim);
    values = heads * static_cast<double>(mla.v_head_dim);
    kept.split += wide * (2 * heads * key + values);
  } else {
    const double key = real(model.head_dim);
    const double value = real(model.value_head_dim);
    values = heads * value;
    kept.split += wide * (heads * key + real(model.num_key_value_heads) * (key + value));
  }
  kept.split += wide * values + (input < wide ? input * values : 0);
  // Its input, mask and norm, and queries, keys, values and output.
  if (model.cross_attention) kept += {(2 * wide + mask) * hidden, 4 * wide * hidden};
  return kept;
}

// Keys, queries and values before and behind the convolution, the gate, and what comes of them.
Kept of_mixer(const ModelSpec& model, const Mixer& mixer, double input) {
  const auto keys = static_cast<double>(mixer.key_heads * mixer.key_dim);
  const auto values = static_cast<double>(mixer.value_heads * mixer.value_dim);
  return {(wide + input) * real(model.hidden_size),
          wide * (2 * (2 * keys + values) + 2 * values) + (input < wide ? input * values : 0)};
}

// Both branches, and their product.
double inner_bytes(const ModelSpec& model, double width, double input) {
  return ((model.mlp_gated ? 2 : 1) * wide + input) * width;
}

Kept of_mlp(const ModelSpec& model, double input) {
  return {(wide + input) * real(model.hidden_size) + mask_bytes(model),
          inner_bytes(model, static_cast<double>(model.intermediate_size), input)};
}

// The norm's input and output, which router and shared experts read; and for each of a token's experts its
// row, and what the expert makes of it (arXiv 2603.07685 calls it most of what a mixture keeps).
Kept of_mixture(const ModelSpec& model, const Plan& plan, double input) {
  const Moe& moe = model.moe;
  const double hidden = real(model.hidden_size);
  Kept kept{2 * wide * hidden, 0};
  if (plan.recompute_experts) return kept;
  const double row = moe.latent_size > 0 ? static_cast<double>(moe.latent_size) : hidden;
  kept.split += real(moe.experts_per_token) *
                (input * row + inner_bytes(model, static_cast<double>(moe.intermediate_size), input));
  kept.split += inner_bytes(model, static_cast<double>(moe.shared_intermediate_size), input);
  return kept;
}

// Of a layer in the mean.
Kept of_layer(const ModelSpec& model, const Plan& plan) {
  const double input = input_bytes(plan);
  const double layers = real(model.num_layers);
  Kept kept = static_cast<double>(num_attention_layers(model)) / layers * of_attention(model, input);
  for (std::size_t i = 0; i < most_mixers; ++i)
    kept +=
        static_cast<double>(num_mixer_layers(model, i)) / layers * of_mixer(model, model.mixers[i], input);
  kept += static_cast<double>(num_mlps(model)) / layers * of_mlp(model, input);
  kept += static_cast<double>(num_moe_layers(model)) / layers * of_mixture(model, plan, input);
  // A convolution module's norm's input and its own, and both halves, their product, and what the convolution
  // and the norm put out.
  if (model.convolution_kernel > 0) {
    const double hidden = real(model.hidden_size);
    kept += {2 * wide * hidden, 5 * wide * hidden};
  }
  return kept;
}

}  // namespace

LayerActivations layer_activations(const Setup& setup) {
  const ModelSpec& model = setup.model;
  const Plan& plan = setup.plan;
  const double ranks = real(plan.tensor);
  const double length = real(plan.sequence_length) + static_cast<double>(joined_length(setup));
  const double tokens = real(plan.micro_batch_size) * length / real(plan.context);
  const double own = plan.sequence_parallel ? tokens / ranks : tokens;
  const Kept kept = of_layer(model, plan);
  const double layer = own * kept.whole + tokens / ranks * kept.split;
  if (plan.recompute == Recompute::full) return {own * wide * real(model.hidden_size), 0, layer};
  const bool keeps_scores = plan.attention == Attention::unfused && plan.recompute == Recompute::none;
  // Before and behind the softmax, and a mask.
  const double scores =
      keeps_scores ? (2 * wide + mask) * tokens / ranks * real(model.num_attention_heads) * length : 0;
  return {layer, scores, 0};
}

}  // namespace shapelint::model
