// The output tiles that a library's kernels compute per CTA, as the cost model uses them.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "gpu/gpu.hpp"

namespace shapelint::cost {

inline constexpr std::size_t most_tiles = 64;

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
  std::array<TileRate, most_tiles> tiles{};
  std::size_t count = 0;
  // The same figures by column, for the loop over all tiles.
  std::array<double, most_tiles> inverse_m{};
  std::array<double, most_tiles> inverse_n{};
  std::array<double, most_tiles> inverse_units{};
  std::array<double, most_tiles> step_us{};
  std::array<double, most_tiles> load_step_us{};
  std::array<double, most_tiles> row_bytes{};
  std::array<double, most_tiles> units{};
  std::array<double, most_tiles> sms{};
  // Rows and columns of tiles that kernels for misaligned rows have, whose sides are powers of two; of others
  // 0.
  std::array<double, most_tiles> plain_m{};
  std::array<double, most_tiles> plain_n{};
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
