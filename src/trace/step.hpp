// One step of the several that a trace holds, and what its time was spent on.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "trace/classify.hpp"
#include "trace/trace.hpp"

namespace shapelint::trace {

struct StepTimes {
  double wall_us = 0;           // from its first kernel to the next step's
  double kernels_us = 0;        // of all kernels, one after the other
  double busy_us = 0;           // during which any kernel ran
  double communication_us = 0;  // during which a collective ran
  double exposed_us = 0;        // of these, not overlapped with computation
  double idle_us = 0;           // during which none ran
  double late_us = 0;           // of these, until the launch of what ran next had returned
  bool knows_launches = false;
};

struct Step {
  std::string name;                    // of its range; empty: the whole trace
  std::size_t ranges = 0;              // steps that the trace names
  std::size_t whole = 0;               // of these, whole ones
  std::vector<const Kernel*> kernels;  // by start
  StepTimes times;
};

// `pattern`: names of ranges that are steps; empty: PyTorch's `ProfilerStep#N`, else the ranges that are
// numbered as steps or iterations are. Of the whole ones, the one of median time. Error: no range is called
// so.
Result<Step> choose_step(const Trace& trace, Classifier& classifier, const std::string& pattern);

// A step's kernels by the calls of operators that launched them.

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
