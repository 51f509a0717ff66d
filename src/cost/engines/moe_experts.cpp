// Experts of engines: grouped products over the rows that each expert gets.
#include <algorithm>
#include <cmath>

#include "cost/engines/kernels.hpp"
#include "cost/engines/traffic.hpp"

namespace shapelint::cost {
namespace {

constexpr double tile_columns = 128;

// Busy time of all SMs for one grouped product C[rows, n] = A[rows, k] B[expert][k, n], with the tile height
// that is fastest.
double product_us(const gpu::Gpu& gpu, const gpu::MoeKernel& kernel, std::span<const ExpertLoad> loads,
                  DType dtype, double weight_bytes, double n, double k, double speed) {
  const double sms = static_cast<double>(std::max<std::int64_t>(gpu.sm_count, 1));
  const double sm_flops = peak_flops_per_us(gpu, dtype) * speed / sms;
  const double feed = kernel.feed_gb_s * bytes_per_us_per_gb_s;
  const double columns = std::ceil(n / tile_columns);
  double best = 0;
  for (auto tile = static_cast<double>(kernel.least_tile); tile <= static_cast<double>(kernel.most_tile);
       tile *= 2) {
    double row_tiles = 0;
    for (const ExpertLoad& load : loads) row_tiles += load.experts * std::ceil(load.rows / tile);
    const double arithmetic_us = 2 * tile * tile_columns * k / sm_flops;
    const double loads_us = k * (tile * bytes_of(dtype) + tile_columns * weight_bytes) / feed;
    const double tile_us = std::sqrt(arithmetic_us * arithmetic_us + loads_us * loads_us) + kernel.tile_us;
    const double waves = row_tiles * columns / sms;
    const double rounds = waves < 1
                              ? std::max(waves, kernel.least_wave)
                              : kernel.wave_rounding * std::ceil(waves) + (1 - kernel.wave_rounding) * waves;
    const double time_us = tile_us * rounds;
    if (best <= 0 || time_us < best) best = time_us;
  }
  return best;
}

}  // namespace

OpCost price_moe_kernel(const gpu::Gpu& gpu, const gpu::MoeKernel& kernel, const ExpertLayer& layer,
                        std::span<const ExpertLoad> loads, double weight_bytes) {
  const double width = layer.intermediate / layer.tensor;
  const double branches = layer.gated ? 2 : 1;
  double rows = 0;
  double experts = 0;
  for (const ExpertLoad& load : loads) {
    rows += load.rows * load.experts;
    experts += load.experts;
  }
  // Skewed where the busiest expert has much more than its share.
  const bool is_skewed = loads.size() > 2;
  const double speed = kernel.efficiency * (is_skewed ? kernel.skewed_speed : 1);
  const double compute_us =
      product_us(gpu, kernel, loads, layer.dtype, weight_bytes, branches * width, layer.hidden, speed) +
      product_us(gpu, kernel, loads, layer.dtype, weight_bytes, layer.hidden, width, speed);

  const double element = bytes_of(DType::bf16);
  const double weights = experts * (branches + 1) * layer.hidden * width * weight_bytes;
  const double operands = rows * (layer.hidden + width) * bytes_of(layer.dtype) +
                          rows * (branches * width + layer.hidden) * element;
  const double extra = rows * (kernel.hidden_passes * layer.hidden + kernel.width_passes * width) * element +
                       kernel.token_passes * layer.tokens * layer.hidden * element;
  const double rate = detail::us_per_byte(gpu, kernel, weights + operands + extra);
  const double memory_us = (weights + operands) * rate;
  const double local = std::max(1.0, layer.experts / layer.expert);
  const double fixed_us = kernel.fixed_us + kernel.expert_us * local;
  const double power = kernel.overlap_power;
  const double core_us =
      std::pow(std::pow(compute_us, power) + std::pow(memory_us, power), 1 / power) + extra * rate;
  const double flops = 2 * rows * (branches + 1) * layer.hidden * width;
  const double ideal_us =
      std::max(flops / peak_flops_per_us(gpu, layer.dtype), (weights + operands) / dram_bytes_per_us(gpu));
  return detail::cost_of(compute_us, memory_us + extra * rate, fixed_us, core_us, ideal_us);
}

}  // namespace shapelint::cost
