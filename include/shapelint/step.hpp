// What a step costs, operation by operation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shapelint/catalog.hpp"
#include "shapelint/common.hpp"
#include "shapelint/files.hpp"
#include "shapelint/kernel.hpp"
#include "shapelint/model.hpp"

namespace shapelint::api {

struct OperationSize {
  std::string name;
  std::int64_t value = 1;
  std::string expression;
};
template <class Visitor>
void describe(Visitor& of, const OperationSize*) {
  of.type("OperationSize", "A dimension of an operation.");
  of("value", &OperationSize::value, "");
  of("expression", &OperationSize::expression, "the fields it is computed from: `3 * hidden_size / tensor`",
     When::unless_empty);
}

struct OperationShape {
  std::string id;
  std::string name;
  std::string kind;
  std::string pass;
  std::string dtype;
  double runs = 1;
  std::vector<OperationSize> sizes;
  std::string layout;
  bool causal = false;
  std::int64_t window = 0;
  double bytes = 0;
  std::string collective;
  std::int64_t ranks = 0;
  bool overlapped = false;
};
template <class Visitor>
void describe(Visitor& of, const OperationShape*) {
  of.type("OperationShape", "A kernel or a collective of a step, without its cost.");
  of("id", &OperationShape::id, "name and pass: `layer.mlp.up/forward`");
  of("name", &OperationShape::name, "`layer.mlp.up`");
  of("kind", &OperationShape::kind, "gemm, attention, scan, elementwise, collective");
  of("pass", &OperationShape::pass, "forward, recompute, grad_input, grad_weight, backward, update");
  of("dtype", &OperationShape::dtype, "");
  of("runs", &OperationShape::runs, "runs per step");
  of.keyed(
      "sizes", &OperationShape::sizes, &OperationSize::name,
      "gemm: batch, m, n, k of C[m,n] = A[m,k] B[k,n]; attention: sequences, heads, key_value_heads, "
      "query_length, key_length, head_dim, value_head_dim; scan: sequences, length, key_heads, value_heads, "
      "key_dim, value_dim, chunk",
      When::unless_empty);
  of("layout", &OperationShape::layout,
     "of a gemm; tn: y = x W^T; nn: its input gradient; nt: its weight gradient", When::unless_empty);
  of("causal", &OperationShape::causal, "each token attends to those before it only", When::unless_empty);
  of("window", &OperationShape::window, "sliding window: most keys of a query", When::unless_empty);
  of("bytes", &OperationShape::bytes, "elementwise: bytes moved; collective: size of the full buffer",
     When::unless_empty);
  of("collective", &OperationShape::collective, "all-reduce, all-gather, reduce-scatter, all-to-all, send",
     When::unless_empty);
  of("ranks", &OperationShape::ranks, "ranks of a collective", When::unless_empty);
  of("overlapped", &OperationShape::overlapped, "a collective that is overlapped with computation",
     When::unless_empty);
}

struct Operation : OperationShape, KernelCost {
  double total_us = 0;
  double share = 0;
  std::int64_t kernel_head_dim = 0;
};
template <class Visitor>
void describe(Visitor& of, const Operation*) {
  of.type("Operation", "A kernel or a collective of a step, with the cost of one run and of all.");
  of.base(static_cast<const OperationShape*>(nullptr));
  of.base(static_cast<const KernelCost*>(nullptr));
  of("total_us", &Operation::total_us, "all runs");
  of("share", &Operation::share,
     "total_us / step_us; overlapped communication has one too, so shares may add up to more than 1");
  of("kernel_head_dim", &Operation::kernel_head_dim,
     "attention: head_dim of the kernel, padding included; absent if no kernel supports it",
     When::unless_empty);
}

// Null where it has none of that name.
inline const OperationSize* find_size(const Operation& operation, std::string_view name) {
  for (const OperationSize& each : operation.sizes)
    if (each.name == name) return &each;
  return nullptr;
}

struct MemoryParts {
  std::int64_t weights = 0;
  std::int64_t gradients = 0;
  std::int64_t optimizer = 0;
  std::int64_t activations = 0;
  std::int64_t kv_cache = 0;
};
template <class Visitor>
void describe(Visitor& of, const MemoryParts*) {
  of.type("MemoryParts", "Memory per GPU by use, in bytes.");
  of("weights", &MemoryParts::weights, "", When::unless_empty);
  of("gradients", &MemoryParts::gradients, "", When::unless_empty);
  of("optimizer", &MemoryParts::optimizer, "states and FP32 copy of the weights", When::unless_empty);
  of("activations", &MemoryParts::activations, "at the peak of the step", When::unless_empty);
  of("kv_cache", &MemoryParts::kv_cache, "KV cache and recurrent states of the step's sequences",
     When::unless_empty);
}

struct Memory {
  std::int64_t total_bytes = 0;
  std::int64_t usable_bytes = 0;
  std::int64_t capacity_bytes = 0;
  std::optional<bool> fits{};
  MemoryParts parts;
  std::int64_t host_bytes = 0;
};
template <class Visitor>
void describe(Visitor& of, const Memory*) {
  of.type("Memory", "Estimated memory per GPU.");
  of("total_bytes", &Memory::total_bytes, "sum of the parts; null if the dtype of the weights is unknown",
     When::or_null);
  of("usable_bytes", &Memory::usable_bytes, "GPU memory available to tensors", When::or_null);
  of("capacity_bytes", &Memory::capacity_bytes, "GPU memory", When::or_null);
  of("fits", &Memory::fits, "total_bytes <= usable_bytes", When::or_null);
  of("parts", &Memory::parts, "");
  of("host_bytes", &Memory::host_bytes, "host memory per GPU", When::unless_empty);
}

struct StepTotals {
  std::string model;
  std::string part;
  std::string gpu;
  double step_us = 0;
  double low_us = 0;
  double high_us = 0;
  double compute_us = 0;
  double memory_us = 0;
  double communication_us = 0;
  double overhead_us = 0;
  double bubble_us = 0;
  double hidden_us = 0;
  Bound bound = Bound::compute;
  double mfu = 0;
  double hfu = 0;
  std::string produces = "tokens";
  double tokens_per_step = 0;
  double tokens_per_s_per_gpu = 0;
  double tokens_per_s_all_gpus = 0;
  std::int64_t num_gpus = 1;
  double model_flops_per_gpu = 0;
  double hardware_flops_per_gpu = 0;
  std::int64_t parameters = 0;
  Memory memory;
};
template <class Visitor>
void describe(Visitor& of, const StepTotals*) {
  of.type("Step", "A step and its operations.");
  of("model", &StepTotals::model, "its id");
  of("part", &StepTotals::part, "one of a file's several models: `text`, `vision`", When::unless_empty);
  of("gpu", &StepTotals::gpu, "id");
  of("step_us", &StepTotals::step_us, "step time: sum of the five parts below");
  of("low_us", &StepTotals::low_us, "10 % quantile of published steps of its kind", When::unless_empty);
  of("high_us", &StepTotals::high_us, "90 % quantile of published steps of its kind", When::unless_empty);
  of("compute_us", &StepTotals::compute_us, "");
  of("memory_us", &StepTotals::memory_us, "");
  of("communication_us", &StepTotals::communication_us, "exposed communication");
  of("overhead_us", &StepTotals::overhead_us, "");
  of("bubble_us", &StepTotals::bubble_us, "pipeline bubble");
  of("hidden_us", &StepTotals::hidden_us, "overlapped communication; not part of step_us");
  of("bound", &StepTotals::bound, "largest part of the step");
  of("mfu", &StepTotals::mfu, "model FLOPs / (time x peak)");
  of("hfu", &StepTotals::hfu, "the same with activation recomputation and padding");
  of("produces", &StepTotals::produces, "unit of the token counts: `tokens`, or `images` of a CNN");
  of("tokens_per_step", &StepTotals::tokens_per_step, "per model replica");
  of("tokens_per_s_per_gpu", &StepTotals::tokens_per_s_per_gpu, "of one replica, per GPU of the replica");
  of("tokens_per_s_all_gpus", &StepTotals::tokens_per_s_all_gpus, "all replicas");
  of("num_gpus", &StepTotals::num_gpus, "GPUs of the run");
  of("model_flops_per_gpu", &StepTotals::model_flops_per_gpu, "per step");
  of("hardware_flops_per_gpu", &StepTotals::hardware_flops_per_gpu,
     "with activation recomputation and padding");
  of("parameters", &StepTotals::parameters, "of the whole model");
  of("memory", &StepTotals::memory, "");
}

struct Step : StepTotals {
  std::vector<Operation> operations;
};
template <class Visitor>
void describe(Visitor& of, const Step*) {
  of.type("Step", "A step and its operations.");
  of.base(static_cast<const StepTotals*>(nullptr));
  of("operations", &Step::operations, "if requested", When::unless_empty);
}

struct StepOptions {
  ReadOptions read{};
  GpuSelection gpus{};
};

// For each model of the file that can be costed, on each GPU. Errors: those of read(), no-model, incomplete,
// unable.
SHAPELINT_API Result<std::vector<Step>> price_step(const FileSystem& files, const Source& source,
                                                   const StepOptions& options = {});

}  // namespace shapelint::api
