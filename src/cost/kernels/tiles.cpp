// Rates of an architecture's tiles.
#include "cost/kernels/tiles.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/units.hpp"

namespace shapelint::cost {

namespace {

std::size_t index_of(std::int64_t elements, std::int64_t element_bits) {
  const auto bytes = static_cast<std::uint64_t>(row_alignment_bytes(elements, element_bits));
  const auto power = static_cast<std::size_t>(std::countr_zero(bytes));  // 1 B: 0, 2 B: 1 … 32 B: 5
  return std::clamp<std::size_t>(power, 1, 5) - 1;
}

}  // namespace

std::int64_t row_alignment_bytes(std::int64_t elements, std::int64_t element_bits) {
  const auto bits = static_cast<std::uint64_t>(elements) * static_cast<std::uint64_t>(element_bits);
  return std::clamp<std::int64_t>(static_cast<std::int64_t>((bits & (~bits + 1)) / 8), 1, 4096);
}

AlignmentTable alignment_table(const gpu::GemmConstants& c, std::int64_t element_bits) {
  AlignmentTable table;
  table.element_bits = element_bits;
  table.k = {c.align_k_2b, c.align_k_4b, c.align_k_8b, c.align_k_16b, 1};
  table.n = {c.align_n_2b, c.align_n_4b, c.align_n_8b, c.align_n_16b, 1};
  table.odd_c = c.align_c_2b;
  table.odd_prologue = c.prologue_2b;
  table.least_tile = {c.tile_2b, c.tile_8b, c.tile_8b, 0, 0};
  // A stricter alignment satisfies every laxer one, so it can never be slower.
  for (std::size_t i = table.k.size() - 1; i-- > 0;) {
    table.k[i] = std::min(table.k[i], table.k[i + 1]);
    table.n[i] = std::min(table.n[i], table.n[i + 1]);
  }
  return table;
}

AlignmentUse alignment_use(const AlignmentTable& table, model::Layout layout, std::int64_t m, std::int64_t n,
                           std::int64_t k) {
  AlignmentUse use;
  bool is_odd = false;
  const auto add = [&](const std::array<double, 5>& speeds, std::int64_t rows) {
    const std::size_t along = index_of(rows, table.element_bits);
    use.speed = std::min(use.speed, speeds[along]);
    use.least_tile = std::max(use.least_tile, table.least_tile[along]);
    is_odd = is_odd || along == 0;
  };
  add(table.n, n);  // C in every layout; B in nn and nt
  if (has_rows_along_k(layout)) add(table.k, k);
  if (has_rows_along_m(layout)) add(table.n, m);
  if (!has_rows_of_b_along_n(layout) && index_of(n, table.element_bits) == 0)
    use.speed = std::min(use.speed, table.odd_c);
  use.prologue_speed = is_odd ? std::max(use.speed, table.odd_prologue) : use.speed;
  return use;
}

namespace {

// Used where an architecture states no tiles: those that every CUTLASS list since Volta holds, and the narrow
// ones of split-k and GEMV-like kernels.
constexpr std::array<std::array<int, 2>, 13> usual_tiles{{{256, 128},
                                                          {128, 256},
                                                          {128, 128},
                                                          {256, 64},
                                                          {64, 256},
                                                          {128, 64},
                                                          {64, 128},
                                                          {64, 64},
                                                          {32, 128},
                                                          {64, 32},
                                                          {32, 64},
                                                          {16, 128},
                                                          {16, 64}}};

// Of CUTLASS's default tile, square.
constexpr double usual_side = 128;

bool is_power_of_two(double side) {
  return std::has_single_bit(static_cast<std::uint64_t>(side));
}

bool holds(const TileTable& table, double m, double n, double sms) {
  return std::any_of(table.tiles.begin(), table.tiles.begin() + static_cast<std::ptrdiff_t>(table.count),
                     [&](const TileRate& tile) { return tile.m == m && tile.n == n && tile.sms == sms; });
}

// CUDA cores: a warp's 32 x 64 (CUTLASS's default of SIMT kernels); mma.sync: a warp's 64 x 64 (of its tensor
// kernels for sm_80); wgmma: 64 rows by all columns of the tile (PTX ISA, wgmma.mma_async m64nNk16), which
// may be those of the transposed product; tcgen05 reads each operand of a tile once (PTX ISA, tcgen05.mma).
void set_reader(const gpu::Architecture& architecture, bool on_tensor_cores, TileRate& tile) {
  tile.reader_m = on_tensor_cores ? 64 : 32;
  tile.reader_n = 64;
  if (!on_tensor_cores) return;
  const bool all_columns = architecture.has_tcgen05 || (architecture.has_wgmma && tile.m < tile.n);
  const bool all_rows = architecture.has_tcgen05 || (architecture.has_wgmma && tile.m >= tile.n);
  if (all_rows) tile.reader_m = tile.m;
  if (all_columns) tile.reader_n = tile.n;
}

}  // namespace

TileTable tile_table(const gpu::Gpu& gpu, const gpu::GemmConstants& constants, DType dtype,
                     double peak_flops_per_us, double element_bytes, double weight_bytes) {
  TileTable table;
  const double step_depth = 32;  // of k; the unit of k_step_ns
  const auto sm_count = std::max(1.0, static_cast<double>(gpu.sm_count));
  const auto add = [&](double m, double n, double sms) {
    sms = std::min(sms, sm_count);
    if (table.count == max_tiles || m * n > constants.largest_tile || holds(table, m, n, sms)) return;
    TileRate tile;
    tile.m = m;
    tile.n = n;
    tile.inverse_m = 1 / m;
    tile.inverse_n = 1 / n;
    tile.sms = sms;
    tile.units = std::floor(sm_count / sms);
    tile.inverse_units = 1 / tile.units;
    tile.row_bytes = element_bytes * m + weight_bytes * n;
    const double arithmetic = 2 * m * n * tile.units / (peak_flops_per_us * constants.mainloop_efficiency);
    const double loads = tile.row_bytes / (constants.sm_feed_gb_s * bytes_per_us_per_gb_s * sms);
    const double latency = constants.k_step_ns * 1e-3 / step_depth;
    set_reader(gpu.architecture, gpu::on_tensor_cores(gpu, dtype), tile);
    const double busy = std::sqrt(arithmetic * arithmetic + loads * loads);
    tile.step_us = std::max(busy, latency);
    tile.busy_share = busy / tile.step_us;
    // Rows of A and B that it loads, against those of a square one of the usual size, of whose arithmetic it
    // does less.
    const double rows = (m + n) / (2 * usual_side);
    const double area = m * n / (usual_side * usual_side);
    tile.load_step_us = tile.step_us * std::max(1.0, rows / area);
    tile.floor_us_per_area =
        std::max(tile.step_us * tile.inverse_units,
                 tile.row_bytes / (constants.l2_feed_sm_gb_s * bytes_per_us_per_gb_s * sm_count)) /
        (m * n);
    table.tiles[table.count++] = tile;
  };
  for (const gpu::Tile& tile : gpu.architecture.tiles) {
    add(static_cast<double>(tile.m), static_cast<double>(tile.n), static_cast<double>(tile.sms));
  }
  if (table.count == 0) {
    for (const auto& tile : usual_tiles) add(tile[0], tile[1], 1);
  }
  // Cheapest first, so that a good candidate is found early and most others are ruled out without a look.
  std::sort(table.tiles.begin(), table.tiles.begin() + static_cast<std::ptrdiff_t>(table.count),
            [](const TileRate& a, const TileRate& b) { return a.floor_us_per_area < b.floor_us_per_area; });
  for (std::size_t i = 0; i < table.count; ++i) {
    table.inverse_m[i] = table.tiles[i].inverse_m;
    table.inverse_n[i] = table.tiles[i].inverse_n;
    table.inverse_units[i] = table.tiles[i].inverse_units;
    table.step_us[i] = table.tiles[i].step_us;
    table.load_step_us[i] = table.tiles[i].load_step_us;
    table.row_bytes[i] = table.tiles[i].row_bytes;
    table.units[i] = table.tiles[i].units;
    table.sms[i] = table.tiles[i].sms;
    const bool is_plain = is_power_of_two(table.tiles[i].m) && is_power_of_two(table.tiles[i].n);
    table.plain_m[i] = is_plain ? table.tiles[i].m : 0;
    table.plain_n[i] = is_plain ? table.tiles[i].n : 0;
  }
  return table;
}

}  // namespace shapelint::cost
