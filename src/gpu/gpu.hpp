// A GPU: facts from vendors' documents and, apart from them, constants fitted to measurements.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/dtype.hpp"
#include "base/error.hpp"
#include "gpu/calibration.hpp"

namespace shapelint::gpu {

// Facts. 0 means that the figure is unknown or that the unit does not exist. Peaks are dense, with fp32
// accumulation. GB and TFLOPS are decimal, KiB and MiB binary.
struct Gpu {
  std::string id;    // file name without extension: `a100-sxm4-80gb`
  std::string name;  // `NVIDIA A100 SXM4 80GB`
  std::string vendor;
  std::string architecture;   // key of gpus/architectures: `ampere-ga100`
  std::int64_t sm_count = 0;  // SMs (compute units on AMD) of the product, not of the full die
  double boost_clock_mhz = 0;
  std::array<double, dtypes.size()> peak_tflops{};  // by DType, on the fastest unit that multiplies it
  double peak_fp32_cuda_tflops = 0;                 // outside tensor cores
  double peak_fp16_cuda_tflops = 0;
  double dram_bandwidth_gb_s = 0;
  double dram_size_gb = 0;
  double dram_measured_gb_s = 0;  // read or copy benchmark; 0 when none was found
  double l2_size_mib = 0;
  double l2_bandwidth_gb_s = 0;
  double shared_bytes_per_clock_per_sm = 0;
  double shared_max_per_block_kib = 0;
  double gemm_achievable_tflops = 0;  // MAMF or a high percentile of measured bf16 products; 0 when unknown
  double link_gb_s = 0;               // per direction and GPU, within a node (NVLink, xGMI); 0: PCIe only
  double pcie_gb_s = 0;               // per direction
  double tdp_w = 0;
  bool has_tensor_cores = false;
  Calibration calibration;
};

inline double peak_tflops(const Gpu& gpu, DType dtype) {
  return gpu.peak_tflops[static_cast<std::size_t>(dtype)];
}

}  // namespace shapelint::gpu
