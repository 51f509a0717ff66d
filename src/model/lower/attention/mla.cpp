// Multi-head latent attention (DeepSeek-V2, 2405.04434, section 2.1): keys and values are compressed to one
// vector per token. While decoding, the products that expand it are absorbed into queries and outputs.
// The projections down to the ranks are repeated on every tensor-parallel rank, as Megatron-LM does.
#include "model/lower/emit.hpp"

namespace shapelint::model {

namespace {

// The first of consecutive GEMMs is kept if every second one is recomputed.
// `up`: of those from the compressed vectors.
void lower_projections(const LoweringContext& shared, Repeat up, Emitter& emit) {
  const Repeat down{up.count, Recomputed::with_layer, 0};
  const Repeat keys_down{up.count, Recomputed::with_layer, 1 - up.selective_recompute_fraction};
  const Mla& mla = shared.model.mla;
  const auto product = [&](std::string_view name, Repeat repeat) {
    emit.linear(attention_weight(shared, name), shared.tokens, repeat);
  };
  const double tokens = real(shared.tokens.value);
  if (mla.q_lora_rank > 0) {
    const double latent = tokens * real(mla.q_lora_rank) * shared.activation;
    product("layer.attention.q_down", down);
    emit.elementwise("layer.attention.q_norm", 2 * latent, 3 * latent, up,
                     of_each(latent / shared.activation, norm_flops(shared.model)));
    product("layer.attention.q_up", up);
  } else {
    product("layer.attention.q", up);
  }
  const double latent = tokens * real(mla.kv_lora_rank) * shared.activation;
  product("layer.attention.kv_down", keys_down);
  emit.elementwise("layer.attention.kv_norm", 2 * latent, 3 * latent, up,
                   of_each(latent / shared.activation, norm_flops(shared.model)));
  const double rotated =
      tokens * real(plus(shared.heads.value, 1)) * real(mla.qk_rope_head_dim) * shared.activation;
  if (rotated > 0)
    emit.elementwise("layer.attention.rotary", 2 * rotated, 2 * rotated, up,
                     of_each(rotated / shared.activation, rotary_flops));
}

}  // namespace

// The indexer of DeepSeek-V3.2 (DeepSeek Sparse Attention, section 2.1): many small heads score every key,
// and only the best of them are read. Its weights are repeated on every tensor-parallel rank.
void lower_indexer(const LoweringContext& shared, const AttentionShape& shape, Dim from, Repeat layer,
                   Emitter& emit) {
  const Indexer& indexer = shared.model.indexer;
  const DType dtype = shared.linear_dtype;
  const Dim heads = dim(indexer.heads, "indexer_heads");
  const Dim width = dim(indexer.head_dim, "indexer_head_dim");
  emit.linear("layer.attention.index_q", shared.tokens,
              dim(times(indexer.heads, indexer.head_dim), "indexer_heads * indexer_head_dim"), from, dtype,
              layer);
  if (shared.model.compressed.ratio <= 0)
    emit.linear("layer.attention.index_k", shared.tokens, width, shared.hidden, dtype, layer);
  emit.wide_linear("layer.attention.index_weights", shared.tokens, heads, shared.hidden, layer);
  const std::string_view rows =
      is_packed(shared.setup)              ? "document_length / context * indexer_heads"
      : joined_length(shared.setup) > 0    ? "(sequence_length + source_length) / context * indexer_heads"
      : !shared.decoding                   ? "sequence_length / context * indexer_heads"
      : shared.plan.speculative_tokens > 0 ? "(1 + speculative_tokens) * indexer_heads"
                                           : "indexer_heads";
  emit.product("layer.attention.index_scores", shape.sequences,
               dim(times(shape.query_length.value, indexer.heads), rows), shape.key_length, width, Layout::tn,
               layer);
  // One fp32 score per query and key is left of its heads; the selection reads them.
  constexpr double score_bytes = 4;
  const double scores =
      real(shape.sequences.value) * real(shape.query_length.value) * real(shape.key_length.value);
  emit.elementwise("layer.attention.index_select", 2 * scores * score_bytes, 2 * scores * score_bytes, layer,
                   of_each(scores, {2, 2}));
}

void lower_latent_attention(const LoweringContext& shared, double count, Emitter& emit) {
  const Mla& mla = shared.model.mla;
  const Repeat layer{count, Recomputed::with_layer};
  const Repeat up{count, Recomputed::with_up_projections, mla.q_lora_rank > 0 ? 1.0 : 0.0};
  const Dim rank = dim(mla.kv_lora_rank, "mla_kv_lora_rank");
  const Dim nope = dim(mla.qk_nope_head_dim, "mla_qk_nope_head_dim");
  const Dim values = dim(mla.v_head_dim, "mla_v_head_dim");
  lower_projections(shared, up, emit);
  const bool is_sparse = shared.model.indexer.keys > 0;
  AttentionShape shape;
  shape.sequences = dim(shared.plan.micro_batch_size, "micro_batch_size");
  shape.heads = shared.heads;
  shape.query_length = shared.query_length;
  shape.key_length = shared.key_length;
  shape = by_document(shared, shape);
  if (is_sparse)
    lower_indexer(shared, shape,
                  mla.q_lora_rank > 0 ? dim(mla.q_lora_rank, "mla_q_lora_rank") : shared.hidden, layer, emit);
  shape.causal = shared.model.causal && !shared.decoding;
  shape.window = shared.model.indexer.keys;
  const Dim batch = dim(times(shared.plan.micro_batch_size, shared.heads.value),
                        "micro_batch_size * (num_attention_heads / tensor)");
  const auto unfold = [&](std::string_view name, Dim tokens) {
    Weight weight = attention_weight(shared, "layer.attention.kv_up");
    weight.name = name;
    emit.linear(weight, tokens, up);
  };
  AttentionShape unfolded = shape;
  unfolded.key_value_heads = shared.heads;
  unfolded.head_dim =
      dim(plus(mla.qk_nope_head_dim, mla.qk_rope_head_dim), "mla_qk_nope_head_dim + mla_qk_rope_head_dim");
  unfolded.value_head_dim = values;
  if (shared.decoding || is_sparse) {
    // per head: q' = q W_uk, then attention over the compressed vectors as one key-value head, then W_uv
    const Dim absorbed = is_sparse ? shared.tokens : shared.decoded;
    emit.linear("layer.attention.absorb_q", absorbed, rank, nope, shared.linear_dtype, layer, shared.heads);
    shape.key_value_heads = {1, "1"};
    shape.head_dim =
        dim(plus(mla.kv_lora_rank, mla.qk_rope_head_dim), "mla_kv_lora_rank + mla_qk_rope_head_dim");
    shape.value_head_dim = rank;
    lower_attention_core(shared, shape, batch, count, emit);
    // The queries of a prompt are as many as its keys: unfolding keys and values costs less than long queries
    // (vLLM, SGLang and TensorRT-LLM also mix prompts with decodes so).
    if (shared.plan.prefill_tokens > 0 && shared.decoding && !is_sparse)
      unfold("layer.attention.prompt_kv_up", prompts_of_step(shared.plan) > 1
                                                 ? dim(shared.plan.prefill_tokens, "prefill_tokens")
                                                 : prompt_keys(shared.plan));
    lower_prompt_core(shared, is_sparse ? shape : unfolded, count, emit);
    emit.linear("layer.attention.absorb_v", absorbed, values, rank, shared.linear_dtype, layer, shared.heads);
  } else {
    unfold("layer.attention.kv_up", shared.tokens);
    lower_attention_core(shared, unfolded, batch, count, emit);
  }
  emit.linear(attention_weight(shared, "layer.attention.output"), shared.tokens,
              {count, Recomputed::with_layer, 1 - up.selective_recompute_fraction});
  emit.quantize("layer.attention.quantize", layer);
}

}  // namespace shapelint::model
