// Ways out of a finding, each priced by costing the whole step again.
#pragma once

#include <span>
#include <vector>

#include "model/reading.hpp"
#include "rules/book/compiled.hpp"
#include "rules/engine/hits.hpp"
#include "suggest/edit/candidate.hpp"

namespace shapelint::rules {

struct ProposalRequest {
  CompiledRule* rule = nullptr;
  std::span<const Hit> hits;                         // of one field, one per GPU
  std::span<suggest::Evaluator* const> evaluators;   // of those GPUs
  std::span<const suggest::Constraint> constraints;  // that proposals must satisfy
};

// Candidates that satisfy the constraints and fit into memory, each once, priced, in no particular order.
std::vector<suggest::Candidate> propose(const model::Reading& reading, const suggest::Links& links,
                                        const ProposalRequest& request);

// The conditions of rules with effect `fails` as constraints on any setup, and that the tokenizer keeps its
// size where the framework pads the vocabulary. A condition without a value counts as broken. They refer to
// `compiled`.
std::vector<suggest::Constraint> hard_constraints(std::span<CompiledRule> compiled,
                                                  const model::Reading& reading);

// The same for a search outside of linting. The reading must outlive it.
class HardRules {
 public:
  HardRules(const RuleBook& rules, const model::Reading& reading);
  HardRules(const HardRules&) = delete;
  HardRules& operator=(const HardRules&) = delete;
  std::span<const suggest::Constraint> constraints() const { return constraints_; }

 private:
  std::vector<CompiledRule> compiled_;
  std::vector<suggest::Constraint> constraints_;
};

}  // namespace shapelint::rules
