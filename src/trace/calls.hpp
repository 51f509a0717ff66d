// A step's kernels by the calls of operators that launched them.
#pragma once

#include <cstddef>
#include <vector>

#include "trace/step.hpp"

namespace shapelint::trace {

// Kernels that one call of an operator launched, or one kernel alone.
struct Call {
  Product product;
  Phase phase = Phase::forward;
  std::size_t of = no_class;
  double time_us = 0;
  double longest_us = 0;
  const Kernel* longest = nullptr;
  std::size_t kernels = 0;
  std::size_t row = no_class;
};

std::vector<Call> calls_of(const Trace& trace, const Step& step, Classifier& classifier);

}  // namespace shapelint::trace
