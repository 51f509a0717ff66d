// Memory-bound operations: norms, activations, softmax, residuals, the optimizer's update.
#pragma once

#include <cmath>

#include "base/dtype.hpp"
#include "cost/op_cost.hpp"
#include "gpu/gpu.hpp"

namespace shapelint::cost {

// Arithmetic units that multiply this dtype, FLOP per microsecond. Where no tensor core takes it, the CUDA
// cores' rate (fp16: twice fp32's); never 0.
double peak_flops_per_us(const gpu::Gpu& gpu, DType dtype);

// The same for fp32 outside tensor cores.
double cuda_flops_per_us(const gpu::Gpu& gpu);

// Share of the peak of slower tensor cores than a kernel was timed on that GEMMs reach at
// most, since loads are as fast: an H20, throttled to a quarter, was measured at 141.9 of 148 TFLOP/s
// (gpus/h20.toml); an RTX 4090, at half rate where it adds in fp32, at 165 of 165 (pytorch/pytorch#181718).
inline constexpr double most_of_lower_peak = 0.96;
// How many times faster they add in fp32 on a card of the architecture that does so at full rate.
inline constexpr double half_rates = 2;

// DRAM bandwidth of the data sheet, and the share of it that streaming kernels reach; bytes per microsecond.
double dram_bytes_per_us(const gpu::Gpu& gpu);
double achieved_dram_bytes_per_us(const gpu::Gpu& gpu);
// What a lattice Boltzmann stencil draws; 0 if not measured.
double min_dram_bytes_per_us(const gpu::Gpu& gpu);

// What L2 delivers to all SMs at best, and what all SMs read from and write to shared memory; bytes per
// microsecond. L2: the larger of the profile's figure and of SMs x bytes per clock of the architecture x
// clock, since one benchmark does not find the limit; shared memory: the latter. 0: unknown.
double l2_bytes_per_us(const gpu::Gpu& gpu);
double shared_bytes_per_us(const gpu::Gpu& gpu);

// One kernel from launch to the end of its drain, without its work: as fitted to the GPU's matrix products.
double launch_us(const gpu::Gpu& gpu);

// The share of a kernel's buffers that the kernel before left in the L2: falls from 1 to 0 as they outgrow
// it.
double resident_share(const gpu::Gpu& gpu, double bytes);

// Time of a kernel that moves `bytes` (read and written, each at least once) and does `flops` on CUDA cores.
// Equations: docs/explanation/gpu-model.md, section 2.
// `bandwidth_share`: of what long copies reach.
OpCost price_elementwise(const gpu::Gpu& gpu, double bytes, double flops, double bandwidth_share = 1);

// PyTorch's own elementwise kernels and reductions, in eager mode: from what training steps of three models
// lose to the same steps compiled (H200, PyTorch 2.11, docs/explanation/gpu-model.md, section 2).
inline constexpr double eager_bandwidth_share = 0.7;

// Two limits of one kernel that work at the same time.

inline double fourth_power(double x) {
  return (x * x) * (x * x);
}

// The longer of two times that overlap, somewhat more where they are alike: the fourth power rounds the
// corner of the roofline.
inline double smooth_max(double a, double b) {
  return std::sqrt(std::sqrt(fourth_power(a) + fourth_power(b)));
}

// The same with another power: 1: one after the other; large: the longer one.
inline double smooth_max(double a, double b, double power) {
  const double longer = std::fmax(a, b);
  if (!(longer > 0)) return 0;
  return longer * std::pow(1 + std::pow(std::fmin(a, b) / longer, power), 1 / power);
}

}  // namespace shapelint::cost
