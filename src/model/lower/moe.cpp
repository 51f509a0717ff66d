// Mixtures of experts. Tokens are taken to be spread evenly: each expert gets tokens * top_k / experts of the
// tokens of all expert-parallel ranks, and the experts of a rank run as one grouped product.
#include "model/lower/emit.hpp"

namespace shapelint::model {

namespace {

// Experts with work on this rank. A few decoded tokens do not reach all of them.
Dim busy_experts(const Shared& shared) {
  const Moe& moe = shared.model.moe;
  const std::int64_t local = divide_up(moe.num_experts, shared.plan.expert);
  if (!shared.decoding) return dim(local, "moe_num_experts / expert");
  return dim(std::min(local, times(shared.tokens.value, moe.experts_per_token)),
             shared.plan.prefill_tokens > 0
                 ? "min(moe_num_experts / expert,"
                   " (micro_batch_size * (1 + speculative_tokens) + prefill_tokens)"
                   " * moe_experts_per_token)"
             : shared.plan.speculative_tokens > 0
                 ? "min(moe_num_experts / expert,"
                   " micro_batch_size * (1 + speculative_tokens) * moe_experts_per_token)"
                 : "min(moe_num_experts / expert, micro_batch_size * moe_experts_per_token)");
}

Dim tokens_per_expert(const Shared& shared) {
  const Moe& moe = shared.model.moe;
  const std::int64_t tokens =
      divide_up(times(shared.tokens.value, moe.experts_per_token, shared.plan.expert), moe.num_experts);
  if (shared.decoding && shared.plan.prefill_tokens > 0) {
    return dim(tokens,
               "(micro_batch_size * (1 + speculative_tokens) + prefill_tokens) * moe_experts_per_token"
               " * expert / moe_num_experts");
  }
  if (shared.decoding && shared.plan.speculative_tokens > 0) {
    return dim(tokens,
               "micro_batch_size * (1 + speculative_tokens) * moe_experts_per_token * expert"
               " / moe_num_experts");
  }
  return dim(tokens, shared.decoding
                         ? "micro_batch_size * moe_experts_per_token * expert / moe_num_experts"
                         : "(micro_batch_size * sequence_length / context) * moe_experts_per_token * expert"
                           " / moe_num_experts");
}

// Names of the ops of one kind of expert.
struct ExpertNames {
  std::string_view gate_up;
  std::string_view up;
  std::string_view activation;
  std::string_view down;
};
constexpr ExpertNames routed_names{"layer.moe.gate_up", "layer.moe.up", "layer.moe.activation",
                                   "layer.moe.down"};
constexpr ExpertNames shared_names{"layer.moe.shared_gate_up", "layer.moe.shared_up",
                                   "layer.moe.shared_activation", "layer.moe.shared_down"};

void lower_experts(const Shared& shared, const ExpertNames& names, Dim tokens, Dim width, Dim two_widths,
                   Dim experts, Repeat layer, Emitter& emit) {
  const double branch = static_cast<double>(tokens.value) * static_cast<double>(width.value) *
                        static_cast<double>(experts.value) * shared.activation;
  if (shared.model.mlp_gated) {
    emit.linear(names.gate_up, tokens, two_widths, shared.hidden, shared.linear_dtype, layer, experts);
    emit.elementwise(names.activation, 3 * branch, 5 * branch, layer,
                     of_each(branch / shared.activation, gated_activation_flops));
  } else {
    emit.linear(names.up, tokens, width, shared.hidden, shared.linear_dtype, layer, experts);
    emit.elementwise(names.activation, 2 * branch, 3 * branch, layer,
                     of_each(branch / shared.activation, activation_flops));
  }
  emit.linear(names.down, tokens, shared.hidden, width, shared.linear_dtype, layer, experts);
}

}  // namespace

void lower_moe(const Shared& shared, double count, Emitter& emit) {
  const Moe& moe = shared.model.moe;
  const std::int64_t tensor = shared.plan.tensor;
  const Repeat layer{count, Recomputed::with_layer};
  emit.wide_linear("layer.moe.router", shared.tokens, dim(moe.num_experts, "moe_num_experts"), shared.hidden,
                   layer);

  // Every token's vector is copied once for each of its experts, sent there, and comes back weighted.
  const double copies = static_cast<double>(std::max<std::int64_t>(1, moe.experts_per_token));
  const double sent =
      copies * (shared.plan.sequence_parallel ? shared.sharded_stream_bytes : shared.stream_bytes);
  const double moved = shared.stream_bytes + copies * shared.stream_bytes;
  emit.elementwise("layer.moe.dispatch", moved, moved, layer);
  emit.collective("layer.moe.all_to_all", CollectiveKind::all_to_all, CollectiveKind::all_to_all, sent,
                  shared.plan.expert, {2 * count, Recomputed::with_layer}, false, shared.plan.tensor);

  const std::int64_t width = divide_up(moe.intermediate_size, tensor);
  lower_experts(shared, routed_names, tokens_per_expert(shared), dim(width, "moe_intermediate_size / tensor"),
                dim(times(2, width), "2 * (moe_intermediate_size / tensor)"), busy_experts(shared), layer,
                emit);
  emit.elementwise("layer.moe.combine", moved, moved, layer,
                   of_each(copies * shared.stream_bytes / shared.activation, {2, 2}));

  if (moe.shared_intermediate_size > 0) {
    const std::int64_t always = divide_up(moe.shared_intermediate_size, tensor);
    lower_experts(shared, shared_names, shared.tokens, dim(always, "moe_shared_intermediate_size / tensor"),
                  dim(times(2, always), "2 * (moe_shared_intermediate_size / tensor)"), {1, "1"}, layer,
                  emit);
  }
}

}  // namespace shapelint::model
