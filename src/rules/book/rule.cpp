// The collection of all rules.
#include "rules/book/rule.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/budget.hpp"
#include "catalog/catalog.hpp"
#include "rules/book/compiled.hpp"

namespace shapelint::rules {

namespace {

constexpr std::size_t comparisons_per_unit = 2;

bool same_text(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return lower(x) == lower(y);
  });
}

}  // namespace

std::vector<std::string_view> contracts_of(const Rule& rule) {
  std::vector<std::string_view> out;
  for (const std::string_view source : rule.sources) {
    if (source.starts_with(contract_source)) out.push_back(source.substr(contract_source.size()));
  }
  return out;
}

RuleBook::RuleBook(std::span<const text::Document> documents, bool check_expressions,
                   std::vector<Error>& errors, std::size_t known)
    : documents_(documents.begin(), documents.end()), compiled_(std::make_shared<CompiledSets>()) {
  rules_.reserve(documents_.size());
  for (const text::Document& document : documents_) {
    const std::size_t before = errors.size();
    Rule rule = read_rule(document.root(), errors);
    const bool is_known = static_cast<std::size_t>(&document - documents_.data()) < known;
    rule.is_own = check_expressions && !is_known;
    if (rule.is_own && errors.size() == before) check(rule, errors);
    if (errors.size() != before) continue;
    charge(1 + rules_.size() / comparisons_per_unit);
    for (const Rule& other : rules_) {
      if (!check_expressions) break;  // a test compares those that are built in
      const bool code = other.code == rule.code;
      if (!code && other.name != rule.name) continue;
      errors.push_back(document.root()[code ? "code" : "name"].error(
          fmt::format("`{}` is the {} of another rule", code ? rule.code : rule.name, code ? "code" : "name"),
          fmt::format("it is in {}", other.when.node.file())));
    }
    rules_.push_back(std::move(rule));
  }
  std::sort(rules_.begin(), rules_.end(), [](const Rule& a, const Rule& b) { return a.code < b.code; });
}

const Rule* RuleBook::find(std::string_view code_or_name) const {
  for (const Rule& rule : rules_) {
    const auto is_it = [&](std::string_view name) { return same_text(name, code_or_name); };
    if (is_it(rule.code) || is_it(rule.name) ||
        std::any_of(rule.formerly.begin(), rule.formerly.end(), is_it))
      return &rule;
  }
  return nullptr;
}

std::vector<std::string_view> RuleBook::names() const {
  std::vector<std::string_view> out;
  for (const Rule& rule : rules_) {
    out.push_back(rule.code);
    out.push_back(rule.name);
  }
  return out;
}

const RuleBook& builtin_rules() {
  // Never destroyed: that takes long, and the end of the program frees it.
  static const RuleBook& book = *[] {
    const Uncharged kept;
    std::vector<Error> errors;  // none: a test checks the files
    return new RuleBook(catalog::builtin("rules"), false, errors);
  }();
  return book;
}

std::string_view current_name(std::string_view selector) {
  static const auto& current = *[] {
    auto* names = new std::map<std::string_view, std::string_view>;
    for (const Rule& rule : builtin_rules().rules()) {
      for (const std::string_view former : rule.formerly) names->emplace(former, rule.name);
    }
    return names;
  }();
  const auto found = current.find(selector);
  return found == current.end() ? selector : found->second;
}

}  // namespace shapelint::rules
