// Conditions on whole models in the language of the rules: what a user demands of suggestions, and what
// frameworks demand of any model.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "model/reading.hpp"
#include "rules/book/compiled.hpp"
#include "rules/book/rule.hpp"
#include "suggest/constraints.hpp"
#include "suggest/problem.hpp"

namespace shapelint::rules {

// The conjuncts of all (`a && b`), each a condition of its own, so that messages can say which one fails.
std::vector<std::string> conjuncts_of(std::span<const std::string> conditions);

// Mistakes of an expression: syntax, unknown names, variables that a model alone does not have. Spans are
// relative to `text`.
std::vector<Error> check_condition(std::string_view text);

// Makes fresh sets of constraints, one for each thread: the hard rules, whether `start` meets them or not,
// what `policy` says, and `conditions` (correct ones). A condition without a value is not met. `book` and
// `reading` must outlive them.
std::function<std::vector<suggest::Constraint>()> constraint_factory(const RuleBook& book,
                                                                     const model::Reading& reading,
                                                                     const model::Setup& start,
                                                                     std::vector<std::string> conditions,
                                                                     const suggest::ShapePolicy& policy = {});

// Tells a search what it may propose (constraint_factory), and what its start breaks. The problem has its
// reading and its start; `book` must outlive it.
void constrain(suggest::Problem& problem, const RuleBook& book, const suggest::ShapePolicy& policy,
               std::vector<std::string> conditions);

// The hard rules over many setups that differ in a few fields. For one thread; `book` and `reading` must
// outlive it.
class BrokenRules {
 public:
  BrokenRules(const RuleBook& book, const model::Reading& reading);
  // Setups differ in `moving` fields only.
  BrokenRules(const RuleBook& book, const model::Reading& reading, const model::PerField<bool>& moving);
  // Codes of the rules that the setup breaks, separated by blanks. Holds until the next call.
  const std::string& of(const model::Setup& setup);
  // The same of the last setup.
  void add_codes(std::set<std::string>& codes) const;
  // Whether every setup that has the last one's values of `fields` breaks a rule: one that names nothing else
  // that moves.
  bool are_broken_by(const model::PerField<bool>& fields) const;

 private:
  struct Condition {
    std::unique_ptr<CompiledRule> rule;
    bool stale = true;    // a variable of it is another than when it was asked
    bool broken = false;  // then
  };
  // Leaves out what holds for no setup, by the parts of it that are the same for all.
  void settle(const Context& context);
  const model::Reading& reading_;
  model::PerField<bool> moving_;
  struct Variable {
    std::size_t index = 0;
    std::size_t mixer = 0;                    // as in Context
    const model::FieldInfo* field = nullptr;  // where it is one
    bool can_change = true;
    double value = 0;                     // of the setup that was asked for last
    std::vector<std::size_t> conditions;  // that name it
  };
  std::vector<Variable> variables_;
  bool is_first_ = true;
  std::vector<Condition> conditions_;
  std::string codes_;
};

}  // namespace shapelint::rules
