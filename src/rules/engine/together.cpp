// One proposal after the other.
#include "rules/engine/together.hpp"
#include "cost/step_interval.hpp"

#include <algorithm>

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

// Adds the proposal's changes where all of them together are possible, fit into memory and are faster; else
// says why not.
std::string_view add(Applied& applied, const Proposal& proposal, const model::Reading& reading,
                     const suggest::Links& links, std::span<const suggest::Constraint> constraints,
                     suggest::Evaluator& evaluator) {
  if (clash(applied.changes, proposal)) return "a larger fix changes the same value";
  std::vector<Change> together = applied.changes;
  together.insert(together.end(), proposal.changes.begin(), proposal.changes.end());
  const auto candidate = suggest::make_candidate(reading, links, together, constraints);
  if (!candidate) return "it is not possible together with the others";
  suggest::Evaluator* const one[] = {&evaluator};
  if (!suggest::fits(candidate->setup, reading.setup, one))
    return "it does not fit into memory together with the others";
  if (suggest::gain(evaluator.evaluate(applied.setup), evaluator.evaluate(candidate->setup)) < least_added)
    return "it saves nothing more with the others";
  applied = {candidate->changes, candidate->setup};
  return {};
}

// Whether a replica of the model takes as many GPUs as before: a step of fewer is longer, though each of them
// does more.
bool keeps_gpus(const Proposal& proposal) {
  using model::FieldId;
  double times = 1;
  for (const Change& change : proposal.changes) {
    if (change.field != FieldId::tensor && change.field != FieldId::pipeline &&
        change.field != FieldId::context)
      continue;
    times *= static_cast<double>(change.to) / static_cast<double>(std::max<std::int64_t>(1, change.from));
  }
  return times == 1;
}

double gain_on(const Finding& finding, const std::string& gpu) {
  for (const GpuGain& each : finding.gains) {
    if (each.gpu == gpu) return each.gain;
  }
  return 0;
}

}  // namespace

void apply_together(std::span<const Finding> findings, const model::Reading& reading,
                    const suggest::Links& links, std::span<const suggest::Constraint> constraints,
                    suggest::Evaluator& evaluator, GpuReport& report) {
  Applied applied{{}, reading.setup};
  double largest = 0;
  for (const Finding& finding : findings) {
    const double gain = gain_on(finding, report.gpu);
    if (finding.certain_to_fail || gain <= 0 || finding.proposals.empty()) continue;
    std::string_view why = "it is advice, and no part of the fixes";
    if (finding.severity != Severity::info) {
      for (const Proposal& proposal : finding.proposals) {
        why = keeps_gpus(proposal) ? add(applied, proposal, reading, links, constraints, evaluator)
                                   : "a replica takes another number of GPUs, and a step another time";
        if (why.empty() || !keeps_gpus(proposal)) break;
      }
    }
    if (gain <= largest) continue;
    largest = gain;
    report.left_out = why.empty() ? std::vector<Change>{} : finding.proposals.front().changes;
    report.left_out_because = why;
  }
  if (applied.changes.empty()) return;
  report.gain = suggest::gain(evaluator.evaluate(reading.setup), evaluator.evaluate(applied.setup));
  if (report.gain <= 0) return;
  report.applied = std::move(applied.changes);
  report.after = evaluator.step(applied.setup).cost;
  cost::set_interval(evaluator.gpu(), applied.setup, report.after);
}

void forget_together_of_errors(LintResult& result) {
  const bool stops = std::any_of(result.findings.begin(), result.findings.end(), [](const Finding& each) {
    return each.certain_to_fail || each.severity == Severity::error;
  });
  if (!stops) return;
  for (GpuReport& gpu : result.gpus) {
    gpu.applied.clear();
    gpu.left_out.clear();
    gpu.left_out_because = {};
    gpu.after = gpu.before;
    gpu.gain = 0;
  }
}

}  // namespace shapelint::rules
