// Tiles of matrix products, and how operands are aligned.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "gpu/calibration.hpp"
#include "gpu/gpu.hpp"
#include "model/op.hpp"

namespace shapelint::cost {

// How much slower a main loop runs when contiguous dimensions are no multiples of what the hardware loads at
// once.

// Speed of the main loop by the largest power of two that divides a contiguous row, in bytes: at most 2, 4,
// 8, 16, and 32 or more (index 4, always 1). Never decreasing.
struct AlignmentTable {
  std::array<double, 5> k{1, 1, 1, 1, 1};  // rows along the contraction
  std::array<double, 5> n{1, 1, 1, 1, 1};  // rows along an output dimension
  double odd_prologue = 0;                 // at least this before and after it, where rows are odd
  double odd_c = 1;                        // at most this where the rows of C alone are odd
  // Kernels that load less than 16 B at once have fewer tiles: the least columns of those, by the same index;
  // 0: any.
  std::array<double, 5> least_tile{};
  std::int64_t element_bits = 16;
};
AlignmentTable alignment_table(const gpu::GemmConstants& constants, std::int64_t element_bits);

// Largest power of two that divides `elements` rows of `element_bits` bits, in bytes (at least 1, at most
// 4096).
std::int64_t row_alignment_bytes(std::int64_t elements, std::int64_t element_bits);

// Whether an operand's rows run along the contraction, or A's along m.
constexpr bool has_rows_along_k(model::Layout layout) {
  return layout != model::Layout::nt;
}
constexpr bool has_rows_along_m(model::Layout layout) {
  return layout == model::Layout::nt || layout == model::Layout::tt;
}
// Whether B's rows run along n, as C's do; else along k.
constexpr bool has_rows_of_b_along_n(model::Layout layout) {
  return layout == model::Layout::nn || layout == model::Layout::nt;
}

// What the worst operand leaves of it, since one kernel loads all of them. Layouts: model::Layout says which
// dimension of which operand is contiguous.
struct AlignmentUse {
  double speed = 1;           // of the main loop, as a share of what it is when everything is aligned
  double prologue_speed = 1;  // the same of what comes before and after it
  double least_tile = 0;      // least columns of the tiles that there are; 0: any
};
AlignmentUse alignment_use(const AlignmentTable& table, model::Layout layout, std::int64_t m, std::int64_t n,
                           std::int64_t k);

inline constexpr std::size_t max_tiles = 64;

struct TileRate {
  double m = 0;
  double n = 0;
  double inverse_m = 0;
  double inverse_n = 0;
  double units = 0;  // tiles computed at the same time: SMs, or pairs of them
  double inverse_units = 0;
  double sms = 1;           // per tile
  double step_us = 0;       // one element of k, one tile, nothing else on its SM
  double load_step_us = 0;  // the same where loads in small pieces take the time, not the arithmetic
  double busy_share = 1;    // of step_us in which the units multiply; the rest waits for a step's latency
  double row_bytes = 0;     // operand bytes per element of k
  // The part of the tile whose operands one reader of shared memory loads for itself.
  double reader_m = 0;
  double reader_n = 0;
  double floor_us_per_area = 0;  // least time of one output element and one element of k: to rule tiles out
};

struct TileTable {
  std::array<TileRate, max_tiles> tiles{};
  std::size_t count = 0;
  // The same figures by column, for the loop over all tiles.
  std::array<double, max_tiles> inverse_m{};
  std::array<double, max_tiles> inverse_n{};
  std::array<double, max_tiles> inverse_units{};
  std::array<double, max_tiles> step_us{};
  std::array<double, max_tiles> load_step_us{};
  std::array<double, max_tiles> row_bytes{};
  std::array<double, max_tiles> units{};
  std::array<double, max_tiles> sms{};
  // Rows and columns of tiles that kernels for misaligned rows have, whose sides are powers of two; of others
  // 0.
  std::array<double, max_tiles> plain_m{};
  std::array<double, max_tiles> plain_n{};
};

// Tiles of the GPU's architecture with their rates: a step of the main loop takes the root of the squares of
// the time of its arithmetic and of the loads that feed it, and never less than a step's latency.
// `peak_flops_per_us` is that of the whole GPU; `weight_bytes` of an element of the second operand.
TileTable tile_table(const gpu::Gpu& gpu, const gpu::GemmConstants& constants, DType dtype,
                     double peak_flops_per_us, double element_bytes, double weight_bytes);

// Bytes that a tile writes to shared memory and reads from it, of `a` bytes of the first operand and `b` of
// the second that are loaded for it: each is written once on the way in and read by every reader that needs
// it.
inline double shared_bytes(const TileRate& tile, double a, double b) {
  return a * (1 + std::ceil(tile.n / tile.reader_n)) + b * (1 + std::ceil(tile.m / tile.reader_m));
}

}  // namespace shapelint::cost
