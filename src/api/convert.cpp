// What a step costs.

#include "objects/convert.hpp"
#include "api/load.hpp"
#include "contracts/price.hpp"
#include "cost/stages.hpp"
#include "model/lower/lower.hpp"
#include "project/project.hpp"

namespace shapelint::api {

namespace {

// As the stack runs it; what it refuses is priced anyway.
Step step_on_stack(const model::Reading& reading, const gpu::Gpu& gpu, contracts::Checker& checker) {
  const contracts::AsRun run =
      contracts::run(reading.setup, checker.check(reading, reading.setup, gpu, contracts::Words::none), gpu);
  Step out = step_of(reading, gpu, run.workload, run.step);
  out.memory = memory_of(run.setup, &gpu);
  return out;
}

}  // namespace

Result<std::vector<Step>> price_step(const FileSystem& files, const Source& source,
                                     const StepOptions& options) {
  const auto loaded = load(files, source, options.read, options.gpus);
  const Priceable priceable = priceable_models(*loaded);
  if (!priceable.errors.empty()) return priceable.errors;
  std::vector<Step> steps;
  for (std::size_t i = 0; i < priceable.readings.size(); ++i) {
    const model::Reading* reading = priceable.readings[i];
    if (!priceable.stacks.empty()) {
      contracts::Checker checker(project::contracts_of(*loaded->configured), priceable.stacks[i]);
      for (const gpu::Gpu& gpu : priceable.gpus) steps.push_back(step_on_stack(*reading, gpu, checker));
      continue;
    }
    for (const gpu::Gpu& gpu : priceable.gpus) {
      const model::Workload workload = cost::paced_workload(gpu, reading->setup);
      steps.push_back(
          step_of(*reading, gpu, workload, cost::price(gpu, workload, reading->setup.plan.dtype)));
    }
  }
  return steps;
}

}  // namespace shapelint::api
