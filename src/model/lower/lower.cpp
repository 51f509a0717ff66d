// The lowering of a whole model: layers around their parts, then embedding, head and what happens once a
// step.
#include "model/lower/lower.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "model/arithmetic.hpp"
#include "model/cnn/cnn.hpp"
#include "model/layer_list.hpp"
#include "model/lower/emit.hpp"
#include "model/lower/learning/matrices.hpp"
#include "model/mixer.hpp"
#include "model/stages.hpp"

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

// Layers that mix tokens, and those with an MLP or experts. Where it is unknown what is in the
// place of attention, all do.
struct Share {
  double mixing = 1;
  double feeding = 1;
};
Share share_of(const ModelSpec& model) {
  if (model.single.is_one) {
    const bool mixes =
        num_attention_layers(model) + num_mixer_layers(model) > 0 || model.single.linear_mixing;
    const bool feeds = num_dense_layers(model) + num_moe_layers(model) > 0 || model.single.linear_feeding;
    return {mixes ? 1.0 : 0.0, feeds ? 1.0 : 0.0};
  }
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

// A layer's product of the stream with a square matrix, where that stands in the place of attention or an MLP
// (DeciLM, modeling_decilm.py: replace_with_linear). Repeated on every tensor-parallel rank.
void lower_square(const LoweringContext& shared, std::string_view name, double count, Emitter& emit) {
  emit.linear(name, shared.tokens, shared.hidden, shared.hidden, shared.linear_dtype,
              {count, Recomputed::with_layer});
}

constexpr BranchNames block_names{"layer.residual", "layer.hyper_weights", "layer.hyper_mix"};
constexpr BranchNames attention_names{"layer.attention.residual", "layer.attention.hyper_weights",
                                      "layer.attention.hyper_mix"};
constexpr BranchNames cross_names{"layer.cross_attention.residual", "layer.cross_attention.hyper_weights",
                                  "layer.cross_attention.hyper_mix"};
constexpr BranchNames convolution_names{"layer.convolution.residual", "layer.convolution.hyper_weights",
                                        "layer.convolution.hyper_mix"};
constexpr BranchNames mlp_names{"layer.mlp.residual", "layer.mlp.hyper_weights", "layer.mlp.hyper_mix"};

// Runs of each part of a layer in layers of one kind.
struct Parts {
  double frame = 1;
  double attention = 1;
  std::array<double, most_mixers> mixers{1, 1, 1};
  double mlp = 1;
  double mixture = 1;
};
constexpr Parts equal_parts(double share) {
  return {share, share, {share, share, share}, share, share};
}

// Norms, residual additions and the collectives of tensor parallelism around attention and MLP, of the layers
// that have one set of weights for all tokens, of those with a set for each stream, or of those of one kind
// in a list: such shares of them.
void lower_stack(const LoweringContext& shared, const LayerCounts& counts, const Parts& parts,
                 Emitter& emit) {
  const ModelSpec& model = shared.model;
  const double part = parts.frame;
  const bool frame = counts.frame > 0 && part > 0;
  const auto in_frame = [&] { emit.set_runs(counts.frame); };
  in_frame();

  const double stream = shared.sharded_stream_bytes;
  const bool is_split = shared.stream != Modality::all;
  const double norms = is_split ? 2.0 : static_cast<double>(model.norms_per_layer);
  emit.set_component(Component::norm);
  if (frame && norms > 0) emit.norm("layer.norm", stream, {part * norms, Recomputed::with_norms});
  if (frame) lower_modulation(shared, part, emit);
  if (frame && part > 0) lower_offload(shared, part, emit);

  // Hyper-connections mix several streams into a branch's input, and its output into all of them.
  const double streams = altup_streams(model) > 0 ? 1.0 : at_least_one(model.residual_streams);
  const Share share = share_of(model);
  const auto residual = [&](const BranchNames& names, double branches, double share_of_layers) {
    const double mask =
        shared.plan.dropout && shared.training ? branches * mask_bytes * stream / shared.activation : 0.0;
    // forward: the branches and the stream in, the stream out; backward: the gradients are added up again
    if (!frame || share_of_layers <= 0) return;
    in_frame();
    const Repeat some{part * share_of_layers, Recomputed::with_layer};
    if (streams > 1) lower_hyper_connection(shared, names, some, emit);
    // By modules what is dropped is read and written once more.
    const double dropped = shared.eager && mask > 0 ? 2 * branches * stream + mask : mask;
    const double moved = (branches + 2 * streams) * stream + dropped;
    const Arithmetic sums = of_each(branches * streams * stream / shared.activation, {1, 1});
    if (!shared.autocast) return emit.elementwise(names.residual, moved, moved, some, sums);
    Modules apart = residual_autocast;
    for (double* each : {&apart.forward, &apart.forward_fp32, &apart.backward, &apart.backward_fp32,
                         &apart.forward_kernels, &apart.backward_kernels})
      *each *= branches;
    emit.modules(names.residual, {}, stream / shared.activation, apart, some, sums);
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
  // Adapters of a part's GEMMs, and GEMMs of its update.
  const auto learn = [&](ModelComponent which, double runs) {
    const auto with = which == ModelComponent::mlp ? Recomputed::with_mlp : Recomputed::with_layer;
    if (which != ModelComponent::mixture) lower_adapters(shared, which, {runs, with}, emit);
    lower_matrix_updates(shared, which, runs, emit);
  };
  // In a parallel block attention's collectives are those of the MLP, too.
  const auto mlp = [&] {
    emit.end_piece();
    emit.set_component(Component::mlp);
    if (frame && model.single.linear_feeding) lower_square(shared, "layer.mlp.linear", part, emit);
    if (counts.mlp > 0 && parts.mlp > 0) {
      emit.set_runs(counts.mlp);
      const Repeat each{parts.mlp, Recomputed::with_mlp};
      if (!shared.parallel_block) enter_tensor_parallel(shared, "layer.mlp.gather", each, emit);
      lower_mlp(shared, parts.mlp, emit);
      if (!shared.parallel_block) leave_tensor_parallel(shared, "layer.mlp.reduce", each, emit);
      learn(ModelComponent::mlp, parts.mlp);
    }
    emit.end_piece();
    emit.set_runs(counts.mixture);
    emit.set_component(Component::router);
    if (counts.mixture > 0 && parts.mixture > 0) {
      lower_moe(shared, parts.mixture, emit);
      learn(ModelComponent::mixture, parts.mixture);
    }
    emit.end_piece();
  };

  const auto rest_of_frame = [&] {
    in_frame();
    if (frame) lower_laurel(shared, part, emit);
    if (frame) lower_altup(shared, part, emit);
    if (frame) lower_layer_embedding(shared, part, emit);
  };

  emit.set_component(Component::attention);
  enter("layer.attention.gather");
  if (frame && model.single.linear_mixing) lower_square(shared, "layer.attention.linear", part, emit);
  emit.end_piece();
  if (counts.attention > 0 && parts.attention > 0) {
    emit.set_runs(counts.attention);
    const bool is_wide = shared.plan.wide_attention && shared.width == Precision::planned;
    const LoweringContext own(shared.setup, shared.stream, is_wide ? Precision::wide : shared.width);
    Emitter to = emit.with(own);
    if (model.mla.kv_lora_rank > 0) {
      lower_latent_attention(own, parts.attention, to);
    } else {
      lower_attention(own, parts.attention, to);
    }
    learn(ModelComponent::attention, parts.attention);
  }
  emit.set_component(Component::mixer);
  for (std::size_t which = 0; which < most_mixers; ++which) {
    if (counts.mixers[which] <= 0 || parts.mixers[which] <= 0) continue;
    emit.set_runs(counts.mixers[which]);
    lower_mixer(shared, which, parts.mixers[which], emit);
    learn(mixer_parts[which], parts.mixers[which]);
  }
  emit.set_component(Component::attention);
  emit.end_piece();
  if (shared.parallel_block) {
    mlp();
    leave("layer.reduce");
    emit.set_component(Component::residual);
    residual(block_names, 2, 1);
    rest_of_frame();
    emit.end_piece();
    return;
  }
  leave("layer.attention.reduce");
  residual(attention_names, 1, share.mixing);
  if (model.cross_attention && !is_split) {
    emit.set_component(Component::attention);
    enter("layer.cross_attention.gather");
    emit.end_piece();
    emit.set_runs(counts.attention);
    if (counts.attention > 0 && parts.attention > 0) lower_cross_attention(shared, parts.attention, emit);
    emit.end_piece();
    leave("layer.cross_attention.reduce");
    residual(cross_names, 1, 1);
  }
  if (model.convolution_kernel > 0 && !is_split) {
    emit.set_component(Component::mixer);
    enter("layer.convolution.gather");
    emit.end_piece();
    emit.set_runs(counts.attention);
    if (counts.attention > 0 && parts.attention > 0) lower_convolution_module(shared, parts.attention, emit);
    emit.end_piece();
    leave("layer.convolution.reduce");
    residual(convolution_names, 1, share.mixing);
  }
  mlp();
  emit.set_component(Component::mlp);
  residual(mlp_names, 1,
           share.feeding * static_cast<double>(std::max<std::int64_t>(1, model.mlps_per_layer)));
  rest_of_frame();
  emit.end_piece();
}

// Layers with weights of their own for each stream. They have neither experts nor mixers.
void lower_joint(Precision width, const Setup& setup, const LayerCounts& counts, Parts parts, Emitter& emit) {
  parts.mixers = {};
  parts.mixture = 0;
  for (const Modality stream : {Modality::image, Modality::text}) {
    const LoweringContext own(setup, stream, width);
    Emitter to = emit.with(own);
    lower_stack(own, {counts.frame, counts.attention, {}, counts.mlp, 0}, parts, to);
  }
}

// The layers of each kind in a list: `share` of them.
void lower_list(const LoweringContext& shared, const LayerCounts& counts, double share, Emitter& emit) {
  const std::vector<DistinctLayer> layers = distinct_layers(shared.setup);
  const auto parts_of = [](const DistinctLayer& each) {
    const ModelSpec& one = each.one.model;
    const auto number = [&](std::int64_t in_one) { return static_cast<double>(times(in_one, each.count)); };
    Parts out{
        number(1), number(num_attention_layers(one)), {}, number(num_mlps(one)), number(num_moe_layers(one))};
    for (std::size_t which = 0; which < most_mixers; ++which)
      out.mixers[which] = number(num_mixer_layers(one, which));
    return out;
  };
  Parts all = equal_parts(0);
  const auto each_part = [](Parts& into, const Parts& from, auto change) {
    change(into.frame, from.frame);
    change(into.attention, from.attention);
    for (std::size_t which = 0; which < most_mixers; ++which) change(into.mixers[which], from.mixers[which]);
    change(into.mlp, from.mlp);
    change(into.mixture, from.mixture);
  };
  for (const DistinctLayer& each : layers)
    each_part(all, parts_of(each), [](double& sum, double some) { sum += some; });
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const DistinctLayer& each = layers[i];
    Emitter of_layer = emit;
    of_layer.set_layer(i);
    Parts parts = parts_of(each);
    each_part(parts, all, [&](double& some, double sum) { some = sum > 0 ? share * some / sum : 0.0; });
    if (num_joint_layers(each.one.model) > 0) {
      lower_joint(shared.width, each.one, counts, parts, of_layer);
      continue;
    }
    const LoweringContext own(each.one, Modality::all, shared.width);
    Emitter to = of_layer.with(own);
    lower_stack(own, counts, parts, to);
  }
}

// Such a share of all layers of a kind. Experts and mixers are those of layers with one set of weights.
void lower_share(const LoweringContext& shared, const LayerCounts& counts, double share, Emitter& emit) {
  if (shared.model.layers_differ) return lower_list(shared, counts, share, emit);
  // Whatever the number of joint layers, so that a layer has the same pieces for all of them.
  if (shared.model.diffusion.text_joined && shared.model.diffusion.joint_layers > 0) {
    const std::int64_t joint = num_joint_layers(shared.model);
    const double layers = static_cast<double>(std::max<std::int64_t>(1, shared.model.num_layers));
    lower_joint(shared.width, shared.setup, counts, equal_parts(share * static_cast<double>(joint) / layers),
                emit);
    Parts parts = equal_parts(share * static_cast<double>(shared.model.num_layers - joint) / layers);
    parts.mixers = {share, share, share};
    parts.mixture = share;
    lower_stack(shared, counts, parts, emit);
  } else {
    lower_stack(shared, counts, equal_parts(share), emit);
  }
}

// All layers of a kind: first those whose products stay in 16 bits, as many of each kind as of all.
void lower_layers(const LoweringContext& shared, const LayerCounts& counts, Emitter& emit) {
  const std::int64_t layers = std::max<std::int64_t>(1, shared.model.num_layers);
  const std::int64_t wide = num_wide_layers(shared.setup);
  // Also where all layers are, so that each has the same pieces whatever their number.
  if (wide > 0) {
    const LoweringContext own(shared.setup, Modality::all, Precision::wide);
    Emitter to = emit.with(own);
    lower_share(own, counts, static_cast<double>(wide) / static_cast<double>(layers), to);
  }
  lower_share(shared, counts, static_cast<double>(layers - wide) / static_cast<double>(layers), emit);
  emit.set_runs(1);
}

}  // namespace

