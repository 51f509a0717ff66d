// Scans and convolutions of linear attention and state space layers, and hyper-connections, of engines.
#include <algorithm>
#include <cmath>

#include "cost/engines/kernels.hpp"
#include "cost/engines/traffic.hpp"

namespace shapelint::cost {
namespace {

// Where the hidden size is timed, lanes are tokens of this many elements.
constexpr double lane_elements = 4096;

struct Steps {
  double number = 1;  // of one lane, that wait for each other
  double lanes = 1;
};

// Of what is moved, the bytes that a kernel and the next one have in common must fit L2.
struct Moved {
  double bytes = 0;
  double footprint = 0;
};

OpCost price_steps(const gpu::Gpu& gpu, const gpu::ScanKernel& kernel, const Steps& steps, double fixed_us,
                   const Moved& moved, double ideal_us) {
  const double sms = static_cast<double>(std::max<std::int64_t>(gpu.sm_count, 1));
  const double memory_us = moved.bytes * detail::us_per_byte(gpu, kernel, moved.footprint);
  const double waves = steps.lanes / (sms * kernel.slots);
  const double rounds =
      waves < 1 ? 1 : kernel.wave_rounding * std::ceil(waves) + (1 - kernel.wave_rounding) * waves;
  const double steps_us = steps.number * kernel.step_us * rounds;
  const double longer = std::max(memory_us, steps_us);
  const double shorter = std::min(memory_us, steps_us);
  const double p = kernel.overlap_power;
  // The sum of powers, scaled so that none overflows.
  const double core_us = longer > 0 ? longer * std::pow(1 + std::pow(shorter / longer, p), 1 / p) : 0;
  return detail::cost_of(steps_us, memory_us, fixed_us, core_us, ideal_us);
}

}  // namespace

OpCost price_scan_kernel(const gpu::Gpu& gpu, const gpu::ScanKernel& kernel, ScanKind kind,
                         const ScanSizes& sizes, ScanPass pass, bool verifies) {
  const ScanWork work = scan_work(kind, sizes, pass);
  double once = work.once_bytes;
  if (pass == ScanPass::forward && sizes.keeps_state) {
    once -= (2 - kernel.state_passes) * scan_state_bytes(kind, sizes);
  }
  if (verifies) {
    // A state is read once and written after each token; a convolution's are windows, each moved by itself.
    const double reads = kind == ScanKind::short_convolution ? sizes.seq_len : 1;
    once += scan_state_bytes(kind, sizes) * (sizes.seq_len + reads - 2);
  }
  const double chunk = static_cast<double>(kernel.chunk);
  const double lanes =
      sizes.batch *
      (kind == ScanKind::short_convolution ? sizes.value_heads * sizes.value_dim : sizes.value_heads);
  const double ideal_us =
      std::max(work.product_flops / peak_flops_per_us(gpu, DType::bf16), once / dram_bytes_per_us(gpu));
  const double between = kernel.is_fused ? 0 : work.between_bytes;
  return price_steps(gpu, kernel, {std::ceil(sizes.seq_len / chunk), lanes},
                     kernel.fixed_us + kernel.row_us * std::min(sizes.seq_len, chunk),
                     {once + between, once + between * part_in_common}, ideal_us);
}

std::optional<OpCost> price_timed_scan(const gpu::Gpu& gpu, ScanKind kind, const ScanSizes& sizes,
                                       ScanPass pass) {
  const bool gated = kind == ScanKind::gated_delta;
  if ((!gated && kind != ScanKind::kimi_delta) || pass == ScanPass::backward) return std::nullopt;
  const bool decodes = pass == ScanPass::decode;
  const bool verifies = decodes && sizes.seq_len > 1;
  gpu::EngineNames names{"sglang", {}, {}, {}, "scan-context"};
  if (!decodes) names.kernel = gated ? "chunk_gated_delta_rule" : "chunk_kda";
  if (decodes) names.operation = verifies ? "scan-verify" : "scan-generation";
  const auto kernels = gpu::scan_kernels(gated ? "gated-delta-net" : "kimi-delta-attention");
  const auto* known = gpu::closest(kernels, gpu.architecture.id, names);
  if (known == nullptr && verifies) {  // the same kernels, which were timed with one token only
    names.operation = "scan-generation";
    known = gpu::closest(kernels, gpu.architecture.id, names);
  }
  if (known == nullptr) return std::nullopt;
  return price_scan_kernel(gpu, *known, kind, sizes, pass, verifies);
}

OpCost price_streams(const gpu::Gpu& gpu, const gpu::ScanKernel& kernel, double tokens, double hidden,
                     double streams, double calls) {
  // Before a layer the streams are read twice, for the weights of the mixture and for the mixture itself;
  // after it they are read and written.
  const double bytes = calls * tokens * hidden * (2 * streams + 1) * bytes_of(DType::bf16);
  return price_steps(gpu, kernel, {1, calls * tokens * hidden / lane_elements}, calls * kernel.fixed_us,
                     {bytes, bytes}, bytes / dram_bytes_per_us(gpu));
}

}  // namespace shapelint::cost
