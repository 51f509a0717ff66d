// What a single kernel costs on a GPU.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "shapelint/common.hpp"

namespace shapelint::api {

// What limits a kernel or a step.
enum class Bound : std::uint8_t { compute, memory, communication, overhead };
SHAPELINT_API std::string_view name(Bound bound);

// Shares in (0, 1] that multiply to ideal_us / time_us; 1: nothing is lost.
struct Efficiency {
  double alignment = 1;  // dimensions that are no multiple of what the hardware loads at once
  double tile = 1;       // partial tiles that are computed in full
  double wave = 1;       // SMs that idle in the last wave
  double rest = 1;       // launch, ramp, and rates below the data sheet
};

// One run of one kernel.
struct KernelCost {
  double time_us = 0;
  double ideal_us = 0;  // the roofline of the data sheet
  Bound bound = Bound::compute;
  double compute_us = 0;  // what each would take alone; they overlap
  double memory_us = 0;
  double overhead_us = 0;
  Efficiency efficiency;
  std::int64_t tile_m = 0;  // of a matrix product; 0 elsewhere
  std::int64_t tile_n = 0;
  std::int64_t split_k = 0;
  double waves = 0;
};

// C[m,n] = A[m,k] B[k,n], `batch` times; sizes from 1 to 10^12.
struct Gemm {
  std::int64_t m = 1;
  std::int64_t n = 1;
  std::int64_t k = 1;
  std::int64_t batch = 1;
  std::string dtype = "bf16";
  std::string layout = "tn";  // tn: y = x W^T; nn: two row-major matrices; nt: a weight gradient; tt: neither
};
// Within a step, where kernels follow each other closely. `gpu`: id or alias. Errors: invalid-option, unable.
SHAPELINT_API Result<KernelCost> price_gemm(std::string_view gpu, const Gemm& gemm);

// Attention as one fused kernel, forward; sizes from 1 to 10^9.
struct AttentionKernel {
  std::int64_t sequences = 1;
  std::int64_t heads = 1;
  std::int64_t key_value_heads = 1;
  std::int64_t query_length = 1;
  std::int64_t key_length = 1;
  std::int64_t head_dim = 128;
  bool causal = true;
  std::string dtype = "bf16";
};
SHAPELINT_API Result<KernelCost> price_attention(std::string_view gpu, const AttentionKernel& attention);

}  // namespace shapelint::api
