// Expressions of the data files over named values.
#include "formats/dialect/formula.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <unordered_set>

#include "base/budget.hpp"
#include "base/keyed_hash.hpp"
#include "expr/expression.hpp"

namespace shapelint::formats {

namespace {

// Which names there are differs from dialect to dialect, so that an expression brings its own, each once;
// check_expressions() compares them with what the dialect has.
std::vector<std::string> names_in(std::string_view text) {
  std::vector<std::string> names;
  std::unordered_set<std::string_view, KeyedHash> known;
  for (const std::string_view name : expr::names_in(text))
    if (known.insert(name).second) names.emplace_back(name);
  return names;
}

constexpr std::size_t units_per_evaluation = 10;

struct Compiled {
  std::vector<std::string> names;
  std::optional<expr::Expression> expression;
  Error problem;
};

// Expressions write into buffers of their own while they are evaluated, so each thread has its own.
const Compiled& compiled(const std::string& text) {
  thread_local NameMap<std::unique_ptr<Compiled>> cache;
  std::unique_ptr<Compiled>& entry = cache[text];
  if (entry) return *entry;
  const Uncharged kept;  // variables() is asked for each, and charged
  entry = std::make_unique<Compiled>();
  entry->names = names_in(text);
  const std::vector<std::string_view> names(entry->names.begin(), entry->names.end());
  std::vector<Error> errors;
  entry->expression = expr::compile(text, names, errors);
  if (!entry->expression && !errors.empty()) entry->problem = errors.front();
  return *entry;
}

}  // namespace

Result<std::vector<std::string>> variables(const std::string& text) {
  expr::charge_compiling(text);  // whether it was compiled before or not
  const Compiled& entry = compiled(text);
  if (!entry.expression) return entry.problem;
  return entry.names;
}

std::optional<double> evaluate(const std::string& text, const Lookup& lookup) {
  const Compiled& entry = compiled(text);
  if (!entry.expression) return std::nullopt;
  // Looking up a name may evaluate this same text again, so all names come before the evaluation.
  charge(units_per_evaluation);
  std::vector<double> values;
  for (const std::string& name : entry.names) {
    values.push_back(lookup(name).value_or(std::numeric_limits<double>::quiet_NaN()));
  }
  const auto result = entry.expression->evaluate(values);
  if (!result) return std::nullopt;
  return *result;
}

}  // namespace shapelint::formats
