// Mixtures of experts. The experts are a layout of their own over the GPUs of data, tensor and context
// parallelism: groups of expert x expert_tensor ranks hold all of a layer's, each rank its part of some
// (Megatron-LM, "MoE parallel folding", arXiv 2504.14960). The experts of a rank run as one grouped product.
#include <string>

#include "model/lower/emit.hpp"
#include "model/lower/learning/matrices.hpp"
#include "model/lower/mixture/routing.hpp"

namespace shapelint::model {

namespace {

// How a layer's tokens and experts lie on the ranks of a group.
struct ExpertParallelLayout {
  explicit ExpertParallelLayout(const Setup& setup, std::int64_t rank_tokens);

  std::int64_t ranks;   // of the group: expert x expert_tensor
  bool is_sharded;      // each rank hands out tokens of its own
  bool is_whole;        // the group is as large as that of the tensor-parallel ranks, or is one rank
  std::int64_t tokens;  // that are routed among the group
  bool is_gathered;     // each rank gets all of them, and gives back sums
};

// Groups up to this size are within a node, where engines gather tokens by default: vLLM's
// `allgather_reducescatter`, SGLang's attention DP without an all-to-all backend, TensorRT-LLM's fused
// experts (alltoall `NotEnabled`) on HGX boards. Wider groups exchange them.
constexpr std::int64_t gathering_ranks = 8;

// Ranks of tensor parallelism hold the same tokens, except for sequence parallelism. Where the group reaches
// beyond them they divide the tokens, so that none is sent twice; within them, each computes its experts for
// all of the tokens.
ExpertParallelLayout::ExpertParallelLayout(const Setup& setup, std::int64_t rank_tokens)
    : ranks(times(setup.plan.expert, setup.plan.expert_tensor)),
      is_sharded(setup.plan.sequence_parallel || ranks > setup.plan.tensor),
      is_whole(is_sharded ? ranks == setup.plan.tensor : true),
      tokens(is_whole ? rank_tokens : divide_up(times(rank_tokens, ranks), setup.plan.tensor)),
      is_gathered(ranks > setup.plan.tensor && setup.plan.mode != Mode::train &&
                  setup.plan.engine != ServingEngine::fastest && setup.plan.overlap == Overlap::none &&
                  ranks <= gathering_ranks) {}

// Expressions that are made of the tokens', once.
struct Texts {
  std::string tokens;         // of the rank, as a factor
  std::string sharded;        // a tensor-parallel rank's part of them
  std::string routed;         // among a group of `expert` ranks, tensor parallelism aside
  std::string routed_folded;  // among any group
};

Texts texts_of(std::string_view tokens) {
  Texts out;
  const bool is_sum_or_product = tokens.find(' ') != std::string_view::npos;
  out.tokens = is_sum_or_product ? "(" + std::string(tokens) + ")" : std::string(tokens);
  out.sharded = out.tokens + " / tensor";
  out.routed = out.tokens + " * expert";
  out.routed_folded = out.tokens + " * (expert * expert_tensor) / tensor";
  return out;
}

// Those of one way of routing, of one expression of tokens.
struct RoutedTexts {
  explicit RoutedTexts(const std::string& tokens)
      : all_rows(tokens + " * moe_experts_per_token / moe_num_experts"),
        some("visited(moe_num_experts, moe_experts_per_token, " + tokens + ") / expert"),
        some_rows(tokens + " * moe_experts_per_token / visited(moe_num_experts, moe_experts_per_token, " +
                  tokens + ")"),
        busiest("busiest_experts(moe_num_experts, moe_experts_per_token, " + tokens + ", expert, routing)"),
        busiest_rows("busiest_tokens(moe_num_experts, moe_experts_per_token, " + tokens +
                     ", expert, routing) / " + busiest) {}

  std::string all_rows;  // tokens of an expert where all have work
  std::string some;      // experts with work on a rank
  std::string some_rows;
  std::string busiest;  // the same where routing is uneven
  std::string busiest_rows;
};

struct TokenTexts {
  explicit TokenTexts(std::string_view expression)
      : tokens(texts_of(expression)),
        whole(tokens.tokens),
        spread(tokens.routed),
        folded(tokens.routed_folded) {}

