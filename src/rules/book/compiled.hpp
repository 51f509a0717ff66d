// A rule's expressions, compiled.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "expr/expression.hpp"
#include "rules/book/rule.hpp"
#include "rules/book/template.hpp"
#include "rules/scope/variables.hpp"

namespace shapelint::rules {

// Words that messages may use in addition to numbers.
std::span<const std::string_view> message_words();

// What an expression may name: variable_names() and the rule's parameters.
std::vector<std::string_view> names_for(const Rule& rule);

// Every mistake in the rule's expressions, placed in its file: unknown names, syntax, variables of another
// scope, unknown fields in `blame`, `vary` and fixes.
void check(const Rule& rule, std::vector<Error>& errors);

// Whether what is compiled serves later files, too. Then none of them is charged for it: it is as much as was
// charged where the rule was read.
enum class Kept : std::uint8_t { no, yes };

// Evaluates one rule's expressions in contexts. Not for several threads at once.
class CompiledRule {
 public:
  explicit CompiledRule(const Rule& rule, Kept kept = Kept::no);
  const Rule& rule() const { return *rule_; }
  // Another value for one of the rule's parameters; all back to those of the rule's file.
  void set_parameter(std::string_view name, double value);
  void reset_parameters();
  // Whether a field that the condition depends on is unknown: the rule then stays silent.
  bool lacks(const model::Reading& reading) const;
  // How many kinds of layers it is asked of: 1 except for conditions on mixers.
  std::size_t kinds() const { return kinds_; }
  // The condition. Error: it has no value.
  Result<bool> holds(const Context& context);
  // For any of those kinds. Error: it has no value for one of them, and holds for none.
  Result<bool> holds_for_any(const Context& context);
  // Whether a fix has mended what the rule finds, by `fixed_when`.
  bool is_fixed(const Context& context);
  // Fields of the rule's list that are to blame where the condition holds; all if none is.
  std::vector<std::string_view> blamed(const Context& context);
  // Indices of the variables in the condition; parameters are not among them.
  std::vector<std::size_t> variables() const;
  using Words = std::span<const Word>;
  // A finding's title, its label at the value, and its line where it is hidden.
  std::string message(const Context& context, Words filled);
  std::string message_without_time(const Context& context, Words filled);
  std::string label(const Context& context, Words filled);
  std::string brief(const Context& context, Words filled);
  // The change that a fix with scope `conv` asks of one layer; nothing when the file has no number to edit.
  std::optional<Change> layer_change(const Fix& fix, const Context& context);
  // The changes that a fix asks for; nothing when an expression has no value or no whole one.
  std::optional<std::vector<Change>> changes(const Fix& fix, const Context& context, model::FieldId blamed);

 private:
  double value(std::int32_t name, const Context& context) const;
  Result<double> evaluate(const expr::Expression& expression, const Context& context);
  const expr::Expression* expression(const Text& text);
  std::string fill(std::optional<Template>& compiled, const Text& text, const Context& context, Words filled);
  const Rule* rule_;
  Kept kept_;
  std::vector<double> parameters_;
  std::span<const std::string_view> names_;
  std::vector<std::string_view> own_names_;  // of a rule with parameters
  std::optional<expr::Expression> when_;
  std::vector<model::FieldId> needs_;  // fields that the condition depends on
  std::size_t kinds_ = 1;
  std::optional<Template> message_;  // these and the fixes: compiled when something is found
  std::optional<Template> message_without_time_;
  std::optional<Template> label_;
  std::optional<Template> brief_;
  std::vector<std::pair<const char*, std::unique_ptr<expr::Expression>>> fixes_;  // by the text's address
};

// The compiled rules of a book, kept from file to file: compiling all conditions takes longer than linting a
// model. As many sets are made as there are threads at once.
class CompiledSets {
 public:
  using Rules = std::vector<CompiledRule>;
  // A set for one thread, with the parameters of the rules' files; give it back when done.
  std::unique_ptr<Rules> take(std::span<const Rule> rules);
  void return_to_pool(std::unique_ptr<Rules> set) noexcept;

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Rules>> free_;
};

}  // namespace shapelint::rules
