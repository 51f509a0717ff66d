// Alignment of contiguous rows.
#include "cost/kernels/alignment.hpp"

#include <algorithm>
#include <bit>

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

}  // namespace shapelint::cost
