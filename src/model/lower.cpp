// The lowering of a whole model: layers around their parts, then embedding, head and what happens once a
// step.
#include "model/lower.hpp"

#include "model/emit.hpp"

namespace shapelint::model {

namespace {

constexpr double mask_bytes = 1;  // PyTorch keeps one byte per dropped-out element

// Norms, residual additions and the collectives of tensor parallelism around attention and MLP.
void lower_layers(const Shared& shared, Emitter& emit) {
  const ModelSpec& model = shared.model;
  const double layers = shared.layers_per_rank * shared.micro_batches;
  const double all = static_cast<double>(std::max<std::int64_t>(1, model.num_layers));
  const double mixtures = static_cast<double>(num_moe_layers(model));
  const Repeat layer{layers, Recomputed::with_layer};

  const double stream = shared.sharded_stream_bytes;
  const double norms = static_cast<double>(model.norms_per_layer);
  // forward: x in, y out; backward: x and dy in, dx out
  if (norms > 0)
    emit.elementwise("layer.norm", 2 * stream, 3 * stream, {layers * norms, Recomputed::with_layer});

  const auto residual = [&](std::string_view name, double branches) {
    const double mask =
        shared.plan.dropout && shared.training ? branches * mask_bytes * stream / shared.activation : 0.0;
    // forward: the branches and the stream in, the stream out; backward: the gradients are added up again
    emit.elementwise(name, (branches + 2) * stream + mask, (branches + 2) * stream + mask, layer);
  };
  const auto mlp = [&] {
    if (mixtures < all) lower_mlp(shared, layers * (all - mixtures) / all, emit);
    if (mixtures > 0) lower_moe(shared, layers * mixtures / all, emit);
  };

  enter_tensor_parallel(shared, "layer.attention.gather", layer, emit);
  if (model.mla.kv_lora_rank > 0) {
    lower_latent_attention(shared, layers, emit);
  } else {
    lower_attention(shared, layers, emit);
  }
  if (model.parallel_block) {
    mlp();
    leave_tensor_parallel(shared, "layer.reduce", layer, emit);
    residual("layer.residual", 2);
    return;
  }
  leave_tensor_parallel(shared, "layer.attention.reduce", layer, emit);
  residual("layer.attention.residual", 1);
  enter_tensor_parallel(shared, "layer.mlp.gather", layer, emit);
  mlp();
  leave_tensor_parallel(shared, "layer.mlp.reduce", layer, emit);
  residual("layer.mlp.residual", 1);
}

// Arithmetic of one run. Causal attention counts as mfu_convention says; a fused backward pass runs five
// products where the forward has two (FlashAttention-2, 2307.08691, section 3.1.2).
double op_flops(const Op& op) {
  const auto d = [](const Dim& each) { return static_cast<double>(each.value); };
  if (op.kind == OpKind::gemm) return 2 * d(op.batch) * d(op.m) * d(op.n) * d(op.k);
  if (op.kind != OpKind::attention) return 0;
  const AttentionShape& a = op.attention;
  const double seen = a.causal && mfu_convention == CausalFlops::half ? 0.5 : 1.0;
  const double scores = seen * d(a.sequences) * d(a.heads) * d(a.query_length) * d(a.key_length);
  if (op.pass != Pass::backward) return 2 * scores * (d(a.head_dim) + d(a.value_head_dim));
  // scores again, dQ and dK over the head's width; dV and dP over that of the values
  return 2 * scores * (3 * d(a.head_dim) + 2 * d(a.value_head_dim));
}

// Sequences whose logits are computed: all tokens in training, else what is needed to go on.
double head_tokens(const Shared& shared) {
  return shared.training || !shared.model.causal ? static_cast<double>(shared.tokens.value)
                                                 : static_cast<double>(shared.plan.micro_batch_size);
}

}  // namespace

std::int64_t vocab_rows(const Setup& setup) {
  return ceil_to(setup.model.vocab_size, times(std::max<std::int64_t>(1, setup.model.vocab_padding_multiple),
                                               std::max<std::int64_t>(1, setup.plan.tensor)));
}

std::int64_t num_moe_layers(const ModelSpec& model) {
  if (model.moe.num_experts <= 0) return 0;
  const std::int64_t candidates = model.num_layers - model.moe.first_dense_layers;
  return std::max<std::int64_t>(0, candidates) / std::max<std::int64_t>(1, model.moe.layer_interval);
}

Workload lower(const Setup& setup) {
  Workload workload;
  if (!setup.model.conv.empty()) return workload;  // convolutions have no lowering yet
  workload.ops.reserve(96);
  const Shared shared(setup);
  Emitter emit(shared, workload);
  lower_embedding(shared, emit);
  lower_layers(shared, emit);
  lower_head(shared, emit);
  lower_pipeline(shared, emit);
  if (shared.training) {
    lower_data_parallel(shared, emit);
    lower_optimizer(shared, emit);
  }

  for (const Op& op : workload.ops) workload.hardware_flops += op.count * op_flops(op);
  const Plan& plan = setup.plan;
  const double replica_tokens = static_cast<double>(plan.micro_batch_size) * shared.micro_batches *
                                (shared.decoding ? 1.0 : static_cast<double>(plan.sequence_length));
  workload.tokens_per_step = replica_tokens;
  // The replica's arithmetic, divided among its tensor, pipeline and (not while decoding) context ranks.
  const double replica_ranks = static_cast<double>(plan.tensor) * static_cast<double>(plan.pipeline) *
                               (shared.decoding ? 1.0 : static_cast<double>(plan.context));
  const double head = head_flops_per_token(setup);
  const double layers = forward_flops_per_token(setup) - head;
  const double head_share = head_tokens(shared) / static_cast<double>(shared.tokens.value);
  const double passes = shared.training ? 3.0 : 1.0;  // forward; gradients of both operands
  workload.model_flops = passes * replica_tokens * (layers + head * head_share) / replica_ranks;
  // Stages wait for p - 1 micro-batches (GPipe, 1811.06965); when serving, other requests fill them.
  workload.micro_batches = shared.micro_batches;
  if (shared.training)
    workload.pipeline_bubble = static_cast<double>(plan.pipeline - 1) / shared.micro_batches;
  return workload;
}

}  // namespace shapelint::model