// What runs: of attention the scores that the mask leaves, since fused kernels pass over the others, whatever
// mfu_convention counts; and a fused backward pass runs five products where the forward has two
// (FlashAttention-2, 2307.08691, section 3.1.2).
double op_flops(const Op& op) {
  const auto d = [](const Dim& each) { return static_cast<double>(each.value); };
  if (op.kind == OpKind::gemm) return 2 * d(op.batch) * d(op.m) * d(op.n) * d(op.k);
  if (op.kind == OpKind::scan) return scan_flops(op);
  if (op.kind == OpKind::elementwise && op.is_convolution) return op.flops;
  if (op.kind != OpKind::attention) return 0;
  const AttentionShape& a = op.attention;
  const double window = static_cast<double>(a.window) < d(a.key_length) ? static_cast<double>(a.window) : 0;
  const double scores =
      d(a.sequences) * d(a.heads) * visible_pairs(d(a.query_length), d(a.key_length), a.causal, window);
  if (op.pass != Pass::backward) return 2 * scores * (d(a.head_dim) + d(a.value_head_dim));
  // scores again, dQ and dK over the head's width; dV and dP over that of the values
  return 2 * scores * (3 * d(a.head_dim) + 2 * d(a.value_head_dim));
}

PartDependence part_dependence(const Setup& setup, std::span<const FieldId> varying) {
  const auto any = [&](const auto& holds) { return std::any_of(varying.begin(), varying.end(), holds); };
  return {has_layer_pattern(setup) || any(makes_layer_pattern),
          updates_multiply(setup.plan.optimizer) ||
              any([](FieldId field) { return field == FieldId::optimizer; })};
}

