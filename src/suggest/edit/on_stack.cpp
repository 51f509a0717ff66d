// Steps as a stack runs them.
#include "suggest/edit/on_stack.hpp"

#include "cost/longer.hpp"
#include "cost/stages.hpp"
#include "model/lower/lower.hpp"
#include "suggest/edit/footprint.hpp"

namespace shapelint::suggest {

void step_of(const OnStack* stack, cost::PriceMemo& memo, const model::Setup& setup, Step& out) {
  const DType dtype = setup.plan.dtype;
  out.longer_us = 0;
  if (stack == nullptr || !stack->run) {
    out.workload = model::lower(cost::paced(memo, setup));
    memo.price(out.workload, dtype, out.cost);
    return;
  }
  StackRun run = stack->run(setup, memo.gpu());
  out.workload = std::move(run.workload);
  memo.price(out.workload, dtype, out.cost);
  if (run.times.empty()) return;
  for (std::size_t i = 0; i < run.times.size(); ++i) {
    const double each_us = out.workload.ops[i].count * out.cost.ops[i].time_us;
    out.longer_us += (run.times[i] - 1) * each_us;
  }
  cost::lengthen(memo.gpu(), out.workload, dtype, run.times, out.cost);
}

double memory_bytes_of(const OnStack* stack, const gpu::Gpu& gpu, const model::Setup& setup) {
  return memory_bytes(stack == nullptr || !stack->run ? setup : stack->run(setup, gpu).setup);
}

}  // namespace shapelint::suggest
