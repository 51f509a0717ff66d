// Embedding, projection to the vocabulary and loss. They belong to one stage of a pipeline each, and run
// where that is the one which sets the pace (model/stages.hpp).
#include "model/lower/emit.hpp"
#include "model/stages.hpp"
#include "model/training_bytes.hpp"

namespace shapelint::model {

namespace {

// Vocabulary-parallel cross entropy reduces the maximum, the sum and the target's logit of each token
// (Megatron-LM, core/tensor_parallel/cross_entropy.py).
constexpr double loss_reductions = 3;

// torch.compile pads operands to rows of whole 16 bytes (Inductor, pad_mm, which times both): the weights
// before each product that reads them, the logits' gradient before both of its own. Columns by whether the
// vocabulary is padded by the plan, and whether activations are of 16 bits.
constexpr std::string_view padded_columns[2][2] = {
    {"ceil_to(vocab_size / tensor, 4)", "ceil_to(vocab_size / tensor, 8)"},
    {"ceil_to(ceil_to(vocab_size, vocab_padding_multiple * tensor) / tensor, 4)",
     "ceil_to(ceil_to(vocab_size, vocab_padding_multiple * tensor) / tensor, 8)"}};
double padding_bytes(const LoweringContext& shared, double elements) {
  return 2 * elements * shared.activation;  // read, and written
}

}  // namespace

namespace {

struct AltupNames {
  std::string_view projection;
  std::string_view scale;
};
constexpr AltupNames altup_in{"embedding.altup_projection", "embedding.altup_scale"};
constexpr AltupNames altup_out{"head.altup_projection", "head.altup_scale"};

// A further token is predicted from the hidden state and the embedding of the token before it, both
// normalized, side by side (DeepSeek-V3, 2412.19437, section 2.2); embedding and head are shared, and run
// once more.
void lower_further_tokens(const LoweringContext& shared, double runs, Emitter& emit) {
  const Repeat each{runs, Recomputed::never};
  emit.elementwise("mtp.norm", 4 * shared.sharded_stream_bytes, 6 * shared.sharded_stream_bytes, each,
                   of_each(2 * shared.sharded_stream_bytes / shared.activation, norm_flops(shared.model)));
  emit.linear("mtp.projection", shared.tokens, shared.hidden,
              dim(times(2, shared.model.hidden_size), "2 * hidden_size"), shared.linear_dtype, each);
}

// The other streams of AltUp as products of the first before the layers, and behind them, with their sum.
void lower_altup_ends(const LoweringContext& shared, const AltupNames& names, Repeat once, Emitter& emit) {
  const std::int64_t others = altup_streams(shared.model) - 1;
  if (others < 1) return;
  emit.wide_linear(names.projection, shared.tokens, shared.hidden, shared.hidden,
                   {real(others) * once.count, once.recomputed});
  // Each is scaled to the first one's magnitude.
  const double bytes = 2 * real(others + 1) * shared.sharded_stream_bytes;
  emit.elementwise(names.scale, bytes, 2 * bytes, once,
                   of_each(bytes / 2 / shared.activation, norm_flops(shared.model)));
}

}  // namespace

Dim logit_tokens(const LoweringContext& shared) {
  if (shared.decoding) return shared.decoded;
  if (shared.training || !shared.model.causal) return shared.tokens;
  return dim(shared.plan.micro_batch_size, "micro_batch_size");
}

void lower_embedding(const LoweringContext& shared, Emitter& emit) {
  const double runs = shared.micro_batches * slowest_stage(shared.setup).embeddings;
  if (runs <= 0) return;
  const Repeat once{runs, Recomputed::never};
  if (shared.model.input != Input::vocabulary) return lower_front(shared, once, emit);
  // forward: rows in, stream out; backward: gradient in, rows of the gradient table in and out
  emit.elementwise("embedding.lookup", 2 * shared.stream_bytes, shared.adapting ? 0 : 3 * shared.stream_bytes,
                   once);
  leave_tensor_parallel(shared, "embedding.reduce", once, emit);
  if (shared.model.embedding_norm) {
    emit.elementwise("embedding.norm", 2 * shared.sharded_stream_bytes, 3 * shared.sharded_stream_bytes, once,
                     of_each(shared.sharded_stream_bytes / shared.activation, norm_flops(shared.model)));
  }
  // For all layers at once: rows of their tables, and a product of the stream, normed, of which it reads the
  // sum.
  if (const std::int64_t read = layer_embedding_elements(shared.model); read > 0) {
    const double bytes =
        static_cast<double>(shared.tokens.value) * static_cast<double>(read) * shared.activation;
    emit.wide_linear("embedding.layer_projection", shared.tokens,
                     dim(read, "num_layers * layer_embedding_size"), shared.hidden, once);
    emit.elementwise("embedding.layer_lookup", 5 * bytes, shared.adapting ? 5 * bytes : 8 * bytes, once,
                     of_each(bytes / shared.activation, norm_flops(shared.model)));
  }
  lower_altup_ends(shared, altup_in, once, emit);
}

void lower_layer_embedding(const LoweringContext& shared, double count, Emitter& emit) {
  if (layer_embedding_elements(shared.model) <= 0) return;
  const std::int64_t size = shared.model.layer_embedding_size;
  const Repeat each{count, Recomputed::with_layer};
  const Dim read = dim(size, "layer_embedding_size");
  const double gate =
      static_cast<double>(shared.tokens.value) * static_cast<double>(size) * shared.activation;
  emit.wide_linear("layer.embedding.gate", shared.tokens, read, shared.hidden, each);
  emit.elementwise(
      "layer.embedding.multiply", 3 * gate, 5 * gate, each,
      of_each(gate / shared.activation, {activation_flops.forward + 1, activation_flops.backward + 2}));
  emit.wide_linear("layer.embedding.projection", shared.tokens, shared.hidden, read, each);
  // Its norm, and the sum with the stream.
  emit.norm("layer.embedding.norm", shared.sharded_stream_bytes, each);
  emit.elementwise("layer.embedding.residual", 3 * shared.sharded_stream_bytes,
                   3 * shared.sharded_stream_bytes, each,
                   of_each(shared.sharded_stream_bytes / shared.activation, {1, 1}));
}

void lower_head(const LoweringContext& shared, Emitter& emit) {
  const ModelSpec& model = shared.model;
  const double runs = shared.micro_batches * slowest_stage(shared.setup).heads;
  if (runs <= 0) return;
  const double further = runs * mtp_layers(shared.setup);
  if (further > 0) lower_further_tokens(shared, further, emit);
  const Repeat once{runs + further, Recomputed::never};
  lower_altup_ends(shared, altup_out, {runs, Recomputed::never}, emit);
  if (model.final_norm) {
    emit.norm("head.norm", shared.sharded_stream_bytes, once);
  }
  if (model.pooler) {
    emit.wide_linear("head.pooler", dim(shared.plan.micro_batch_size, "micro_batch_size"), shared.hidden,
                     shared.hidden, once);
  }
  lower_outputs(shared, once, emit);
  if (!model.lm_head) return;

  const Dim tokens = logit_tokens(shared);
  if (model.lm_head_transform) {
    emit.wide_linear("head.transform", tokens, shared.hidden, shared.hidden, once);
    const double stream =
        static_cast<double>(tokens.value) * static_cast<double>(shared.hidden.value) * shared.activation;
    emit.elementwise(
        "head.transform_norm", 4 * stream, 6 * stream, once,
        of_each(stream / shared.activation,
                {activation_flops.forward + norm_flops(model).forward,
                 activation_flops.backward + norm_flops(model).backward}));  // activation and norm
  }
  enter_tensor_parallel(shared, "head.gather", once, emit);
  const Dim columns =
      dim(vocab_rows_per_rank(shared.setup),
          model.vocab_padding_multiple > 1 ? "ceil_to(vocab_size, vocab_padding_multiple * tensor) / tensor"
                                           : "vocab_size / tensor");
  const double logits = static_cast<double>(tokens.value) * static_cast<double>(columns.value);
  const std::int64_t unit = shared.activation > 2 ? 4 : 8;
  if (shared.training && shared.plan.compiled && columns.value % unit != 0) {
    emit.wide_linear(
        "head.logits", tokens,
        dim(ceil_to(columns.value, unit), padded_columns[model.vocab_padding_multiple > 1][unit == 8]),
        shared.hidden, once);
    const double weights = static_cast<double>(columns.value) * static_cast<double>(shared.hidden.value);
    emit.elementwise("head.padding", padding_bytes(shared, weights),
                     padding_bytes(shared, weights) + 2 * padding_bytes(shared, logits), once);
  } else {
    emit.wide_linear("head.logits", tokens, columns, shared.hidden, once);
  }

  if (shared.training) {
    // Logits are widened to fp32 (in, out) and turned into probabilities (in, out); backward narrows the
    // gradient of these (Megatron-LM, vocab_parallel_cross_entropy).
    const Emitter::Moved moved{logits * (shared.activation + 3 * fp32_bytes),
                               logits * (shared.activation + fp32_bytes)};
    if (shared.plan.loss == Loss::unfused) {
      const Modules& apart = has_narrow_logits(shared.setup) ? narrow_loss_modules : loss_modules;
      emit.modules("head.loss", moved, logits, apart, once, of_each(logits, {6, 2}));
    } else {
      emit.elementwise("head.loss", moved.forward, moved.backward, once, of_each(logits, {6, 2}));
    }
    emit.collective("head.loss_reduce", CollectiveKind::all_reduce, std::nullopt,
                    static_cast<double>(tokens.value) * fp32_bytes, shared.plan.tensor,
                    {loss_reductions * once.count, Recomputed::never});
  } else {
    emit.collective(
        "head.logits_gather", CollectiveKind::all_gather, std::nullopt,
        static_cast<double>(tokens.value) * static_cast<double>(vocab_rows(shared.setup)) * shared.activation,
        shared.plan.tensor, once);
  }
}

}  // namespace shapelint::model
