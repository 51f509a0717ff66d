// Selectors of rules and their parameters.
#include "rules/book/select.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/strings.hpp"

namespace shapelint::rules {

namespace {

bool matches(const Rule& rule, const std::string& selector) {
  return rule.code.starts_with(selector) || rule.name == current_name(selector) || selector == "ALL";
}

bool is_named(std::string_view code, std::string_view name, const std::vector<std::string>& selectors) {
  return std::any_of(selectors.begin(), selectors.end(),
                     [&](const std::string& s) { return s == code || current_name(s) == name; });
}

}  // namespace

bool is_selected(const Rule& rule, const Options& options) {
  const auto named = [&](const std::vector<std::string>& list) {
    return std::any_of(list.begin(), list.end(), [&](const std::string& s) { return matches(rule, s); });
  };
  if (named(options.ignore)) return false;
  if (rule.status != Status::stable) {  // only when asked for by name
    return is_named(rule.code, rule.name, options.select);
  }
  return options.select.empty() || named(options.select);
}

bool is_shown(const Finding& finding, const Options& options) {
  const bool saves = finding.gain >= options.min_gain && !finding.gains.empty() && finding.assumed.empty();
  return finding.severity >= options.min_severity || finding.certain_to_fail ||
         (options.shows_savings && saves) || is_named(finding.code, finding.rule, options.select);
}

bool is_selector(const RuleBook& rules, std::string_view selector) {
  const std::string text(selector);
  const auto named = [&](const Rule& rule) { return matches(rule, text); };
  return !text.empty() && std::any_of(rules.rules().begin(), rules.rules().end(), named);
}

std::optional<Error> check_selector(const RuleBook& rules, std::string_view selector) {
  if (is_selector(rules, selector)) return std::nullopt;
  const auto names = rules.names();
  std::string hint = did_you_mean(selector, names);
  if (hint.empty()) hint = "`shapelint rules` lists them";
  return Error{
      fmt::format("unknown rule `{}`", selector), std::move(hint), {}, std::nullopt, ErrorCode::unknown_name};
}

std::optional<Error> check_parameter(const RuleBook& rules, std::string_view rule, std::string_view name) {
  const Rule* found = rules.find(rule);
  if (found == nullptr) return check_selector(rules, rule);
  std::vector<std::string_view> names;
  for (const Parameter& parameter : found->parameters) {
    if (parameter.name == name) return std::nullopt;
    names.push_back(parameter.name);
  }
  std::string hint = did_you_mean(name, names);
  if (hint.empty()) hint = names.empty() ? "it has none" : fmt::format("it has {}", fmt::join(names, ", "));
  return Error{fmt::format("rule {} has no parameter `{}`", found->code, name),
               std::move(hint),
               {},
               std::nullopt,
               ErrorCode::unknown_name};
}

}  // namespace shapelint::rules
