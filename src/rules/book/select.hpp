// Which rules run, and with which parameters.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "rules/book/rule.hpp"
#include "suggest/constraints.hpp"

namespace shapelint::rules {

using model::largest_head_multiple;
using model::shape_names;
using suggest::Shape;
using suggest::ShapePolicy;

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
  Severity min_severity = Severity::info;    // what people are shown
  bool shows_savings = false;                // and what saves `min_gain` in the mean, whatever its severity
  std::size_t proposals = 4;                 // most proposals kept per finding
  ShapePolicy policy{};                      // what a proposal may be
};

// Whether a selector names any rule.
bool is_selector(const RuleBook& rules, std::string_view selector);
// Nothing where it does; otherwise the error, without a place, and a did-you-mean.
std::optional<Error> check_selector(const RuleBook& rules, std::string_view selector);
// The same for a parameter's rule and name.
std::optional<Error> check_parameter(const RuleBook& rules, std::string_view rule, std::string_view name);

// Rules in preview and deprecated ones only run when they are named.
bool is_selected(const Rule& rule, const Options& options);

// Whether people are shown it: it is severe enough, it saves enough and rests on nothing assumed, or its
// rule is selected by its very code or name.
bool is_shown(const Finding& finding, const Options& options);

}  // namespace shapelint::rules