bool depends_on(ModelComponent part, FieldId field, const PartDependence& of) {
  constexpr std::array narrow{FieldId::num_layers,
                              FieldId::num_attention_heads,
                              FieldId::num_key_value_heads,
                              FieldId::head_dim,
                              FieldId::intermediate_size,
                              FieldId::moe_intermediate_size,
                              FieldId::vocab_size,
                              FieldId::vocab_padding_multiple,
                              FieldId::pipeline,
                              FieldId::zero,
                              FieldId::zero_ranks};
  const std::size_t which = mixer_of(part);
  for (std::size_t mixer = 0; mixer < most_mixers; ++mixer) {
    const MixerFields& sizes = mixer_fields[mixer];
    if (field == sizes.value_heads || field == sizes.key_dim || field == sizes.value_dim)
      return mixer == which;
  }
  const auto is_among = [&](const auto& fields) {
    return std::find(fields.begin(), fields.end(), field) != fields.end();
  };
  constexpr std::array of_experts{FieldId::expert, FieldId::expert_tensor, FieldId::overlap};
  if (is_among(of_experts)) return part == ModelComponent::mixture;
  // How often layers run, which stage has them, and what is done once per step.
  constexpr std::array of_stages{FieldId::data,
                                 FieldId::gradient_accumulation,
                                 FieldId::virtual_pipeline,
                                 FieldId::stage_layers,
                                 FieldId::embedding_stages,
                                 FieldId::pipeline_schedule,
                                 FieldId::offload_optimizer};
  if (is_among(of_stages) && !of.updates_multiply)
    return part == ModelComponent::ends || part == ModelComponent::last_ends;
  if (!is_among(narrow)) return true;
  if (field == FieldId::num_layers && of.has_pattern) return true;  // the ends make what each layer reads
  // Ranks that share an optimizer's states share the products of its updates; those that gather weights have
  // the residual stream in 16 bits.
  if (field == FieldId::zero || field == FieldId::zero_ranks) return true;
  // Sizes of mixers that a file does not state follow from those of attention.
  if (which < most_mixers) return field == FieldId::num_attention_heads || field == FieldId::head_dim;
  switch (part) {
    case ModelComponent::attention:
      return field == FieldId::num_attention_heads || field == FieldId::num_key_value_heads ||
             field == FieldId::head_dim;
    case ModelComponent::mixer:
      return false;
    case ModelComponent::mlp:
      return field == FieldId::intermediate_size;
    case ModelComponent::mixture:
      return field == FieldId::intermediate_size || field == FieldId::moe_intermediate_size;
    case ModelComponent::frame:
      return false;
    case ModelComponent::ends:
    case ModelComponent::last_ends:
      return field == FieldId::vocab_size || field == FieldId::vocab_padding_multiple ||
             field == FieldId::pipeline;
  }
  return true;
}

