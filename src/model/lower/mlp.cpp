// The MLP. Both branches of a gated one are a single product, as Megatron-LM and vLLM run it.
#include "model/lower/emit.hpp"

namespace shapelint::model {

void lower_mlp(const Shared& shared, double count, Emitter& emit) {
  const ModelSpec& model = shared.model;
  const Repeat layer{count, Recomputed::with_layer};
  const Dim width = dim(divide_up(model.intermediate_size, shared.plan.tensor), "intermediate_size / tensor");
  const double branch =
      static_cast<double>(shared.tokens.value) * static_cast<double>(width.value) * shared.activation;
  // What each layer adds to the first weights of an MLP that layers share (Zamba2).
  const SharedBlock& block = model.shared_block;
  if (block.blocks > 0 && block.adapter_rank > 0) {
    const Dim rank = dim(block.adapter_rank, "shared_adapter_rank");
    emit.linear("layer.shared_block.mlp_down", shared.tokens, rank, shared.hidden, shared.linear_dtype,
                layer);
    emit.linear("layer.shared_block.mlp_up", shared.tokens,
                model.mlp_gated ? dim(times(2, width.value), "2 * (intermediate_size / tensor)") : width,
                rank, shared.linear_dtype, layer);
  }
  if (model.mlp_gated) {
    emit.linear("layer.mlp.gate_up", shared.tokens,
                dim(times(2, width.value), "2 * (intermediate_size / tensor)"), shared.hidden,
                shared.linear_dtype, layer);
    // forward: both branches in, one out; backward: both and the gradient in, two out
    emit.elementwise("layer.mlp.activation", 3 * branch, 5 * branch, layer,
                     of_each(branch / shared.activation, gated_activation_flops));
  } else {
    emit.linear("layer.mlp.up", shared.tokens, width, shared.hidden, shared.linear_dtype, layer);
    emit.elementwise("layer.mlp.activation", 2 * branch, 3 * branch, layer,
                     of_each(branch / shared.activation, activation_flops));
  }
  emit.linear("layer.mlp.down", shared.tokens, shared.hidden, width, shared.linear_dtype, layer);
  emit.quantize("layer.mlp.quantize", layer);
}

}  // namespace shapelint::model
