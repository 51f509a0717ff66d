// A step's time from its ops' times; equations in docs/attention-and-step.md, section 4.
#include "cost/step.hpp"

#include <algorithm>

#include "base/units.hpp"
#include "cost/kernels/memory.hpp"

namespace shapelint::cost {
namespace {

// Phases that an overlapped collective can hide behind: its own.
enum class Phase : std::uint8_t { forward, backward, update };
constexpr std::size_t phase_count = 3;

Phase phase_of(model::Pass pass) {
  switch (pass) {
    case model::Pass::forward:
      return Phase::forward;
    case model::Pass::recompute:
    case model::Pass::grad_input:
    case model::Pass::grad_weight:
    case model::Pass::backward:
      return Phase::backward;
    case model::Pass::update:
      return Phase::update;
  }
  return Phase::forward;
}

void add(StepCost& step, Bound bound, double time_us) {
  switch (bound) {
    case Bound::compute:
      step.compute_us += time_us;
      break;
    case Bound::memory:
      step.memory_us += time_us;
      break;
    case Bound::communication:
      step.communication_us += time_us;
      break;
    case Bound::overhead:
      step.overhead_us += time_us;
      break;
  }
}

}  // namespace

void PriceMemo::price(const model::Workload& workload, DType peak_dtype, StepCost& step) {
  step.compute_us = step.memory_us = step.communication_us = step.overhead_us = 0;
  step.ops.clear();
  step.ops.reserve(workload.ops.size());
  double busy_us[phase_count] = {};  // computation, by phase
  double each_us[phase_count] = {};  // collectives that run beside it, with every micro-batch
  double once_us[phase_count] = {};  // and once a step, beside one micro-batch only
  const double micro_batches = std::max(workload.micro_batches, 1.0);
  double per_micro_batch_us = 0;  // what the pipeline's bubble is a share of
  for (const model::Op& op : workload.ops) {
    const OpCost& cost = price(op);
    step.ops.push_back(cost);
    const double time_us = op.count * cost.time_us;
    const auto phase = static_cast<std::size_t>(phase_of(op.pass));
    if (op.kind == model::OpKind::collective && op.overlapped) {
      (op.count < micro_batches ? once_us : each_us)[phase] += time_us;
      continue;
    }
    add(step, cost.bound, time_us);
    if (op.kind != model::OpKind::collective) busy_us[phase] += time_us;
    if (op.pass != model::Pass::update) per_micro_batch_us += time_us;
  }

  step.hidden_us = 0;
  for (std::size_t phase = 0; phase < phase_count; ++phase) {
    const double once_hidden_us = std::min(once_us[phase], busy_us[phase] / micro_batches);
    const double each_hidden_us = std::min(each_us[phase], busy_us[phase] - once_hidden_us);
    step.hidden_us += once_hidden_us + each_hidden_us;
    step.communication_us += once_us[phase] - once_hidden_us + each_us[phase] - each_hidden_us;
  }
  step.bubble_us = std::max(workload.pipeline_bubble, 0.0) * per_micro_batch_us;
  step.time_us = step.compute_us + step.memory_us + step.communication_us + step.overhead_us + step.bubble_us;

  const double peak_flops = step.time_us * peak_flops_per_us(gpu_, peak_dtype);
  step.mfu = peak_flops > 0 ? workload.model_flops / peak_flops : 0;
  step.hfu = peak_flops > 0 ? workload.hardware_flops / peak_flops : 0;
  step.tokens_per_s = step.time_us > 0 ? workload.tokens_per_step / step.time_us * us_per_s : 0;
}

Bound bound_of(const StepCost& step) {
  const std::array<double, 4> parts{step.compute_us, step.memory_us, step.communication_us, step.overhead_us};
  return static_cast<Bound>(std::max_element(parts.begin(), parts.end()) - parts.begin());
}

StepCost price(const gpu::Gpu& gpu, const model::Workload& workload, DType peak_dtype) {
  PriceMemo memo(gpu);
  StepCost step;
  memo.price(workload, peak_dtype, step);
  return step;
}

}  // namespace shapelint::cost