  Texts tokens;
  RoutedTexts whole;
  RoutedTexts spread;
  RoutedTexts folded;
};

const TokenTexts& texts_for(std::string_view expression) {
  static const std::array<TokenTexts, token_expressions.size()> all{
      TokenTexts(token_expressions[0]), TokenTexts(token_expressions[1]), TokenTexts(token_expressions[2]),
      TokenTexts(token_expressions[3]), TokenTexts(token_expressions[4]), TokenTexts(token_expressions[5])};
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (token_expressions[i] == expression) return all[i];
  }
  return all[0];
}

// The grouped product of a rank: experts with work, and rows of each.
struct Load {
  Dim experts;
  Dim rows;
  double copies = 0;  // of tokens, all experts of the rank together
};

Load load_of(const LoweringContext& shared, const ExpertParallelLayout& folding) {
  const Plan& plan = shared.plan;
  const Moe& moe = shared.model.moe;
  const TokenTexts& texts = texts_for(shared.tokens.expression);
  const RoutedTexts& routed = folding.is_whole                              ? texts.whole
                              : plan.tensor == 1 && plan.expert_tensor == 1 ? texts.spread
                                                                            : texts.folded;
  if (plan.routing != Routing::even) {
    const Busiest most =
        busiest(moe.num_experts, moe.experts_per_token, folding.tokens, plan.expert, plan.routing);
    return {dim(most.experts, routed.busiest), dim(divide_up(most.tokens, most.experts), routed.busiest_rows),
            static_cast<double>(most.tokens)};
  }
  const std::int64_t copies = times(folding.tokens, moe.experts_per_token);
  const std::int64_t some = visited(moe.num_experts, moe.experts_per_token, folding.tokens);
  const double each = static_cast<double>(copies) / static_cast<double>(plan.expert);
  if (some == moe.num_experts) {
    return {dim(divide_up(moe.num_experts, plan.expert), "moe_num_experts / expert"),
            dim(divide_up(copies, moe.num_experts), routed.all_rows), each};
  }
  return {dim(divide_up(some, plan.expert), routed.some), dim(divide_up(copies, some), routed.some_rows),
          each};
}

// What routed experts read and write of a token.
Dim expert_vectors(const LoweringContext& shared) {
  return shared.model.moe.latent_size > 0 ? dim(shared.model.moe.latent_size, "moe_latent_size")
                                          : shared.hidden;
}

// What engines' kernels need to know of it; part `none` in training.
ExpertWork work_of(const LoweringContext& shared, const ExpertParallelLayout& folding, const Load& load) {
  ExpertWork work;
  const Plan& plan = shared.plan;
  work.is_training = shared.training;
  work.software = plan.software;
  work.graphs = plan.graphs;
  if (shared.training) return work;
  work.part = ExpertPart::up;
  work.engine = plan.engine;
  work.kernels = plan.expert_kernels;
  work.recipe = plan.recipe;
  work.dtype = shared.linear_dtype;
  work.weight_bytes = expert_packed_bytes(plan);
  work.is_even = plan.routing == Routing::even;
  work.local_experts = static_cast<double>(divide_up(shared.model.moe.num_experts, plan.expert));
  work.rows = load.copies;
  const bool has_a_part = folding.is_sharded && !folding.is_gathered;
  work.tokens = static_cast<double>(folding.tokens) / static_cast<double>(has_a_part ? folding.ranks : 1);
  work.row_elements = static_cast<double>(expert_vectors(shared).value);
  work.width = divide_up(shared.model.moe.intermediate_size, plan.expert_tensor);
  return work;
}

// Names of the ops of one kind of expert.
struct ExpertNames {
  std::string_view gate_up;
  std::string_view up;
  std::string_view activation;
  std::string_view down;
};
constexpr ExpertNames routed_names{"layer.moe.gate_up", "layer.moe.up", "layer.moe.activation",
                                   "layer.moe.down"};
constexpr ExpertNames shared_names{"layer.moe.shared_gate_up", "layer.moe.shared_up",
                                   "layer.moe.shared_activation", "layer.moe.shared_down"};

// `work`: of the routed experts while serving.
void lower_experts(const LoweringContext& shared, const ExpertNames& names, Dim tokens, Dim hidden, Dim width,
                   Dim two_widths, Dim experts, Repeat layer, Emitter& emit, ExpertWork work = {}) {
  const bool is_serving = work.part != ExpertPart::none;
  const auto mark = [&](std::size_t first, ExpertPart part, Dim elements) {
    if (!is_serving) return;
    work.part = part;
    work.row_elements = static_cast<double>(elements.value);
    emit.experts(first, work);
  };
  const bool is_routed = layer.recomputed == Recomputed::with_experts;
  const Repeat function{layer.count, is_routed ? Recomputed::with_expert_activations : layer.recomputed};
  std::size_t first = emit.size();
  const double branch = static_cast<double>(tokens.value) * static_cast<double>(width.value) *
                        static_cast<double>(experts.value) * shared.activation;
  if (shared.model.mlp_gated) {
    emit.linear(names.gate_up, tokens, two_widths, hidden, shared.linear_dtype, layer, experts);
    mark(first, ExpertPart::up, hidden);
    first = emit.size();
    emit.elementwise(names.activation, 3 * branch, 5 * branch, function,
                     of_each(branch / shared.activation, gated_activation_flops));
  } else {
    emit.linear(names.up, tokens, width, hidden, shared.linear_dtype, layer, experts);
    mark(first, ExpertPart::up, hidden);
    first = emit.size();
    emit.elementwise(names.activation, 2 * branch, 3 * branch, function,
                     of_each(branch / shared.activation, activation_flops));
  }
  mark(first, ExpertPart::activation, width);
  first = emit.size();
  emit.linear(names.down, tokens, hidden, width, shared.linear_dtype, layer, experts);
  mark(first, ExpertPart::down, width);
}

// Share of the bytes of activations in which tokens are sent to their experts.
double narrow_share(const LoweringContext& shared) {
  const std::int64_t bits = shared.plan.dispatch_bits;
  return bits > 0 ? std::min(1.0, static_cast<double>(bits) / 8 / shared.activation) : 1.0;
}

// Slowdown of another micro-batch's computation by an overlapped all-to-all: kernels that send tokens hold
// 20 of Hopper's 132 SMs (DeepSeek-V3, arXiv 2412.19437, section 3.2.2; Megatron-LM, moe_deepep_num_sms),
// some more of Blackwell's.
constexpr double waited_share = 20.0 / 132;

// The exchange of tokens among a group, there or back: between its experts, then among the ranks of each
// expert.
void exchange(const LoweringContext& shared, const ExpertParallelLayout& folding, double own_bytes,
              Repeat layer, Emitter& emit) {
  const Plan& plan = shared.plan;
  if (!folding.is_sharded || folding.is_gathered) return;
  const Moe& moe = shared.model.moe;
  const std::int64_t copies = std::max<std::int64_t>(1, moe.experts_per_token);
  // What goes there may be narrower than what comes back, and backward likewise.
  const double sent = static_cast<double>(copies) * own_bytes * (1 + narrow_share(shared)) / 2;
  const bool uses_nccl_all_to_all = shared.training && plan.dispatcher == Dispatcher::all_to_all;
  const auto send = [&](std::string_view name, double share) {
    const std::size_t first = emit.size();
    Repeat part = layer;
    part.count *= share;
    emit.collective(name, CollectiveKind::all_to_all, CollectiveKind::all_to_all, sent, plan.expert, part,
                    false, plan.expert_tensor);
    emit.copies(first, {copies, moe.groups, moe.groups_per_token, uses_nccl_all_to_all});
    return first;
  };
  if (plan.overlap == Overlap::micro_batches) {
    emit.hide(send("layer.moe.all_to_all", 1 - waited_share));
    send("layer.moe.all_to_all.waited", waited_share);
    return;
  }
  const std::size_t first = send("layer.moe.all_to_all", 1);
  if (plan.overlap == Overlap::shared_experts && moe.shared_intermediate_size > 0)
    emit.overlap_with_shared_experts(first);
}

// `routed`: what engines' kernels know of the layer's experts; theirs may compute these, too.
void lower_shared_experts(const LoweringContext& shared, double count, ExpertWork routed, Emitter& emit) {
  const std::int64_t width = shared.model.moe.shared_intermediate_size;
  if (width <= 0) return;
  const Repeat layer{count, Recomputed::with_shared_experts};
  const std::size_t first = emit.size();
  const std::int64_t always = divide_up(width, shared.plan.tensor);
  lower_experts(shared, shared_names, shared.tokens, shared.hidden,
                dim(always, "moe_shared_intermediate_size / tensor"),
                dim(times(2, always), "2 * (moe_shared_intermediate_size / tensor)"), {1, "1"}, layer, emit);
  emit.quantize("layer.moe.shared_quantize", layer);
  if (shared.plan.overlap == Overlap::shared_experts) emit.overlap_with_shared_experts(first);
  // SGLang adds it where it chooses experts by biased scores (biased_grouped_topk); Qwen's shared experts
  // have a gate of their own.
  const bool is_one_more =
      shared.plan.expert == 1 && shared.model.moe.router_bias && width == shared.model.moe.intermediate_size;
  if (routed.part == ExpertPart::none || !is_one_more) return;
  routed.part = ExpertPart::shared;
  emit.experts(first, routed);
}

// Under a CUDA graph of the whole step routed experts compute in buffers of a fixed size, which layers share:
// what the backward pass needs of them is copied out, and back (Megatron-LM, transformer/moe/paged_stash.py;
// every recipe of Megatron-Bridge 26.08 with full_iteration sets moe_paged_stash). Operands of the products
// are kept in their dtype, the first product's result in 16 bits.
void stash_experts(const LoweringContext& shared, double copies, std::int64_t width, Dim vectors,
                   Repeat layer, Emitter& emit) {
  if (!shared.training || shared.plan.graphs != CudaGraphScope::step) return;
  const auto columns = static_cast<double>(width);
  const double operands = static_cast<double>(vectors.value) + columns;
  const double branches = shared.model.mlp_gated ? 2 : 1;
  const double kept =
      copies * (operands * bytes_of(shared.linear_dtype) + branches * columns * shared.activation);
  emit.elementwise("layer.moe.stash", 2 * kept, 2 * kept, layer);
}

// Where the products and their activation are not one operation, which a graph of the whole step takes, the
// bias of the second product is added apart, times each row's probability in fp32 (Megatron-LM,
// transformer/moe/experts.py, TEGroupedMLP._apply_bias, of 2026-08): bytes for each element that is read or
// written. Forward: the product in fp32; the sum; all experts' joined; narrowed. Backward: widened; narrowed
// for the rows; joined; the product with the bias, and its sum; the product with the probability, and its
// sum.
constexpr double bias_forward_bytes = 4 + (2 + 4 + 4) + (4 + 4) + (4 + 2);
constexpr double bias_backward_bytes = (2 + 4) + (4 + 2) + (2 + 2) + (4 + 4 + 4) + (4 + 4 + 4);
void add_expert_bias(const LoweringContext& shared, double copies, Dim vectors, Repeat layer, Emitter& emit) {
  const Plan& plan = shared.plan;
  const bool is_megatron = shared.training && plan.fused_gradient_accumulation;
  if (!is_megatron || !shared.model.mlp_bias || plan.graphs == CudaGraphScope::step) return;
  const double elements = copies * static_cast<double>(vectors.value);
  emit.elementwise("layer.moe.bias", elements * bias_forward_bytes, elements * bias_backward_bytes, layer,
                   of_each(elements, {2, 4}));
}

}  // namespace

