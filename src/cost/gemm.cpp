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
constexpr auto inverse_splits = [] {
  std::array<double, splits.size()> inverse{};
  for (std::size_t i = 0; i < splits.size(); ++i) inverse[i] = 1 / splits[i];
  return inverse;
}();
constexpr double least_slice = 128;
constexpr double partial_sum_bytes = 8;  // fp32, written and read once
// Operands larger than this share of L2 are evicted between the tiles that need them.
constexpr double kept_share_of_l2 = 0.5;

inline double fourth(double x) {
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
  double reread = 0;  // bytes
};

// Nearest whole number, of doubles below 2^51; unlike std::round it compiles to two additions, which the
// compiler can do for several tiles at once.
inline double nearest(double x) {
  constexpr double shift = 4503599627370496.0 * 1.5;  // 1.5 x 2^52: where doubles have no fraction left
  return (x + shift) - shift;
}

// ceil(x / size) for whole x from 1 to 10^12: half an element off the edge keeps the quotient away from
// whole numbers, where its rounding could matter.
inline double blocks(double x, double inverse_size) {
  return nearest((x - 0.5) * inverse_size + 0.5);
}

// ceil(x), but for fractions of a millionth. From 2^51 on, doubles have no fraction that matters here.
inline double whole_ceil(double x) {
  return x < 2e15 ? nearest(x + 0.499999) : x;
}

double ramped(const gpu::GemmConstants& c, double us) {
  const double extra = c.dram_ramp * us;
  return us + extra / (1 + extra / c.dram_ramp_us);
}

// Bytes of A and B that the tiles computed at the same time load beyond the first load of each: they form a
// square block of the output that shares its rows and columns.
double reread_bytes(const GemmModel& g, const Terms& t, const Candidate& c) {
  const double tile_area = c.tile->m * c.tile->n;
  const double area = std::min(c.tile->units, c.rows * c.columns) * tile_area;
  const double width = std::min(t.n, std::sqrt(area));
  const double height = std::min(t.m, area / width);
  const double loads = g.element_bytes * t.batch * t.m * t.n * t.k * (1 / width + 1 / height);
  return std::max(0.0, loads - t.operand_bytes);
}

double compute_us(const GemmModel& g, const Terms& t, const Candidate& c, double waves) {
  const double by_waves = waves * (c.slice + g.constants.prologue_k) * c.tile->step_us;
  const double by_feed = c.ctas * c.tile->row_bytes * c.slice * g.us_per_feed_byte;
  return std::max(by_waves, by_feed) * t.slowdown / t.alignment;
}

double memory_us(const GemmModel& g, const Terms& t, const Candidate& c, double reread) {
  const double active = std::min(c.ctas, c.tile->units) * c.tile->sms * g.sm_dram_bytes_per_us;
  return ramped(g.constants, t.resident_us + (t.dram_bytes + reread) / std::min(g.dram_bytes_per_us, active));
}

double split_us(const GemmModel& g, const Terms& t, double split) {
  return split > 1 ? g.constants.split_us + t.reduction_us * split : 0;
}

// Converting activations from 16 to 8 bits, a pass of its own: each SM takes a row at a time, finds its
// largest value and scales the row.
double quantize_us(const GemmModel& g, const Terms& t) {
  if (g.quantize_launch_us <= 0) return 0;
  const double rows = t.batch * t.m;
  const double bytes = (2 + 1) * rows * t.k;
  return g.quantize_launch_us +
         std::max(rows * g.quantize_us_per_row,
                  bytes * g.us_per_dram_byte * g.constants.dram_efficiency / g.constants.quantize_bandwidth);
}

