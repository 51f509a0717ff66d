// Time of one matrix product.
#pragma once

#include <cstdint>

#include "base/dtype.hpp"
#include "cost/op_cost.hpp"
#include "gpu/gpu.hpp"
#include "model/op.hpp"

namespace shapelint::cost {

// C[m,n] = A[m,k] B[k,n] per batch element; sizes in elements, all at least 1.
struct GemmShape {
  std::int64_t batch = 1;
  std::int64_t m = 1;
  std::int64_t n = 1;
  std::int64_t k = 1;
  DType dtype = DType::bf16;
  model::Layout layout = model::Layout::tn;
};

// Predicted time and where it goes; see docs/cost-model.md for the equations.
OpCost predict_gemm(const gpu::Gpu& gpu, const GemmShape& shape);

}  // namespace shapelint::cost
