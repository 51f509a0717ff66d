// Multi-head, grouped-query and multi-query attention.
#include "model/lower/emit.hpp"
#include "model/lower/lower.hpp"

#include <algorithm>
#include <string_view>

namespace shapelint::model {

double visible_pairs(double queries, double keys, bool causal, double window) {
  if (!causal && window <= 0) return queries * keys;
  if (keys < queries && window <= 0) return queries * (keys + 1) / 2;
  const double rows = std::min(queries, keys);
  if (window > 0) {  // the first queries of all see fewer
    const double before = keys - rows;
    const double growing = std::clamp(window - before, 0.0, rows);
    return growing * before + growing * (growing + 1) / 2 + (rows - growing) * window;
  }
  return rows * keys - rows * (rows - 1) / 2;
}

// Attention over relative positions: each query also meets an embedding of its distance to the key (Dai et
// al. 2019, arXiv 1901.02860, section 3.3; NeMo, asr/parts/submodules/multi_head_attention.py).

void lower_relative_positions(const LoweringContext& shared, const AttentionShape& shape, Dim batch,
                              double count, Emitter& emit) {
  if (shared.decoding) return;  // encoders have them
  // As many distances before a query as behind it; within a window those alone.
  const std::int64_t window = shared.model.window.size;
  const bool is_local = window > 0 && window < shared.plan.sequence_length &&
                        num_window_layers(shared.model) == num_attention_layers(shared.model);
  const Dim distances = is_local ? dim(window, "window_size")
                                 : dim(times(2, shared.plan.sequence_length), "2 * sequence_length");
  const Repeat core{count, Recomputed::with_attention};
  emit.linear(
      "layer.attention.positions", distances,
      dim(times(shared.heads.value, shared.model.head_dim), "num_attention_heads / tensor * head_dim"),
      shared.hidden, shared.linear_dtype, {count, Recomputed::with_layer});
  emit.product("layer.attention.distances", batch, shape.query_length, distances, shape.head_dim, Layout::tn,
               core);
  // Moved to where the distance is that of query and key.
  const double scores = static_cast<double>(batch.value) * static_cast<double>(shape.query_length.value) *
                        static_cast<double>(distances.value);
  emit.elementwise("layer.attention.shift", 2 * scores * shared.activation, 2 * scores * shared.activation,
                   core);
}

namespace {

constexpr double dropout_mask_bytes = 1;  // PyTorch keeps one byte per dropped-out element

// Those of the fused projection to queries, keys and values, by what it makes.
constexpr std::string_view qkv_text(const ModelSpec& model) {
  if (model.key_values != KeyValues::apart) {
    return has_wide_gate(model) ? "num_attention_heads / tensor * (head_dim + value_head_dim)"
                                  " + num_key_value_heads / tensor * head_dim"
                                : "num_attention_heads / tensor * head_dim"
                                  " + num_key_value_heads / tensor * head_dim";
  }
  if (has_wide_gate(model))
    return "(num_attention_heads / tensor + num_key_value_heads / tensor) * (head_dim + value_head_dim)";
  if (model.head_dim != model.value_head_dim) {
    return "num_attention_heads / tensor * head_dim"
           " + num_key_value_heads / tensor * (head_dim + value_head_dim)";
  }
  return model.num_attention_heads == model.num_key_value_heads
             ? "3 * (num_attention_heads / tensor) * head_dim"
             : "(num_attention_heads / tensor + 2 * (num_key_value_heads / tensor)) * head_dim";
}

// For a shared block (Zamba): the stream joined with the embedding, normalized, and each layer
// adds products of its own to queries, keys and values.
void lower_shared_inputs(const LoweringContext& shared, Dim qkv, Repeat layer, Emitter& emit) {
  const SharedBlock& block = shared.model.shared_block;
  if (block.blocks <= 0) return;
  const Dim inputs = attention_inputs(shared);
  const double read =
      static_cast<double>(shared.tokens.value) * static_cast<double>(inputs.value) * shared.activation;
  const double copies = block.input_size > 0 ? 2 : 0;
  emit.elementwise("layer.shared_block.join", (2 + copies) * read, (3 + copies) * read, layer,
                   of_each(read / shared.activation, norm_flops(shared.model)));
  if (!block.adapts_attention || block.adapter_rank <= 0) return;
  emit.linear("layer.shared_block.attention_down", shared.tokens,
              dim(times(3, block.adapter_rank), "3 * shared_adapter_rank"), inputs, shared.linear_dtype,
              layer);
  emit.linear("layer.shared_block.attention_up", shared.tokens, qkv,
              dim(block.adapter_rank, "shared_adapter_rank"), shared.linear_dtype, layer);
}

}  // namespace

std::int64_t kernel_version(Attention attention) {
  if (attention == Attention::flash1) return 1;
  return attention == Attention::flash2 ? 2 : 0;
}

Dim attention_inputs(const LoweringContext& shared) {
  const SharedBlock& block = shared.model.shared_block;
  return block.blocks > 0 && block.input_size > 0 ? dim(block.input_size, "shared_input_size")
                                                  : shared.hidden;
}

void lower_attention_core(const LoweringContext& shared, const AttentionShape& shape, Dim batch, double count,
                          Emitter& emit, const CoreNames& names) {
  const Repeat core{count, Recomputed::with_attention};
  // Ring attention hands the keys and values of all ranks around while it computes.
  const double cached =
      static_cast<double>(shape.sequences.value) * static_cast<double>(shape.key_length.value) *
      static_cast<double>(shape.key_value_heads.value) *
      static_cast<double>(shape.head_dim.value + shape.value_head_dim.value) * shared.activation;
  if (!shared.decoding) {
    emit.collective(names.ring, CollectiveKind::all_gather, CollectiveKind::reduce_scatter, cached,
                    shared.plan.context, {count, Recomputed::with_attention}, true, shared.plan.tensor);
  }
  if (shared.plan.attention != Attention::unfused) {
    AttentionShape fused = shape;
    fused.kernel_version = kernel_version(shared.plan.attention);
    fused.library = library_of(shared.plan.attention);
    emit.attention(names.flash, fused, core);
    return;
  }
  const Component around = emit.component();
  emit.set_component(Component::attention_core);
  const double scores = static_cast<double>(batch.value) * static_cast<double>(shape.query_length.value) *
                        static_cast<double>(shape.key_length.value);
  const double matrix = scores * shared.activation;
  emit.product(names.scores, batch, shape.query_length, shape.key_length, shape.head_dim, Layout::tn, core);
  // Each pass reads and writes the whole score matrix; softmax's gradient reads its output as well.
  if (shared.eager) {
    emit.modules(names.softmax, {}, scores, softmax_modules, core, of_each(scores, softmax_flops));
  } else {
    if (!shared.decoding) emit.elementwise(names.mask, 2 * matrix, 2 * matrix, core, of_each(scores, {1, 1}));
    emit.elementwise(names.softmax, 2 * matrix, 3 * matrix, core, of_each(scores, softmax_flops));
  }
  if (shared.plan.dropout && shared.training) {
    const double dropped = 2 * matrix + dropout_mask_bytes * scores;
    emit.elementwise(names.dropout, dropped, dropped, core, of_each(scores, {2, 2}));
  }
  emit.product(names.values, batch, shape.query_length, shape.value_head_dim, shape.key_length, Layout::nn,
               core);
  emit.set_component(around);
}

// A prompt as long as the cache is read in parts as long as this one, of which the middle one has half of the
// others before it; or several whole ones at once.
Dim prompt_keys(const Plan& plan) {
  const std::int64_t prompts = prompts_of_step(plan);
  if (prompts > 1)
    return dim(divide_up(plan.prefill_tokens, prompts), "prefill_tokens / (prefill_tokens / context_length)");
  if (plan.context_length <= plan.prefill_tokens) return dim(plan.prefill_tokens, "prefill_tokens");
  return dim(divide_up(plus(plan.context_length, plan.prefill_tokens), 2),
             "(context_length + prefill_tokens) / 2");
}

void lower_prompt_core(const LoweringContext& shared, AttentionShape shape, double count, Emitter& emit) {
  const Plan& plan = shared.plan;
  if (!shared.decoding || plan.prefill_tokens <= 0) return;
  constexpr CoreNames names{"layer.attention.prompt_ring",    "layer.attention.prompt_flash",
                            "layer.attention.prompt_scores",  "layer.attention.prompt_mask",
                            "layer.attention.prompt_softmax", "layer.attention.prompt_dropout",
                            "layer.attention.prompt_values"};
  const std::int64_t prompts = prompts_of_step(plan);
  shape.key_length = prompt_keys(plan);
  shape.causal = shared.model.causal;
  if (prompts > 1) {
    shape.sequences = dim(prompts, "prefill_tokens / context_length");
    shape.query_length = shape.key_length;
  } else {
    shape.sequences = {1, "1"};
    shape.query_length = dim(plan.prefill_tokens, "prefill_tokens");
  }
  const Dim batch = prompts > 1 ? dim(times(prompts, shape.heads.value),
                                      "(prefill_tokens / context_length) * (num_attention_heads / tensor)")
                                : shape.heads;
  lower_attention_core(shared, shape, batch, count, emit, names);
}

namespace {

// Shares of the layers with attention whose queries see all keys, and a window only.
struct Seen {
  double all = 1;
  double window = 0;
};
Seen seen_by(const ModelSpec& model) {
  const std::int64_t layers = std::max<std::int64_t>(1, num_attention_layers(model));
  const std::int64_t narrow = num_window_layers(model);
  const auto share = [&](std::int64_t some) {
    return static_cast<double>(some) / static_cast<double>(layers);
  };
  return {share(layers - narrow), share(narrow)};
}

// The same attention within a window; in chunks, one sequence is as many, and `batch` of its products, too.
AttentionShape windowed(const LoweringContext& shared, AttentionShape shape, Dim& batch) {
  const SlidingWindow& window = shared.model.window;
  // PyTorch's attention knows no windows: it takes a mask, and computes all scores (transformers,
  // sdpa_attention_forward; 22 of 26 layers of Gemma 3 1B on an H100, measured/tables).
  if (shared.training && shared.plan.attention == Attention::cudnn && !window.chunked) {
    shape.causal = false;
    return shape;
  }
  const bool has_cache = cached_tokens(shared.plan) > 0;
  const bool is_whole =
      !has_cache && !is_packed(shared.setup) && joined_length(shared.setup) == 0 && shared.plan.context <= 1;
  // Over relative positions, products of overlapping chunks: each half of a window's queries meets the keys
  // of two windows (NeMo, RelPositionMultiHeadAttentionLongformer, after Longformer, 2004.05150).
  if (shared.model.relative_positions && is_whole && !shared.decoding &&
      window.size < shape.key_length.value) {
    const std::int64_t chunks = times(2, divide_up(shape.key_length.value, window.size));
    shape.sequences =
        dim(times(shape.sequences.value, chunks), "micro_batch_size * 2 * (sequence_length / window_size)");
    batch = dim(times(batch.value, chunks),
                "micro_batch_size * (num_attention_heads / tensor) * 2 * (sequence_length / window_size)");
    shape.query_length = dim(window.size, "window_size");
    shape.key_length = dim(window.size, "window_size");
    return shape;
  }
  if (!window.chunked || shared.decoding || joined_length(shared.setup) > 0) {
    shape.window = window.size;
    return shape;
  }
  const std::int64_t chunks = divide_up(shape.key_length.value, window.size);
  if (chunks <= 1) return shape;
  if (is_packed(shared.setup)) {
    shape.sequences =
        dim(times(shape.sequences.value, chunks),
            "micro_batch_size * (sequence_length / document_length) * (document_length / window_size)");
    batch = dim(times(batch.value, chunks),
                "micro_batch_size * (num_attention_heads / tensor) * (document_length / window_size)");
    shape.query_length = dim(divide_up(shape.query_length.value, chunks),
                             "document_length / context / (document_length / window_size)");
    shape.key_length = dim(window.size, "window_size");
    return shape;
  }
  batch = dim(
      times(batch.value, chunks),
      has_cache ? "micro_batch_size * (num_attention_heads / tensor) * ((context_length + sequence_length) / "
                  "window_size)"
                : "micro_batch_size * (num_attention_heads / tensor) * (sequence_length / window_size)");
  shape.sequences = dim(times(shape.sequences.value, chunks),
                        has_cache ? "micro_batch_size * ((context_length + sequence_length) / window_size)"
                                  : "micro_batch_size * (sequence_length / window_size)");
  shape.query_length =
      dim(divide_up(shape.query_length.value, chunks),
          has_cache ? "sequence_length / context / ((context_length + sequence_length) / window_size)"
                    : "sequence_length / context / (sequence_length / window_size)");
  shape.key_length = dim(window.size, "window_size");
  return shape;
}

}  // namespace

AttentionShape by_document(const LoweringContext& shared, AttentionShape shape) {
  if (!is_packed(shared.setup)) return shape;
  const Plan& plan = shared.plan;
  const std::int64_t documents = divide_up(plan.sequence_length, plan.document_length);
  shape.sequences =
      dim(times(shape.sequences.value, documents), "micro_batch_size * (sequence_length / document_length)");
  shape.query_length = dim(divide_up(plan.document_length, plan.context), "document_length / context");
  shape.key_length = dim(plan.document_length, "document_length");
  return shape;
}

void lower_attention_cores(const LoweringContext& shared, const AttentionShape& whole, Dim batch,
                           double count, Emitter& emit) {
  const AttentionShape shape = by_document(shared, whole);
  const Seen seen = seen_by(shared.model);
  if (seen.all > 0) {
    lower_attention_core(shared, shape, batch, count * seen.all, emit);
    lower_prompt_core(shared, shape, count * seen.all, emit);
  }
  if (seen.window <= 0) return;
  const AttentionShape narrow = windowed(shared, shape, batch);
  lower_attention_core(shared, narrow, batch, count * seen.window, emit, window_names);
  lower_prompt_core(shared, narrow, count * seen.window, emit);
}

void lower_attention(const LoweringContext& shared, double count, Emitter& emit) {
  const ModelSpec& model = shared.model;
  const Repeat layer{count, Recomputed::with_layer};
  // Attention layers that make keys and values.
  const std::int64_t borrowing = shared.stream == Modality::all ? num_shared_key_value_layers(model) : 0;
  const double borrowed = static_cast<double>(borrowing) /
                          static_cast<double>(std::max<std::int64_t>(1, num_attention_layers(model)));
  const double unprojected = model.shared_key_value_weights ? 0 : borrowed;
  const Dim inputs = attention_inputs(shared);
  // Queries, keys and values are three products where each second one runs again.
  const auto keys = static_cast<double>(shared.key_value_heads.value * model.head_dim);
  const Dim qkv = dim(qkv_columns(shared), qkv_text(model));
  const bool is_narrow = model.compressed.q_lora_rank > 0;
  if (is_narrow) lower_narrow_projections(shared, layer, emit);
  if (!is_narrow) {
    const double projections = shared.splits_projections ? 3 : 1;
    emit.modules_alone("layer.attention.inputs", shared.stream_bytes,
                       inputs_modules(projections, shared.autocast), layer);
  }
  emit.set_projections(3);
  if (!is_narrow && unprojected < 1)
    emit.linear("layer.attention.qkv", shared.tokens, qkv, inputs, shared.linear_dtype,
                {count * (1 - unprojected), Recomputed::with_layer, keys / static_cast<double>(qkv.value)});
  if (!is_narrow && unprojected > 0)
    emit.linear(attention_weight(shared, "layer.attention.query"), shared.tokens,
                {count * unprojected, Recomputed::with_layer});
  emit.set_projections(1);
  lower_shared_inputs(shared, qkv, layer, emit);
  if (model.qkv_bias)
    emit.bias_gradients(
        "layer.attention.bias",
        static_cast<double>(shared.tokens.value) * static_cast<double>(qkv.value) * shared.activation, 1,
        layer);

  const double key_heads = (1 - borrowed) * static_cast<double>(shared.key_value_heads.value);
  const double queries_and_keys = static_cast<double>(shared.tokens.value) *
                                  (static_cast<double>(shared.heads.value) + key_heads) *
                                  static_cast<double>(model.head_dim) * shared.activation;
  if (model.qk_norm) {
    const bool sums_apart = model.qk_norm_whole && shared.plan.tensor > 1;
    // Ranks that share the heads read them twice: no kernel goes on through the all-reduce.
    if (sums_apart) {
      emit.elementwise("layer.attention.qk_norm_sums", queries_and_keys, 2 * queries_and_keys, layer);
      // The sums of squares of queries and of keys, in fp32.
      constexpr double sum_bytes = 2 * 4;
      emit.collective("layer.attention.qk_norm_reduce", CollectiveKind::all_reduce,
                      CollectiveKind::all_reduce, static_cast<double>(shared.tokens.value) * sum_bytes,
                      shared.plan.tensor, layer);
    }
    // A module for the queries, and one for the keys.
    Modules apart = norm_modules(shared, qk_norm_autocast);
    apart.forward_kernels *= 2;
    apart.backward_kernels *= 2;
    emit.modules("layer.attention.qk_norm", {2 * queries_and_keys, 3 * queries_and_keys},
                 queries_and_keys / shared.activation, apart, layer,
                 of_each(queries_and_keys / shared.activation, norm_flops(model)));
  }
  // No learned positions: rotary embedding, as in nearly every model without them.
  if (model.learned_positions == 0 && !model.relative_positions) {
    const double elements = queries_and_keys / shared.activation;
    emit.modules("layer.attention.rotary", {2 * queries_and_keys, 2 * queries_and_keys}, elements,
                 !shared.autocast ? rotary_modules
                 : model.qk_norm  ? rotary_of_normalized
                                  : rotary_autocast,
                 layer, of_each(elements, rotary_flops));
  }

  AttentionShape shape;
  shape.sequences = dim(shared.plan.micro_batch_size, "micro_batch_size");
  shape.heads = shared.heads;
  shape.key_value_heads = shared.key_value_heads;
  shape.query_length = shared.query_length;
  shape.key_length = shared.key_length;
  shape.head_dim = dim(model.head_dim, "head_dim");
  shape.value_head_dim = dim(model.value_head_dim, "value_head_dim");
  shape.causal = model.causal && !shared.decoding;  // the one new token sees all before it
  const Dim batch = dim(times(shared.plan.micro_batch_size, shared.heads.value),
                        "micro_batch_size * (num_attention_heads / tensor)");
  if (model.relative_positions) lower_relative_positions(shared, shape, batch, count, emit);
  // Text tokens attend together with image tokens, in one call.
  shape.is_one_tensor = model.key_values == KeyValues::one_tensor;
  if (shared.stream != Modality::text) {
    if (model.compressed.ratio > 0 || model.indexer.keys > 0) {
      lower_chosen_attention(shared, shape, batch, layer, emit);
    } else if (model.sparse.blocks > 0) {
      lower_sparse_attention(shared, shape, batch, layer, emit);
    } else {
      lower_attention_cores(shared, shape, batch, count, emit);
    }
  }

  if (model.attention_gate) {
    if (!has_wide_gate(model)) {
      emit.linear(attention_weight(shared, "layer.attention.gate_down"), shared.tokens, layer);
      emit.linear(attention_weight(shared, "layer.attention.gate_up"), shared.tokens, layer);
    }
    const double gated = static_cast<double>(shared.tokens.value) * static_cast<double>(shared.heads.value) *
                         static_cast<double>(model.value_head_dim) * shared.activation;
    emit.elementwise("layer.attention.gate", 3 * gated, 5 * gated, layer,
                     of_each(gated / shared.activation, gated_activation_flops));
  }
  if (model.compressed.output_groups > 0) {
    lower_narrow_output(shared, layer, emit);
  } else {
    emit.linear(attention_weight(shared, "layer.attention.output"), shared.tokens,
                {count, Recomputed::with_layer, 1});
  }
  if (model.shared_block.blocks > 0 && model.shared_block.projection)
    emit.linear("layer.shared_block.project", shared.tokens, shared.hidden,
                dim(divide_up(model.hidden_size, shared.plan.tensor), "hidden_size / tensor"),
                shared.linear_dtype, layer);
  emit.quantize("layer.attention.quantize", layer);
}

namespace {

constexpr CoreNames cross_names{"layer.cross_attention.ring",    "layer.cross_attention.flash",
                                "layer.cross_attention.scores",  "layer.cross_attention.mask",
                                "layer.cross_attention.softmax", "layer.cross_attention.dropout",
                                "layer.cross_attention.values"};

}  // namespace

// Vaswani et al., 1706.03762, section 3.2.3: queries from the layer before, keys and values from the encoder.
// While decoding, keys and values of the source are in the cache since the first token.
void lower_cross_attention(const LoweringContext& shared, double count, Emitter& emit) {
  const ModelSpec& model = shared.model;
  const Plan& plan = shared.plan;
  const Repeat layer{count, Recomputed::with_layer};
  emit.linear(attention_weight(shared, "layer.cross_attention.query"), shared.tokens, layer);
  if (!shared.decoding) {
    const Dim source = dim(divide_up(times(plan.micro_batch_size, plan.source_length), plan.context),
                           "micro_batch_size * source_length / context");
    const Dim columns = dim(times(shared.key_value_heads.value, plus(model.head_dim, model.value_head_dim)),
                            "num_key_value_heads / tensor * (head_dim + value_head_dim)");
    emit.linear("layer.cross_attention.key_value", source, columns, shared.hidden, shared.linear_dtype,
                layer);
  }

  AttentionShape shape;
  shape.sequences = dim(plan.micro_batch_size, "micro_batch_size");
  shape.heads = shared.heads;
  shape.key_value_heads = shared.key_value_heads;
  shape.query_length = shared.query_length;
  shape.key_length = dim(plan.source_length, "source_length");
  shape.head_dim = dim(model.head_dim, "head_dim");
  shape.value_head_dim = dim(model.value_head_dim, "value_head_dim");
  shape.causal = false;  // every token sees the whole source
  const Dim batch = dim(times(plan.micro_batch_size, shared.heads.value),
                        "micro_batch_size * (num_attention_heads / tensor)");
  lower_attention_core(shared, shape, batch, count, emit, cross_names);

  emit.linear(attention_weight(shared, "layer.cross_attention.output"), shared.tokens, layer);
  emit.quantize("layer.cross_attention.quantize", layer);
}

}  // namespace shapelint::model
