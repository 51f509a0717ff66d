// How much slower a main loop runs when contiguous dimensions are no multiples of what the hardware loads at
// once.
#pragma once

#include <array>
#include <cstdint>

#include "gpu/calibration.hpp"
#include "model/op.hpp"

namespace shapelint::cost {

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

}  // namespace shapelint::cost
