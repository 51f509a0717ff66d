// Time of a whole step on one rank.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cost/kernels/gemm.hpp"
#include "cost/op_cost.hpp"
#include "gpu/gpu.hpp"
#include "model/op.hpp"

namespace shapelint::cost {

// Time of one run of one op.
OpCost price(const gpu::Gpu& gpu, const model::Op& op);

struct StepCost {
  double time_us = 0;     // of the step: the five parts below together
  double compute_us = 0;  // by bound of the ops, each times its count
  double memory_us = 0;
  double communication_us = 0;  // waited for: what hides behind computation is not in it
  double overhead_us = 0;
  double host_wait_us = 0;  // of these: the GPU waits for a host that launches PyTorch's modules
  double bubble_us = 0;
  // Of a pipeline whose stages are priced: the head and layers that predict further tokens, as a number of
  // layers that take as long.
  double end_layers = 0;
  double hidden_us = 0;  // communication that ran behind computation, not part of time_us
  double mfu = 0;        // model FLOPs / (time x peak)
  double hfu = 0;        // the same with recomputation counted
  double tokens_per_s = 0;
  std::vector<OpCost> ops;  // one run of each op of the workload, in its order
};

// The ops one after the other, overlapped collectives as far as they outlast the computation that they hide
// behind, and the pipeline's bubble. `peak_dtype` is the dtype whose peak MFU refers to.
StepCost price(const gpu::Gpu& gpu, const model::Workload& workload, DType peak_dtype);

// The largest of a step's four parts (the bubble not among them).
Bound bound_of(const StepCost& step);

// Phases of a step: a collective that overlaps hides behind the computation of its own.
enum class Phase : std::uint8_t { forward, backward, update };
inline constexpr std::size_t phase_count = 3;
Phase phase_of(model::Pass pass);

// Times of one phase: computation, and the collectives that overlap with it.
struct PhaseTimes {
  double busy_us = 0;
  double each_us = 0;                   // collectives with every micro-batch
  double per_step_us = 0;               // and once a step, overlapped with one micro-batch only
  double shared_us = 0;                 // of busy_us: shared experts
  double overlapped_all_to_all_us = 0;  // all-to-alls that overlap with those
};
// How much of its collectives the computation of a phase hides.
struct HiddenCommunication {
  double each_us = 0;
  double per_step_us = 0;
  double overlapped_all_to_all_us = 0;
};
HiddenCommunication hidden(const PhaseTimes& phase, double micro_batches);

// Sums over a step's ops, from which its time follows.
struct StepSums {
  std::array<double, 4> bound_us{};  // by Bound: all but overlapped collectives
  std::array<PhaseTimes, phase_count> phases{};
  double per_micro_batch_us = 0;  // what the pipeline's bubble is a share of
  double host_us = 0;             // what the host takes that launches them
};
// What adding an op needs to know of it.
struct OpTraits {
  Phase phase = Phase::forward;
  bool is_collective = false;
  bool overlapped = false;
  bool once = false;  // runs less than once a micro-batch
  bool overlaps_shared_experts = false;
  double host_us = 0;  // of all its runs
};
OpTraits traits_of(const model::Op& op, double micro_batches);
inline void add(StepSums& sums, const OpTraits& op, Bound bound, double time_us) {
  PhaseTimes& phase = sums.phases[static_cast<std::size_t>(op.phase)];
  sums.host_us += op.host_us;
  if (op.is_collective && op.overlapped) {
    (op.once ? phase.per_step_us : phase.each_us) += time_us;
    return;
  }
  if (op.is_collective && op.overlaps_shared_experts) {
    phase.overlapped_all_to_all_us += time_us;
    return;
  }
  sums.bound_us[static_cast<std::size_t>(bound)] += time_us;
  if (!op.is_collective) phase.busy_us += time_us;
  if (op.overlaps_shared_experts) phase.shared_us += time_us;
  if (op.phase != Phase::update) sums.per_micro_batch_us += time_us;
}
// What of them repeats with every micro-batch, with all-to-alls that outlast what they overlap with.
double per_micro_batch_us(const StepSums& sums, double micro_batches);
// Everything of a step but its ops; of `workload` only the totals.
void set_totals(const gpu::Gpu& gpu, const model::Workload& workload, DType peak_dtype, const StepSums& sums,
                StepCost& step);

// Prices that were computed before, by shape: for searches that cost many similar models. Belongs to one GPU,
// which must outlive it; not for several threads at once.
class PriceMemo {
 public:
  explicit PriceMemo(const gpu::Gpu& gpu);
  ~PriceMemo();
  const gpu::Gpu& gpu() const { return gpu_; }
  // The reference holds until the next call.
  const OpCost& price(const model::Op& op);
  // As the free function, into a result whose memory is used again.
  void price(const model::Workload& workload, DType peak_dtype, StepCost& step);
  std::size_t size() const;
  std::size_t bytes() const;

 private:
  struct Known;
  OpCost compute(const model::Op& op);
  const gpu::Gpu& gpu_;
  std::array<std::unique_ptr<const GemmModel>, dtypes.size()> gemm_models_;  // built when first needed
  std::array<std::unique_ptr<const GemmModel>, recipes.size()> scaled_models_;
  // The last one with packed weights: a model has but one kind of them.
  std::unique_ptr<const GemmModel> packed_model_;
  DType packed_dtype_ = DType::bf16;
  double packed_bytes_ = 0;
  std::unique_ptr<Known> known_;
};

// Step time with slowdown factors for single operations.

// As price() without `times`; with one for each op of the workload the op takes that many times as long.
StepCost price(const gpu::Gpu& gpu, const model::Workload& workload, DType peak_dtype,
               std::span<const double> times);
// The same of a step that is priced already.
void apply_slowdown(const gpu::Gpu& gpu, const model::Workload& workload, DType peak_dtype,
                    std::span<const double> times, StepCost& step);

}  // namespace shapelint::cost
