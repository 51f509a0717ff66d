// Multi-head latent attention (DeepSeek-V2, 2405.04434, section 2.1): keys and values are compressed to one
// vector per token. While decoding, the products that expand it are absorbed into queries and outputs.
// The projections down to the ranks are repeated on every tensor-parallel rank, as Megatron-LM does.
#include "model/lower/emit.hpp"

namespace shapelint::model {

namespace {

constexpr std::string_view query_columns =
    "num_attention_heads / tensor * (mla_qk_nope_head_dim + mla_qk_rope_head_dim)";

void lower_projections(const Shared& shared, Repeat layer, Emitter& emit) {
  const Mla& mla = shared.model.mla;
  const DType dtype = shared.linear_dtype;
  const std::int64_t qk_dim = plus(mla.qk_nope_head_dim, mla.qk_rope_head_dim);
  const Dim queries = dim(times(shared.heads.value, qk_dim), query_columns);
  const double tokens = static_cast<double>(shared.tokens.value);
  if (mla.q_lora_rank > 0) {
    const Dim rank = dim(mla.q_lora_rank, "mla_q_lora_rank");
    const double latent = tokens * static_cast<double>(rank.value) * shared.activation;
    emit.linear("layer.attention.q_down", shared.tokens, rank, shared.hidden, dtype, layer);
    emit.elementwise("layer.attention.q_norm", 2 * latent, 3 * latent, layer,
                     of_each(latent / shared.activation, norm_flops(shared.model)));
    emit.linear("layer.attention.q_up", shared.tokens, queries, rank, dtype, layer);
  } else {
    emit.linear("layer.attention.q", shared.tokens, queries, shared.hidden, dtype, layer);
  }
  const double latent = tokens * static_cast<double>(mla.kv_lora_rank) * shared.activation;
  emit.linear("layer.attention.kv_down", shared.tokens,
              dim(plus(mla.kv_lora_rank, mla.qk_rope_head_dim), "mla_kv_lora_rank + mla_qk_rope_head_dim"),
              shared.hidden, dtype, layer);
  emit.elementwise("layer.attention.kv_norm", 2 * latent, 3 * latent, layer,
                   of_each(latent / shared.activation, norm_flops(shared.model)));
  const double rotated = tokens * static_cast<double>(plus(shared.heads.value, 1)) *
                         static_cast<double>(mla.qk_rope_head_dim) * shared.activation;
  if (rotated > 0)
    emit.elementwise("layer.attention.rotary", 2 * rotated, 2 * rotated, layer,
                     of_each(rotated / shared.activation, rotary_flops));
}

}  // namespace

void lower_latent_attention(const Shared& shared, double count, Emitter& emit) {
  const Mla& mla = shared.model.mla;
  const Repeat layer{count, Recomputed::with_layer};
  const Dim rank = dim(mla.kv_lora_rank, "mla_kv_lora_rank");
  const Dim nope = dim(mla.qk_nope_head_dim, "mla_qk_nope_head_dim");
  const Dim values = dim(mla.v_head_dim, "mla_v_head_dim");
  lower_projections(shared, layer, emit);

  AttentionShape shape;
  shape.sequences = dim(shared.plan.micro_batch_size, "micro_batch_size");
  shape.heads = shared.heads;
  shape.query_length = shared.query_length;
  shape.key_length = shared.key_length;
  shape.causal = shared.model.causal && !shared.decoding;
  const Dim batch = dim(times(shared.plan.micro_batch_size, shared.heads.value),
                        "micro_batch_size * (num_attention_heads / tensor)");
  if (shared.decoding) {
    // per head: q' = q W_uk, then attention over the compressed vectors as one key-value head, then W_uv
    emit.linear("layer.attention.absorb_q", shared.tokens, rank, nope, shared.linear_dtype, layer,
                shared.heads);
    shape.key_value_heads = {1, "1"};
    shape.head_dim =
        dim(plus(mla.kv_lora_rank, mla.qk_rope_head_dim), "mla_kv_lora_rank + mla_qk_rope_head_dim");
    shape.value_head_dim = rank;
    lower_attention_core(shared, shape, batch, count, emit);
    lower_prompt_core(shared, shape, count, emit);
    emit.linear("layer.attention.absorb_v", shared.tokens, values, rank, shared.linear_dtype, layer,
                shared.heads);
  } else {
    emit.linear("layer.attention.kv_up", shared.tokens,
                dim(times(shared.heads.value, plus(mla.qk_nope_head_dim, mla.v_head_dim)),
                    "num_attention_heads / tensor * (mla_qk_nope_head_dim + mla_v_head_dim)"),
                rank, shared.linear_dtype, layer);
    shape.key_value_heads = shared.heads;
    shape.head_dim =
        dim(plus(mla.qk_nope_head_dim, mla.qk_rope_head_dim), "mla_qk_nope_head_dim + mla_qk_rope_head_dim");
    shape.value_head_dim = values;
    lower_attention_core(shared, shape, batch, count, emit);
  }
  emit.linear("layer.attention.output", shared.tokens, shared.hidden,
              dim(times(shared.heads.value, mla.v_head_dim), "num_attention_heads / tensor * mla_v_head_dim"),
              shared.linear_dtype, layer);
  emit.quantize("layer.attention.quantize", layer);
}

}  // namespace shapelint::model
