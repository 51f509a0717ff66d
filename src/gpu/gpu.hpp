// A GPU: facts from vendors' documents and, apart from them, constants fitted to measurements.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/dtype.hpp"
#include "base/error.hpp"
#include "base/recipe.hpp"
#include "base/units.hpp"
#include "gpu/architecture.hpp"
#include "gpu/attention.hpp"
#include "gpu/calibration.hpp"
#include "gpu/effects.hpp"

namespace shapelint::gpu {

// Rates that somebody measured; 0 when no figure was found.
struct Measured {
  double dram_read_gb_s = 0;
  double dram_copy_gb_s = 0;  // bytes read and written
  double dram_triad_gb_s = 0;
  double dram_lbm_gb_s = 0;          // a lattice Boltzmann stencil: no copy is slower
  double gemm_bf16_p99_tflops = 0;   // 99th percentile over large shapes, random data
  double gemm_bf16_mamf_tflops = 0;  // maximum achievable matmul FLOPS: the mean at the best shape found
  double gemm_bf16_community_tflops = 0;
  double gemm_fp16_tflops = 0;
  double gemm_fp8_p99_tflops = 0;
  double gemm_fp8_mamf_tflops = 0;
  double gemm_int8_p99_tops = 0;
  double gemm_nvfp4_p99_tflops = 0;
};

// Facts. 0 means that the figure is unknown or that the unit does not exist. Peaks are dense, with fp32
// accumulation. GB and TFLOP/s are decimal, KiB and MiB binary.
struct Gpu {
  std::string id;    // file name without extension: `a100-sxm4-80gb`
  std::string name;  // `NVIDIA A100 SXM4 80GB`
  std::string vendor;
  std::vector<std::string> aliases;
  Architecture architecture;
  std::string compute_capability;      // `8.0`; the product's where it differs from its architecture's
  std::int64_t sm_count = 0;           // SMs (compute units on AMD) of the product, not of the full die
  std::int64_t sm_count_full_die = 0;  // of the silicon, which no product has
  double boost_clock_mhz = 0;
  double tensor_clock_mhz = 0;                        // that the tensor peaks are rated at
  std::int64_t fp16_flops_per_clock_per_sm = 0;       // on tensor cores
  std::array<double, dtypes.size()> tensor_tflops{};  // by DType, on tensor cores; 0: they cannot
  // By DType, on the fastest unit. fp16, bf16 and tf32 have a peak everywhere: what no tensor core multiplies
  // runs on the CUDA cores, as fp32 if need be. 0 for fp8, int8 and fp4: the GPU cannot.
  std::array<double, dtypes.size()> peak_tflops{};
  double peak_fp32_cuda_tflops = 0;  // outside tensor cores
  double peak_fp16_cuda_tflops = 0;
  double dram_bandwidth_gb_s = 0;
  double dram_size_gb = 0;        // as products are sold
  double memory_mib = 0;          // as the driver reports; 0: unknown
  double dram_measured_gb_s = 0;  // copy, or else triad, or else read; 0 when none was found
  double l2_size_mib = 0;         // all of it; on AMD all XCDs together
  double l2_bandwidth_gb_s = 0;
  double gemm_achievable_tflops = 0;  // MAMF or a high percentile of measured bf16 products; 0 when unknown
  double link_gb_s = 0;               // per direction and GPU, within a node (NVLink, xGMI); 0: PCIe only
  std::int64_t link_gpus = 8;         // GPUs that this link joins
  double pcie_gb_s = 0;               // per direction
  double host_link_gb_s = 0;  // to the host's memory where that is not PCIe (NVLink-C2C), per direction
  double network_gb_s = 0;    // per direction and GPU, between nodes; 0: the cost model's default
  double tdp_w = 0;
  bool fp32_accumulate_half_rate = false;
  Measured measured;
  AttentionKernels attention;  // the architecture's, unless the profile has its own
  EffectErrors errors;         // of predictions, by kind of effect
  Calibration calibration;
};

// Memory of a GPU in units of 2^30 bytes: what its driver reports, which error correction and firmware make
// less than what is sold ("an 80 GB" H100 has 81,559 MiB, a T4 of 16 GB 15,360); where that is unknown, as
// many as the product is sold with, in which gigabyte means 2^30 bytes (an "80 GB" A100 has 81,920 MiB). 0
// when unknown.
inline double memory_gib(const Gpu& gpu) {
  constexpr double mib_per_gib = 1024;
  return gpu.memory_mib > 0 ? gpu.memory_mib / mib_per_gib : gpu.dram_size_gb;
}
inline double memory_bytes(const Gpu& gpu) {
  return memory_gib(gpu) * bytes_per_gib;
}

inline double peak_tflops(const Gpu& gpu, DType dtype) {
  return gpu.peak_tflops[static_cast<std::size_t>(dtype)];
}
inline bool on_tensor_cores(const Gpu& gpu, DType dtype) {
  return gpu.tensor_tflops[static_cast<std::size_t>(dtype)] > 0;
}
// Whether products of this type run at all.
inline bool can_multiply(const Gpu& gpu, DType dtype) {
  return peak_tflops(gpu, dtype) > 0;
}

// Whether the GPU runs products of the recipe. Scales of 32 along k in 8 bits are applied by the units that
// came with fp4: compute capability 10.0 (Transformer Engine, pytorch/quantization.py,
// _compute_mxfp8_support), gfx950 (its ROCm fork, the same) and Trainium3.
inline bool can_scale(const Gpu& gpu, Recipe recipe) {
  return recipe != Recipe::mxfp8 || can_multiply(gpu, DType::fp4);
}

}  // namespace shapelint::gpu
