// Memory-bound operations; equations in docs/explanation/gpu-model.md, section 2.
#include "cost/kernels/memory.hpp"

#include <algorithm>

#include "base/units.hpp"

namespace shapelint::cost {
namespace {

// A profile without any figure for a unit must still give a finite time.
constexpr double min_tflops = 1e-3;
constexpr double min_dram_gb_s = 1.0;

// Share of the data sheet's bandwidth without a measurement: aiconfigurator assumes 0.8 for every GPU
// (src/aiconfigurator, systems files); read and copy benchmarks on twelve GPUs give 0.75 to 0.98 (RRZE
// gpu-benches).
constexpr double default_dram_share = 0.8;

// Round trip to DRAM under load, which a kernel pays once to fill and once to drain its pipeline. Estimated:
// pointer-chasing benchmarks give 0.4 to 0.6 us on A100 and H100 without load.
constexpr double dram_latency_us = 0.7;

// Part of the L2 that holds what the kernel before has written: on an A100 bandwidth falls from the L2's to
// DRAM's beyond 27 of its 40 MB (RRZE gpu-l2-cache).
constexpr double l2_usable_share = 27.0 / 40.0;

// B per clock and SM, of all SMs, in bytes per microsecond.
double of_all_sms(const gpu::Gpu& gpu, double bytes_per_clock) {
  return bytes_per_clock * static_cast<double>(gpu.sm_count) * gpu.boost_clock_mhz;
}

}  // namespace

double peak_flops_per_us(const gpu::Gpu& gpu, DType dtype) {
  double tflops = gpu::peak_tflops(gpu, dtype);
  if (tflops <= 0 && dtype == DType::fp16) tflops = gpu.peak_fp16_cuda_tflops;
  if (tflops <= 0) tflops = gpu.peak_fp32_cuda_tflops;
  return std::max(tflops, min_tflops) * flops_per_us_per_tflops;
}

double cuda_flops_per_us(const gpu::Gpu& gpu) {
  return std::max(gpu.peak_fp32_cuda_tflops, min_tflops) * flops_per_us_per_tflops;
}

double dram_bytes_per_us(const gpu::Gpu& gpu) {
  return std::max(gpu.dram_bandwidth_gb_s, min_dram_gb_s) * bytes_per_us_per_gb_s;
}

double min_dram_bytes_per_us(const gpu::Gpu& gpu) {
  return std::min(gpu.measured.dram_lbm_gb_s * bytes_per_us_per_gb_s, dram_bytes_per_us(gpu));
}

double achieved_dram_bytes_per_us(const gpu::Gpu& gpu) {
  const double sheet = dram_bytes_per_us(gpu);
  if (gpu.dram_measured_gb_s <= 0) return std::max(sheet * default_dram_share, min_dram_bytes_per_us(gpu));
  return std::min(gpu.dram_measured_gb_s * bytes_per_us_per_gb_s, sheet);
}

double l2_bytes_per_us(const gpu::Gpu& gpu) {
  const gpu::Architecture& of = gpu.architecture;
  return std::max(gpu.l2_bandwidth_gb_s * bytes_per_us_per_gb_s,
                  of_all_sms(gpu, std::max(of.l2_bytes_per_clock_per_sm, of.l2_peak_bytes_per_clock_per_sm)));
}

double shared_bytes_per_us(const gpu::Gpu& gpu) {
  return of_all_sms(gpu, gpu.architecture.shared_bytes_per_clock_per_sm);
}

double launch_us(const gpu::Gpu& gpu) {
  return gpu::gemm_calibration(gpu.calibration, DType::bf16).constants.launch_us;
}

double resident_share(const gpu::Gpu& gpu, double bytes) {
  const double usable_l2 = gpu.l2_size_mib * bytes_per_mib * l2_usable_share;
  const double l2 = gpu.l2_bandwidth_gb_s * bytes_per_us_per_gb_s;
  return l2 > dram_bytes_per_us(gpu) && usable_l2 > 0 ? std::max(0.0, 1.0 - bytes / usable_l2) : 0.0;
}

OpCost price_elementwise(const gpu::Gpu& gpu, double bytes, double flops, double bandwidth_share) {
  bytes = std::max(bytes, 0.0);
  const double dram = dram_bytes_per_us(gpu);
  const double l2 = gpu.l2_bandwidth_gb_s * bytes_per_us_per_gb_s;
  const double resident = resident_share(gpu, bytes);
  const double l2_us = resident > 0 ? bytes * resident / l2 : 0.0;
  const double from_dram = bytes * (1.0 - resident);

  const double memory_us =
      l2_us + from_dram / (bandwidth_share * achieved_dram_bytes_per_us(gpu)) + dram_latency_us;
  const double compute_us = flops / cuda_flops_per_us(gpu);
  const double overhead_us = launch_us(gpu);

  OpCost cost;
  cost.time_us = overhead_us + std::max(memory_us, compute_us);
  cost.ideal_us = std::max(l2_us + from_dram / dram, compute_us);
  cost.compute_us = compute_us;
  cost.memory_us = memory_us - dram_latency_us;
  cost.overhead_us = overhead_us + dram_latency_us;
  if (overhead_us + dram_latency_us > 0.5 * cost.time_us) {
    cost.bound = Bound::overhead;
  } else {
    cost.bound = compute_us > memory_us ? Bound::compute : Bound::memory;
  }
  cost.efficiency.rest = cost.ideal_us / cost.time_us;
  return cost;
}

}  // namespace shapelint::cost
