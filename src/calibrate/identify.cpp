// Decides which constants are fitted.
#include "calibrate/fit.hpp"

#include <algorithm>
#include <functional>
#include <set>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "base/number.hpp"

namespace shapelint::calibrate {

namespace {

using C = gpu::GemmConstants;

constexpr std::size_t min_dependent_rows = 20;  // that must depend on a constant
// A launch within a CUDA graph takes 2 to 4 us; what takes longer includes the host.
constexpr double longest_launch_us = 8;
// What products take of their ideal time without any launch, roughly.
constexpr double usual_slack = 1.3;
constexpr double long_product_us = 300;
constexpr double long_transfer_us = 10;

// Rows whose worst contiguous dimension of the kind is aligned to exactly `bytes` (2: at most).
std::size_t aligned_to(std::span<const MeasuredShape> rows, bool along_k, std::int64_t bytes) {
  return static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), [&](const MeasuredShape& row) {
    const cost::GemmShape& s = row.shape;
    const auto bits = static_cast<std::int64_t>(8 * bytes_of(s.dtype));
    if (along_k && !cost::has_rows_along_k(s.layout)) return false;
    const std::int64_t least = std::max<std::int64_t>(2, bits / 8);
    const std::int64_t found = std::max(least, cost::row_alignment_bytes(along_k ? s.k : s.n, bits));
    return found == bytes;
  }));
}

// Which tiles there are is a fact of the library, no rate.
bool is_of_library(const gpu::GemmConstant& constant) {
  return constant.key.starts_with("tile_");
}

struct Counts {
  std::size_t long_products = 0;
  std::size_t long_transfers = 0;
  double longest_us = 0;  // that as many products reach as it takes to determine a constant
  double launch_us = 0;   // 5th percentile of what remains beyond the roofline with its slack
};

Counts count(const gpu::Gpu& gpu, std::span<const MeasuredShape> rows) {
  Counts counts;
  const std::vector<double> ideal = roofline(gpu, rows);
  std::vector<double> beyond;
  std::vector<double> products_us;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const cost::GemmShape& s = rows[i].shape;
    const double flops_us = 2.0 * static_cast<double>(s.batch) * static_cast<double>(s.m) *
                            static_cast<double>(s.n) * static_cast<double>(s.k) /
                            (peak_tflops(gpu, s.dtype) * 1e6);
    if (flops_us > long_product_us) ++counts.long_products;
    products_us.push_back(flops_us);
    if (ideal[i] > 1.5 * flops_us && ideal[i] > long_transfer_us) ++counts.long_transfers;
    beyond.push_back(rows[i].time_us - usual_slack * ideal[i]);
  }
  if (counts.long_products >= min_dependent_rows) {
    std::nth_element(products_us.begin(), products_us.begin() + (min_dependent_rows - 1), products_us.end(),
                     std::greater<>());
    counts.longest_us = products_us[min_dependent_rows - 1];
  }
  std::sort(beyond.begin(), beyond.end());
  counts.launch_us = beyond[beyond.size() / 20];
  return counts;
}

}  // namespace

Choice choose_to_adjust(const gpu::Gpu& gpu, gpu::ConstantSet set) {
  Choice choice;
  const gpu::GemmCalibration& base = gpu.calibration.gemm[static_cast<std::size_t>(set)];
  choice.start = base.constants;
  if (gpu::is_of_recipe(set) && base.source.empty()) {
    const auto recipe = static_cast<Recipe>(static_cast<std::size_t>(set) -
                                            static_cast<std::size_t>(gpu::ConstantSet::single));
    const DType dtype = info(recipe).operand_bits == 4 ? DType::fp4 : DType::fp8;
    const gpu::ConstantSet nearest = gpu::constants_for(gpu.calibration, dtype, recipe);
    choice.start = gpu.calibration.gemm[static_cast<std::size_t>(nearest)].constants;
  }
  for (const gpu::GemmConstant& each : gpu::gemm_constants()) {
    const auto member = each.member;
    const bool of_benchmark =
        member == &C::host_us || each.key.starts_with("rotation_") || member == &C::power_reach_us;
    // Kernels that the base does not distinguish, a few products do not distinguish either.
    const bool of_kernels = is_of_library(each) || member == &C::prologue_2b ||
                            (member == &C::align_c_2b && choice.start.align_c_2b >= 1);
    if (!of_benchmark && !of_kernels && !each.key.starts_with("quantize_")) choice.free.push_back(&each);
  }
  return choice;
}