namespace {

// Around the layers of the stage that sets the pace.
void lower_ends(const LoweringContext& shared, Emitter& emit) {
  emit.set_component(Component::embedding);
  lower_embedding(shared, emit);
  emit.end_piece();
  emit.set_component(Component::head);
  lower_head(shared, emit);
  emit.set_component(Component::other);
  lower_pipeline(shared, emit);
  emit.end_piece();
}

}  // namespace

void lower_part(const Setup& setup, ModelComponent part, Workload& workload,
                std::vector<std::uint32_t>* pieces) {
  const bool is_last = part == ModelComponent::last_ends;
  if ((part == ModelComponent::ends || is_last) && setup.plan.pipeline > 1) {
    Setup stage = setup;
    stage.plan.pace = is_last ? Pace::last : Pace::first;
    const LoweringContext shared(stage);
    Emitter emit(shared, workload, pieces);
    const std::size_t first = workload.ops.size();
    lower_ends(shared, emit);
    return fuse(setup.plan, workload.ops, first);
  }
  const LoweringContext shared(setup);
  Emitter emit(shared, workload, pieces);
  const std::size_t first = workload.ops.size();
  if (const std::size_t which = mixer_of(part); which < most_mixers) {
    LayerCounts counts;
    counts.mixers[which] = 1;
    lower_layers(shared, counts, emit);
  }
  switch (part) {
    case ModelComponent::frame:
      lower_layers(shared, {.frame = 1}, emit);
      break;
    case ModelComponent::attention:
      lower_layers(shared, {.attention = 1}, emit);
      break;
    case ModelComponent::mixer:
      break;
    case ModelComponent::mlp:
      lower_layers(shared, {.mlp = 1}, emit);
      break;
    case ModelComponent::mixture:
      lower_layers(shared, {.mixture = 1}, emit);
      break;
    case ModelComponent::ends:
      lower_ends(shared, emit);
      break;
    case ModelComponent::last_ends:  // there is but one stage
      emit.end_piece();
      emit.end_piece();
      break;
  }
  fuse(setup.plan, workload.ops, first);
}

