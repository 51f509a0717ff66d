// Parameters of one layer's attention.
#include <algorithm>

#include "model/arithmetic.hpp"
#include "model/lower/emit.hpp"
#include "model/lower/lower.hpp"
#include "model/part_counts.hpp"

namespace shapelint::model {

namespace {

// Of an indexer: queries from the compressed query, one key with its layer norm or as keys are compressed, a
// weight per head.
std::int64_t indexer_parameters(const ModelSpec& model) {
  const Indexer& indexer = model.indexer;
  if (indexer.keys <= 0) return 0;
  const std::int64_t key = model.compressed.ratio > 0 ? compressor_parameters(model, indexer.head_dim)
                                                      : times(plus(model.hidden_size, 2), indexer.head_dim);
  return plus(times(index_inputs(model), indexer.heads, indexer.head_dim), key,
              times(model.hidden_size, indexer.heads));
}

// A scale for each element of a head, the same for all; or for each of all heads.
std::int64_t query_key_norm_parameters(const ModelSpec& model) {
  if (!model.qk_norm_whole) return times(2, norm_parameters(model, model.head_dim));
  return plus(norm_parameters(model, times(model.num_attention_heads, model.head_dim)),
              norm_parameters(model, times(model.num_key_value_heads, model.head_dim)));
}

// Of native sparse attention: keys and values of two more branches, three gates per head, and what makes a
// compressed key or value of a block.
std::int64_t sparse_parameters(const ModelSpec& model) {
  const std::int64_t key = model.head_dim;
  const std::int64_t value = model.value_head_dim;
  const std::int64_t gates = times(model.hidden_size, 3, model.num_attention_heads);
  if (model.sparse.shared) return gates;
  return plus(gates, times(model.hidden_size, 2, model.num_key_value_heads, plus(key, value)),
              times(model.sparse.compressed_size, plus(times(key, key), times(value, value))));
}

// Beside the shared blocks' attention: the norm of what it reads, and of each layer what it adds to queries,
// keys and values, and a square product behind the block.
std::int64_t block_attention_parameters(const ModelSpec& model, std::int64_t columns, std::int64_t common) {
  const SharedBlock& shared = model.shared_block;
  if (shared.blocks <= 0) return common;
  const std::int64_t inputs = shared_inputs(model);
  const std::int64_t adapters =
      when(shared.adapts_attention, times(shared.adapter_rank, plus(times(3, inputs), columns)));
  return shared_out(model, StepPart::attention, plus(common, norm_parameters(model, inputs)),
                    plus(adapters, when(shared.projection, times(model.hidden_size, model.hidden_size))));
}

}  // namespace

std::int64_t compressor_parameters(const ModelSpec& model, std::int64_t width) {
  const std::int64_t columns = model.indexer.keys > 0 ? times(2, width) : width;
  return plus(times(model.hidden_size, 2, columns), times(model.compressed.ratio, columns),
              norm_parameters(model, width));
}

std::int64_t index_inputs(const ModelSpec& model) {
  if (model.mla.q_lora_rank > 0) return model.mla.q_lora_rank;
  return model.compressed.q_lora_rank > 0 ? model.compressed.q_lora_rank : model.hidden_size;
}

std::int64_t key_value_columns(const ModelSpec& model) {
  const std::int64_t width =
      model.key_values == KeyValues::apart ? plus(model.head_dim, model.value_head_dim) : model.head_dim;
  return times(model.num_key_value_heads, width);
}

// Of weights that several layers share, one layer's part, and what each has of its own: to less than a
// parameter.
std::int64_t shared_out(const ModelSpec& model, StepPart part, std::int64_t common, std::int64_t own) {
  const std::int64_t layers = std::max<std::int64_t>(1, times_in(model, part));
  return plus(times(weights_in(model, part), common) / layers, own);
}

std::int64_t attention_parameters(const ModelSpec& model) {
  const std::int64_t hidden = model.hidden_size;
  const std::int64_t inputs = shared_inputs(model);
  const std::int64_t heads = model.num_attention_heads;
  if (model.mla.kv_lora_rank > 0) {
    const Mla& mla = model.mla;
    const std::int64_t queries = times(heads, plus(mla.qk_nope_head_dim, mla.qk_rope_head_dim));
    const std::int64_t query =
        mla.q_lora_rank > 0 ? plus(times(hidden, mla.q_lora_rank), norm_parameters(model, mla.q_lora_rank),
                                   times(mla.q_lora_rank, queries))
                            : times(hidden, queries);
    const std::int64_t key_value = plus(
        times(hidden, plus(mla.kv_lora_rank, mla.qk_rope_head_dim)), norm_parameters(model, mla.kv_lora_rank),
        times(mla.kv_lora_rank, heads, plus(mla.qk_nope_head_dim, mla.v_head_dim)));
    return plus(query, key_value, times(heads, mla.v_head_dim, hidden),
                when(model.attention_output_bias, hidden), indexer_parameters(model));
  }
  const Compressed& narrow = model.compressed;
  const std::int64_t kept = key_value_columns(model);
  const std::int64_t queries =
      plus(times(heads, model.head_dim), when(model.attention_gate, times(heads, model.value_head_dim)));
  const std::int64_t columns = plus(queries, kept);
  const std::int64_t values = times(heads, model.value_head_dim);
  const std::int64_t query = narrow.q_lora_rank > 0 ? plus(times(narrow.q_lora_rank, plus(inputs, queries)),
                                                           norm_parameters(model, narrow.q_lora_rank))
                                                    : times(inputs, queries);
  const std::int64_t output =
      narrow.output_groups > 0
          ? plus(times(values, narrow.output_rank), times(narrow.output_groups, narrow.output_rank, hidden))
          : times(values, hidden);
  const std::int64_t projections = plus(query, times(inputs, kept), when(model.qkv_bias, columns), output,
                                        when(model.attention_output_bias, hidden));
  const std::int64_t all =
      plus(projections, when(model.cross_attention, projections),
           when(model.qk_norm, query_key_norm_parameters(model)), when(model.window.sinks, heads),
           when(model.key_values == KeyValues::one_tensor, norm_parameters(model, model.head_dim)),
           when(narrow.ratio > 0, compressor_parameters(model, model.head_dim)), indexer_parameters(model),
           convolution_parameters(model), when(model.sparse.blocks > 0, sparse_parameters(model)),
           when(model.relative_positions,
                plus(times(hidden, heads, model.head_dim), times(2, heads, model.head_dim))));
  // Of layers that have no keys and values of their own, each one's share, to less than a parameter.
  const std::int64_t shared = num_shared_key_value_layers(model);
  const std::int64_t spared = times(kept, plus(inputs, model.qkv_bias ? 1 : 0));
  return block_attention_parameters(
      model, columns, all - times(shared, spared) / std::max<std::int64_t>(1, num_attention_layers(model)));
}

}  // namespace shapelint::model
