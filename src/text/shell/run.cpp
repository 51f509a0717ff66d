// Branches and lists: the ways through a script.
#include "text/shell/run.hpp"

#include "text/errors.hpp"
#include "text/shell/executor.hpp"

namespace shapelint::text::shell {

namespace {

using Operator = Statement::Operator;

// Of a variable or a line in a copy of all of them, and the memory of one: nodes of maps with short names.
constexpr std::size_t units_per_copied = 10;
constexpr std::size_t bytes_per_copied = 224;
constexpr std::size_t units_per_statement = 20;
// Open conditions of one `a && b || c` that are followed both ways; more are taken to hold.
constexpr int max_open_parts = 4;

std::size_t next_part(const Statement& statement, std::size_t index, bool succeeded) {
  for (; index < statement.operators.size(); ++index) {
    charge();
    const Operator sign = statement.operators[index];
    if (sign == Operator::pipe || (sign == Operator::and_) == succeeded) return index + 1;
  }
  return statement.body.size();
}

}  // namespace

Span SymbolicExecutor::placed(Word word) const {
  if (depth_ > 0) return included_.place;
  return {static_cast<std::int64_t>(word.begin), static_cast<std::int64_t>(word.end)};
}

void SymbolicExecutor::run(const Statement& statement, ExecutionPaths& paths, bool in_loop) {
  if (depth_ == 0) execution_.at = statement.extent.begin;
  charge(units_per_statement * (1 + paths.size()));
  switch (statement.kind) {
    case StatementKind::command:
      if (call(statement, paths, in_loop)) return;
      for (ExecutionPath& outcome : paths) {
        if (!outcome.ended) command(statement, outcome, in_loop);
      }
      return;
    case StatementKind::group:
      return run(statement.body, paths, in_loop);
    case StatementKind::if_:
    case StatementKind::case_:
    case StatementKind::and_or:
      return fork(statement, paths, in_loop);
    case StatementKind::loop:
      return loop(statement, paths);
    case StatementKind::arithmetic:
      for (ExecutionPath& outcome : paths) {
        if (!compute(statement.subject, outcome)) forget_computed(statement.subject, outcome);
      }
      return;
    case StatementKind::function:
      return define(statement);
    case StatementKind::test:
      return;
  }
}

// Each outcome goes through the branches that are open to it.
void SymbolicExecutor::fork(const Statement& statement, ExecutionPaths& paths, bool in_loop) {
  ExecutionPaths after;
  for (ExecutionPath& outcome : paths) {
    if (outcome.ended) {
      after.push_back(std::move(outcome));
      continue;
    }
    charge(outcome.branches.size());
    const std::vector<BranchTaken> before = outcome.branches;
    ExecutionPaths ways;
    if (statement.kind == StatementKind::and_or) {
      and_or(statement, std::move(outcome), ways, in_loop);
    } else {
      branches(statement, std::move(outcome), ways, in_loop);
    }
    merge_paths(ways, relevant_);
    if (in_loop && ways.size() > 1) {
      join_paths(ways, relevant_);
      ways.front().branches = before;
    }
    for (ExecutionPath& way : ways) after.push_back(std::move(way));
  }
  merge_paths(after, relevant_);
  reduce_paths(after, relevant_, weights_);
  paths = std::move(after);
}

ExecutionPath SymbolicExecutor::copy(const ExecutionPath& outcome) {
  const std::size_t count =
      1 + outcome.variables.size() + outcome.names.size() + outcome.exported.size() + outcome.branches.size();
  charge(units_per_copied * count + outcome.commands.size());
  auto held = std::make_shared<HeldBytes>();
  held->add(bytes_per_copied * count + sizeof(outcome.commands.front()) * outcome.commands.size());
  ExecutionPath copied = outcome;
  copied.held = std::move(held);
  return copied;
}

void SymbolicExecutor::branches(const Statement& statement, ExecutionPath outcome, ExecutionPaths& ways,
                                bool in_loop) {
  Text subject;
  if (statement.kind == StatementKind::case_) subject = expander(outcome).text(statement.subject);
  for (const Branch& branch : statement.branches) {
    Truth holds = Truth::yes;
    if (statement.kind == StatementKind::case_) {
      Expander expands = expander(outcome);
      holds = matches_case(subject, branch.patterns, expands);
    } else if (!branch.condition.empty()) {
      ExecutionPaths one;
      one.push_back(std::move(outcome));
      holds = condition(branch.condition, one, in_loop);
      outcome = std::move(one.front());
    }
    if (holds == Truth::no) continue;
    ExecutionPaths way;
    if (holds == Truth::yes) {
      const bool is_open = !ways.empty();
      ExecutionPath passed = copy(outcome);
      way.push_back(std::move(outcome));
      if (is_open) way.back().branches.push_back({branch.label, statement.extent.begin});
      run(branch.body, way, in_loop);
      // A script is not written to end before it does anything: what it asks for will be given.
      const bool gives_up =
          way.size() == 1 && way.front().ended && !way.front().returned && starts_nothing(way.front());
      for (ExecutionPath& each : way) ways.push_back(std::move(each));
      if (!gives_up) return;
      outcome = std::move(passed);
      continue;
    }
    way.push_back(copy(outcome));
    way.back().branches.push_back({branch.label, statement.extent.begin});
    run(branch.body, way, in_loop);
    for (ExecutionPath& each : way) ways.push_back(std::move(each));
  }
  ways.push_back(std::move(outcome));
}

// Whether the last statement of a condition succeeds; what the statements assign stays.
Truth SymbolicExecutor::condition(const std::vector<Statement>& statements, ExecutionPaths& one,
                                  bool in_loop) {
  for (std::size_t i = 0; i + 1 < statements.size(); ++i) {
    run(statements[i], one, in_loop);
    one.resize(1);
  }
  return truth(statements.back(), one.front());
}

// What a statement of a condition says, without following what it does.
Truth SymbolicExecutor::truth(const Statement& statement, ExecutionPath& outcome) {
  Truth value = Truth::unknown;
  Expander expands = expander(outcome);
  if (statement.kind == StatementKind::test) {
    value = evaluate_test(test_words(scanner_, statement.subject), true, source_, expands);
  } else if (statement.kind == StatementKind::arithmetic) {
    if (const auto number = expands.arithmetic(statement.subject)) {
      value = *number != 0 ? Truth::yes : Truth::no;
    }
  } else if (statement.kind == StatementKind::and_or) {
    value = truth(statement.body.front(), outcome);
    for (std::size_t i = 0; i < statement.operators.size(); ++i) {
      if (statement.operators[i] == Operator::pipe) return Truth::unknown;
      const bool is_and = statement.operators[i] == Operator::and_;
      if (value == (is_and ? Truth::no : Truth::yes)) continue;
      const Truth next = truth(statement.body[i + 1], outcome);
      const bool settles = next == (is_and ? Truth::no : Truth::yes);
      value = value == Truth::unknown && !settles ? Truth::unknown : next;
    }
  } else if (statement.kind == StatementKind::command && !statement.words.empty()) {
    const std::string_view word = slice(statement.words.front());
    if (word == "true" || word == ":") value = Truth::yes;
    if (word == "false") value = Truth::no;
    if ((word == "[" && slice(statement.words.back()) == "]") || word == "test") {
      const auto last = word == "[" ? std::prev(statement.words.end()) : statement.words.end();
      value = evaluate_test({std::next(statement.words.begin()), last}, false, source_, expands);
    }
  }
  return statement.negated ? !value : value;
}

// `a && b || c`: a test decides; any other command counts as done well.
void SymbolicExecutor::and_or(const Statement& statement, ExecutionPath outcome, ExecutionPaths& ways,
                              bool in_loop) {
  and_or_from(statement, 0, std::move(outcome), ways, in_loop, 0);
}

void SymbolicExecutor::and_or_from(const Statement& statement, std::size_t index, ExecutionPath outcome,
                                   ExecutionPaths& ways, bool in_loop, int open_parts) {
  ExecutionPaths one;
  one.push_back(std::move(outcome));
  while (true) {
    const Statement& part = statement.body[index];
    run(part, one, in_loop);
    const Truth value = success(part, one);
    const std::size_t end = statement.body.size();
    // The next part that this success, or failure, leads to.
    const bool is_followed = value == Truth::unknown && open_parts < max_open_parts;
    const std::size_t on_yes = value != Truth::no ? next_part(statement, index, true) : end;
    const std::size_t on_no = value == Truth::no || is_followed ? next_part(statement, index, false) : end;
    if (is_followed && on_yes != on_no) {
      for (const ExecutionPath& each : one) {
        for (const bool holds : {true, false}) {
          const std::size_t next = holds ? on_yes : on_no;
          ExecutionPath way = copy(each);
          if (holds == (on_yes < on_no)) way.branches.push_back({part.extent, part.extent.begin});
          if (next == end) {
            ways.push_back(std::move(way));
          } else {
            and_or_from(statement, next, std::move(way), ways, in_loop, open_parts + 1);
          }
        }
      }
      return;
    }
    index = value == Truth::no ? on_no : on_yes;
    if (index == end) break;
  }
  for (ExecutionPath& each : one) ways.push_back(std::move(each));
}

Truth SymbolicExecutor::success(const Statement& part, ExecutionPaths& one) {
  const bool tests = part.kind == StatementKind::test || part.kind == StatementKind::arithmetic ||
                     (part.kind == StatementKind::command && !part.words.empty() &&
                      (slice(part.words.front()) == "[" || slice(part.words.front()) == "test" ||
                       slice(part.words.front()) == "false"));
  return tests && one.size() == 1 ? truth(part, one.front()) : Truth::yes;
}

std::vector<ExecutionPath> follow(const std::string& path, std::string_view source,
                                  const std::vector<Statement>& statements, Variables variables,
                                  const SourceLoader& load) {
  ExecutionState execution{load};
  try {
    ExecutionPaths paths(1);
    paths.front().variables = std::move(variables);
    SymbolicExecutor follower(path, source, statements, execution);
    follower.run(statements, paths, false);
    follower.finish(paths);
    return paths;
  } catch (const Spent& spent) {
    throw Stop{too_costly(spent, path, static_cast<std::int64_t>(execution.at))};
  }
}

}  // namespace shapelint::text::shell
