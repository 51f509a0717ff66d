// The lowering of a whole model: layers around their parts, then embedding, head and what happens once a
// step.
#include "model/lower/lower.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "model/cnn/cnn.hpp"
#include "model/lower/emit.hpp"
#include "model/lower/learning/matrices.hpp"
#include "model/lower/waiting.hpp"
#include "model/lower/whole.hpp"
#include "model/mixer.hpp"

namespace shapelint::model {

namespace {

constexpr double mask_bytes = 1;  // PyTorch keeps one byte per dropped-out element

// How often each part of a layer runs in the step, on this rank; 0 leaves it out.
struct LayerCounts {
  double frame = 0;  // norms, residuals, collectives
  double attention = 0;
  std::array<double, most_mixers> mixers{};
  double mlp = 0;
  double mixture = 0;
};

// Of the layers, those that mix tokens, and those with an MLP or experts. Where nobody knows what is in the
// place of attention, all do.
struct Share {
  double mixing = 1;
  double feeding = 1;
};
Share share_of(const ModelSpec& model) {
  if (!has_mixer(model)) return {};
  const double layers = static_cast<double>(std::max<std::int64_t>(1, model.num_layers));
  const auto of_all = [&](std::int64_t some) { return std::min(1.0, static_cast<double>(some) / layers); };
  // Beside attention, a mixer may be in more layers than it (Zamba).
  std::int64_t mixing = num_attention_layers(model);
  for (std::size_t which = 0; which < most_mixers; ++which)
    if (model.mixers[which].parallel) mixing = std::max(mixing, num_mixer_layers(model, which));
  for (std::size_t which = 0; which < most_mixers; ++which)
    mixing = plus(mixing, model.mixers[which].parallel ? 0 : num_mixer_layers(model, which));
  return {of_all(mixing), of_all(num_dense_layers(model) + num_moe_layers(model))};
}

constexpr BranchNames block_names{"layer.residual", "layer.hyper_weights", "layer.hyper_mix"};
constexpr BranchNames attention_names{"layer.attention.residual", "layer.attention.hyper_weights",
                                      "layer.attention.hyper_mix"};
constexpr BranchNames cross_names{"layer.cross_attention.residual", "layer.cross_attention.hyper_weights",
                                  "layer.cross_attention.hyper_mix"};
constexpr BranchNames convolution_names{"layer.convolution.residual", "layer.convolution.hyper_weights",
                                        "layer.convolution.hyper_mix"};
constexpr BranchNames mlp_names{"layer.mlp.residual", "layer.mlp.hyper_weights", "layer.mlp.hyper_mix"};

// Norms, residual additions and the collectives of tensor parallelism around attention and MLP, of the layers
// that have one set of weights for all tokens, or of those with a set for each stream: such a share of them.
// `others`: the same of mixers and experts, which layers with a set for each stream do not have.
void lower_stack(const Shared& shared, const LayerCounts& counts, double part, double others, Emitter& emit) {
  const ModelSpec& model = shared.model;
  const bool frame = counts.frame > 0 && part > 0;
  const auto in_frame = [&] { emit.set_runs(counts.frame); };
  in_frame();

  const double stream = shared.sharded_stream_bytes;
  const bool is_split = shared.stream != Stream::all;
  const double norms = is_split ? 2.0 : static_cast<double>(model.norms_per_layer);
  // forward: x in, y out; backward: x and dy in, dx out
  if (frame && norms > 0)
    emit.elementwise("layer.norm", 2 * stream, 3 * stream, {part * norms, Recomputed::with_norms},
                     of_each(stream / shared.activation, norm_flops(model)));
  if (frame) lower_modulation(shared, part, emit);
  if (frame && part > 0) lower_offload(shared, part, emit);

  // Hyper-connections mix several streams into a branch's input, and its output into all of them.
  const double streams = static_cast<double>(std::max<std::int64_t>(1, model.residual_streams));
  const Share share = share_of(model);
  const auto residual = [&](const BranchNames& names, double branches, double share_of_layers) {
    const double mask =
        shared.plan.dropout && shared.training ? branches * mask_bytes * stream / shared.activation : 0.0;
    // forward: the branches and the stream in, the stream out; backward: the gradients are added up again
    if (!frame || share_of_layers <= 0) return;
    in_frame();
    const Repeat some{part * share_of_layers, Recomputed::with_layer};
    if (streams > 1) lower_hyper_connection(shared, names, some, emit);
    const double moved = (branches + 2 * streams) * stream + mask;
    emit.elementwise(names.residual, moved, moved, some,
                     of_each(branches * streams * stream / shared.activation, {1, 1}));
  };
  const Repeat mixing{part * share.mixing, Recomputed::with_layer};
  const auto enter = [&](std::string_view name) {
    in_frame();
    if (frame && share.mixing > 0) enter_tensor_parallel(shared, name, mixing, emit);
  };
  const auto leave = [&](std::string_view name) {
    in_frame();
    if (frame && share.mixing > 0) leave_tensor_parallel(shared, name, mixing, emit);
  };
  // Adapters beside a part's products, and products of its update.
  const auto learn = [&](StepPart which, double runs) {
    const auto with = which == StepPart::mlp ? Recomputed::with_mlp : Recomputed::with_layer;
    if (which != StepPart::mixture) lower_adapters(shared, which, {runs, with}, emit);
    lower_matrix_updates(shared, which, runs, emit);
  };
  // In a parallel block attention's collectives are those of the MLP, too.
  const auto mlp = [&] {
    emit.end_piece();
    if (counts.mlp > 0 && part > 0) {
      emit.set_runs(counts.mlp);
      const Repeat each{part, Recomputed::with_mlp};
      if (!shared.parallel_block) enter_tensor_parallel(shared, "layer.mlp.gather", each, emit);
      lower_mlp(shared, part, emit);
      if (!shared.parallel_block) leave_tensor_parallel(shared, "layer.mlp.reduce", each, emit);
      learn(StepPart::mlp, part);
    }
    emit.end_piece();
    emit.set_runs(counts.mixture);
    if (counts.mixture > 0 && others > 0) {
      lower_moe(shared, others, emit);
      learn(StepPart::mixture, others);
    }
    emit.end_piece();
  };

  enter("layer.attention.gather");
  emit.end_piece();
  if (counts.attention > 0 && part > 0) {
    emit.set_runs(counts.attention);
    const bool is_wide = shared.plan.wide_attention && shared.width == Width::planned;
    const Shared own(shared.setup, shared.stream, is_wide ? Width::wide : shared.width);
    Emitter to = emit.with(own);
    if (model.mla.kv_lora_rank > 0) {
      lower_latent_attention(own, part, to);
    } else {
      lower_attention(own, part, to);
    }
    learn(StepPart::attention, part);
  }
  for (std::size_t which = 0; which < most_mixers && others > 0; ++which) {
    if (counts.mixers[which] <= 0) continue;
    emit.set_runs(counts.mixers[which]);
    lower_mixer(shared, which, others, emit);
    learn(mixer_parts[which], others);
  }
  emit.end_piece();
  if (shared.parallel_block) {
    mlp();
    leave("layer.reduce");
    residual(block_names, 2, 1);
    emit.end_piece();
    return;
  }
  leave("layer.attention.reduce");
  residual(attention_names, 1, share.mixing);
  if (model.cross_attention && !is_split) {
    enter("layer.cross_attention.gather");
    emit.end_piece();
    emit.set_runs(counts.attention);
    if (counts.attention > 0 && part > 0) lower_cross_attention(shared, part, emit);
    emit.end_piece();
    leave("layer.cross_attention.reduce");
    residual(cross_names, 1, 1);
  }
  if (model.convolution_kernel > 0 && !is_split) {
    enter("layer.convolution.gather");
    emit.end_piece();
    emit.set_runs(counts.attention);
    if (counts.attention > 0 && part > 0) lower_convolution_module(shared, part, emit);
    emit.end_piece();
    leave("layer.convolution.reduce");
    residual(convolution_names, 1, share.mixing);
  }
  mlp();
  residual(mlp_names, 1,
           share.feeding * static_cast<double>(std::max<std::int64_t>(1, model.mlps_per_layer)));
  emit.end_piece();
}

// Of all layers of a kind, such a share. Experts and mixers are those of layers with one set of weights.
void lower_share(const Shared& shared, const LayerCounts& counts, double share, Emitter& emit) {
  // Whatever the number of joint layers, so that a layer has the same pieces for all of them.
  if (shared.model.diffusion.text_joined && shared.model.diffusion.joint_layers > 0) {
    const std::int64_t joint = num_joint_layers(shared.model);
    const double layers = static_cast<double>(std::max<std::int64_t>(1, shared.model.num_layers));
    for (const Stream stream : {Stream::image, Stream::text}) {
      const Shared own(shared.setup, stream, shared.width);
      Emitter to = emit.with(own);
      lower_stack(own, {counts.frame, counts.attention, {}, counts.mlp, 0},
                  share * static_cast<double>(joint) / layers, 0, to);
    }
    lower_stack(shared, counts, share * static_cast<double>(shared.model.num_layers - joint) / layers, share,
                emit);
  } else {
    lower_stack(shared, counts, share, share, emit);
  }
}

// All layers of a kind: first those whose products stay in 16 bits, as many of each kind as of all.
void lower_layers(const Shared& shared, const LayerCounts& counts, Emitter& emit) {
  const std::int64_t layers = std::max<std::int64_t>(1, shared.model.num_layers);
  const std::int64_t wide = num_wide_layers(shared.setup);
  // Also where all layers are, so that each has the same pieces whatever their number.
  if (wide > 0) {
    const Shared own(shared.setup, Stream::all, Width::wide);
    Emitter to = emit.with(own);
    lower_share(own, counts, static_cast<double>(wide) / static_cast<double>(layers), to);
  }
  lower_share(shared, counts, static_cast<double>(layers - wide) / static_cast<double>(layers), emit);
  emit.set_runs(1);
}

}  // namespace

// Causal attention counts as mfu_convention says; a fused backward pass runs five
// products where the forward has two (FlashAttention-2, 2307.08691, section 3.1.2).
double op_flops(const Op& op) {
  const auto d = [](const Dim& each) { return static_cast<double>(each.value); };
  if (op.kind == OpKind::gemm) return 2 * d(op.batch) * d(op.m) * d(op.n) * d(op.k);
  if (op.kind == OpKind::scan) return scan_flops(op);
  if (op.kind != OpKind::attention) return 0;
  const AttentionShape& a = op.attention;
  const double seen = a.causal && mfu_convention == CausalFlops::half ? 0.5 : 1.0;
  const double keys =
      a.window > 0 ? std::min(d(a.key_length), static_cast<double>(a.window)) : d(a.key_length);
  const double scores = seen * d(a.sequences) * d(a.heads) * d(a.query_length) * keys;
  if (op.pass != Pass::backward) return 2 * scores * (d(a.head_dim) + d(a.value_head_dim));
  // scores again, dQ and dK over the head's width; dV and dP over that of the values
  return 2 * scores * (3 * d(a.head_dim) + 2 * d(a.value_head_dim));
}

bool depends_on(StepPart part, FieldId field, bool has_pattern) {
  constexpr std::array narrow{FieldId::num_layers,
                              FieldId::num_attention_heads,
                              FieldId::num_key_value_heads,
                              FieldId::head_dim,
                              FieldId::intermediate_size,
                              FieldId::moe_intermediate_size,
                              FieldId::mixer_value_heads,
                              FieldId::mixer_key_dim,
                              FieldId::mixer_value_dim,
                              FieldId::second_mixer_value_heads,
                              FieldId::second_mixer_key_dim,
                              FieldId::second_mixer_value_dim,
                              FieldId::third_mixer_value_heads,
                              FieldId::third_mixer_key_dim,
                              FieldId::third_mixer_value_dim,
                              FieldId::vocab_size,
                              FieldId::pipeline,
                              FieldId::zero};
  if (std::find(narrow.begin(), narrow.end(), field) == narrow.end()) return true;
  if (field == FieldId::num_layers && has_pattern) return true;
  // Ranks that share an optimizer's states share the products of its updates.
  if (field == FieldId::zero) return part != StepPart::frame && part != StepPart::ends;
  switch (part) {
    case StepPart::attention:
      return field == FieldId::num_attention_heads || field == FieldId::num_key_value_heads ||
             field == FieldId::head_dim;
    case StepPart::mixer:
    case StepPart::second_mixer:
    case StepPart::third_mixer: {  // sizes that a file does not state follow from those of attention
      const MixerFields& mixer = mixer_fields[mixer_of(part)];
      return field == FieldId::num_attention_heads || field == FieldId::head_dim ||
             field == mixer.value_heads || field == mixer.key_dim || field == mixer.value_dim;
    }
    case StepPart::mlp:
      return field == FieldId::intermediate_size;
    case StepPart::mixture:
      return field == FieldId::intermediate_size || field == FieldId::moe_intermediate_size;
    case StepPart::frame:
      return false;
    case StepPart::ends:
      return field == FieldId::vocab_size || field == FieldId::pipeline;
  }
  return true;
}

void lower_part(const Setup& setup, StepPart part, Workload& workload, std::vector<std::uint32_t>* pieces) {
  const Shared shared(setup);
  Emitter emit(shared, workload, pieces);
  const std::size_t first = workload.ops.size();
  switch (part) {
    case StepPart::frame:
      lower_layers(shared, {.frame = 1}, emit);
      break;
    case StepPart::attention:
      lower_layers(shared, {.attention = 1}, emit);
      break;
    case StepPart::mixer:
    case StepPart::second_mixer:
    case StepPart::third_mixer: {
      LayerCounts counts;
      counts.mixers[mixer_of(part)] = 1;
      lower_layers(shared, counts, emit);
      break;
    }
    case StepPart::mlp:
      lower_layers(shared, {.mlp = 1}, emit);
      break;
    case StepPart::mixture:
      lower_layers(shared, {.mixture = 1}, emit);
      break;
    case StepPart::ends:
      lower_embedding(shared, emit);
      emit.end_piece();
      lower_head(shared, emit);
      lower_pipeline(shared, emit);
      emit.end_piece();
      break;
  }
  fuse(setup.plan, workload.ops, first);
}

namespace {

void set_totals(const Setup& setup, double forward_flops, Workload& workload) {
  const bool training = setup.plan.mode == Mode::train;
  workload.tokens_per_step = tokens_per_step(setup);
  const double head = head_flops_per_token(setup);
  workload.model_flops = model_flops_per_step(setup, forward_flops - head, head);
  workload.micro_batches =
      training ? static_cast<double>(std::max<std::int64_t>(1, setup.plan.gradient_accumulation)) : 1.0;
  workload.pipeline_bubble = pipeline_bubble(setup.plan) + waiting_share(setup.plan);
}

}  // namespace

void set_totals(const Setup& setup, Workload& workload) {
  set_totals(setup, forward_flops_per_token(setup), workload);
}

void set_totals(const Setup& setup, const PartSizes& sizes, Workload& workload) {
  const auto products = [&](StepPart part) { return sizes[static_cast<std::size_t>(part)].products; };
  std::array<double, most_mixers> mixers{};
  for (const StepPart part : mixer_parts) mixers[mixer_of(part)] = products(part);
  set_totals(setup, detail::forward_flops_per_token(setup, products(StepPart::attention), mixers), workload);
}

Workload lower(const Setup& setup) {
  if (!setup.model.conv.empty()) return lower_network(setup);
  Workload workload;
  workload.ops.reserve(96);
  const Shared shared(setup);
  Emitter emit(shared, workload);
  lower_embedding(shared, emit);
  const LayerRuns runs = layer_runs(setup);
  lower_layers(shared, {runs.all, runs.attention, runs.mixers, runs.mlp, runs.mixture}, emit);
  lower_head(shared, emit);
  lower_pipeline(shared, emit);
  lower_update(setup, parameters_per_rank(setup), workload);

  fuse(setup.plan, workload.ops, 0);
  for (const Op& op : workload.ops) workload.hardware_flops += op.count * op_flops(op);
  set_totals(setup, workload);
  return workload;
}

}  // namespace shapelint::model
