// Time of a whole step on one rank.
#pragma once

#include <vector>

#include "cost/op_cost.hpp"
#include "gpu/gpu.hpp"
#include "model/op.hpp"

namespace shapelint::cost {

// Time of one run of one op.
OpCost price(const gpu::Gpu& gpu, const model::Op& op);

struct StepCost {
  double time_us = 0;     // of the step: the ops one after the other, and the pipeline's bubble
  double compute_us = 0;  // by bound of the ops
  double memory_us = 0;
  double communication_us = 0;
  double overhead_us = 0;
  double bubble_us = 0;
  double mfu = 0;  // model FLOPs / (time x peak)
  double hfu = 0;  // the same with recomputation counted
  double tokens_per_s = 0;
  std::vector<OpCost> ops;  // one run of each op of the workload, in its order
};

StepCost price(const gpu::Gpu& gpu, const model::Workload& workload, DType peak_dtype);

}  // namespace shapelint::cost
