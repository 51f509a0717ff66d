// The MLP. Both branches of a gated one are a single product, as Megatron-LM and vLLM run it.
#include "model/lower/emit.hpp"

namespace shapelint::model {

void lower_mlp(const Shared& shared, double count, Emitter& emit) {
  const ModelSpec& model = shared.model;
  const Repeat layer{count, Recomputed::with_mlp};
  // Of products in turn every second one may run again: behind four of attention the second, behind five of
  // latent attention the first and third.
  const double first = model.mla.kv_lora_rank > 0 && model.mla.q_lora_rank > 0 ? 1 : 0;
  const Repeat up{count, Recomputed::with_mlp, model.mlp_gated ? 0.5 : first};
  const Repeat down{count, Recomputed::with_mlp, model.mlp_gated ? first : 1 - first};
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
                shared.linear_dtype, up);
    // forward: both branches in, one out; backward: both and the gradient in, two out
    const double elements = branch / shared.activation;
    emit.modules("layer.mlp.activation", {3 * branch, 5 * branch}, elements, gated_modules, layer,
                 of_each(elements, gated_activation_flops));
  } else {
    emit.linear("layer.mlp.up", shared.tokens, width, shared.hidden, shared.linear_dtype, up);
    emit.elementwise("layer.mlp.activation", 2 * branch, 3 * branch, layer,
                     of_each(branch / shared.activation, activation_flops));
  }
  emit.linear("layer.mlp.down", shared.tokens, shared.hidden, width, shared.linear_dtype, down);
  emit.quantize("layer.mlp.quantize", layer);
}

}  // namespace shapelint::model
