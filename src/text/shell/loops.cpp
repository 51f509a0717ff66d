// Loops and arithmetic.
#include <fmt/format.h>

#include "base/strings.hpp"
#include "text/shell/executor.hpp"

namespace shapelint::text::shell {

namespace {

// More rounds than a list of layers has.
constexpr int max_rounds = 4096;

// `NAME = EXPRESSION`, `NAME += …`, `NAME++`, `--NAME`: what the name becomes, as an expression.
struct Change {
  std::string_view name;
  std::string value;
};

std::optional<Change> change_of(std::string_view text) {
  text = trimmed(text);
  for (const std::string_view sign : {"++", "--"}) {
    if (text.starts_with(sign)) {
      const std::string_view name = trimmed(text.substr(sign.size()));
      return Change{name, fmt::format("{} {} 1", name, sign[0])};
    }
    if (text.ends_with(sign)) {
      const std::string_view name = trimmed(text.substr(0, text.size() - sign.size()));
      return Change{name, fmt::format("{} {} 1", name, sign[0])};
    }
  }
  std::size_t end = 0;
  while (end < text.size() && is_name(text[end])) ++end;
  const std::string_view name = text.substr(0, end);
  const std::string_view rest = trimmed(text.substr(end));
  if (name.empty() || rest.size() < 2 || rest.starts_with("==")) return std::nullopt;
  if (rest[0] == '=') return Change{name, std::string(rest.substr(1))};
  if (rest[1] == '=' && std::string_view("+-*/%").find(rest[0]) != std::string_view::npos)
    return Change{name, fmt::format("{} {} ({})", name, rest[0], rest.substr(2))};
  return std::nullopt;
}

}  // namespace

void SymbolicExecutor::loop(const Statement& statement, ExecutionPaths& paths) {
  const bool may_go_round = only_assigns(statement.body);
  for (ExecutionPath& outcome : paths) {
    if (outcome.ended) continue;
    if (may_go_round && (statement.variable.empty() ? rounds_of_numbers(statement, outcome)
                                                    : rounds_of_words(statement, outcome)))
      continue;
    forget_assigned(statement, outcome);
    ExecutionPaths one;
    one.push_back(std::move(outcome));
    run(statement.body, one, true);
    outcome = std::move(one.front());
  }
}

// Such a loop can be gone through round by round: it starts nothing and never leaves early.
bool SymbolicExecutor::only_assigns(const std::vector<Statement>& statements) const {
  for (const Statement& statement : statements) {
    charge();
    if (!only_assigns(statement.body)) return false;
    for (const Branch& branch : statement.branches) {
      if (!only_assigns(branch.condition) || !only_assigns(branch.body)) return false;
    }
    if (statement.kind != StatementKind::command || statement.words.empty()) continue;
    const std::string_view first = slice(statement.words.front());
    const bool leaves = first == "exit" || first == "source" || first == ".";
    if (leaves || (first != "let" && !is_harmless_command(first))) return false;
  }
  return true;
}

// `for NAME in …`; false where the words are not known.
bool SymbolicExecutor::rounds_of_words(const Statement& loop, ExecutionPath& outcome) {
  std::vector<Text> words;
  for (const Word& word : loop.words) {
    for (Text& text : expander(outcome).words(word)) words.push_back(std::move(text));
  }
  if (words.empty() || words.size() > max_rounds) return false;
  for (const Text& word : words) {
    // A pattern stands for files.
    if (!is_known(word) || as_string(word).find_first_of("*?{") != std::string::npos) return false;
  }
  for (Text& word : words) {
    set(loop.variable, loop.extent, Value{false, {std::move(word)}}, outcome);
    round(loop, outcome);
  }
  return true;
}

// `for ((i = 0; i < N; i++))`; false where one of the three is not known, or too often holds.
bool SymbolicExecutor::rounds_of_numbers(const Statement& loop, ExecutionPath& outcome) {
  const std::string_view header = slice(loop.subject);
  const std::size_t first = header.find(';');
  const std::size_t second = first == std::string_view::npos ? first : header.find(';', first + 1);
  if (second == std::string_view::npos) return false;
  const std::size_t begin = loop.subject.begin;
  const Word start{begin, begin + first};
  const Word condition{begin + first + 1, begin + second};
  const Word step{begin + second + 1, loop.subject.end};
  ExecutionPath going = copy(outcome);
  if (!compute(start, going)) return false;
  for (int i = 0; i < max_rounds; ++i) {
    const auto holds = expander(going).arithmetic(condition);
    if (!holds) return false;
    if (*holds == 0) {
      outcome = std::move(going);
      return true;
    }
    round(loop, going);
    if (!compute(step, going)) return false;
  }
  return false;
}

void SymbolicExecutor::round(const Statement& loop, ExecutionPath& outcome) {
  charge(1 + loop.body.size());
  ExecutionPaths one;
  one.push_back(std::move(outcome));
  run(loop.body, one, true);
  outcome = std::move(one.front());
}

// A loop's variable is never known, nor is what an earlier round of it adds to.
void SymbolicExecutor::forget_assigned(const Statement& loop, ExecutionPath& outcome) {
  if (!loop.variable.empty()) {
    set_unknown(loop.variable, loop.extent, fmt::format("the loop gives `{}` several values", loop.variable),
                outcome);
  }
  forget_arguments(loop, outcome);
  for (const Assignment& each : self_dependent_assignments(loop.body, source_)) {
    set_unknown(each.name, each.name_word, fmt::format("`{}` changes in a loop", each.name), outcome);
  }
}

// `i++`, `n += 2`, `n = a * b`; false where it is something else, or depends on the run.
bool SymbolicExecutor::compute(Word expression, ExecutionPath& outcome) {
  const Text text = expander(outcome).quoted_text(expression);
  if (!is_known(text)) return false;
  const std::string written = as_string(text);
  const auto change = change_of(written);
  if (!change || change->name.empty() || !is_name_start(change->name[0])) return false;
  const auto value = evaluate_arithmetic(change->value, outcome.variables);
  if (!value) return false;
  set_computed(change->name, expression, fmt::format("{}", *value), outcome);
  return true;
}

// What the expression changes is not known then.
void SymbolicExecutor::forget_computed(Word expression, ExecutionPath& outcome) {
  const auto change = change_of(slice(expression));
  if (change && !change->name.empty())
    set_unknown(change->name, expression, "it is computed by `((…))`", outcome);
}

}  // namespace shapelint::text::shell
