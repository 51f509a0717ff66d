// All proposals of a report applied at once.
#pragma once

#include <span>

#include "model/reading.hpp"
#include "rules/engine/lint.hpp"
#include "rules/finding.hpp"
#include "suggest/edit/candidate.hpp"

namespace shapelint::rules {

// Applies the best proposal of each finding, most valuable first, as long as they do not clash and each adds,
// and writes into the report what became of the step. Findings are sorted, most valuable first.
void apply_together(std::span<const Finding> findings, const model::Reading& reading,
                    const suggest::Links& links, std::span<const suggest::Constraint> constraints,
                    suggest::Evaluator& evaluator, GpuReport& report);

// A run that stops has no time with or without fixes: takes them out of the reports where any finding is an
// error.
void forget_together_of_errors(LintResult& result);

}  // namespace shapelint::rules