inline double rounded_waves(const GemmModel& g, double waves) {
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

// The search for the best candidate: what every tile is compared with.
struct Best {
  Candidate candidate;
  double us = 1e300;
  double fourth_us = 1e300;
  double least_memory = 0;  // fourth power of the memory time that no candidate can beat
  double thinnest_slice = 0;
  double rereads = 0;  // share of the repeated loads that reach DRAM
};

// Tries one tile with every split of k, each only as far as it can still win.
void try_tile(const GemmModel& g, const Terms& t, std::size_t index, Best& best) {
  const TileRate& tile = g.tiles.tiles[index];
  Candidate c;
  c.tile = &tile;
  c.rows = blocks(t.m, tile.inverse_m);
  c.columns = blocks(t.n, tile.inverse_n);
  const double tiles = t.batch * c.rows * c.columns;
  const double most_ctas = g.constants.split_waves * tile.units;
  c.reread = -1;  // not worked out yet
  double before_us = 1e300;
  for (std::size_t s = 0; s < splits.size(); ++s) {
    c.split = splits[s];
    c.ctas = tiles * c.split;
    if (s > 0 && (t.k < least_slice * c.split || c.ctas > most_ctas)) return;
    c.slice = s > 0 ? whole_ceil(t.k * inverse_splits[s]) : t.k;
    c.waves = c.ctas * tile.inverse_units;
    const double compute = compute_us(g, t, c, rounded_waves(g, c.waves));
    const double extra = split_us(g, t, c.split);
    if (compute + extra < best.us && fourth(compute) + best.least_memory < best.fourth_us) {
      if (c.reread < 0) c.reread = best.rereads > 0 ? best.rereads * reread_bytes(g, t, c) : 0;
      const double us = overlapped(compute, memory_us(g, t, c, c.reread)) + extra;
      if (us < best.us) {
        best.us = us;
        best.fourth_us = fourth(us);
        best.candidate = c;
      }
      // Within one wave the time of two slices and more first falls with their number and then rises.
      if (us > before_us && c.waves <= 1) return;
      if (s > 0) before_us = us;
    }
    // Memory bounds it, and all SMs draw on it: more slices cannot help.
    if (c.waves >= 1 && fourth(compute) * 16 < best.least_memory) return;
  }
}

Candidate best_candidate(const GemmModel& g, const Terms& t) {
  const gpu::GemmConstants& constants = g.constants;
  const TileTable& table = g.tiles;
  const double slower = t.slowdown / t.alignment;
  const double work = t.batch * t.m * t.n * t.k * slower;
  Best best;
  best.least_memory = fourth(t.resident_us + t.dram_bytes * g.us_per_dram_byte);
  best.thinnest_slice = std::max(t.k * inverse_splits.back(), std::min(t.k, least_slice));
  best.rereads = constants.reread_share * std::min(1.0, t.operand_bytes * g.inverse_kept_bytes);

  // The time of the waves of each tile without a split; the least is tried first, to rule out most others.
  std::array<double, most_tiles> unsplit{};
  const double unsplit_k = (t.k + constants.prologue_k) * slower;
  for (std::size_t i = 0; i < table.count; ++i) {
    const double waves =
        t.batch * blocks(t.m, table.inverse_m[i]) * blocks(t.n, table.inverse_n[i]) * table.inverse_units[i];
    unsplit[i] = rounded_waves(g, waves) * table.step_us[i] * unsplit_k;
  }
  const auto first = static_cast<std::size_t>(
      std::min_element(unsplit.begin(), unsplit.begin() + static_cast<std::ptrdiff_t>(table.count)) -
      unsplit.begin());
  try_tile(g, t, first, best);

  const bool can_split = t.k >= 2 * least_slice;
  const double thinnest = (best.thinnest_slice + constants.prologue_k) * slower;
  for (std::size_t i = 0; i < table.count; ++i) {
    // Tiles are sorted by the least time that they could take per unit of work.
    if (fourth(work * table.tiles[i].floor_us_per_area) + best.least_memory >= best.fourth_us) break;
    const double least = can_split ? std::min(unsplit[i], thinnest * table.step_us[i]) : unsplit[i];
    if (i == first || fourth(least) + best.least_memory >= best.fourth_us) continue;
    try_tile(g, t, i, best);
  }
  return best.candidate;
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
  g.us_per_feed_byte = 1 / (c.l2_feed_sm_gb_s * sms * gb_s_to_bytes_per_us);
  g.us_per_dram_byte = 1 / g.dram_bytes_per_us;
  g.inverse_kept_bytes = 1 / (kept_share_of_l2 * g.l2_bytes);
  g.launch_us = c.launch_us + c.host_us;
  g.quantize_launch_us = c.quantize_us;
  g.quantize_us_per_row = c.quantize_row_us / sms;
  g.tiles = tile_table(gpu, c, g.peak_flops_per_us, g.element_bytes);
  g.alignment = alignment_table(c, static_cast<std::int64_t>(8 * g.element_bytes));
  return g;
}

double predict_gemm_us(const GemmModel& g, const GemmShape& shape) {
  const Terms t = terms_of(g, shape);
  const Candidate best = best_candidate(g, t);
  const double compute = compute_us(g, t, best, rounded_waves(g, best.waves));
  return g.launch_us + split_us(g, t, best.split) + quantize_us(g, t) +
         overlapped(compute, memory_us(g, t, best, best.reread));
}

OpCost predict_gemm(const GemmModel& g, const GemmShape& shape) {
  const Terms t = terms_of(g, shape);
  const Candidate best = best_candidate(g, t);
  const double memory = memory_us(g, t, best, best.reread);
  const double split = split_us(g, t, best.split);

  OpCost cost;
  cost.tile_m = static_cast<std::int64_t>(best.tile->m);
  cost.tile_n = static_cast<std::int64_t>(best.tile->n);
  cost.split_k = static_cast<std::int64_t>(best.split);
  cost.waves = best.waves;
  cost.quantize_us = quantize_us(g, t);
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
