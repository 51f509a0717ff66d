// Gains by effect.
#include "rules/engine/earned.hpp"

#include "cost/uncertainty.hpp"

namespace shapelint::rules {

namespace {

// Share of the step that the effects take, and `lost_us` beside them. The pipeline's bubble waits for
// whatever a micro-batch takes, so it is longer by what they take, too.
double lost_share(std::span<const gpu::Effect> effects, const model::Workload& workload,
                  const cost::StepCost& step, double lost_us) {
  for (std::size_t i = 0; i < workload.ops.size(); ++i) {
    const model::Op& op = workload.ops[i];
    if (op.overlapped) continue;
    const cost::EffectTimes times = cost::split_by_effect(op, step.ops[i]);
    for (const gpu::Effect effect : effects) lost_us += op.count * times[static_cast<std::size_t>(effect)];
  }
  const double busy_us = step.time_us - step.bubble_us;
  return busy_us > 0 ? lost_us / busy_us : 0;
}

}  // namespace

double earned(std::span<const gpu::Effect> effects, const GpuReport& report, double longer_us,
              suggest::Evaluator& evaluator, const suggest::Candidate& candidate, double gain) {
  const suggest::Step after = evaluator.step(candidate.setup);
  // The steps may differ in tokens and work: of the old one's time for its work, the new one takes 1 - gain.
  return lost_share(effects, report.workload, report.before, longer_us) -
         (1 - gain) * lost_share(effects, after.workload, after.cost, after.longer_us);
}

}  // namespace shapelint::rules
