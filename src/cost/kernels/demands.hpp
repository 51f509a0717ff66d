// What libraries demand of the sides of a product, else they refuse it.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/dtype.hpp"
#include "cost/kernels/gemm.hpp"

namespace shapelint::cost {

// Of a linear layer's weight: cuBLASLt takes fp8 in rows of 16 elements (its documentation of
// cublasLtMatmul), and packed fp4 in rows of 32 along the sum, which hold the scales of whole blocks in 16
// bytes. Rules SL802 and SL804 ask the same of a model. 1: any side runs.
constexpr std::int64_t demanded_multiple(DType dtype) {
  return dtype == DType::fp8 ? 16 : dtype == DType::fp4 ? 32 : 1;
}

// The sides that are no such multiple, so that the product is refused: `n`, `k`, `n k`; empty: it runs.
constexpr std::string_view refused_sides(const GemmShape& shape) {
  const std::int64_t multiple = demanded_multiple(shape.dtype);
  const bool refuses_n = shape.dtype == DType::fp8 && shape.n % multiple != 0;
  const bool refuses_k = shape.k % multiple != 0;
  return refuses_n && refuses_k ? "n k" : refuses_n ? "n" : refuses_k ? "k" : "";
}

}  // namespace shapelint::cost
