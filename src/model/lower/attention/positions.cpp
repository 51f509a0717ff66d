// Attention over relative positions: each query also meets an embedding of its distance to the key (Dai et
// al. 2019, arXiv 1901.02860, section 3.3; NeMo, asr/parts/submodules/multi_head_attention.py).
#include "model/lower/emit.hpp"

namespace shapelint::model {

void lower_relative_positions(const Shared& shared, const AttentionShape& shape, Dim batch, double count,
                              Emitter& emit) {
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

}  // namespace shapelint::model
