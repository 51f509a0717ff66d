// Activations of a layer.
#include "model/activations.hpp"

#include <algorithm>

#include "base/recipe.hpp"
#include "model/arithmetic.hpp"
#include "model/layer_list.hpp"
#include "model/lower/lower.hpp"
#include "model/lower/whole.hpp"
#include "model/memory/elementwise.hpp"
#include "model/parameter_bytes.hpp"

namespace shapelint::model {

namespace {

constexpr double wide = 2;  // bytes of an element in 16 bits
constexpr double fp32 = 4;
constexpr double mask = 1;  // bytes of an element of a dropout's mask

// Of a run in fp32 all is twice as wide.
double width_factor(const Plan& plan) {
  return std::max(wide, bytes_of(plan.dtype)) / wide;
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
  return info(plan.recipe).operand_bits / bits_per_byte + info(plan.recipe).a_scale_bytes;
}

// Models with a layer norm are trained with dropout (GPT-2 and 3, BERT, OPT), those with RMSNorm without.
double mask_bytes(const ModelSpec& model) {
  return model.norm == Norm::layernorm ? mask * at_least_one(model.hidden_size) : 0;
}

// What of a layer's parts is kept. Parts that are computed again keep what they read; a product whose input
// is computed again does not keep that, in whatever format (Megatron-Core, CheckpointWithoutOutput and
// set_save_original_input).
struct Parts {
  double input = wide;         // of a product
  bool norms = true;           // what they put out
  bool up_projections = true;  // queries, keys and values of latent attention
  bool mlp = true;
  bool experts = true;
  bool expert_activations = true;  // what they put out
  bool shared_experts = true;
};

Parts all_parts(const Plan& plan) {
  return {.input = input_bytes(plan)};
}

Parts kept_parts(const Plan& plan) {
  return {input_bytes(plan),
          !plan.recompute_norms,
          !plan.recompute_up_projections,
          !plan.recompute_mlp,
          !plan.recompute_experts,
          !plan.recompute_expert_activations,
          !plan.recompute_shared_experts && !plan.recompute_experts};
}

// Norm and product read the stream; queries, keys, values and what comes of them are read in 16 bits, the
// last of these by the projection, too.
Kept of_attention(const ModelSpec& model, const Parts& parts) {
  const double hidden = at_least_one(model.hidden_size);
  const double heads = at_least_one(model.num_attention_heads);
  const double input = parts.input;
  Kept kept{(wide + (parts.norms ? input : 0)) * hidden + mask_bytes(model), 0};
  double values = 0;
  if (const Mla& mla = model.mla; mla.kv_lora_rank > 0) {
    const auto latents = static_cast<double>(mla.q_lora_rank + mla.kv_lora_rank);  // and their norms
    kept.whole += (wide + (parts.up_projections ? input : 0)) * latents +
                  wide * static_cast<double>(mla.qk_rope_head_dim);
    const auto key = static_cast<double>(mla.qk_nope_head_dim + mla.qk_rope_head_dim);
    values = heads * static_cast<double>(mla.v_head_dim);
    if (parts.up_projections) kept.split += wide * (2 * heads * key + values);
  } else {
    const double key = at_least_one(model.head_dim);
    const double value = at_least_one(model.value_head_dim);
    values = heads * value;
    const double groups = at_least_one(model.num_key_value_heads);
    kept.split += wide * (heads * key + groups * (key + value));
    if (model.compressed.q_lora_rank > 0)  // and its norm
      kept.whole += (wide + input) * static_cast<double>(model.compressed.q_lora_rank);
    // A norm's gradient needs what it read.
    if (model.qk_norm) kept.split += wide * (heads + groups) * key;
    // Queries with another bias meet the distances.
    if (model.relative_positions) kept.split += wide * heads * key;
    // The gate, and what it makes of attention's output, which the projection reads then.
    if (model.attention_gate) kept.split += 2 * wide * values;
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
  return {(wide + input) * at_least_one(model.hidden_size),
          wide * (2 * (2 * keys + values) + 2 * values) + (input < wide ? input * values : 0)};
}

// Both branches, and their product.
double inner_bytes(const ModelSpec& model, double width, double input) {
  return ((model.mlp_gated ? 2 : 1) * wide + input) * width;
}

Kept of_mlp(const ModelSpec& model, const Parts& parts) {
  // A whole MLP that runs again keeps what it read in 16 bits.
  const double input = parts.mlp ? parts.input : wide;
  Kept kept{(wide + (parts.norms ? input : 0)) * at_least_one(model.hidden_size) + mask_bytes(model), 0};
  if (parts.mlp) kept.split += inner_bytes(model, static_cast<double>(model.intermediate_size), parts.input);
  return kept;
}

// The norm's input and output, which router and shared experts read; and for each of a token's experts its
// row, and what the expert makes of it (arXiv 2603.07685 calls it most of what a mixture keeps).
Kept of_mixture(const ModelSpec& model, const Parts& parts) {
  const Moe& moe = model.moe;
  const double input = parts.input;
  const double hidden = at_least_one(model.hidden_size);
  Kept kept{(parts.norms ? 2 : 1) * wide * hidden, 0};
  if (parts.shared_experts)
    kept.split += inner_bytes(model, static_cast<double>(moe.shared_intermediate_size), input);
  if (!parts.experts) return kept;
  const double row = moe.latent_size > 0 ? static_cast<double>(moe.latent_size) : hidden;
  const auto width = static_cast<double>(moe.intermediate_size);
  kept.split += at_least_one(moe.experts_per_token) *
                (input * row + inner_bytes(model, width, parts.expert_activations ? input : 0));
  return kept;
}

// Hyper-connections: each branch's mixing needs all streams as it found them for its gradient, beside the
// branch's own input (2409.19606, algorithm 2).
Kept of_streams(const ModelSpec& model) {
  if (model.residual_streams <= 1) return {};
  const double branches = model.parallel_block ? 1 : 2;
  return {branches * wide * static_cast<double>(model.residual_streams) * at_least_one(model.hidden_size), 0};
}

// Of a layer in the mean.
Kept of_layer(const ModelSpec& model, const Parts& parts) {
  const double input = parts.input;
  const double layers = at_least_one(model.num_layers);
  Kept kept = static_cast<double>(num_attention_layers(model)) / layers * of_attention(model, parts);
  for (std::size_t i = 0; i < most_mixers; ++i)
    kept +=
        static_cast<double>(num_mixer_layers(model, i)) / layers * of_mixer(model, model.mixers[i], input);
  kept += static_cast<double>(num_mlps(model)) / layers * of_mlp(model, parts);
  kept += static_cast<double>(num_moe_layers(model)) / layers * of_mixture(model, parts);
  kept += of_streams(model);
  if (model.single.linear_mixing || model.single.linear_feeding) {
    const double products =
        (model.single.linear_mixing ? 1.0 : 0.0) + (model.single.linear_feeding ? 1.0 : 0.0);
    kept += {products * (wide + (parts.norms ? input : 0)) * at_least_one(model.hidden_size), 0};
  }
  // A convolution module's norm's input and its own, and both halves, their product, and what the convolution
  // and the norm put out.
  if (model.convolution_kernel > 0) {
    const double hidden = at_least_one(model.hidden_size);
    kept += {2 * wide * hidden, 5 * wide * hidden};
  }
  return kept;
}

// Where operations are chosen, and not parts: the layer's input, and what products put out, each (`every`,
// where attention runs again) or every second one, and what attention does (torchtitan, SelectiveAC; MaxText,
// remat_policy minimal). What experts on other ranks exchange is kept then, too.
Kept of_operations(const ModelSpec& model, const Plan& plan, bool every) {
  const double layers = at_least_one(model.num_layers);
  const double hidden = at_least_one(model.hidden_size);
  const double heads = at_least_one(model.num_attention_heads);
  const double groups = at_least_one(model.num_key_value_heads);
  int products = 0;
  const auto add = [&](Kept& kept, Kept elements) {
    if (every || products % 2 == 0) kept += wide * elements;
    ++products;
  };
  Kept attention;
  double values = heads * at_least_one(model.value_head_dim);
  if (const Mla& mla = model.mla; mla.kv_lora_rank > 0) {
    values = heads * static_cast<double>(mla.v_head_dim);
    if (mla.q_lora_rank > 0) add(attention, {static_cast<double>(mla.q_lora_rank), 0});
    add(attention, {0, heads * static_cast<double>(mla.qk_nope_head_dim + mla.qk_rope_head_dim)});
    add(attention, {static_cast<double>(mla.kv_lora_rank + mla.qk_rope_head_dim), 0});
    add(attention, {0, heads * static_cast<double>(mla.qk_nope_head_dim) + values});
  } else {
    add(attention, {0, heads * at_least_one(model.head_dim)});
    add(attention, {0, groups * at_least_one(model.head_dim)});
    add(attention, {0, groups * at_least_one(model.value_head_dim)});
  }
  add(attention, {hidden, 0});
  if (!every) attention.split += wide * values;
  const auto feed = [&](double width, double rows, Kept row) {
    Kept out;
    if (model.mlp_gated) add(out, {0, rows * width});
    add(out, {0, rows * width});
    add(out, row);
    return out;
  };
  const Moe& moe = model.moe;
  const double copies = at_least_one(moe.experts_per_token);
  const int before = products;
  const Kept mlp = feed(static_cast<double>(model.intermediate_size), 1, {hidden, 0});
  products = before;
  Kept mixture = feed(static_cast<double>(moe.intermediate_size), copies, {0, copies * hidden});
  mixture += feed(static_cast<double>(moe.shared_intermediate_size), 1, {hidden, 0});
  if (plan.expert > 1) mixture.split += wide * 2 * copies * hidden;
  Kept kept{wide * hidden, 0};
  kept += of_streams(model);
  kept += static_cast<double>(num_attention_layers(model)) / layers * attention;
  kept += static_cast<double>(num_mlps(model)) / layers * mlp;
  kept += static_cast<double>(num_moe_layers(model)) / layers * mixture;
  // Of what stands in attention's place the first product: queries, keys, values and gate.
  for (std::size_t i = 0; i < most_mixers; ++i) {
    const Mixer& mixer = model.mixers[i];
    const auto columns =
        static_cast<double>(2 * mixer.key_heads * mixer.key_dim + 2 * mixer.value_heads * mixer.value_dim);
    kept += static_cast<double>(num_mixer_layers(model, i)) / layers *
            Kept{every ? wide * hidden : 0, wide * columns};
  }
  return kept;
}

}  // namespace

LayerActivations layer_activations(const Setup& setup) {
  const ModelSpec& model = setup.model;
  if (model.layers_differ) {
    LayerActivations out;
    for (const DistinctLayer& layer : distinct_layers(setup)) {
      const LayerActivations each = layer_activations(layer.one);
      const double share = static_cast<double>(layer.count) / at_least_one(model.num_layers);
      out.kept += share * each.kept;
      out.scores += share * each.scores;
      out.again = std::max(out.again, each.again);
    }
    return out;
  }
  const Plan& plan = setup.plan;
  const double ranks = at_least_one(plan.tensor);
  const double length = at_least_one(plan.sequence_length) + static_cast<double>(joined_length(setup));
  const double tokens = at_least_one(plan.micro_batch_size) * length / at_least_one(plan.context);
  const double own = plan.sequence_parallel ? tokens / ranks : tokens;
  const auto bytes = [&](const Kept& kept) {
    return width_factor(plan) * (own * kept.whole + tokens / ranks * kept.split);
  };
  const ElementwiseBytes elementwise = elementwise_bytes(model, plan);
  const double beside = own * elementwise.whole + tokens / ranks * elementwise.split;
  const double layer = bytes(of_layer(model, all_parts(plan))) + beside;
  // Before and behind the softmax, and a mask.
  const double scores = plan.attention == Attention::unfused
                            ? width_factor(plan) * (2 * wide + mask) * tokens / ranks *
                                  at_least_one(model.num_attention_heads) * length
                            : 0;
  const double unit = at_least_one(plan.recompute_unit);
  const double parts = bytes(of_layer(model, kept_parts(plan))) + beside;
  switch (plan.recompute) {
    case Recompute::none:
      return {parts, scores, layer - parts};
    case Recompute::selective:
      return {parts, 0, layer - parts + scores};
    case Recompute::operations:
    case Recompute::elementwise: {
      const bool every = plan.recompute == Recompute::elementwise;
      const double kept = std::min(parts, bytes(of_operations(model, plan, every)));
      return {kept, every ? 0 : scores, layer - kept + (every ? scores : 0)};
    }
    case Recompute::full:
      break;
  }
  const double share = recomputed_share(setup);
  const double input = own * stream_bytes(plan) * at_least_one(model.residual_streams) *
                       at_least_one(model.hidden_size) / unit;
  return {share * input + (1 - share) * parts, (1 - share) * scores, unit * (layer + scores)};
}

double gathered_sequence_bytes(const Setup& setup) {
  const Plan& plan = setup.plan;
  if (!plan.sequence_parallel || plan.tensor <= 1) return 0;
  const double tokens =
      at_least_one(plan.micro_batch_size) * at_least_one(plan.sequence_length) / at_least_one(plan.context);
  return 2 * width_factor(plan) * wide * tokens * at_least_one(setup.model.hidden_size);
}

double logit_bytes(const Plan& plan) {
  const double element = width_factor(plan) * wide;
  switch (plan.loss) {
    case Loss::unfused:
      return element + (plan.tensor > 1 ? 4 : 3) * fp32;
    case Loss::vocab_parallel:
      return (element < fp32 ? element : 0) + fp32;  // what is in fp32 is no copy
    case Loss::fused:
      return 2 * element;
    case Loss::chunked:
      break;
  }
  return 0;
}

}  // namespace shapelint::model
