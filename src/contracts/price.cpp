// What unmet contracts cost.
#include "contracts/price.hpp"

#include <algorithm>

#include "cost/step.hpp"
#include "model/lower/lower.hpp"

namespace shapelint::contracts {

namespace {

cost::StepCost step_of(const model::Setup& setup, const gpu::Gpu& gpu, model::Workload& workload) {
  workload = model::lower(setup);
  return cost::price(gpu, workload, setup.plan.dtype);
}

bool has(std::string_view name, std::string_view part) {
  return name.find(part) != std::string_view::npos;
}

}  // namespace

bool is_of(const model::Op& op, std::string_view layer) {
  const bool is_collective = op.kind == model::OpKind::collective;
  if (layer == "any") return true;
  if (layer == "communication") return is_collective;
  if (is_collective) return false;
  if (layer == "attention") return has(op.name, ".attention");
  if (layer == "experts") return has(op.name, ".moe") || has(op.name, ".expert");
  if (layer == "mlp") return has(op.name, ".mlp");
  if (layer == "embedding") return has(op.name, "embedding") || has(op.name, "head.");
  return layer == "linear" && op.kind == model::OpKind::gemm;
}

Price price(const model::Setup& setup, std::span<const Verdict> verdicts, const gpu::Gpu& gpu) {
  Price out;
  model::Workload workload;
  out.as_written_us = step_of(setup, gpu, workload).time_us;
  out.tokens_per_step = workload.tokens_per_step;
  out.time_us = out.as_written_us;
  const auto sets = [](const Verdict& each) { return !each.meets && !each.set.empty(); };
  const auto multiplies = [](const Verdict& each) { return !each.meets && each.factor > 1; };
  const bool is_changed = std::any_of(verdicts.begin(), verdicts.end(), sets);
  if (!is_changed && std::none_of(verdicts.begin(), verdicts.end(), multiplies)) return out;
  const cost::StepCost step = step_of(as_run(setup, verdicts), gpu, workload);
  out.padding_us = step.time_us - out.as_written_us;
  for (std::size_t i = 0; i < step.ops.size(); ++i) {
    double factor = 1;
    for (const Verdict& each : verdicts) {
      // Several paddings of the same rows are one.
      if (multiplies(each) && is_of(workload.ops[i], each.contract->layer))
        factor = std::max(factor, each.factor);
    }
    out.slower_us += step.ops[i].time_us * workload.ops[i].count * (factor - 1);
  }
  out.time_us = step.time_us + out.slower_us;
  return out;
}

}  // namespace shapelint::contracts
