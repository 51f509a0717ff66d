// Gains by effect.
#include "rules/engine/earned.hpp"

#include "cost/uncertainty.hpp"
#include "model/lower/lower.hpp"

namespace shapelint::rules {

namespace {

double lost_us(std::span<const gpu::Effect> effects, const model::Workload& workload,
               const cost::StepCost& step) {
  double sum = 0;
  for (std::size_t i = 0; i < workload.ops.size(); ++i) {
    const model::Op& op = workload.ops[i];
    if (op.overlapped) continue;
    const cost::EffectTimes times = cost::split_by_effect(op, step.ops[i]);
    for (const gpu::Effect effect : effects) sum += op.count * times[static_cast<std::size_t>(effect)];
  }
  return sum;
}

}  // namespace

double earned(std::span<const gpu::Effect> effects, const GpuReport& report, suggest::Evaluator& evaluator,
              const suggest::Candidate& candidate, double gain) {
  const model::Workload after = model::lower(candidate.setup);
  const cost::StepCost step = evaluator.step(after, candidate.setup.plan.dtype);
  if (!(report.before.time_us > 0) || !(step.time_us > 0)) return 0;
  // What one unit of the new step's time stands for in the old step: they may differ in tokens and work.
  const double scale = (1 - gain) * report.before.time_us / step.time_us;
  return (lost_us(effects, report.workload, report.before) - scale * lost_us(effects, after, step)) /
         report.before.time_us;
}

}  // namespace shapelint::rules