std::int64_t routed_tokens(const Setup& setup) {
  return ExpertParallelLayout(setup, LoweringContext(setup).tokens.value).tokens;
}

void lower_moe(const LoweringContext& shared, double count, Emitter& emit) {
  const Moe& moe = shared.model.moe;
  const Plan& plan = shared.plan;
  const Repeat layer{count, Recomputed::with_experts};
  const ExpertParallelLayout folding(shared.setup, shared.tokens.value);
  const Load load = load_of(shared, folding);
  const std::int64_t copies = std::max<std::int64_t>(1, moe.experts_per_token);

  // Whether the tensor-parallel ranks meet before and after the experts: with sequence parallelism only those
  // of them do that split an expert or the shared ones. Then the tokens that this rank routes.
  const bool gathers_once = plan.expert == 1 && plan.expert_tensor == plan.tensor;
  const bool meets =
      !shared.parallel_block && (!plan.sequence_parallel || gathers_once || moe.shared_intermediate_size > 0);
  const Dim own = folding.is_sharded && !gathers_once
                      ? dim(divide_up(shared.tokens.value, plan.tensor),
                            texts_for(shared.tokens.expression).tokens.sharded)
                      : shared.tokens;
  const Dim outer = expert_vectors(shared);
  const double row_bytes = static_cast<double>(outer.value) * shared.activation;
  const double own_bytes = static_cast<double>(own.value) * row_bytes;
  const bool splits_experts = plan.expert_tensor > 1;
  if (meets) enter_tensor_parallel(shared, "layer.moe.gather", layer, emit);
  const Dim scored = plan.sequence_parallel ? own : shared.tokens;
  const Dim scores = dim(moe.num_experts, "moe_num_experts");
  if (moe.router_fp32) {
    emit.full_linear("layer.moe.router", scored, scores, shared.hidden, layer);
  } else {
    emit.wide_linear("layer.moe.router", scored, scores, shared.hidden, layer);
  }

  if (moe.latent_size > 0)
    emit.linear("layer.moe.latent_down", own, outer, shared.hidden, shared.linear_dtype, layer);

  // Every token's vector is copied once for each of its experts, sent there, and comes back weighted.
  const double handed =
      folding.is_sharded && plan.expert > 1
          ? std::max(static_cast<double>(copies) * static_cast<double>(own.value), load.copies)
          : load.copies;
  // What arrives from several ranks is put in the order of the rank's experts, and back: read and written
  // once more.
  const bool sorts_again =
      folding.is_sharded && !folding.is_gathered && plan.expert > 1 && load.experts.value > 1;
  const double moved = own_bytes + (handed + (sorts_again ? 2 * load.copies : 0)) * row_bytes;
  const ExpertWork work = work_of(shared, folding, load);
  const auto mark = [&](std::size_t first, ExpertPart part) {
    if (work.part == ExpertPart::none && part != ExpertPart::dispatch) return;
    ExpertWork marked = work;
    marked.part = part;
    emit.experts(first, marked);
  };
  const std::size_t dispatch = emit.size();
  emit.elementwise("layer.moe.dispatch", moved, moved, layer);
  mark(dispatch, ExpertPart::dispatch);
  exchange(shared, folding, own_bytes, {2 * count, Recomputed::with_experts}, emit);
  const double together = static_cast<double>(folding.tokens) * row_bytes;
  if (folding.is_gathered) {
    emit.collective("layer.moe.token_gather", CollectiveKind::all_gather, std::nullopt,
                    together * narrow_share(shared), folding.ranks, layer);
  }
  // Ranks that split an expert have handed out different tokens, and each needs all of them: a copy for each
  // of the experts that they went to, or, where all experts are on these ranks, each once.
  const bool gathers_experts =
      folding.is_sharded && splits_experts && !(gathers_once && meets) && !folding.is_gathered;
  const double gathered = (plan.expert > 1 ? load.copies : static_cast<double>(folding.tokens)) * row_bytes;
  if (gathers_experts) {
    emit.collective("layer.moe.expert_gather", CollectiveKind::all_gather, CollectiveKind::reduce_scatter,
                    gathered, plan.expert_tensor, layer);
  }

  const std::int64_t width = divide_up(moe.intermediate_size, plan.expert_tensor);
  emit.set_component(Component::experts);
  lower_experts(shared, routed_names, load.rows, outer, dim(width, "moe_intermediate_size / expert_tensor"),
                dim(times(2, width), "2 * (moe_intermediate_size / expert_tensor)"), load.experts, layer,
                emit, work);
  add_expert_bias(shared, load.copies, outer, layer, emit);
  stash_experts(shared, load.copies, width, outer, {count}, emit);
  // Once for each token, before it is copied; what the activation writes is narrow at once.
  // Serving engines' kernels do it themselves.
  const double tokens = static_cast<double>(own.value) * static_cast<double>(outer.value);
  emit.set_quantized(shared.training ? tokens : 0, tokens);
  emit.quantize("layer.moe.quantize", layer);
  emit.set_component(Component::router);
  if (gathers_experts) {
    emit.collective("layer.moe.expert_reduce", CollectiveKind::reduce_scatter, CollectiveKind::all_gather,
                    gathered, plan.expert_tensor, layer);
  }
  const std::size_t combine = emit.size();
  emit.elementwise("layer.moe.combine", moved, moved, layer,
                   of_each(handed * row_bytes / shared.activation, {2, 2}));
  mark(combine, ExpertPart::combine);
  if (folding.is_gathered) {
    emit.collective("layer.moe.token_scatter", CollectiveKind::reduce_scatter, std::nullopt, together,
                    folding.ranks, layer);
  }
  if (moe.latent_size > 0)
    emit.linear("layer.moe.latent_up", own, shared.hidden, outer, shared.linear_dtype, layer);
  emit.set_component(Component::shared_experts);
  lower_shared_experts(shared, count, work, emit);
  emit.set_component(Component::experts);
  lower_adapters(shared, ModelComponent::mixture, layer, emit, {load.rows, load.experts, own});
  emit.set_component(Component::router);
  if (!meets) return;
  // What came back whole to the rank that had handed it out only needs to be spread.
  const bool only_spreads =
      !plan.sequence_parallel && folding.is_sharded && moe.shared_intermediate_size == 0;
  if (only_spreads) {
    emit.collective("layer.moe.reduce", CollectiveKind::all_gather, std::nullopt, shared.stream_bytes,
                    plan.tensor, layer);
  } else {
    leave_tensor_parallel(shared, "layer.moe.reduce", layer, emit);
  }
}

}  // namespace shapelint::model
