// Hyper-connections: several copies of the residual stream, mixed before and after each branch (Zhu et al.
// 2024, arXiv 2409.19606; with the mixing held to doubly stochastic matrices, 2512.24880).
#include "model/lower/emit.hpp"

namespace shapelint::model {

void lower_hyper_connection(const Shared& shared, const BranchNames& names, Repeat repeat, Emitter& emit) {
  const std::int64_t streams = shared.model.residual_streams;
  // From all streams of a token to their weights: into the branch, out of it, and among each other.
  emit.wide_linear(names.hyper_weights, shared.tokens,
                   dim(plus(times(streams, streams), times(2, streams)),
                       "residual_streams * residual_streams + 2 * residual_streams"),
                   dim(times(streams, shared.model.hidden_size), "residual_streams * hidden_size"), repeat);
  const double moved = static_cast<double>(streams + 1) * shared.sharded_stream_bytes;
  emit.elementwise(
      names.hyper_mix, moved, moved, repeat,
      of_each(static_cast<double>(streams) * shared.sharded_stream_bytes / shared.activation, {2, 4}));
}

}  // namespace shapelint::model
