// Steps as a stack runs them.
#include "suggest/edit/on_stack.hpp"

#include "cost/longer.hpp"
#include "model/lower/lower.hpp"
#include "suggest/edit/footprint.hpp"

namespace shapelint::suggest {

void step_of(const OnStack* stack, cost::PriceMemo& memo, const model::Setup& setup, Step& out) {
  const DType dtype = setup.plan.dtype;
  if (stack == nullptr || !stack->run) {
    out.workload = model::lower(setup);
    memo.price(out.workload, dtype, out.cost);
    return;
  }
  StackRun run = stack->run(setup, memo.gpu());
  out.workload = std::move(run.workload);
  memo.price(out.workload, dtype, out.cost);
  if (!run.times.empty()) cost::lengthen(memo.gpu(), out.workload, dtype, run.times, out.cost);
}

double memory_bytes_of(const OnStack* stack, const gpu::Gpu& gpu, const model::Setup& setup) {
  return memory_bytes(stack == nullptr || !stack->run ? setup : stack->run(setup, gpu).setup);
}

}  // namespace shapelint::suggest
