// Fits the constants of a GPU's profile to measured times of matrix products.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/score.hpp"
#include "calibrate/tables.hpp"
#include "gpu/gpu.hpp"

namespace shapelint::calibrate {

struct FitOptions {
  std::int64_t evaluations = 8000;  // of the global search; the local one may take as many
  std::size_t sample = 2000;        // rows that the search looks at
  std::size_t folds = 5;            // of the cross-validation; below 2: none
  bool rotated = false;             // the benchmark rotates just as many weights as fill L2
  // Few rows, timed as `prove` does, like kernels of a step: the base's constants stay as far as the rows do
  // not say otherwise, instead of being searched for over all that is plausible.
  bool adjust = false;
  std::uint32_t seed = 1;
  // Called now and then with what is being done and how far it is, from 0 to 1; may be empty.
  std::function<void(std::string_view what, double share)> progress;
};

// A constant that was left at what the base says, and why.
struct Kept {
  std::string_view key;
  std::string reason;
};

struct Fit {
  gpu::GemmConstants constants;
  double loss = 0;  // mean |log(predicted / measured)| over the sample
  Scores before;    // with the base's constants, all rows
  Scores after;     // all rows
  Scores left_out;  // each row predicted by constants fitted without its (n, k) site
  std::vector<Kept> kept;
};

// Fits the set of constants that `rows` (all of one set) use, starting from those of `gpu`. Minimises the
// mean of |log(predicted / measured)|, which no outlier dominates, within the bounds of
// gpu::gemm_constants(). Error: too few rows or sites to say anything.
// With `adjust`, moving a constant away from the base counts as if the base were measured, too.
Result<Fit> fit(const gpu::Gpu& gpu, gpu::ConstantSet set, std::span<const MeasuredShape> rows,
                const FitOptions& options);

// Which constants a set of measurements can determine at all, judged before any search.

struct Choice {
  std::vector<const gpu::GemmConstant*> free;  // to be searched
  std::vector<Kept> kept;                      // not, with the reason
  gpu::GemmConstants start;                    // the base's, with those that follow from the data's kind
};

// `rows` of one set of constants, with their measured times.
Choice choose_constants(const gpu::Gpu& gpu, gpu::ConstantSet set, std::span<const MeasuredShape> rows,
                        bool rotated);

// The same for a few rows that `prove` measured, one kernel behind the other as in a step: all constants but
// those that tell how a benchmark was made may move.
Choice choose_to_adjust(const gpu::Gpu& gpu, gpu::ConstantSet set);

}  // namespace shapelint::calibrate
