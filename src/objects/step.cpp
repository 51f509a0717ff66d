// A priced step as the public structs.

#include <algorithm>
#include <cmath>

#include "cost/kernels/attention.hpp"
#include "cost/step_interval.hpp"
#include "model/arithmetic.hpp"
#include "model/lower/lower.hpp"
#include "model/memory/training.hpp"
#include "model/op.hpp"
#include "objects/convert.hpp"
#include "rules/engine/points.hpp"
#include "suggest/edit/footprint.hpp"

namespace shapelint::api {

namespace {

void add_sizes(const model::Op& op, OperationShape& out) {
  const auto add = [&](const char* name, const model::Dim& dim) {
    out.sizes.push_back({name, dim.value, std::string(dim.expression)});
  };
  const model::AttentionShape& shape = op.attention;
  if (op.kind == model::OpKind::gemm) {
    add("batch", op.batch);
    add("m", op.m);
    add("n", op.n);
    add("k", op.k);
  } else if (op.kind == model::OpKind::attention) {
    add("sequences", shape.sequences);
    add("heads", shape.heads);
    add("key_value_heads", shape.key_value_heads);
    add("query_length", shape.query_length);
    add("key_length", shape.key_length);
    add("head_dim", shape.head_dim);
    add("value_head_dim", shape.value_head_dim);
  } else if (op.kind == model::OpKind::scan) {
    add("sequences", shape.sequences);
    add("length", shape.query_length);
    add("key_heads", shape.key_value_heads);
    add("value_heads", shape.heads);
    add("key_dim", shape.head_dim);
    add("value_dim", shape.value_head_dim);
    add("chunk", shape.key_length);
  }
}

}  // namespace

OperationShape shape_of(const model::Op& op) {
  OperationShape out;
  out.name = op.name;
  out.pass = model::name(op.pass);
  out.id = out.name + '/' + out.pass;
  out.kind = model::name(op.kind);
  out.dtype = shapelint::name(op.dtype);
  out.runs = op.count;
  add_sizes(op, out);
  if (op.kind == model::OpKind::gemm) out.layout = model::name(op.layout);
  if (op.kind == model::OpKind::attention) {
    out.causal = op.attention.causal;
    out.window = op.attention.window;
  }
  if (op.kind == model::OpKind::elementwise || op.kind == model::OpKind::collective) out.bytes = op.bytes;
  if (op.kind == model::OpKind::collective) {
    out.collective = model::name(op.collective);
    out.ranks = op.ranks;
    out.overlapped = op.overlapped;
  }
  return out;
}

Operation operation_of(const gpu::Gpu& gpu, const model::Op& op, const cost::OpCost& cost, double step_us) {
  Operation out;
  static_cast<OperationShape&>(out) = shape_of(op);
  static_cast<KernelCost&>(out) = kernel_of(cost);
  if (op.kind != model::OpKind::gemm) out.tile.reset();
  out.total_us = cost.time_us * op.count;
  out.share = step_us > 0 ? out.total_us / step_us : 0;
  if (op.kind == model::OpKind::attention) {
    const cost::BucketUse use =
        cost::attention_bucket(gpu, op.attention.head_dim.value, 0, false, op.attention.library);
    out.kernel_head_dim = use.bucket == nullptr ? 0 : use.head_dim;
  }
  return out;
}

MemoryParts parts_of(const model::TrainingMemory& memory) {
  MemoryParts out;
  out.weights = whole_bytes(memory.weights);
  out.gradients = whole_bytes(memory.gradients);
  out.optimizer = whole_bytes(memory.optimizer);
  out.activations = whole_bytes(memory.activations);
  return out;
}

Memory memory_of(const model::Setup& setup, const gpu::Gpu* gpu) {
  Memory out;
  if (gpu != nullptr && gpu::memory_gib(*gpu) > 0) {
    out.capacity_bytes = whole_bytes(gpu::memory_bytes(*gpu));
    out.usable_bytes = whole_bytes(suggest::usable_bytes(gpu::memory_gib(*gpu), setup));
  }
  if (model::weights_are_unknown(setup.plan)) return out;
  const model::RankParameters held = model::parameters_per_rank(setup);
  const double data = model::at_least_one(setup.plan.data);
  const suggest::Footprint footprint = suggest::footprint(setup);
  if (setup.plan.mode == model::Mode::train) {
    out.parts = parts_of(model::training_memory(setup, data, held));
  } else if (!setup.model.conv.empty()) {
    out.parts.weights = whole_bytes(footprint.state_bytes);
    out.parts.activations = whole_bytes(footprint.activation_bytes);
  } else {
    const double weights = model::served_weight_bytes(setup, held);
    out.parts.weights = whole_bytes(weights);
    out.parts.kv_cache = whole_bytes(footprint.state_bytes - weights);
  }
  const MemoryParts& parts = out.parts;
  out.total_bytes = parts.weights + parts.gradients + parts.optimizer + parts.activations + parts.kv_cache;
  out.host_bytes = whole_bytes(footprint.host_bytes);
  if (gpu == nullptr || gpu::memory_gib(*gpu) <= 0) return out;
  const double needed = footprint.state_bytes + footprint.activation_bytes;
  out.fits = needed <= suggest::usable_bytes(gpu::memory_gib(*gpu), setup);
  return out;
}

StepTotals totals_of(const cost::StepCost& cost) {
  StepTotals out;
  out.step_us = cost.time_us;
  out.compute_us = cost.compute_us;
  out.memory_us = cost.memory_us;
  out.communication_us = cost.communication_us;
  out.overhead_us = cost.overhead_us;
  out.bubble_us = cost.bubble_us;
  out.hidden_us = cost.hidden_us;
  const bool is_bubble =
      cost.bubble_us > std::max({cost.compute_us, cost.memory_us, cost.communication_us, cost.overhead_us});
  out.bound = is_bubble ? Bound::bubble : bound_of(cost::bound_of(cost));
  out.mfu = cost.mfu;
  out.hfu = cost.hfu;
  return out;
}

StepTotals totals_of(const model::Setup& setup, const gpu::Gpu& gpu, const model::Workload& workload,
                     const cost::StepCost& cost) {
  StepTotals out = totals_of(cost);
  const model::Plan& plan = setup.plan;
  out.gpu = gpu.id;
  const cost::StepInterval interval = cost::step_interval(gpu, setup, cost.time_us);
  out.low_us = interval.low_us;
  out.high_us = interval.high_us;
  out.produces = setup.model.conv.empty() ? "tokens" : "images";
  out.tokens_per_step = workload.tokens_per_step;
  out.num_gpus = plan.tensor * plan.context * plan.pipeline * plan.data;
  out.tokens_per_s_per_gpu = cost.time_us > 0 ? rules::tokens_per_s_per_gpu(setup, workload, cost) : 0;
  out.tokens_per_s_all_gpus = out.tokens_per_s_per_gpu * static_cast<double>(out.num_gpus);
  out.model_flops_per_gpu = workload.model_flops;
  out.hardware_flops_per_gpu = workload.hardware_flops;
  out.parameters = model::parameter_count(setup);
  out.memory = memory_of(setup, &gpu);
  return out;
}

Step step_of(const model::Reading& reading, const gpu::Gpu& gpu, const model::Workload& workload,
             const cost::StepCost& cost) {
  Step out;
  static_cast<StepTotals&>(out) = totals_of(reading.setup, gpu, workload, cost);
  out.model = reading.part.empty() ? reading.path : reading.path + '#' + reading.part;
  out.part = reading.part;
  for (std::size_t i = 0; i < std::min(workload.ops.size(), cost.ops.size()); ++i) {
    out.operations.push_back(operation_of(gpu, workload.ops[i], cost.ops[i], cost.time_us));
  }
  return out;
}

}  // namespace shapelint::api
