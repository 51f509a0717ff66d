// The step's time from longer ops, by the same rules as from others.
#include "cost/longer.hpp"

#include <algorithm>

namespace shapelint::cost {

StepCost price(const gpu::Gpu& gpu, const model::Workload& workload, DType peak_dtype,
               std::span<const double> times) {
  StepCost step = price(gpu, workload, peak_dtype);
  lengthen(gpu, workload, peak_dtype, times, step);
  return step;
}

void lengthen(const gpu::Gpu& gpu, const model::Workload& workload, DType peak_dtype,
              std::span<const double> times, StepCost& step) {
  const double micro_batches = std::max(workload.micro_batches, 1.0);
  StepSums sums;
  for (std::size_t i = 0; i < workload.ops.size(); ++i) {
    OpCost& cost = step.ops[i];
    const double longer = i < times.size() ? times[i] : 1;
    for (double* part : {&cost.time_us, &cost.compute_us, &cost.memory_us, &cost.overhead_us})
      *part *= longer;
    cost.efficiency.rest /= longer;
    const model::Op& op = workload.ops[i];
    add(sums, traits_of(op, micro_batches), cost.bound, op.count * cost.time_us);
  }
  set_totals(gpu, workload, peak_dtype, sums, step);
}

}  // namespace shapelint::cost
