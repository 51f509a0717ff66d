// What several findings have in common: one value, one change that settles several, and all changes at once.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "model/reading.hpp"
#include "rules/book/compiled.hpp"
#include "rules/engine/lint.hpp"
#include "rules/finding.hpp"
#include "suggest/edit/candidate.hpp"
#include "suggest/edit/evaluate.hpp"

namespace shapelint::rules {

// A finding costs what its first proposal saves.
void set_gain_of_first_proposal(Finding& finding);

// Findings about the speed of one field on the same GPUs, or with the same best way out, are alternatives:
// one change settles them. One of them stays, with the proposals of all; the others are named in its note.
void merge_alternatives(std::vector<Finding>& findings, std::size_t proposals);

// The order of findings.
bool comes_before(const Finding& a, const Finding& b);

// What cannot run first, then by severity, gain, code, and place.
void sort_findings(std::vector<Finding>& findings);

// Which findings one change settles at once.

struct FixedRequest {
  const model::Reading& reading;
  const suggest::FieldDependencies& links;
  std::span<CompiledRule> rules;
  std::span<const std::unique_ptr<suggest::Evaluator>> evaluators;  // one per GPU
};

// Numbers the findings, which are sorted, lets those that would set one value differently agree, and fills in
// what the first proposal of each also fixes: those whose rule finds nothing more at the same field once
// the change is made. Of what is certain to fail every way out does, so that the one that fixes most goes
// first.
void find_fixed_findings(std::vector<Finding>& findings, const FixedRequest& request);

// All proposals of a report applied at once.

// Applies the best proposal of each finding, most valuable first, as long as they do not clash and each adds,
// and writes into the report what became of the step. Findings are sorted, most valuable first.
void combine_proposals(std::span<const Finding> findings, const model::Reading& reading,
                       const suggest::FieldDependencies& links,
                       std::span<const suggest::Constraint> constraints, suggest::Evaluator& evaluator,
                       GpuReport& report);

// A finding whose own fix is among those that combine saves time in addition to the other's: it is not listed
// as fixed by another. Two that make the same change remain one.
void keep_combined_apart(LintResult& result);

// A run that stops has no time with or without fixes: takes them out of the reports where any finding is an
// error.
void drop_combined_of_errors(LintResult& result);

}  // namespace shapelint::rules
