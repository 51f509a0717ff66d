// A step of which some operations take longer than their kernels are predicted to.
#pragma once

#include <span>

#include "cost/step.hpp"

namespace shapelint::cost {

// As price() without `times`; with one for each op of the workload the op takes that many times as long.
StepCost price(const gpu::Gpu& gpu, const model::Workload& workload, DType peak_dtype,
               std::span<const double> times);
// The same of a step that is priced already.
void lengthen(const gpu::Gpu& gpu, const model::Workload& workload, DType peak_dtype,
              std::span<const double> times, StepCost& step);

}  // namespace shapelint::cost
