// Communication between ranks: tensor, pipeline and data parallelism. (All-to-all of experts: lower_moe.cpp;
// context parallelism: lower_attention.cpp.)
#include "model/lower/emit.hpp"

namespace shapelint::model {

namespace {

// Megatron-LM sums gradients in fp32 whenever the model is in bf16 (`accumulate_allreduce_grads_in_fp32`).
constexpr double summed_gradient_bytes = 4;

// Slowdown of computation by an overlapped gather or reduction of a layer: a block of NCCL's kernel holds an
// SM for each of its 24 channels on eight A100 or H100 (as its log says: `24 coll channels`), of 108 or 132.
// Two runs of Megatron Bridge's FSDP show no such wait (tests/cost/published_training.toml).
constexpr double waited_share = 24.0 / 120;

struct GradientNames {
  std::string_view reduce;   // among the ranks that share
  std::string_view between;  // between groups of them that hold the same
  std::string_view gather;
  std::string_view reduce_waited;
  std::string_view gather_waited;
};

// Where Megatron-LM's own kernels do not run.
bool waits_for_nccl(const Plan& plan) {
  return !plan.fused_gradient_accumulation;
}

// `learning` of the parameters learn; with adapters these are others than those that are held.
void share_gradients(const LoweringContext& shared, const GradientNames& names, double held, double learning,
                     double replicas, double shards, std::int64_t stride, Emitter& emit) {
  const std::int64_t zero = shared.plan.zero;
  const auto ranks = static_cast<std::int64_t>(zero == 0 ? replicas : shards);
  const auto groups = static_cast<std::int64_t>(replicas / static_cast<double>(ranks));
  // Once a step; from ZeRO 2 on with every micro-batch, since no rank keeps the sums of all.
  const double reductions = zero >= 2 ? shared.micro_batches : 1;
  const double waited = waits_for_nccl(shared.plan) ? waited_share : 0;
  const auto beside = [&](std::string_view name, std::string_view name_of_wait, Pass pass,
                          CollectiveKind kind, double bytes, double count) {
    emit.collective_once(name, pass, kind, bytes * (1 - waited), ranks, count, true, stride);
    if (waited > 0)
      emit.collective_once(name_of_wait, pass, kind, bytes * waited, ranks, count, false, stride);
  };
  if (learning > 0) {
    beside(names.reduce, names.reduce_waited, Pass::backward,
           zero == 0 ? CollectiveKind::all_reduce : CollectiveKind::reduce_scatter,
           learning * summed_gradient_bytes, reductions);
    emit.collective_once(names.between, Pass::backward, CollectiveKind::all_reduce,
                         learning * summed_gradient_bytes / static_cast<double>(ranks), groups, reductions,
                         true, times(stride, ranks));
  }
  // What does not learn need not come back, unless it is gathered for each use.
  const double gathered = zero >= 3 && shared.adapting ? held + learning : zero >= 3 ? held : learning;
  if (zero == 0 || gathered <= 0) return;
  // The updated weights come back once a step; with ZeRO 3 before each use, forward and backward.
  const auto gather = [&](Pass pass, double count) {
    beside(names.gather, names.gather_waited, pass, CollectiveKind::all_gather, gathered * shared.activation,
           count);
  };
  if (zero < 3) {
    gather(Pass::update, 1);
  } else {
    gather(Pass::forward, shared.micro_batches);
    gather(Pass::backward, shared.micro_batches);
  }
}

// Each hides behind the product that it feeds or follows, in parts.
bool overlaps(const LoweringContext& shared) {
  return shared.training && shared.plan.tensor_overlap;
}

}  // namespace

// Source: Megatron-LM, 1909.08053 section 3, and with sequence parallelism 2205.05198 section 4.2.
void enter_tensor_parallel(const LoweringContext& shared, std::string_view name, Repeat repeat,
                           Emitter& emit) {
  if (shared.plan.sequence_parallel) {
    emit.collective(name, CollectiveKind::all_gather, CollectiveKind::reduce_scatter, shared.stream_bytes,
                    shared.plan.tensor, repeat, overlaps(shared));
  } else {
    emit.collective(name, std::nullopt, CollectiveKind::all_reduce, shared.stream_bytes, shared.plan.tensor,
                    repeat, overlaps(shared));
  }
}

void leave_tensor_parallel(const LoweringContext& shared, std::string_view name, Repeat repeat,
                           Emitter& emit) {
  if (shared.plan.sequence_parallel) {
    emit.collective(name, CollectiveKind::reduce_scatter, CollectiveKind::all_gather, shared.stream_bytes,
                    shared.plan.tensor, repeat, overlaps(shared));
  } else {
    emit.collective(name, CollectiveKind::all_reduce, std::nullopt, shared.stream_bytes, shared.plan.tensor,
                    repeat, overlaps(shared));
  }
}

void lower_pipeline(const LoweringContext& shared, Emitter& emit) {
  if (shared.plan.pipeline <= 1) return;
  // A micro-batch passes each chunk of layers once.
  const Repeat each{shared.micro_batches * static_cast<double>(pipeline_chunks(shared.plan)),
                    Recomputed::never};
  emit.collective("pipeline.send", CollectiveKind::send, CollectiveKind::send, shared.sharded_stream_bytes, 2,
                  each, false, times(shared.plan.tensor, shared.plan.context, shared.plan.data));
}

void lower_data_parallel(const LoweringContext& shared, RankParameters held, RankParameters learning,
                         Emitter& emit) {
  const Plan& plan = shared.plan;
  const Replicas same = replicas(plan);
  const Replicas sharing = shards(plan);
  share_gradients(shared,
                  {"gradients.reduce", "gradients.group_reduce", "parameters.gather",
                   "gradients.reduce.waited", "parameters.gather.waited"},
                  held.dense, learning.dense, same.dense, sharing.dense, plan.tensor, emit);
  share_gradients(shared,
                  {"gradients.expert_reduce", "gradients.expert_group_reduce", "parameters.expert_gather",
                   "gradients.expert_reduce.waited", "parameters.expert_gather.waited"},
                  held.expert, learning.expert, same.expert, sharing.expert,
                  times(plan.expert, plan.expert_tensor), emit);
}

}  // namespace shapelint::model
