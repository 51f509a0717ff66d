// Time of one matrix product: the best of the library's tiles and splits of k. Equations: docs/cost-model.md.
#include "cost/gemm.hpp"

#include <algorithm>
#include <cmath>

namespace shapelint::cost {

namespace {

constexpr double gb_s_to_bytes_per_us = 1e3;
constexpr double tflops_to_flops_per_us = 1e6;
constexpr double mib = 1024.0 * 1024.0;
// Splits of k that libraries offer, and the least depth of a slice that they leave (CUTLASS's and cuBLAS's
// kernel names show slices of 128 and more).
constexpr std::array<double, 12> splits{1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32};
constexpr double least_slice = 128;
constexpr double partial_sum_bytes = 8;  // fp32, written and read once
// Operands larger than this share of L2 are evicted between the tiles that need them.
constexpr double kept_share_of_l2 = 0.5;

double fourth(double x) {
  return (x * x) * (x * x);
}

// What no tile changes.
struct Terms {
  double batch, m, n, k;
  double operand_bytes;  // A and B
  double resident_us;    // for what is found in L2
  double dram_bytes;     // for the rest
  double slowdown;       // of the main loop, by the power limit
  double alignment;      // speed of the main loop
  double reduction_us;   // DRAM time of the partial sums, per slice
};

// One way to compute it.
struct Candidate {
  const TileRate* tile = nullptr;
  double split = 1;
  double rows = 0;  // of tiles
  double columns = 0;
  double slice = 0;  // k of one split
  double ctas = 0;
  double waves = 0;
};

// ceil(x / size) for whole x from 1 to 10^12: half an element off the edge keeps the quotient away from
// whole numbers, where its rounding could matter.
double blocks(double x, double inverse_size) {
  return static_cast<double>(static_cast<std::int64_t>((x - 0.5) * inverse_size)) + 1;
}

double whole_ceil(double x) {
  const auto down = static_cast<double>(static_cast<std::int64_t>(x));
  return down < x ? down + 1 : down;
}

double ramped(const gpu::GemmConstants& c, double us) {
  const double extra = c.dram_ramp * us;
  return us + extra / (1 + extra / c.dram_ramp_us);
}

// Bytes of A and B that a tile's neighbours load again because L2 has lost them: concurrent tiles form a
// square block of the output that shares its rows and columns.
double reread_bytes(const GemmModel& g, const Terms& t, const Candidate& c) {
  if (g.constants.reread_share <= 0) return 0;
  const double tile_area = c.tile->m * c.tile->n;
  const double area = std::min(c.tile->units, c.rows * c.columns) * tile_area;
  const double width = std::min(t.n, std::sqrt(area));
  const double height = std::min(t.m, area / width);
  const double loads = g.element_bytes * t.batch * t.m * t.n * t.k * (1 / width + 1 / height);
  const double lost = std::min(1.0, t.operand_bytes / (kept_share_of_l2 * g.l2_bytes));
  return g.constants.reread_share * lost * std::max(0.0, loads - t.operand_bytes);
}

double compute_us(const GemmModel& g, const Terms& t, const Candidate& c, double waves) {
  const double by_waves = waves * (c.slice + g.constants.prologue_k) * c.tile->step_us;
  const double by_feed = c.ctas * c.tile->row_bytes * c.slice / g.feed_bytes_per_us;
  return std::max(by_waves, by_feed) * t.slowdown / t.alignment;
}

double memory_us(const GemmModel& g, const Terms& t, const Candidate& c, double reread) {
  const double active = std::min(c.ctas, c.tile->units) * c.tile->sms * g.sm_dram_bytes_per_us;
  return ramped(g.constants, t.resident_us + (t.dram_bytes + reread) / std::min(g.dram_bytes_per_us, active));
}

double split_us(const GemmModel& g, const Terms& t, double split) {
  return split > 1 ? g.constants.split_us + t.reduction_us * split : 0;
}

double rounded_waves(const GemmModel& g, double waves) {
  const double soft = g.constants.wave_softness;
  return soft * std::max(waves, 1.0) + (1 - soft) * whole_ceil(waves);
}

// Compute and memory overlap; the fourth power rounds the corner of the roofline.
double overlapped(double compute, double memory) {
  return std::sqrt(std::sqrt(fourth(compute) + fourth(memory)));
}

Terms terms_of(const GemmModel& g, const GemmShape& shape) {
  Terms t{};
  t.batch = static_cast<double>(shape.batch);
  t.m = static_cast<double>(shape.m);
  t.n = static_cast<double>(shape.n);
  t.k = static_cast<double>(shape.k);
  const gpu::GemmConstants& c = g.constants;
  const double area = t.batch * t.m * t.n;
  const double weights = g.element_bytes * t.batch * t.k * t.n;
  const double activations = g.element_bytes * t.batch * t.m * t.k;
  const double others = activations + g.element_bytes * area;
  t.operand_bytes = weights + activations;

  double kept_weights = 0;
  double kept_others = 0;
  if (c.rotation_reach > 1) {
    // The benchmark rotates just as many weights as fill L2; what exceeds it decides how many are found.
    const double footprint = std::ceil(g.l2_bytes / weights) * weights / g.l2_bytes;
    kept_weights =
        c.rotation_hits * std::clamp((c.rotation_reach - footprint) / (c.rotation_reach - 1), 0.0, 1.0);
    kept_others = 1 / (1 + fourth(others / g.resident_bytes));
  } else {
    kept_weights = kept_others = 1 / (1 + fourth((weights + others) / g.resident_bytes));
  }
  t.resident_us = (kept_weights * weights + kept_others * others) / g.resident_bytes_per_us;
  t.dram_bytes = (1 - kept_weights) * weights + (1 - kept_others) * others;

  const double ideal_us = 2 * area * t.k / g.peak_flops_per_us;
  t.slowdown = 1 / (1 - c.power_drop * ideal_us / (ideal_us + c.power_us));
  t.alignment = alignment_speed(g.alignment, shape.layout, shape.m, shape.n, shape.k);
  t.reduction_us = partial_sum_bytes * area * c.split_traffic / g.dram_bytes_per_us;
  return t;
}

// The candidate with the least time. Tiles are sorted by the least time that they could take; the rest is
// ruled out once that is more than the best found.
Candidate best_candidate(const GemmModel& g, const Terms& t) {
  const double work = t.batch * t.m * t.n * t.k * t.slowdown / t.alignment;
  const double least_memory = fourth(t.resident_us + t.dram_bytes / g.dram_bytes_per_us);
  double best_us = 1e300;
  double best_fourth = 1e300;
  Candidate best;
  for (std::size_t i = 0; i < g.tiles.count; ++i) {
    const TileRate& tile = g.tiles.tiles[i];
    if (fourth(work * tile.floor_us_per_area) + least_memory >= best_fourth) break;
    Candidate c;
    c.tile = &tile;
    c.rows = blocks(t.m, tile.inverse_m);
    c.columns = blocks(t.n, tile.inverse_n);
    const double tiles = t.batch * c.rows * c.columns;
    const double most_ctas = g.constants.split_waves * tile.units;
    const double reread = reread_bytes(g, t, c);
    for (const double split : splits) {
      if (split > 1 && (t.k < least_slice * split || tiles * split > most_ctas)) break;
      c.split = split;
      c.slice = split > 1 ? whole_ceil(t.k / split) : t.k;
      c.ctas = tiles * split;
      c.waves = c.ctas * tile.inverse_units;
      const double compute = compute_us(g, t, c, rounded_waves(g, c.waves));
      const double extra = split_us(g, t, split);
      if (extra < best_us) {
        const double us = overlapped(compute, memory_us(g, t, c, reread)) + extra;
        if (us < best_us) {
          best_us = us;
          best_fourth = fourth(us);
          best = c;
        }
      }
      // Memory bounds it already: more slices cannot help.
      if (fourth(compute) * 16 < least_memory) break;
    }
  }
  return best;
}

}  // namespace

GemmModel gemm_model(const gpu::Gpu& gpu, DType dtype, Timing timing) {
  GemmModel g;
  const gpu::GemmCalibration& calibration = gpu::gemm_calibration(gpu.calibration, dtype);
  g.constants = calibration.constants;
  if (timing == Timing::in_step) {
    g.constants.host_us = 0;
    g.constants.rotation_reach = 0;
  }
  const gpu::GemmConstants& c = g.constants;
  g.dtype = dtype;
  g.element_bytes = bytes_of(dtype);
  g.peak_flops_per_us = std::max(1e-3, peak_tflops(gpu, dtype)) * tflops_to_flops_per_us;
  const double sms = std::max(1.0, static_cast<double>(gpu.sm_count));
  const double bandwidth = std::max(1.0, gpu.dram_bandwidth_gb_s) * gb_s_to_bytes_per_us;
  g.roofline_bytes_per_us = bandwidth;
  g.dram_bytes_per_us = bandwidth * c.dram_efficiency;
  g.sm_dram_bytes_per_us = c.sm_dram_gb_s * gb_s_to_bytes_per_us;
  g.l2_bytes = std::max(1.0, gpu.l2_size_mib) * mib;
  g.resident_bytes = c.resident_share * g.l2_bytes;
  g.resident_bytes_per_us = c.resident_sm_gb_s * sms * gb_s_to_bytes_per_us;
  g.feed_bytes_per_us = c.l2_feed_sm_gb_s * sms * gb_s_to_bytes_per_us;
  g.launch_us = c.launch_us + c.host_us;
  g.quantize_launch_us = c.quantize_us;
  g.tiles = tile_table(gpu, c, g.peak_flops_per_us, g.element_bytes);
  g.alignment = alignment_table(c, static_cast<std::int64_t>(8 * g.element_bytes));
  return g;
}

OpCost predict_gemm(const GemmModel& g, const GemmShape& shape) {
  const Terms t = terms_of(g, shape);
  const Candidate best = best_candidate(g, t);
  const double reread = reread_bytes(g, t, best);
  const double memory = memory_us(g, t, best, reread);
  const double split = split_us(g, t, best.split);

  OpCost cost;
  cost.tile_m = static_cast<std::int64_t>(best.tile->m);
  cost.tile_n = static_cast<std::int64_t>(best.tile->n);
  cost.split_k = static_cast<std::int64_t>(best.split);
  cost.waves = best.waves;
  if (g.quantize_launch_us > 0) {
    const double converted_bytes = 3 * t.batch * t.m * t.k;  // reads 16 bits, writes 8
    cost.quantize_us = g.quantize_launch_us + ramped(g.constants, converted_bytes / g.dram_bytes_per_us);
  }
  const double fixed = g.launch_us + split + cost.quantize_us;

  // The losses, taken away one after the other from the same candidate.
  const double compute = compute_us(g, t, best, rounded_waves(g, best.waves));
  cost.time_us = fixed + overlapped(compute, memory);
  Terms aligned = t;
  aligned.alignment = 1;
  const double aligned_us = fixed + overlapped(compute * t.alignment, memory);
  Candidate exact = best;  // tiles cut to the edges
  exact.ctas = t.batch * t.m * best.tile->inverse_m * t.n * best.tile->inverse_n * best.split;
  exact.waves = exact.ctas * best.tile->inverse_units;
  const double exact_compute =
      std::min(compute * t.alignment, compute_us(g, aligned, exact, rounded_waves(g, exact.waves)));
  const double exact_us = fixed + overlapped(exact_compute, memory);
  const double even_compute = std::min(exact_compute, compute_us(g, aligned, exact, exact.waves));
  const double even_us = fixed + overlapped(even_compute, memory);

  const double flops_us = 2 * t.batch * t.m * t.n * t.k / g.peak_flops_per_us;
  const double bytes = g.element_bytes * t.batch * (t.m * t.k + t.n * t.k + t.m * t.n);
  cost.ideal_us = std::max(flops_us, bytes / g.roofline_bytes_per_us);
  cost.efficiency.alignment = aligned_us / cost.time_us;
  cost.efficiency.tile = exact_us / aligned_us;
  cost.efficiency.wave = even_us / exact_us;
  cost.efficiency.rest = cost.ideal_us / even_us;
  if (2 * g.launch_us > cost.time_us) {
    cost.bound = Bound::overhead;
  } else {
    cost.bound = memory > compute ? Bound::memory : Bound::compute;
  }
  return cost;
}

OpCost predict_gemm(const gpu::Gpu& gpu, const GemmShape& shape, Timing timing) {
  return predict_gemm(gemm_model(gpu, shape.dtype, timing), shape);
}

}  // namespace shapelint::cost
