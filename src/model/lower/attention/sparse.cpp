// Native sparse attention (Yuan et al. 2025, 2502.11089, section 3): each query attends to compressed blocks
// of all keys, to the keys of the blocks whose compressed ones score highest, and to the last keys. Each of
// the three has keys and values of its own, and three gates per head weigh their results. Mixture of block
// attention (Lu et al. 2025, 2502.13189, section 2.2): the blocks whose mean keys score highest, of each head
// by itself, and nothing else.
#include <algorithm>
#include <array>
#include <string>

#include "model/lower/emit.hpp"

namespace shapelint::model {

namespace {

constexpr double compressed_score_bytes = 4;

std::int64_t stride_of(const Sparse& sparse) {
  return std::max<std::int64_t>(1, sparse.compressed_stride);
}

// An expression of those that a step may have, as it is taken once for each stride.
template <std::size_t count>
std::string_view by_stride(std::string_view of, const std::array<std::string_view, count>& known,
                           const std::array<std::string, count>& strided) {
  const auto found = std::find(known.begin(), known.end(), of);
  return found == known.end() ? of
                              : std::string_view(strided[static_cast<std::size_t>(found - known.begin())]);
}

Dim compressed(const Sparse& sparse, const Dim& length) {
  static const auto strided = [] {
    std::array<std::string, length_expressions.size()> out;
    std::transform(
        length_expressions.begin(), length_expressions.end(), out.begin(),
        [](std::string_view each) { return "(" + std::string(each) + ") / sparse_compressed_stride"; });
    return out;
  }();
  return dim(compressed_keys(sparse, length.value),
             by_stride(length.expression, length_expressions, strided));
}

// Of those ranks' tokens and heads.
Dim compressed_rows(const LoweringContext& shared) {
  static const auto strided = [] {
    std::array<std::string, token_expressions.size()> out;
    std::transform(
        token_expressions.begin(), token_expressions.end(), out.begin(), [](std::string_view each) {
          return "(" + std::string(each) + ") * (num_key_value_heads / tensor) / sparse_compressed_stride";
        });
    return out;
  }();
  const std::int64_t rows = times(shared.tokens.value, shared.key_value_heads.value);
  return dim(divide_up(rows, stride_of(shared.model.sparse)),
             by_stride(shared.tokens.expression, token_expressions, strided));
}

// One key and one value per block of new tokens.
void lower_compression(const LoweringContext& shared, Repeat layer, Emitter& emit) {
  const ModelSpec& model = shared.model;
  const Sparse& sparse = model.sparse;
  if (sparse.shared) {
    const double columns =
        real(shared.key_value_heads.value) * real(plus(model.head_dim, model.value_head_dim));
    const double read = real(shared.tokens.value) * columns * shared.activation;
    emit.elementwise("layer.attention.compress", read * (1 + 1 / real(stride_of(sparse))),
                     read * (1 + 1 / real(stride_of(sparse))), layer,
                     of_each(read / shared.activation, {1, 1}));
    return;
  }
  const Dim rows = compressed_rows(shared);
  emit.linear("layer.attention.compress_keys", rows, dim(model.head_dim, "head_dim"),
              dim(times(sparse.compressed_size, model.head_dim), "sparse_compressed_size * head_dim"),
              shared.linear_dtype, layer);
  emit.linear(
      "layer.attention.compress_values", rows, dim(model.value_head_dim, "value_head_dim"),
      dim(times(sparse.compressed_size, model.value_head_dim), "sparse_compressed_size * value_head_dim"),
      shared.linear_dtype, layer);
}

// The projections of the other branches, the compressed one, and the scores by which blocks are selected.
void lower_compressed_branch(const LoweringContext& shared, const AttentionShape& shape, Dim batch,
                             Repeat layer, Emitter& emit) {
  const ModelSpec& model = shared.model;
  const Sparse& sparse = model.sparse;
  if (!sparse.shared)
    emit.linear("layer.attention.branch_kv", shared.tokens,
                dim(times(2, shared.key_value_heads.value, plus(model.head_dim, model.value_head_dim)),
                    "2 * (num_key_value_heads / tensor) * (head_dim + value_head_dim)"),
                shared.hidden, shared.linear_dtype, layer);
  emit.linear("layer.attention.branch_gates", shared.tokens,
              dim(times(3, shared.heads.value), "3 * (num_attention_heads / tensor)"), shared.hidden,
              shared.linear_dtype, layer);
  lower_compression(shared, layer, emit);

  AttentionShape brief = shape;
  brief.key_length = compressed(sparse, shape.key_length);
  lower_attention_core(shared, brief, batch, layer.count, emit, compressed_names);
  // Scores of the compressed keys, summed over the heads of a group, become those of blocks; the best are
  // kept. A causal query has half of them.
  const double scores = real(shape.sequences.value) * real(shared.key_value_heads.value) *
                        real(shape.query_length.value) * real(brief.key_length.value) *
                        (shape.causal ? 0.5 : 1.0);
  emit.elementwise("layer.attention.select", 2 * scores * compressed_score_bytes, 0, layer,
                   of_each(scores, {4, 0}));
}

// The mean keys of the blocks, their scores in fp32, and the best of these. What chooses has no gradient.
void lower_block_choice(const LoweringContext& shared, const AttentionShape& shape, Dim batch, Repeat layer,
                        Emitter& emit) {
  const Sparse& sparse = shared.model.sparse;
  const double keys = real(shared.tokens.value) * real(shared.key_value_heads.value) *
                      real(shared.model.head_dim) * shared.activation;
  emit.elementwise("layer.attention.compress", keys * (1 + 1 / real(stride_of(sparse))), 0, layer,
                   of_each(keys / shared.activation, {1, 0}));
  const Dim blocks = compressed(sparse, shape.key_length);
  emit.forward_product("layer.attention.block_scores", batch, shape.query_length, blocks, shape.head_dim,
                       layer);
  const double scores =
      real(batch.value) * real(shape.query_length.value) * real(blocks.value) * (shape.causal ? 0.5 : 1.0);
  emit.elementwise("layer.attention.select", 2 * scores * compressed_score_bytes, 0, layer,
                   of_each(scores, {2, 0}));
}

}  // namespace

std::int64_t compressed_keys(const Sparse& sparse, std::int64_t keys) {
  return std::max<std::int64_t>(1, divide_up(keys, stride_of(sparse)));
}

void lower_sparse_attention(const LoweringContext& shared, const AttentionShape& whole, Dim batch,
                            Repeat layer, Emitter& emit) {
  const ModelSpec& model = shared.model;
  const Sparse& sparse = model.sparse;
  const AttentionShape shape = by_document(shared, whole);
  const bool is_native = sparse.kind == SparseKind::nsa;
  if (is_native) {
    lower_compressed_branch(shared, shape, batch, layer, emit);
  } else {
    lower_block_choice(shared, shape, batch, layer, emit);
  }
  AttentionShape selected = shape;
  selected.window = times(sparse.blocks, sparse.block_size);
  lower_attention_core(shared, selected, batch, layer.count, emit, selected_names);
  lower_prompt_core(shared, selected, layer.count, emit);  // the selected keys are most of what it reads
  if (!is_native) return;
  AttentionShape last = shape;
  last.window = sparse.window;
  if (last.window > 0) lower_attention_core(shared, last, batch, layer.count, emit, window_names);
  // Three results weighed and added.
  const double results =
      real(shared.tokens.value) * real(shared.heads.value) * real(model.value_head_dim) * shared.activation;
  emit.elementwise("layer.attention.branches", 4 * results, 8 * results, layer,
                   of_each(results / shared.activation, {5, 10}));
}

}  // namespace shapelint::model
