// Activations that do not wait for the backward pass in the GPU's memory: those that run again, and those
// that wait in the host's memory (torchtune, axolotl: activation offloading).
#include <algorithm>

#include "model/lower/emit.hpp"
#include "model/training_bytes.hpp"

namespace shapelint::model {

double recomputed_share(const Setup& setup) {
  const double layers = static_cast<double>(std::max<std::int64_t>(1, setup.model.num_layers));
  if (setup.plan.recompute_layers <= 0) return 1;
  return std::min(1.0, static_cast<double>(setup.plan.recompute_layers) / layers);
}

double Emitter::recompute_fraction(Repeat repeat, ByOperation by_operation) const {
  const Plan& plan = shared_->plan;
  if (!shared_->training || repeat.recomputed == Recomputed::never) return 0;
  const auto by_part = [&] {
    switch (repeat.recomputed) {
      case Recomputed::with_norms:
        return plan.recompute_norms;
      case Recomputed::with_attention:
        return plan.recompute == Recompute::selective;
      case Recomputed::with_up_projections:
        return plan.recompute_up_projections;
      case Recomputed::with_mlp:
        return plan.recompute_mlp;
      case Recomputed::with_experts:
        return plan.recompute_experts;
      case Recomputed::with_expert_activations:
        return plan.recompute_experts || plan.recompute_expert_activations;
      case Recomputed::with_shared_experts:
        return plan.recompute_experts || plan.recompute_shared_experts;
      case Recomputed::never:
      case Recomputed::with_layer:
        break;
    }
    return false;
  };
  if (by_part()) return 1;
  if (plan.recompute == Recompute::full) return recomputed_share(shared_->setup);
  if (plan.recompute == Recompute::operations) return by_operation.operations;
  return plan.recompute == Recompute::elementwise ? by_operation.elementwise : 0;
}

// Runs come last: parts of a grid are priced for one, and what they are for several must not be rounded
// otherwise.
double Emitter::again(Repeat repeat, ByOperation by_operation) const {
  return runs_ * (repeat.count * recompute_fraction(repeat, by_operation));
}

void Emitter::push_forward(Op op, double again) {
  push(op, Pass::forward);
  if (again <= 0) return;
  op.count = again;
  push(op, Pass::recompute);
}

void lower_offload(const LoweringContext& shared, double count, Emitter& emit) {
  if (!shared.training || !shared.plan.offload_activations || shared.stream == Modality::text) return;
  const double kept = layer_activations(shared.setup).kept;
  if (kept > 0) emit.host_copy("layer.offload", kept, count);
}

}  // namespace shapelint::model
