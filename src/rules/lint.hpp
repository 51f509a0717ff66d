// The engine: evaluates rules on a model and prices every way out.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cost/step.hpp"
#include "gpu/gpu.hpp"
#include "model/op.hpp"
#include "model/reading.hpp"
#include "rules/finding.hpp"
#include "rules/rule.hpp"

namespace shapelint::rules {

struct Options {
  double min_gain = 0.01;           // findings whose best proposal saves less are dropped
  std::vector<std::string> select;  // codes, prefixes of codes (`SL1`) or names; empty: all
  std::vector<std::string> ignore;  // the same, taken away
  std::size_t proposals = 4;        // most proposals kept per finding
};

// One GPU's step as the file has it, and with all compatible proposals applied (the best proposal of each
// finding, most valuable first, as long as fields do not clash and the step gets faster).
struct GpuReport {
  std::string gpu;  // id
  model::Workload workload;
  cost::StepCost before;
  cost::StepCost after;         // the same as `before` when nothing is applied
  double gain = 0;              // of all together, as in GpuGain
  std::vector<Change> applied;  // empty: nothing to apply
};

struct LintResult {
  std::vector<Finding> findings;  // certain failures first, then by gain
  std::vector<GpuReport> gpus;    // in the order given
  std::int64_t parameters_before = 0;
  std::vector<Error> errors;  // rules that could not be evaluated (a user's rule divides by zero)
};

// Lints one configuration for each GPU. Pure and deterministic; findings that hold for several GPUs are one.
LintResult lint(const RuleBook& rules, const model::Reading& reading, std::span<const gpu::Gpu> gpus,
                const Options& options = {});

}  // namespace shapelint::rules
