// What proposals must satisfy: frameworks' hard rules, the stack's, and how far a shape may change.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "model/reading.hpp"
#include "rules/book/compiled.hpp"
#include "rules/book/rule.hpp"
#include "suggest/constraints.hpp"
#include "suggest/edit/evaluate.hpp"

namespace shapelint::rules {

// Whether a model may not be changed so that the rule holds: it does not start, or its file contradicts
// itself. Of the latter kind, rules that ask about the GPU are no constraints.
bool may_bind(const Rule& rule);
// What no change may bring: failures, errors of a file that contradicts itself, values that no key sets, and,
// where the framework pads the vocabulary, one that is not the tokenizer's. A condition without a value
// counts as broken. They refer to `compiled`.
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

// What binds proposals for a model that is linted. Worked out when it is first asked for: most proofs of a
// proposal find nothing, and propose nothing. What it is given must outlive it.
class ProposalConstraints {
 public:
  ProposalConstraints(std::span<CompiledRule> compiled, const model::Reading& reading,
                      const suggest::OnStack* stack, suggest::Shape shape)
      : compiled_(compiled), reading_(reading), stack_(stack), shape_(shape) {}

  // Those that the model meets itself.
  std::span<const suggest::Constraint> all();
  // The same, and that the rule no longer finds what it does. `reading` may be in the words of a layer.
  std::vector<suggest::Constraint> of(const Rule& rule, const model::Reading& reading);

 private:
  void work_out();

  std::span<CompiledRule> compiled_;
  const model::Reading& reading_;
  const suggest::OnStack* stack_;
  suggest::Shape shape_;
  bool is_worked_out_ = false;
  std::vector<suggest::Constraint> hard_;
  std::vector<suggest::Constraint> all_;
  std::size_t of_the_stack_ = 0;  // of all, those before the shape's
};

}  // namespace shapelint::rules
