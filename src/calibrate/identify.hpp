// Which constants a set of measurements can determine at all, judged before any search.
#pragma once

#include <span>
#include <vector>

#include "calibrate/fit.hpp"

namespace shapelint::calibrate {

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