namespace {

void set_totals(const Setup& setup, double forward_flops, double head, Workload& workload) {
  const bool training = setup.plan.mode == Mode::train;
  workload.tokens_per_step = tokens_per_step(setup);
  workload.model_flops = model_flops_per_step(setup, forward_flops - head, head);
  workload.micro_batches =
      training ? static_cast<double>(std::max<std::int64_t>(1, setup.plan.gradient_accumulation)) : 1.0;
  workload.end_layers = setup.plan.end_layers;
  workload.pipeline_bubble = step_bubble(setup);
}

}  // namespace

void set_totals(const Setup& setup, Workload& workload) {
  set_totals(setup, forward_flops_per_token(setup), head_flops_per_token(setup), workload);
}

void set_totals(const Setup& setup, const PartSizes& sizes, Workload& workload) {
  if (setup.model.layers_differ) return set_totals(setup, workload);
  detail::PartProducts products{};
  for (std::size_t part = 0; part < products.size(); ++part) products[part] = sizes[part].products;
  const double head = 2 * sizes[static_cast<std::size_t>(ModelComponent::ends)].products;
  set_totals(setup, detail::forward_flops_per_token(setup, products), head, workload);
}

Workload lower(const Setup& setup) {
  if (!setup.model.conv.empty()) return lower_network(setup);
  Workload workload;
  workload.ops.reserve(96);
  const LoweringContext shared(setup);
  Emitter emit(shared, workload);
  emit.set_component(Component::embedding);
  lower_embedding(shared, emit);
  const LayerRuns runs = layer_runs(setup);
  const std::size_t first = workload.ops.size();
  lower_layers(shared, {runs.all, runs.attention, runs.mixers, runs.mlp, runs.mixture}, emit);
  if (setup.model.layers_differ) merge_equal(workload.ops, first);
  emit.set_component(Component::head);
  lower_head(shared, emit);
  emit.set_component(Component::other);
  lower_pipeline(shared, emit);
  lower_update(setup, parameters_per_rank(setup), workload);

  fuse(setup.plan, workload.ops, 0);
  for (const Op& op : workload.ops) workload.hardware_flops += op.count * op_flops(op);
  set_totals(setup, workload);
  return workload;
}

