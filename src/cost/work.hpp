// What one run of an op computes, and what it moves at each level of the memory: the coordinates of a
// roofline.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/dtype.hpp"
#include "gpu/gpu.hpp"
#include "model/op.hpp"

namespace shapelint::cost {

// Where bytes are counted: between DRAM and L2, between L2 and the SMs, in and out of shared memory (or L1).
enum class Level : std::uint8_t { dram, l2, shared };
inline constexpr std::size_t level_count = 3;
std::string_view name(Level level);  // `dram`, `l2`, `shared`

struct Work {
  double flops = 0;                         // that the op is for; padding and partial tiles are not counted
  double least_bytes = 0;                   // each operand and result once
  std::array<double, level_count> bytes{};  // by Level: what the predicted kernel moves
  double link_bytes = 0;                    // that this rank sends to others
  bool on_tensor_cores = false;             // which peak is its roof: tensor cores' for `dtype`, or
  DType dtype = DType::fp32;                // CUDA cores' (of fp32; of `dtype` for matrix products)
  double reduction = 1;                     // FLOPs / those that are multiplied (Winograd): raises that roof
};

// Equations: docs/explanation/roofline-figures.md, "The bytes of each level". A GEMM is taken apart as the
// cost model runs it: its tile, its split of k, the rereads that miss L2. Shared memory and L2 of attention
// are estimates.
Work work_of(const gpu::Gpu& gpu, const model::Op& op);

}  // namespace shapelint::cost
