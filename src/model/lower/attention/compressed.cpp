// Attention that reads some of its keys. An indexer scores them and the best are read (DeepSeek-V3.2; by
// blocks MiniMax-M3); or each few tokens' keys become one, a sum that a softmax of gates weighs, and the last
// tokens' are read as they are (DeepSeek-V4, transformers modeling_deepseek_v4.py: DeepseekV4HCACompressor
// and DeepseekV4CSACompressor). Compressed keys among which an indexer chooses are made of two windows each,
// so that their products are twice as wide.
#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include "model/lower/emit.hpp"

namespace shapelint::model {

namespace {

// For one of those lengths: compressed, and with the window's keys.
struct Texts {
  std::array<std::string, length_expressions.size()> compressed;
  std::array<std::string, length_expressions.size()> with_window;
};
const Texts& texts() {
  static const Texts all = [] {
    Texts out;
    for (std::size_t i = 0; i < length_expressions.size(); ++i) {
      const std::string_view length(length_expressions[i]);
      out.compressed[i] = fmt::format("({}) / compressed_ratio", length);
      out.with_window[i] = fmt::format("min({0}, window_size) + ({0}) / compressed_ratio", length);
    }
    return out;
  }();
  return all;
}

std::string_view text_of(const std::array<std::string, length_expressions.size()>& of,
                         std::string_view length) {
  const auto found = std::find(length_expressions.begin(), length_expressions.end(), length);
  return found == length_expressions.end()
             ? length
             : std::string_view(of[static_cast<std::size_t>(found - length_expressions.begin())]);
}

// Products to keys and gates, and the weighted sums of them: one compressed key for each `ratio` tokens.
void lower_compressor(const LoweringContext& shared, std::string_view product, std::string_view sums,
                      Dim columns, Repeat layer, Emitter& emit) {
  emit.linear(product, shared.tokens, columns, shared.hidden, shared.linear_dtype, layer);
  const double read = real(shared.tokens.value) * real(columns.value) * shared.activation;
  const double written = read / 2 / real(std::max<std::int64_t>(1, shared.model.compressed.ratio));
  emit.elementwise(sums, read + written, 2 * read + written, layer,
                   of_each(read / shared.activation, softmax_flops));
}

}  // namespace

std::int64_t compressed_length(const Compressed& compressed, std::int64_t keys) {
  return std::max<std::int64_t>(1, divide_up(keys, std::max<std::int64_t>(1, compressed.ratio)));
}

void lower_narrow_projections(const LoweringContext& shared, Repeat layer, Emitter& emit) {
  const ModelSpec& model = shared.model;
  const double latent = real(shared.tokens.value) * real(model.compressed.q_lora_rank) * shared.activation;
  emit.linear(attention_weight(shared, "layer.attention.q_down"), shared.tokens, layer);
  emit.elementwise("layer.attention.q_norm", 2 * latent, 3 * latent, layer,
                   of_each(latent / shared.activation, norm_flops(model)));
  emit.linear(attention_weight(shared, "layer.attention.q_up"), shared.tokens, layer);
  const double making = model.shared_key_value_weights ? 1 : share_of_layers_with_own_keys(model);
  if (making <= 0) return;
  const bool is_apart = model.key_values == KeyValues::apart;
  const std::int64_t width = is_apart ? plus(model.head_dim, model.value_head_dim) : model.head_dim;
  emit.linear("layer.attention.kv", shared.tokens,
              dim(times(shared.key_value_heads.value, width),
                  is_apart ? "num_key_value_heads / tensor * (head_dim + value_head_dim)"
                           : "num_key_value_heads / tensor * head_dim"),
              attention_inputs(shared), shared.linear_dtype, {making * layer.count, layer.recomputed});
}

void lower_narrow_output(const LoweringContext& shared, Repeat layer, Emitter& emit) {
  const ModelSpec& model = shared.model;
  const Compressed& narrow = model.compressed;
  const Dim groups =
      dim(divide_up(narrow.output_groups, shared.plan.tensor), "compressed_output_groups / tensor");
  emit.linear("layer.attention.output_down", shared.tokens, dim(narrow.output_rank, "compressed_output_rank"),
              dim(divide_up(times(shared.heads.value, model.value_head_dim), groups.value),
                  "num_attention_heads / tensor * value_head_dim / (compressed_output_groups / tensor)"),
              shared.linear_dtype, layer, groups);
  emit.linear(attention_weight(shared, "layer.attention.output"), shared.tokens, layer);
}

void lower_chosen_attention(const LoweringContext& shared, const AttentionShape& whole, Dim batch,
                            Repeat layer, Emitter& emit) {
  const ModelSpec& model = shared.model;
  const Compressed& narrow = model.compressed;
  const Indexer& indexer = model.indexer;
  const AttentionShape shape = by_document(shared, whole);
  AttentionShape brief = shape;  // of the keys that are scored
  if (narrow.ratio > 0) {
    const std::int64_t twice = indexer.keys > 0 ? 2 : 1;
    lower_compressor(shared, "layer.attention.compress_kv", "layer.attention.compress",
                     dim(times(2, twice, model.head_dim), twice > 1 ? "4 * head_dim" : "2 * head_dim"), layer,
                     emit);
    brief.key_length = dim(compressed_length(narrow, shape.key_length.value),
                           text_of(texts().compressed, shape.key_length.expression));
    if (indexer.keys > 0)
      lower_compressor(shared, "layer.attention.index_compress_kv", "layer.attention.index_compress",
                       dim(times(4, indexer.head_dim), "4 * indexer_head_dim"), layer, emit);
  }
  if (indexer.keys > 0) {
    const Dim from =
        narrow.q_lora_rank > 0 ? dim(narrow.q_lora_rank, "compressed_q_lora_rank") : shared.hidden;
    lower_indexer(shared, brief, from, layer, emit);
    AttentionShape best = shape;
    best.window = plus(indexer.keys, narrow.ratio > 0 ? model.window.size : 0);
    lower_attention_core(shared, best, batch, layer.count, emit, selected_names);
    return lower_prompt_core(shared, best, layer.count, emit);
  }
  const bool has_window = model.window.size > 0;
  if (shared.decoding) {  // one kernel reads both
    AttentionShape both = brief;
    if (has_window)
      both.key_length = dim(plus(std::min(shape.key_length.value, model.window.size), brief.key_length.value),
                            text_of(texts().with_window, shape.key_length.expression));
    lower_attention_core(shared, both, batch, layer.count, emit, compressed_names);
    AttentionShape prompt = shape;
    prompt.window = model.window.size;
    return lower_prompt_core(shared, prompt, layer.count, emit);
  }
  lower_attention_core(shared, brief, batch, layer.count, emit, compressed_names);
  if (!has_window) return;
  AttentionShape last = shape;
  last.window = model.window.size;
  lower_attention_core(shared, last, batch, layer.count, emit, window_names);
}

}  // namespace shapelint::model
