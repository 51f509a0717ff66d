// How many layers of each kind there are and run, and what a step counts in tokens.
#include <algorithm>
#include <cmath>

#include "model/lower/emit.hpp"
#include "model/stages.hpp"

namespace shapelint::model {

std::int64_t vocab_rows(const Setup& setup) {
  return ceil_to(setup.model.vocab_size, times(std::max<std::int64_t>(1, setup.model.vocab_padding_multiple),
                                               std::max<std::int64_t>(1, setup.plan.tensor)));
}

std::int64_t vocab_rows_per_rank(const Setup& setup) {
  return divide_up(vocab_rows(setup), setup.plan.tensor);
}

std::int64_t num_moe_layers(const ModelSpec& model) {
  if (model.moe.num_experts <= 0) return 0;
  const std::int64_t candidates = model.num_layers - model.moe.first_dense_layers;
  return std::max<std::int64_t>(0, candidates) / std::max<std::int64_t>(1, model.moe.layer_interval);
}

std::int64_t num_attention_layers(const ModelSpec& model) {
  return std::max<std::int64_t>(0, model.num_layers - model.layers_without_attention);
}

std::int64_t shared_inputs(const ModelSpec& model) {
  const SharedBlock& shared = model.shared_block;
  return shared.blocks > 0 && shared.input_size > 0 ? shared.input_size : model.hidden_size;
}

double mtp_layers(const Setup& setup) {
  return setup.plan.mode == Mode::train ? static_cast<double>(setup.model.mtp_layers) : 0.0;
}

std::int64_t num_dense_layers(const ModelSpec& model) {
  return std::max<std::int64_t>(0, model.num_layers - model.layers_without_mlp - num_moe_layers(model));
}

std::int64_t num_mlps(const ModelSpec& model) {
  return times(std::max<std::int64_t>(1, model.mlps_per_layer), num_dense_layers(model));
}

std::int64_t num_shared_key_value_layers(const ModelSpec& model) {
  if (model.mla.kv_lora_rank > 0 || model.diffusion.text_joined) return 0;  // no such model shares them
  if (model.single.is_one) return model.single.borrows_keys ? num_attention_layers(model) : 0;
  return std::clamp<std::int64_t>(model.shared_key_value_layers, 0,
                                  std::max<std::int64_t>(0, num_attention_layers(model) - 1));
}

std::int64_t num_window_layers(const ModelSpec& model) {
  return model.window.size > 0 ? std::min(num_attention_layers(model), model.window.layers) : 0;
}

std::int64_t num_wide_layers(const Setup& setup) {
  if (bytes_of(setup.plan.dtype) >= 2) return 0;
  return std::clamp<std::int64_t>(setup.plan.wide_layers, 0,
                                  std::max<std::int64_t>(0, setup.model.num_layers));
}

bool is_diffusion(const ModelSpec& model) {
  return model.diffusion.modulation > 0 || model.diffusion.text_joined;
}

namespace {

// No diffusion transformer has latent attention.
bool joins_text(const ModelSpec& model) {
  return model.diffusion.text_joined && model.mla.kv_lora_rank == 0;
}

}  // namespace

std::int64_t num_joint_layers(const ModelSpec& model) {
  return joins_text(model)
             ? std::clamp<std::int64_t>(model.diffusion.joint_layers, 0, num_attention_layers(model))
             : 0;
}

std::int64_t joined_length(const Setup& setup) {
  return joins_text(setup.model) && setup.plan.mode != Mode::decode ? setup.plan.source_length : 0;
}

std::int64_t num_mixer_layers(const ModelSpec& model) {
  std::int64_t all = 0;
  for (std::size_t which = 0; which < most_mixers; ++which) all = plus(all, num_mixer_layers(model, which));
  return all;
}

std::int64_t num_mixer_layers(const ModelSpec& model, std::size_t which) {
  const Mixer& mixer = model.mixers[which];
  return mixer.kind == MixerKind::none ? 0 : std::min(model.num_layers, mixer.layers);
}

std::int64_t layers_of_stage(const Setup& setup) {
  const std::int64_t counted = setup.plan.pipeline > 1 ? setup.plan.embedding_stages : 0;
  if (setup.plan.pipeline > 1 && setup.plan.stage_layers > 0)
    return std::min(setup.model.num_layers, setup.plan.stage_layers);
  const std::int64_t chunks = pipeline_chunks(setup.plan);
  return times(chunks, divide_up(plus(setup.model.num_layers, counted), times(setup.plan.pipeline, chunks)));
}

std::int64_t pipeline_chunks(const Plan& plan) {
  return plan.pipeline > 1 ? std::max<std::int64_t>(1, plan.virtual_pipeline) : 1;
}

LayerRuns layer_runs(const Setup& setup) {
  const bool training = setup.plan.mode == Mode::train;
  const double micro_batches =
      training ? static_cast<double>(std::max<std::int64_t>(1, setup.plan.gradient_accumulation)) : 1.0;
  const SlowestStage stage = slowest_stage(setup);
  const double all = stage.layers * micro_batches;
  const std::int64_t layers = std::max<std::int64_t>(1, setup.model.num_layers);
  const std::int64_t mixtures = num_moe_layers(setup.model);
  // Whole numbers are multiplied before anything is divided, so that 3 of 61 layers are 3 and
  // not 3.0000000000000036.
  const auto share = [&](std::int64_t some) {
    return all * static_cast<double>(some) / static_cast<double>(layers);
  };
  LayerRuns runs{all,
                 share(std::min(layers, num_attention_layers(setup.model))),
                 {},
                 share(std::min(times(layers, std::max<std::int64_t>(1, setup.model.mlps_per_layer)),
                                num_mlps(setup.model))),
                 all * static_cast<double>(mixtures) / static_cast<double>(layers)};
  for (std::size_t which = 0; which < most_mixers; ++which)
    runs.mixers[which] = share(num_mixer_layers(setup.model, which));
  // A layer that predicts a further token equals the last one of the model (DeepSeek-V3, section 2.2), with
  // the head.
  const double further = micro_batches * mtp_layers(setup) * stage.heads;
  runs.all += further;
  runs.attention += further;
  (mixtures > 0 ? runs.mixture : runs.mlp) += further;
  return runs;
}

double runs_of(const LayerRuns& runs, ModelComponent part) {
  if (const std::size_t which = mixer_of(part); which < most_mixers) return runs.mixers[which];
  if (part == ModelComponent::attention) return runs.attention;
  if (part == ModelComponent::mlp) return runs.mlp;
  return part == ModelComponent::mixture ? runs.mixture : runs.all;
}

double tokens_per_step(const Setup& setup) {
  const Plan& plan = setup.plan;
  const bool images = !setup.model.conv.empty();
  const bool training = plan.mode == Mode::train;
  const double micro_batches =
      training ? static_cast<double>(std::max<std::int64_t>(1, plan.gradient_accumulation)) : 1.0;
  return static_cast<double>(plan.micro_batch_size) * micro_batches *
         (images                      ? 1.0
          : plan.mode == Mode::decode ? accepted_tokens(plan)
                                      : static_cast<double>(plan.sequence_length));
}

std::int64_t prompts_of_step(const Plan& plan) {
  if (plan.context_length <= 0) return 1;
  return std::max<std::int64_t>(1, divide_up(plan.prefill_tokens, plan.context_length));
}

double accepted_tokens(const Plan& plan) {
  const double chance = std::clamp(static_cast<double>(plan.speculative_acceptance) / 100, 0.0, 1.0);
  const double checked = static_cast<double>(std::max<std::int64_t>(0, plan.speculative_tokens)) + 1;
  return chance < 1 ? (1 - std::pow(chance, checked)) / (1 - chance) : checked;
}

double model_flops_per_step(const Setup& setup, double layer_flops, double head_flops) {
  const LoweringContext shared(setup);
  const Plan& plan = setup.plan;
  // The replica's arithmetic, divided among its tensor, pipeline and (not while decoding) context ranks.
  const double replica_ranks = static_cast<double>(plan.tensor) * static_cast<double>(plan.pipeline) *
                               (shared.decoding ? 1.0 : static_cast<double>(plan.context));
  const double head_share =
      static_cast<double>(logit_tokens(shared).value) / static_cast<double>(shared.tokens.value);
  // Forward; gradients of both operands, or of the input alone.
  const double passes = shared.adapting ? 2.0 : shared.training ? 3.0 : 1.0;
  const double tokens = shared.decoding ? static_cast<double>(shared.tokens.value) : tokens_per_step(setup);
  return passes * tokens * (layer_flops + head_flops * head_share) / replica_ranks;
}

void lower_mlp(const LoweringContext& shared, double count, Emitter& emit) {
  const ModelSpec& model = shared.model;
  const Repeat layer{count, Recomputed::with_mlp};
  // Every second consecutive GEMM may be recomputed: behind four of attention the second, behind five of
  // latent attention the first and third.
  const double first = model.mla.kv_lora_rank > 0 && model.mla.q_lora_rank > 0 ? 1 : 0;
  const Repeat up{count, Recomputed::with_mlp, model.mlp_gated ? 0.5 : first};
  const Repeat down{count, Recomputed::with_mlp, model.mlp_gated ? first : 1 - first};
  const Dim width = dim(divide_up(model.intermediate_size, shared.plan.tensor), "intermediate_size / tensor");
  const double branch =
      static_cast<double>(shared.tokens.value) * static_cast<double>(width.value) * shared.activation;
  // What each layer adds to the first weights of an MLP that layers share (Zamba2).
  const SharedBlock& block = model.shared_block;
  if (block.blocks > 0 && block.adapter_rank > 0) {
    const Dim rank = dim(block.adapter_rank, "shared_adapter_rank");
    emit.linear("layer.shared_block.mlp_down", shared.tokens, rank, shared.hidden, shared.linear_dtype,
                layer);
    emit.linear("layer.shared_block.mlp_up", shared.tokens,
                model.mlp_gated ? dim(times(2, width.value), "2 * (intermediate_size / tensor)") : width,
                rank, shared.linear_dtype, layer);
  }
  emit.modules_alone("layer.mlp.inputs", shared.stream_bytes,
                     inputs_modules(model.mlp_gated && shared.splits_projections ? 2 : 1, shared.autocast),
                     layer);
  if (model.mlp_gated) {
    emit.set_projections(2);
    emit.linear("layer.mlp.gate_up", shared.tokens,
                dim(times(2, width.value), "2 * (intermediate_size / tensor)"), shared.hidden,
                shared.linear_dtype, up);
    emit.set_projections(1);
    // forward: both branches in, one out; backward: both and the gradient in, two out
    const double elements = branch / shared.activation;
    emit.modules("layer.mlp.activation", {3 * branch, 5 * branch}, elements, gated_modules, layer,
                 of_each(elements, gated_activation_flops));
  } else {
    emit.linear("layer.mlp.up", shared.tokens, width, shared.hidden, shared.linear_dtype, up);
    emit.elementwise("layer.mlp.activation", 2 * branch, 3 * branch, layer,
                     of_each(branch / shared.activation, activation_flops));
  }
  emit.linear("layer.mlp.down", shared.tokens, shared.hidden, width, shared.linear_dtype, down);
  if (model.mlp_bias)
    emit.bias_gradients("layer.mlp.bias", (model.mlp_gated ? 2 : 1) * branch + shared.stream_bytes, 2, layer);
  emit.quantize("layer.mlp.quantize", layer);
}

// Hyper-connections: several copies of the residual stream, mixed before and after each branch (Zhu et al.
// 2024, arXiv 2409.19606; with the mixing held to doubly stochastic matrices, 2512.24880).

void lower_hyper_connection(const LoweringContext& shared, const BranchNames& names, Repeat repeat,
                            Emitter& emit) {
  const std::int64_t streams = shared.model.residual_streams;
  // From all streams of a token to their weights: into the branch, out of it, and among each other.
  emit.wide_linear(names.hyper_weights, shared.tokens,
                   dim(plus(times(streams, streams), times(2, streams)),
                       "residual_streams * residual_streams + 2 * residual_streams"),
                   dim(times(streams, shared.model.hidden_size), "residual_streams * hidden_size"), repeat);
  const double moved = static_cast<double>(streams + 1) * shared.sharded_stream_bytes;
  emit.elementwise(
      names.hyper_mix, moved, moved, repeat,
      of_each(static_cast<double>(streams) * shared.sharded_stream_bytes / shared.activation, {2, 4}));
}

// Before the layer each stream is predicted from all, behind it corrected by what the layer did to its own;
// the weights come of a router over that one (transformers, modeling_gemma3n.py, Gemma3nTextAltUp).
void lower_altup(const LoweringContext& shared, double count, Emitter& emit) {
  const std::int64_t streams = altup_streams(shared.model);
  if (streams <= 0) return;
  const Repeat each{count, Recomputed::with_layer};
  const double stream = shared.sharded_stream_bytes;
  const double elements = real(streams) * stream / shared.activation;
  emit.wide_linear("layer.altup.router", shared.tokens, dim(streams, "residual_streams"), shared.hidden,
                   each);
  emit.elementwise("layer.altup.predict", 2 * real(streams) * stream, 3 * real(streams) * stream, each,
                   of_each(elements, {2 * real(streams) + 1, 4 * real(streams) + 2}));
  emit.elementwise("layer.altup.correct", (2 * real(streams) + 1) * stream, (3 * real(streams) + 1) * stream,
                   each, of_each(elements, {5, 10}));  // its router's sums, too
}

void lower_laurel(const LoweringContext& shared, double count, Emitter& emit) {
  if (shared.model.laurel_rank <= 0) return;
  const Repeat each{count, Recomputed::with_layer};
  const Dim rank = dim(shared.model.laurel_rank, "laurel_rank");
  emit.wide_linear("layer.laurel.left", shared.tokens, rank, shared.hidden, each);
  emit.wide_linear("layer.laurel.right", shared.tokens, shared.hidden, rank, each);
  emit.norm("layer.laurel.norm", shared.sharded_stream_bytes, each);
  emit.elementwise("layer.laurel.residual", 3 * shared.sharded_stream_bytes, 3 * shared.sharded_stream_bytes,
                   each, of_each(shared.sharded_stream_bytes / shared.activation, {1, 1}));
}

}  // namespace shapelint::model
