// Activations that wait for the backward pass in the host's memory (torchtune, axolotl: activation
// offloading).
#include "model/activations.hpp"
#include "model/lower/emit.hpp"

namespace shapelint::model {

void lower_offload(const Shared& shared, double count, Emitter& emit) {
  if (!shared.training || !shared.plan.offload_activations || shared.stream == Stream::text) return;
  const double kept = layer_activations(shared.setup).kept;
  if (kept > 0) emit.host_copy("layer.offload", kept, count);
}

}  // namespace shapelint::model
