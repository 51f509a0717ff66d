// Passes over a matrix, and collectives, of engines.
#include <algorithm>
#include <cmath>

#include "cost/engines/kernels.hpp"
#include "cost/engines/traffic.hpp"
#include "cost/kernels/collective.hpp"

namespace shapelint::cost {

namespace {

constexpr double columns_of_width = 8192;

// Of DRAM's bandwidth, what frameworks' passes to MXFP8 reach: they write both directions, with a scale for
// every 32 elements that another kernel arranges as tensor cores read it
// (blog.fal.ai/chasing-6-tb-s-an-mxfp8-quantizer-on-blackwell tells of that kernel). Fitted together with
// mxfp8_speed (cost/price.cpp).
constexpr double mxfp8_bandwidth_share = 0.58;

}  // namespace

OpCost price_pass(const gpu::Gpu& gpu, const gpu::PassKernel& kernel, double m, double k, double bytes) {
  const double sms = static_cast<double>(std::max<std::int64_t>(gpu.sm_count, 1));
  const double moved = bytes * m * k;
  const double memory_us = moved * detail::us_per_byte(gpu, kernel, moved);
  const double rows_us = m / sms * kernel.row_us;
  const double fixed_us = kernel.fixed_us + kernel.width_us * k / columns_of_width;
  return detail::cost_of(0, memory_us, fixed_us, overlapped(memory_us, rows_us),
                         moved / dram_bytes_per_us(gpu));
}

std::optional<OpCost> price_quantizing(const gpu::Gpu& gpu, const model::Op& op) {
  // The plainest kernels of those that were timed, as frameworks that train have them: one pass for each
  // step.
  const gpu::EngineNames names{"trtllm", {}, {}, {}, {}};
  const auto& architecture = gpu.architecture.id;
  const auto* narrows = gpu::closest(gpu::pass_kernels("fp8-quantize"), architecture, names);
  const auto* scans = gpu::closest(gpu::pass_kernels("fp8-scale"), architecture, names);
  if (narrows == nullptr) return std::nullopt;
  const double moved = op.bytes - op.scanned_bytes;
  double memory_us = moved * detail::us_per_byte(gpu, *narrows, moved);
  double fixed_us = narrows->fixed_us;
  if (op.scanned_bytes > 0) {
    const gpu::PassKernel& scan = scans != nullptr ? *scans : *narrows;
    memory_us += op.scanned_bytes * detail::us_per_byte(gpu, scan, op.scanned_bytes);
    fixed_us += scan.fixed_us;
  }
  const double ideal_us = op.bytes / dram_bytes_per_us(gpu);
  if (op.recipe == Recipe::mxfp8) memory_us = std::max(memory_us, ideal_us / mxfp8_bandwidth_share);
  return detail::cost_of(0, memory_us, fixed_us, memory_us, ideal_us);
}

const gpu::CollectiveKernel* exchange_kernel(const gpu::Gpu& gpu, std::string_view kind,
                                             const gpu::EngineNames& names) {
  const auto kernels = gpu::collective_kernels(kind);
  const auto* known = gpu::closest(kernels, gpu.architecture.id, names);
  // Links matter more than SMs.
  if (known == nullptr && gpu.vendor == "NVIDIA")
    known = gpu::closest(kernels, gpu.link_gb_s > 0 ? "hopper" : "ada", names);
  return known;
}

OpCost price_exchange(const gpu::Gpu& gpu, const gpu::CollectiveKernel& kernel, double bytes, double ranks,
                      double sent) {
  OpCost cost;
  cost.bound = Bound::communication;
  if (ranks <= 1 || !(bytes > 0)) return cost;
  const double link = gpu.link_gb_s > 0 ? gpu.link_gb_s * bytes_per_us_per_gb_s : pcie_bytes_per_us(gpu);
  const double more = ranks - 2;
  const auto rate = [&](double share, double power) { return link * share * std::pow(ranks / 2, power); };
  const double short_us =
      kernel.short_us + kernel.short_rank_us * more +
      bytes * (kernel.one_shot ? ranks - 1 : sent) / rate(kernel.short_share, kernel.short_power);
  const double transfer_us = bytes * sent / rate(kernel.long_share, kernel.long_power);
  const double long_us =
      kernel.long_us + kernel.long_rank_us * more + transfer_us + kernel.ramp * std::sqrt(transfer_us);
  cost.time_us = std::min(short_us, long_us);
  cost.ideal_us = std::min(bytes * sent / link, cost.time_us);
  cost.efficiency.rest = cost.ideal_us / cost.time_us;
  return cost;
}

}  // namespace shapelint::cost
