// Ways out of a finding, each priced by costing the whole step again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/effects.hpp"
#include "model/reading.hpp"
#include "rules/book/compiled.hpp"
#include "rules/book/rule.hpp"
#include "rules/engine/hits.hpp"
#include "rules/engine/lint.hpp"
#include "suggest/edit/candidate.hpp"

namespace shapelint::rules {

struct ProposalRequest {
  CompiledRule* rule = nullptr;
  std::span<const Hit> hits;                         // of one field, one per GPU
  std::span<suggest::Evaluator* const> evaluators;   // of those GPUs
  std::span<const suggest::Constraint> constraints;  // that proposals must satisfy
  bool stops_run = false;  // proposals end what the rule found, be they faster or not
};

// Candidates that satisfy the constraints and fit into memory, each once, priced, in no particular order.
std::vector<suggest::Candidate> propose(const model::Reading& reading,
                                        const suggest::FieldDependencies& links,
                                        const ProposalRequest& request);

// Which of a finding's proposals are worth showing, and in what order.

// Keeps the GPUs on which some candidate saves at least `min_gain` (of the step), and the candidates that are
// faster on all of these. When no candidate is good for all, the GPUs that the best one is good for remain.
void narrow_to_gaining(Group& group, std::vector<suggest::Candidate>& candidates, double min_gain);

// For what cannot run, and for advice: a choice of each fix in turn, and of one fix the nearest values first,
// after dropping those that are much slower than its fastest. Groups of tensor-parallel ranks that
// `link_gpus` GPUs of a node do not hold whole come last.
void rank(std::vector<suggest::Candidate>& candidates, std::int64_t parameters_before,
          std::int64_t link_gpus);

// Share of a gain that the rule's own effects explain.

// The share of the step that a candidate saves by losing less to `effects`, or to slower kernels of a stack
// (`longer_us` of the present step), of what it gains (`gain`) on the report's GPU. The evaluator is that
// GPU's.
double attributable_gain(std::span<const gpu::Effect> effects, const GpuReport& report, double longer_us,
                         suggest::Evaluator& evaluator, const suggest::Candidate& candidate, double gain);

}  // namespace shapelint::rules
