// What a step costs.
#include "api/step.hpp"

#include <algorithm>

#include "api/convert.hpp"
#include "api/load.hpp"
#include "base/units.hpp"
#include "contracts/price.hpp"
#include "cost/kernels/attention.hpp"
#include "cost/stages.hpp"
#include "model/lower/lower.hpp"
#include "model/op_names.hpp"
#include "project/project.hpp"
#include "suggest/edit/footprint.hpp"

namespace shapelint::api {

namespace {

OperationDim dim_of(const model::Dim& dim) {
  return {dim.value, std::string(dim.expression)};
}

Operation operation_of(const gpu::Gpu& gpu, const model::Op& op, const cost::OpCost& cost, double step_us) {
  Operation out;
  out.name = op.name;
  out.kind = model::name(op.kind);
  out.pass = model::name(op.pass);
  out.dtype = shapelint::name(op.dtype);
  out.count = op.count;
  out.cost = kernel_of(cost);
  out.total_us = cost.time_us * op.count;
  out.share = step_us > 0 ? out.total_us / step_us : 0;
  out.overlapped = op.overlapped;
  out.bytes = op.bytes;
  out.ranks = op.ranks;
  if (op.kind == model::OpKind::gemm) {
    out.batch = dim_of(op.batch);
    out.m = dim_of(op.m);
    out.n = dim_of(op.n);
    out.k = dim_of(op.k);
    out.layout = model::name(op.layout);
  }
  if (op.kind == model::OpKind::attention) {
    out.sequences = dim_of(op.attention.sequences);
    out.heads = dim_of(op.attention.heads);
    out.key_value_heads = dim_of(op.attention.key_value_heads);
    out.query_length = dim_of(op.attention.query_length);
    out.key_length = dim_of(op.attention.key_length);
    out.head_dim = dim_of(op.attention.head_dim);
    const cost::BucketUse use =
        cost::attention_bucket(gpu, op.attention.head_dim.value, 0, false, op.attention.library);
    out.kernel_head_dim = use.bucket == nullptr ? 0 : use.head_dim;
  }
  return out;
}

}  // namespace

double known_memory_bytes(const model::Setup& setup) {
  return model::weights_are_unknown(setup.plan) ? 0 : suggest::memory_bytes(setup);
}

Step step_of(const model::Reading& reading, const gpu::Gpu& gpu, const model::Workload& workload,
             const cost::StepCost& cost) {
  Step out;
  out.model = reading.name;
  out.part = reading.part;
  out.gpu = gpu.id;
  out.time_us = cost.time_us;
  out.compute_us = cost.compute_us;
  out.memory_us = cost.memory_us;
  out.communication_us = cost.communication_us;
  out.overhead_us = cost.overhead_us;
  out.bubble_us = cost.bubble_us;
  out.hidden_us = cost.hidden_us;
  out.bound = bound_of(cost::bound_of(cost));
  out.mfu = cost.mfu;
  out.hfu = cost.hfu;
  out.tokens_per_step = workload.tokens_per_step;
  out.tokens_per_s = cost.tokens_per_s;
  out.model_flops = workload.model_flops;
  out.parameters = model::parameter_count(reading.setup);
  out.memory_bytes = known_memory_bytes(reading.setup);
  out.memory_capacity_bytes = gpu::memory_bytes(gpu);
  for (std::size_t i = 0; i < std::min(workload.ops.size(), cost.ops.size()); ++i) {
    out.operations.push_back(operation_of(gpu, workload.ops[i], cost.ops[i], cost.time_us));
  }
  return out;
}

namespace {

// As the stack runs it; what it refuses is priced all the same.
Step step_on_stack(const model::Reading& reading, const gpu::Gpu& gpu, contracts::Checker& checker) {
  const contracts::AsRun run =
      contracts::run(reading.setup, checker.check(reading, reading.setup, gpu, contracts::Words::none), gpu);
  Step out = step_of(reading, gpu, run.workload, run.step);
  out.memory_bytes = known_memory_bytes(run.setup);
  return out;
}

}  // namespace

Result<std::vector<Step>> price_step(const FileSystem& files, const Source& source,
                                     const StepOptions& options) {
  const auto loaded = load(files, source, options.read, options.gpus);
  const Priceable priceable = what_to_price(*loaded);
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
      const model::Workload workload = model::lower(cost::paced(gpu, reading->setup));
      steps.push_back(
          step_of(*reading, gpu, workload, cost::price(gpu, workload, reading->setup.plan.dtype)));
    }
  }
  return steps;
}

}  // namespace shapelint::api
