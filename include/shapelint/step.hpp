// What a step costs, operation by operation.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shapelint/catalog.hpp"
#include "shapelint/common.hpp"
#include "shapelint/files.hpp"
#include "shapelint/kernel.hpp"
#include "shapelint/model.hpp"

namespace shapelint::api {

// A dimension of a product and where it comes from: `3 * hidden_size / tensor`.
struct OperationDim {
  std::int64_t value = 1;
  std::string expression;
};

struct Operation {
  std::string name;  // `layer.mlp.up`
  std::string kind;  // gemm, attention, elementwise, collective
  std::string pass;  // forward, recompute, grad_input, grad_weight, backward, update
  std::string dtype;
  double count = 1;     // how often it runs in the step
  KernelCost cost;      // of one run
  double total_us = 0;  // of all runs
  double share = 0;     // total_us of the step's time. Communication behind computation has one, too, so that
                        // shares may add up to more than 1.
  bool overlapped = false;  // a collective that hides behind computation
  // gemm: C[m,n] = A[m,k] B[k,n], `batch` times
  OperationDim batch, m, n, k;
  std::string layout;  // tn: y = x W^T; nn: its input gradient; nt: its weight gradient
  // attention
  OperationDim sequences, heads, key_value_heads, query_length, key_length, head_dim;
  std::int64_t kernel_head_dim = 0;  // that the kernel computes, zeros included; 0 where none takes it
  double bytes = 0;                  // elementwise: moved; collective: the whole buffer
  std::int64_t ranks = 1;            // collective
};

// One optimizer step, prompt or decoding step of one model, on one of the GPUs that it runs on.
struct Step {
  std::string model;
  std::string part;
  std::string gpu;     // id
  double time_us = 0;  // the five parts below together
  double compute_us = 0;
  double memory_us = 0;
  double communication_us = 0;  // that is waited for
  double overhead_us = 0;
  double bubble_us = 0;          // of the pipeline
  double hidden_us = 0;          // communication behind computation; not part of time_us
  Bound bound = Bound::compute;  // the largest part
  double mfu = 0;                // arithmetic that the model needs / (time x peak)
  double hfu = 0;                // with what is computed again
  double tokens_per_step = 0;    // images of a CNN; of one replica of the model
  double tokens_per_s = 0;
  double model_flops = 0;  // of one GPU
  std::int64_t parameters = 0;
  double memory_bytes = 0;           // that one GPU needs, an estimate; 0: not known (how weights are stored)
  double memory_capacity_bytes = 0;  // 0: not known
  std::vector<Operation> operations;
};

struct StepOptions {
  ReadOptions read{};
  GpuSelection gpus{};
};

// For each model of the file that can be costed, on each GPU. Errors: those of read(), no-model, incomplete,
// unable.
SHAPELINT_API Result<std::vector<Step>> price_step(const FileSystem& files, const Source& source,
                                                   const StepOptions& options = {});

}  // namespace shapelint::api
