// One proposal after the other.
#include "rules/engine/together.hpp"

#include <algorithm>

#include "model/lower/lower.hpp"

namespace shapelint::rules {

namespace {

constexpr double least_added = 1e-4;  // of the step: less is not worth a further change

// The setup with the changes applied so far.
struct Applied {
  std::vector<Change> changes;
  model::Setup setup;
};

bool clash(const std::vector<Change>& applied, const Proposal& proposal) {
  return std::any_of(proposal.changes.begin(), proposal.changes.end(), [&](const Change& change) {
    return std::any_of(applied.begin(), applied.end(), [&](const Change& c) {
      return c.field == change.field && c.layer == change.layer && c.key == change.key;
    });
  });
}

// Adds the proposal's changes where all of them together are possible, fit into memory and are faster.
bool add(Applied& applied, const Proposal& proposal, const model::Reading& reading,
         const suggest::Links& links, std::span<const suggest::Constraint> constraints,
         suggest::Evaluator& evaluator) {
  if (clash(applied.changes, proposal)) return false;
  std::vector<Change> together = applied.changes;
  together.insert(together.end(), proposal.changes.begin(), proposal.changes.end());
  const auto candidate = suggest::make_candidate(reading, links, together, constraints);
  if (!candidate) return false;
  suggest::Evaluator* const one[] = {&evaluator};
  if (!suggest::fits(candidate->setup, reading.setup, one)) return false;
  if (suggest::gain(evaluator.evaluate(applied.setup), evaluator.evaluate(candidate->setup)) < least_added)
    return false;
  applied = {candidate->changes, candidate->setup};
  return true;
}

}  // namespace

void apply_together(std::span<const Finding> findings, const model::Reading& reading,
                    const suggest::Links& links, std::span<const suggest::Constraint> constraints,
                    suggest::Evaluator& evaluator, GpuReport& report) {
  Applied applied{{}, reading.setup};
  for (const Finding& finding : findings) {
    if (finding.certain_to_fail || finding.severity == Severity::info) continue;
    const bool holds_here = std::any_of(finding.gains.begin(), finding.gains.end(),
                                        [&](const GpuGain& g) { return g.gpu == report.gpu; });
    if (!holds_here) continue;
    for (const Proposal& proposal : finding.proposals) {
      if (add(applied, proposal, reading, links, constraints, evaluator)) break;
    }
  }
  if (applied.changes.empty()) return;
  report.applied = std::move(applied.changes);
  report.after = evaluator.step(model::lower(applied.setup), applied.setup.plan.dtype);
  report.gain = suggest::gain(evaluator.evaluate(reading.setup), evaluator.evaluate(applied.setup));
}

}  // namespace shapelint::rules
