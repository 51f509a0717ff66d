// Time of a whole step on one rank.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
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
  double bubble_us = 0;
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

// Prices that were computed before, by shape: for searches that cost many similar models. Belongs to one GPU,
// which must outlive it; not for several threads at once.
class PriceMemo {
 public:
  using Key = std::array<std::uint64_t, 8>;
  explicit PriceMemo(const gpu::Gpu& gpu);
  const gpu::Gpu& gpu() const { return gpu_; }
  // The reference holds until the next call.
  const OpCost& price(const model::Op& op);
  // As the free function, into a result whose memory is used again.
  void price(const model::Workload& workload, DType peak_dtype, StepCost& step);
  std::size_t size() const { return count_; }
  std::size_t bytes() const { return slots_.size() * sizeof(Slot); }

 private:
  struct Slot {
    std::uint64_t hash = 0;  // 0: free
    Key key{};
    OpCost cost;
  };
  void grow();
  OpCost compute(const model::Op& op);
  const gpu::Gpu& gpu_;
  std::array<std::unique_ptr<const GemmModel>, dtypes.size()> gemm_models_;  // built when first needed
  // The last one with packed weights: a model has but one kind of them.
  std::unique_ptr<const GemmModel> packed_model_;
  DType packed_dtype_ = DType::bf16;
  double packed_bytes_ = 0;
  std::vector<Slot> slots_;  // open addressing, a power of two
  std::size_t count_ = 0;
};

}  // namespace shapelint::cost