namespace {

// Standard deviations of the time that ranks take for the same work, as shares. Chips under one power limit
// differ in their clocks, which counts where ranks meet once a step; those that gather or sum each layer
// (from ZeRO 2 on) meet with each, and what disturbs one of them for a moment is no longer averaged out over
// a step. Fitted to the series of bench/scaling_runs.toml whose part is `fit` (4 and 6), checked with the
// others.
constexpr double step_spread = 0.012;
constexpr double layer_spread = 0.08;
// GPUs of the nodes on which single kernels and most runs were measured.
constexpr std::int64_t node_gpus = 8;

// The largest of so many normal deviates lies about so many standard deviations above their mean (the leading
// term of extreme value theory).
double largest_deviate(std::int64_t of) {
  return std::sqrt(2 * std::log(static_cast<double>(of)));
}

}  // namespace

double straggler_fraction(const Plan& plan) {
  if (plan.mode != Mode::train) return 0;
  const std::int64_t gpus =
      times(std::max<std::int64_t>(1, plan.data), std::max<std::int64_t>(1, plan.tensor),
            std::max<std::int64_t>(1, plan.pipeline), std::max<std::int64_t>(1, plan.context));
  if (gpus <= node_gpus) return 0;
  const double spread = plan.zero >= 2 ? layer_spread : step_spread;
  return spread * (largest_deviate(gpus) - largest_deviate(node_gpus));
}

}  // namespace shapelint::model
