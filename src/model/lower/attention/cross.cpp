// Cross-attention: the queries of a decoder's layer over the keys and values of an encoder's output.
#include "model/lower/emit.hpp"

namespace shapelint::model {

namespace {

constexpr CoreNames cross_names{"layer.cross_attention.ring",    "layer.cross_attention.flash",
                                "layer.cross_attention.scores",  "layer.cross_attention.mask",
                                "layer.cross_attention.softmax", "layer.cross_attention.dropout",
                                "layer.cross_attention.values"};

}  // namespace

// Vaswani et al., 1706.03762, section 3.2.3: queries from the layer before, keys and values from the encoder.
// While decoding, keys and values of the source are in the cache since the first token.
void lower_cross_attention(const Shared& shared, double count, Emitter& emit) {
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
