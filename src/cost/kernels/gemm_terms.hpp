// The terms of one way to compute a GEMM; equations in docs/explanation/cost-model.md. Used by the search for
// the best way and by the prediction alone.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "cost/kernels/gemm.hpp"
#include "cost/kernels/memory.hpp"

namespace shapelint::cost::product {

// Splits of k that libraries offer, and the least depth of a slice that they leave (CUTLASS's and cuBLAS's
// kernel names show slices of 128 and more).
inline constexpr std::array<double, 12> splits{1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32};
inline constexpr double min_slice = 128;

// What no tile changes.
struct Terms {
  double batch, m, n;
  double k;                 // in whole blocks of a systolic array, where there is one
  double exact_k;           // as it is
  double a_share, b_share;  // of the operands' elements that memory holds; below 1 in convolutions
  double operand_bytes;     // A and B
  double result_bytes;      // C
  double unpack_us;         // of all weights once
  double resident_us;       // for what is found in L2
  double dram_bytes;        // for the rest; more where kernels for batches load more slowly
  double slowdown;          // of the main loop, by the power limit and in a batch
  double alignment;         // speed of the main loop
  double prologue_k;        // of a tile, as steps of this main loop
  double min_rows;          // of the tiles that there are for rows aligned so
  double min_columns;
  double reduction_us;  // DRAM time of the partial sums, per slice
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

// ceil(x), except for fractions of a millionth. From 2^51 on it adds no more than x's own rounding.
inline double whole_ceil(double x) {
  return nearest(x + 0.499999);
}

inline double ramped(const gpu::GemmConstants& c, double us) {
  const double extra = c.dram_ramp * us;
  return us + extra / (1 + extra / c.dram_ramp_us);
}

// Bytes of A and B that the tiles computed at the same time load beyond the first load of each: they form a
// square block of the output that shares its rows and columns.
inline double reread_bytes(const GemmModel& g, const Terms& t, const Candidate& c) {
  const double tile_area = c.tile->m * c.tile->n;
  const double area = std::min(c.tile->units, c.rows * c.columns) * tile_area;
  const double width = std::min(t.n, std::sqrt(area));
  const double height = std::min(t.m, area / width);
  const double loads =
      t.batch * t.m * t.n * t.k * (g.element_bytes * t.a_share / width + g.weight_bytes * t.b_share / height);
  return std::max(0.0, loads - t.operand_bytes);
}

// Kernels for misaligned rows load 2 to 8 B at once, and wait for that.
inline double step_us(const Terms& t, const TileRate& tile) {
  return t.min_rows > 0 ? tile.load_step_us : tile.step_us;
}

inline double compute_us(const GemmModel& g, const Terms& t, const Candidate& c, double waves) {
  const double by_waves = waves * (c.slice + t.prologue_k) * step_us(t, *c.tile);
  const double by_feed = c.ctas * c.tile->row_bytes * c.slice * g.us_per_feed_byte;
  return std::max(by_waves, by_feed) * t.slowdown / t.alignment + t.unpack_us * c.rows;
}

// What a candidate moves between L2 and the SMs, and in and out of shared memory; bytes, without the pass
// that quantizes activations. Every row of tiles loads B, every column of tiles A; loads beyond the edges are
// not made.
struct Traffic {
  double l2 = 0;
  double shared = 0;
};
inline constexpr double partial_sum_bytes = 8;  // fp32, written and read once
inline Traffic traffic_of(const GemmModel& g, const Terms& t, const Candidate& c) {
  const double a_bytes = g.element_bytes * t.batch * t.m * t.k * t.a_share;
  const double a_loads = a_bytes * c.columns;
  const double b_loads = (t.operand_bytes - a_bytes) * c.rows;
  // CUTLASS's usual clusters: two CTAs on Hopper, two pairs on Blackwell.
  const double saved =
      g.multicasts ? std::max(c.columns >= 2 ? a_loads / 2 : 0.0, c.rows >= 2 ? b_loads / 2 : 0.0) : 0.0;
  const double sums = partial_sum_bytes * t.batch * t.m * t.n * c.split;
  return {a_loads + b_loads - saved + (c.split > 1 ? sums : t.result_bytes),
          shared_bytes(*c.tile, a_loads, b_loads)};
}

inline double memory_us(const GemmModel& g, const Terms& t, const Candidate& c, double reread) {
  const double active = std::min(c.ctas, c.tile->units) * c.tile->sms * g.sm_dram_bytes_per_us;
  return ramped(g.constants, t.resident_us + (t.dram_bytes + reread) / std::min(g.dram_bytes_per_us, active));
}

inline double split_us(const GemmModel& g, const Terms& t, double split) {
  return split > 1 ? g.constants.split_us + t.reduction_us * split : 0;
}

// Kernels for misaligned rows are not persistent: their waves are whole.
inline double rounded_waves(const GemmModel& g, const Terms& t, double waves) {
  const double soft = t.min_rows > 0 ? 0 : g.constants.wave_softness;
  return soft * (waves > 1 ? waves : 1) + (1 - soft) * whole_ceil(waves);
}

// compute_us of the best candidate; with rates of a relative, held to what this GPU's L2 and shared memory
// can deliver.
inline double clamped_compute_us(const GemmModel& g, const Terms& t, const Candidate& c) {
  const Traffic moved = traffic_of(g, t, c);
  return std::max({compute_us(g, t, c, rounded_waves(g, t, c.waves)), moved.l2 * g.us_per_l2_byte,
                   moved.shared * g.us_per_shared_byte});
}

// The terms of a shape; its dtype must be the model's.
Terms terms_of(const GemmModel& model, const GemmShape& shape);

// The search for the fastest tile and split of k.

// The candidate of least time. Lower bounds rule most tiles and splits out, none of which could be faster.
Candidate best_candidate(const GemmModel& model, const Terms& terms);

// The same by trying every tile with every split: slow; what the search is tested against.
Candidate best_by_exhaustion(const GemmModel& model, const Terms& terms);

// Time of a candidate in microseconds, without what all of them share (launch, quantization).
double candidate_us(const GemmModel& model, const Terms& terms, const Candidate& candidate);

}  // namespace shapelint::cost::product
