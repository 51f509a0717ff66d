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
#include "rules/book/select.hpp"
#include "rules/finding.hpp"
#include "suggest/edit/on_stack.hpp"

namespace shapelint::rules {

// One GPU's step as the file has it, and with all compatible proposals applied (the best proposal of each
// finding, most valuable first, as long as fields do not clash and the step gets faster).
struct GpuReport {
  std::string gpu;  // id
  model::Workload workload;
  cost::StepCost before;
  cost::StepCost after;          // the same as `before` when nothing is applied
  double gain = 0;               // of all together, as in GpuGain
  std::vector<Change> applied;   // empty: nothing to apply
  std::vector<Change> left_out;  // the proposal that gains most, where it is not among them, and why not
  std::string left_out_because;
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

// As lint(): steps are as the stack runs them, and what it refuses, of a file that it does not refuse for the
// same reason already, is not proposed.
LintResult lint(const RuleBook& rules, const model::Reading& reading, std::span<const gpu::Gpu> gpus,
                const Options& options, const suggest::OnStack& stack);

// Rules about how the file is written (scope `remark`).

// One finding for each remark and selected rule whose condition holds for it. Needs no GPU and no whole
// model.
std::vector<Finding> check_remarks(const RuleBook& rules, std::span<const model::Remark> remarks,
                                   const Options& options);

// That these GPUs have no units for the number format that the file states. Nothing when there are none, or
// when the command line asked for the format: that is for its error.
std::optional<model::Remark> remark_on_format(const model::Reading& reading,
                                              std::span<const gpu::Gpu> unable);

}  // namespace shapelint::rules