Choice choose_constants(const gpu::Gpu& gpu, gpu::ConstantSet set, std::span<const MeasuredShape> rows,
                        bool rotated) {
  Choice choice;
  const gpu::GemmCalibration& base = gpu.calibration.gemm[static_cast<std::size_t>(set)];
  // A recipe without a fit runs on the memory, and in the steps, of 16-bit products.
  const bool is_new = gpu::is_of_recipe(set) && base.source.empty();
  choice.start = is_new ? gpu::gemm_calibration(gpu.calibration, DType::bf16).constants : base.constants;
  const Counts counts = count(gpu, rows);
  const bool with_host = counts.launch_us > longest_launch_us;
  if (!with_host) choice.start.host_us = 0;
  if (with_host && choice.start.host_us <= 0) choice.start.host_us = counts.launch_us;
  if (!rotated) choice.start.rotation_reach = choice.start.rotation_hits = 0;
  if (rotated && choice.start.rotation_reach <= 1) {
    choice.start.rotation_reach = 1.15;
    choice.start.rotation_hits = 0.9;
  }
  if (set == gpu::ConstantSet::byte && choice.start.quantize_us <= 0) choice.start.quantize_us = 2;

  if (counts.long_products >= min_dependent_rows) choice.start.power_reach_us = counts.longest_us;

  const auto reason = [&](const gpu::GemmConstant& each) -> std::string {
    const auto member = each.member;
    if (member == &C::host_us && !with_host) return "the times have no gaps of a host between kernels";
    if (member == &C::launch_us && with_host) return "cannot be separated from host gaps";
    if ((member == &C::rotation_reach || member == &C::rotation_hits) && !rotated)
      return "the benchmark does not rotate buffers";
    if (each.key.starts_with("quantize_") && set != gpu::ConstantSet::byte) return "nothing is quantized";
    if (member == &C::rotation_least || member == &C::rotation_most) return "from the benchmark's code";
    if (is_of_library(each)) return "from kernel names";
    if (member == &C::prologue_2b) return "it is read from batches of odd rows and little k";
    if (member == &C::power_reach_us) return "it is read from the data";
    if ((member == &C::power_drop || member == &C::power_us) && counts.long_products < min_dependent_rows)
      return fmt::format("{} long enough for the power limit, {} are needed",
                         counted(counts.long_products, "row is|rows are"), min_dependent_rows);
    const bool of_dram = member == &C::dram_efficiency || member == &C::dram_ramp ||
                         member == &C::dram_ramp_us || member == &C::sm_dram_gb_s ||
                         member == &C::reread_share;
    if (of_dram && counts.long_transfers < min_dependent_rows)
      return fmt::format("{} bound by DRAM for long enough, {} are needed",
                         counted(counts.long_transfers, "row is|rows are"), min_dependent_rows);
    if (each.key.starts_with("align_")) {
      const bool along_k = each.key[6] == 'k';
      const std::int64_t bytes = each.key.ends_with("_16b")  ? 16
                                 : each.key.ends_with("_8b") ? 8
                                 : each.key.ends_with("_4b") ? 4
                                                             : 2;
      const std::size_t found = aligned_to(rows, along_k, bytes);
      if (found < min_dependent_rows)
        return fmt::format("{} aligned so, {} are needed", counted(found, "row is|rows are"),
                           min_dependent_rows);
    }
    return {};
  };
  for (const gpu::GemmConstant& each : gpu::gemm_constants()) {
    std::string why = reason(each);
    if (why.empty()) {
      choice.free.push_back(&each);
    } else {
      choice.kept.push_back({each.key, std::move(why)});
    }
  }
  return choice;
}

}  // namespace shapelint::calibrate
