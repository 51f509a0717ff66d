// The engine: evaluates rules on a model and prices every way out.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "cost/step.hpp"
#include "gpu/gpu.hpp"
#include "model/op.hpp"
#include "model/reading.hpp"
#include "rules/book/rule.hpp"
#include "rules/finding.hpp"

namespace shapelint::rules {

struct ParameterValue {
  std::string rule;  // code or name
  std::string name;
  double value = 0;
};

struct Options {
  double min_gain = 0.01;                    // findings whose best proposal saves less are dropped
  std::vector<std::string> select{};         // codes, prefixes of codes (`SL1`) or names; empty: all
  std::vector<std::string> ignore{};         // the same, taken away
  std::vector<ParameterValue> parameters{};  // of rules, other than their files say
  std::size_t proposals = 4;                 // most proposals kept per finding
};

// Whether a selector names any rule; otherwise the error, without a place, and a did-you-mean.
std::optional<Error> check_selector(const RuleBook& rules, std::string_view selector);
// The same for a parameter's rule and name.
std::optional<Error> check_parameter(const RuleBook& rules, std::string_view rule, std::string_view name);

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
