// How far predictions are from measured times, by slice of the shapes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "calibrate/tables.hpp"
#include "cost/kernels/gemm.hpp"

namespace shapelint::calibrate {

// train: m >= 1024, n >= 512, k >= 512. decode: m <= 64, n >= 1024, k >= 1024. misaligned: n or k is not a
// multiple of 8.
enum class Slice : std::uint8_t { all, train, decode, misaligned };
inline constexpr std::array<std::string_view, 4> slice_names{"all", "train", "decode", "misaligned"};
bool in_slice(Slice slice, const cost::GemmShape& shape);

struct Score {
  std::size_t rows = 0;
  double mean = 0;    // of |predicted / measured - 1|
  double median = 0;  // of the same
  double p90 = 0;
  double bias = 1;  // geometric mean of predicted / measured
};

// Pairs m, m + 1 with m a multiple of 16 at the same n, k >= 1024: "measured > 10 % slower" found by
// "predicted > 5 % slower".
struct EdgeScore {
  std::size_t pairs = 0;
  double recall = 0;
  double precision = 0;
};

struct Scores {
  std::array<Score, slice_names.size()> slices;
  std::optional<EdgeScore> edges;  // where there are at least 100 pairs
};

// `predicted_us` belongs to `rows`, in the same order.
Scores score(std::span<const MeasuredShape> rows, std::span<const double> predicted_us);

// Times of `rows` by the GPU's profile, as the measurements saw them, or as a step would.
std::vector<double> predict(const gpu::Gpu& gpu, std::span<const MeasuredShape> rows,
                            cost::Timing timing = cost::Timing::as_measured);

// Times by the ideal roofline: max(FLOPs / peak, bytes / bandwidth).
std::vector<double> roofline(const gpu::Gpu& gpu, std::span<const MeasuredShape> rows);

// The fold of a site in cross-validation: rows of the same n and k share it.
std::size_t fold_of(const cost::GemmShape& shape, std::size_t folds);

}  // namespace shapelint::calibrate
