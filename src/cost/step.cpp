// A step's time from its ops' times; equations in docs/explanation/gpu-model.md, section 4.
#include "cost/step.hpp"

#include <algorithm>

#include "base/units.hpp"
#include "cost/kernels/memory.hpp"

namespace shapelint::cost {

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

OpTraits traits_of(const model::Op& op, double micro_batches) {
  return {phase_of(op.pass),        op.kind == model::OpKind::collective, op.overlapped,
          op.count < micro_batches, op.overlaps_shared_experts,           op.count * op.host_us};
}

HiddenCommunication hidden(const PhaseTimes& phase, double micro_batches) {
  HiddenCommunication out;
  out.per_step_us = std::min(phase.per_step_us, phase.busy_us / std::max(micro_batches, 1.0));
  out.each_us = std::min(phase.each_us, phase.busy_us - out.per_step_us);
  out.overlapped_all_to_all_us = std::min(phase.overlapped_all_to_all_us, phase.shared_us);
  return out;
}

double per_micro_batch_us(const StepSums& sums, double micro_batches) {
  double out = sums.per_micro_batch_us;
  for (const PhaseTimes& phase : sums.phases)
    out += phase.overlapped_all_to_all_us - hidden(phase, micro_batches).overlapped_all_to_all_us;
  return out;
}

void set_totals(const gpu::Gpu& gpu, const model::Workload& workload, DType peak_dtype, const StepSums& sums,
                StepCost& step) {
  step.compute_us = sums.bound_us[static_cast<std::size_t>(Bound::compute)];
  step.memory_us = sums.bound_us[static_cast<std::size_t>(Bound::memory)];
  step.communication_us = sums.bound_us[static_cast<std::size_t>(Bound::communication)];
  step.overhead_us = sums.bound_us[static_cast<std::size_t>(Bound::overhead)];
  step.end_layers = workload.end_layers;
  step.hidden_us = 0;
  for (const PhaseTimes& phase : sums.phases) {
    const HiddenCommunication behind = hidden(phase, workload.micro_batches);
    const double waited_us = phase.overlapped_all_to_all_us -
                             behind.overlapped_all_to_all_us;  // for an exchange, in every micro-batch
    step.hidden_us += behind.per_step_us + behind.each_us + behind.overlapped_all_to_all_us;
    step.communication_us +=
        phase.per_step_us - behind.per_step_us + phase.each_us - behind.each_us + waited_us;
  }
  // Launches are asynchronous: the GPU waits for its host where that takes longer.
  step.host_wait_us = std::max(
      0.0, sums.host_us - (step.compute_us + step.memory_us + step.communication_us + step.overhead_us));
  step.overhead_us += step.host_wait_us;
  step.bubble_us = std::max(workload.pipeline_bubble, 0.0) * per_micro_batch_us(sums, workload.micro_batches);
  step.time_us = step.compute_us + step.memory_us + step.communication_us + step.overhead_us + step.bubble_us;

  const double peak_flops = step.time_us * peak_flops_per_us(gpu, peak_dtype);
  step.mfu = peak_flops > 0 ? workload.model_flops / peak_flops : 0;
  step.hfu = peak_flops > 0 ? workload.hardware_flops / peak_flops : 0;
  step.tokens_per_s = step.time_us > 0 ? workload.tokens_per_step / step.time_us * us_per_s : 0;
}

void PriceMemo::price(const model::Workload& workload, DType peak_dtype, StepCost& step) {
  step.ops.clear();
  step.ops.reserve(workload.ops.size());
  const double micro_batches = std::max(workload.micro_batches, 1.0);
  StepSums sums;
  for (const model::Op& op : workload.ops) {
    const OpCost& cost = price(op);
    step.ops.push_back(cost);
    add(sums, traits_of(op, micro_batches), cost.bound, op.count * cost.time_us);
  }
  set_totals(gpu_, workload, peak_dtype, sums, step);
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

StepCost price(const gpu::Gpu& gpu, const model::Workload& workload, DType peak_dtype,
               std::span<const double> times) {
  StepCost step = price(gpu, workload, peak_dtype);
  apply_slowdown(gpu, workload, peak_dtype, times, step);
  return step;
}

void apply_slowdown(const gpu::Gpu& gpu, const model::Workload& workload, DType peak_dtype,
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
