// Branches, loops, assignments.
#include "text/shell/run.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "text/limits.hpp"
#include "text/shell/condition.hpp"
#include "text/shell/outcomes.hpp"

namespace shapelint::text {

namespace {

using Kind = ShellStatement::Kind;
using Operator = ShellStatement::Operator;
using Outcomes = std::vector<ShellOutcome>;

constexpr std::int64_t steps_per_copy = 20;
// Open conditions of one `a && b || c` that are followed both ways; more are taken to hold.
constexpr int max_open_parts = 4;

class Follower {
 public:
  Follower(const std::string& path, std::string_view source, const std::vector<ShellStatement>& statements)
      : path_(path),
        source_(source),
        scanner_(path, source),
        budget_{max_values},
        relevant_(relevant_shell_variables(source, statements)) {}

  void run(const std::vector<ShellStatement>& statements, Outcomes& outcomes, bool in_loop) {
    for (const ShellStatement& statement : statements) run(statement, outcomes, in_loop);
  }

 private:
  ShellExpander expander(ShellOutcome& outcome) {
    return ShellExpander(path_, source_, outcome.variables, budget_);
  }

  std::string_view slice(ShellWord word) const { return source_.substr(word.begin, word.end - word.begin); }

  void run(const ShellStatement& statement, Outcomes& outcomes, bool in_loop) {
    switch (statement.kind) {
      case Kind::command:
        for (ShellOutcome& outcome : outcomes) {
          if (!outcome.ended) command(statement, outcome, in_loop);
        }
        return;
      case Kind::group:
        return run(statement.body, outcomes, in_loop);
      case Kind::if_:
      case Kind::case_:
      case Kind::and_or:
        return fork(statement, outcomes, in_loop);
      case Kind::loop:
        for (ShellOutcome& outcome : outcomes) {
          if (!outcome.ended) forget_assigned(statement, outcome);
        }
        return run(statement.body, outcomes, true);
      case Kind::arithmetic:
        for (ShellOutcome& outcome : outcomes) forget_arithmetic(statement, outcome);
        return;
      case Kind::test:
      case Kind::function:
        return;
    }
  }

  // Each outcome goes through the branches that are open to it.
  void fork(const ShellStatement& statement, Outcomes& outcomes, bool in_loop) {
    Outcomes after;
    for (ShellOutcome& outcome : outcomes) {
      if (outcome.ended) {
        after.push_back(std::move(outcome));
        continue;
      }
      Outcomes ways;
      if (statement.kind == Kind::and_or) {
        and_or(statement, std::move(outcome), ways, in_loop);
      } else {
        branches(statement, std::move(outcome), ways, in_loop);
      }
      merge_shell_outcomes(ways, relevant_, budget_, path_);
      if (in_loop && ways.size() > 1) join_shell_outcomes(ways, relevant_);
      for (ShellOutcome& way : ways) after.push_back(std::move(way));
    }
    merge_shell_outcomes(after, relevant_, budget_, path_);
    if (after.size() > max_shell_outcomes) join_shell_outcomes(after, relevant_);
    outcomes = std::move(after);
  }

  ShellOutcome copy(const ShellOutcome& outcome) {
    budget_.spend(
        static_cast<std::int64_t>(outcome.variables.size() + outcome.commands.size()) + steps_per_copy, path_,
        0);
    return outcome;
  }

  void branches(const ShellStatement& statement, ShellOutcome outcome, Outcomes& ways, bool in_loop) {
    ShellText subject;
    if (statement.kind == Kind::case_) subject = expander(outcome).text(statement.subject);
    for (const ShellBranch& branch : statement.branches) {
      ShellTruth holds = ShellTruth::yes;
      if (statement.kind == Kind::case_) {
        ShellExpander expands = expander(outcome);
        holds = matches_shell_case(subject, branch.patterns, expands);
      } else if (!branch.condition.empty()) {
        Outcomes one;
        one.push_back(std::move(outcome));
        holds = condition(branch.condition, one, in_loop);
        outcome = std::move(one.front());
      }
      if (holds == ShellTruth::no) continue;
      Outcomes way;
      if (holds == ShellTruth::yes) {
        const bool is_open = !ways.empty();
        way.push_back(std::move(outcome));
        if (is_open) way.back().branches.push_back(branch.label);
        run(branch.body, way, in_loop);
        for (ShellOutcome& each : way) ways.push_back(std::move(each));
        return;
      }
      way.push_back(copy(outcome));
      way.back().branches.push_back(branch.label);
      run(branch.body, way, in_loop);
      for (ShellOutcome& each : way) ways.push_back(std::move(each));
    }
    ways.push_back(std::move(outcome));
  }

  // Whether the last statement of a condition succeeds; what the statements assign stays.
  ShellTruth condition(const std::vector<ShellStatement>& statements, Outcomes& one, bool in_loop) {
    for (std::size_t i = 0; i + 1 < statements.size(); ++i) {
      run(statements[i], one, in_loop);
      one.resize(1);
    }
    return truth(statements.back(), one.front());
  }

  // What a statement of a condition says, without following what it does.
  ShellTruth truth(const ShellStatement& statement, ShellOutcome& outcome) {
    ShellTruth value = ShellTruth::unknown;
    ShellExpander expands = expander(outcome);
    if (statement.kind == Kind::test) {
      value = evaluate_shell_test(shell_test_words(scanner_, statement.subject), true, source_, expands);
    } else if (statement.kind == Kind::arithmetic) {
      if (const auto number = expands.arithmetic(statement.subject)) {
        value = *number != 0 ? ShellTruth::yes : ShellTruth::no;
      }
    } else if (statement.kind == Kind::and_or) {
      value = truth(statement.body.front(), outcome);
      for (std::size_t i = 0; i < statement.operators.size(); ++i) {
        if (statement.operators[i] == Operator::pipe) return ShellTruth::unknown;
        const bool is_and = statement.operators[i] == Operator::and_;
        if (value == (is_and ? ShellTruth::no : ShellTruth::yes)) continue;
        const ShellTruth next = truth(statement.body[i + 1], outcome);
        const bool settles = next == (is_and ? ShellTruth::no : ShellTruth::yes);
        value = value == ShellTruth::unknown && !settles ? ShellTruth::unknown : next;
      }
    } else if (statement.kind == Kind::command && !statement.words.empty()) {
      const std::string_view word = slice(statement.words.front());
      if (word == "true" || word == ":") value = ShellTruth::yes;
      if (word == "false") value = ShellTruth::no;
      if ((word == "[" && slice(statement.words.back()) == "]") || word == "test") {
        const auto last = word == "[" ? std::prev(statement.words.end()) : statement.words.end();
        value = evaluate_shell_test({std::next(statement.words.begin()), last}, false, source_, expands);
      }
    }
    return statement.negated ? !value : value;
  }

  // `a && b || c`: a test decides; any other command counts as done well.
  void and_or(const ShellStatement& statement, ShellOutcome outcome, Outcomes& ways, bool in_loop) {
    and_or_from(statement, 0, std::move(outcome), ways, in_loop, 0);
  }

  void and_or_from(const ShellStatement& statement, std::size_t index, ShellOutcome outcome, Outcomes& ways,
                   bool in_loop, int open_parts) {
    Outcomes one;
    one.push_back(std::move(outcome));
    while (true) {
      const ShellStatement& part = statement.body[index];
      run(part, one, in_loop);
      const ShellTruth value = success(part, one);
      // The next part that this success, or failure, leads to.
      const std::size_t on_yes = next_part(statement, index, true);
      const std::size_t on_no = next_part(statement, index, false);
      const std::size_t end = statement.body.size();
      if (value == ShellTruth::unknown && on_yes != on_no && open_parts < max_open_parts) {
        for (const ShellOutcome& each : one) {
          for (const bool holds : {true, false}) {
            const std::size_t next = holds ? on_yes : on_no;
            ShellOutcome way = copy(each);
            if (holds == (on_yes < on_no)) way.branches.push_back(part.extent);
            if (next == end) {
              ways.push_back(std::move(way));
            } else {
              and_or_from(statement, next, std::move(way), ways, in_loop, open_parts + 1);
            }
          }
        }
        return;
      }
      index = value == ShellTruth::no ? on_no : on_yes;
      if (index == end) break;
    }
    for (ShellOutcome& each : one) ways.push_back(std::move(each));
  }

  static std::size_t next_part(const ShellStatement& statement, std::size_t index, bool succeeded) {
    for (; index < statement.operators.size(); ++index) {
      const Operator sign = statement.operators[index];
      if (sign == Operator::pipe || (sign == Operator::and_) == succeeded) return index + 1;
    }
    return statement.body.size();
  }

  ShellTruth success(const ShellStatement& part, Outcomes& one) {
    const bool tests = part.kind == Kind::test || part.kind == Kind::arithmetic ||
                       (part.kind == Kind::command && !part.words.empty() &&
                        (slice(part.words.front()) == "[" || slice(part.words.front()) == "test" ||
                         slice(part.words.front()) == "false"));
    return tests && one.size() == 1 ? truth(part, one.front()) : ShellTruth::yes;
  }

  void command(const ShellStatement& statement, ShellOutcome& outcome, bool in_loop) {
    ShellExpander expands = expander(outcome);
    const std::string_view first =
        statement.words.empty() ? std::string_view() : slice(statement.words.front());
    const bool declares = first == "export" || first == "declare" || first == "local" ||
                          first == "readonly" || first == "typeset";
    if (statement.words.empty() || declares) {
      for (const ShellAssignment& each : statement.assignments) assign(each, outcome);
      return;
    }
    if ((first == "exit" || first == "return") && !in_loop) {
      outcome.ended = true;
      return;
    }
    if (first == "read" || first == "mapfile" || first == "readarray" || first == "getopts") {
      for (const ShellWord& word : statement.words)
        set_unknown(slice(word), word, "it is read in when run", outcome);
      return;
    }
    if (first == "unset") {
      for (const ShellWord& word : statement.words) {
        const auto found = outcome.variables.find(slice(word));
        if (found != outcome.variables.end()) outcome.variables.erase(found);
      }
      return;
    }
    if (first == "let") {
      for (const ShellWord& word : statement.words) {
        const std::string_view name = slice(word).substr(0, slice(word).find_first_of("=+-*/%"));
        set_unknown(name, word, "it is computed by `let`", outcome);
      }
      return;
    }
    ShellCommandLine line;
    line.extent = statement.extent;
    for (const ShellWord& word : statement.words) {
      for (ShellText& text : expands.words(word)) {
        const bool is_script =
            first == "eval" || (!line.words.empty() && as_string(line.words.back()) == "-c");
        line.words.push_back(is_script ? expanded_again(std::move(text), expands) : std::move(text));
      }
    }
    if (!line.words.empty()) outcome.commands.push_back(std::move(line));
  }

  // `eval` and `bash -c` expand once more: what single quotes or backslashes kept is read where it stands.
  static ShellText expanded_again(ShellText text, ShellExpander& expands) {
    ShellText all;
    for (ShellPiece& piece : text) {
      if (!piece.known || !piece.exact || piece.text.find('$') == std::string::npos) {
        all.push_back(std::move(piece));
        continue;
      }
      const ShellWord written{static_cast<std::size_t>(piece.span.begin),
                              static_cast<std::size_t>(piece.span.end)};
      for (ShellPiece& part : expands.quoted_text(written)) all.push_back(std::move(part));
    }
    return all;
  }

  void set(const std::string& name, ShellWord word, ShellValue value, ShellOutcome& outcome) {
    outcome.variables[name] = std::make_shared<const ShellValue>(std::move(value));
    outcome.names[name] = Span{static_cast<std::int64_t>(word.begin), static_cast<std::int64_t>(word.end)};
  }

  void set_unknown(std::string_view name, ShellWord word, std::string reason, ShellOutcome& outcome) {
    if (name.empty() || !is_shell_name_start(name[0])) return;
    ShellPiece piece;
    piece.span = Span{static_cast<std::int64_t>(word.begin), static_cast<std::int64_t>(word.end)};
    piece.exact = false;
    piece.known = false;
    piece.name = std::string(name);
    piece.reason = std::move(reason);
    set(std::string(name), word, ShellValue{false, {{std::move(piece)}}}, outcome);
  }

  void assign(const ShellAssignment& assignment, ShellOutcome& outcome) {
    if (assignment.is_element) {
      return set_unknown(assignment.name, assignment.name_word,
                         "one element of it is set, which is not followed", outcome);
    }
    ShellExpander expands = expander(outcome);
    ShellValue value;
    value.is_array = assignment.is_array;
    const auto found = outcome.variables.find(assignment.name);
    // A single value for an array is its first element.
    const bool is_first_element =
        !assignment.is_array && found != outcome.variables.end() && found->second->is_array;
    if ((assignment.append || is_first_element) && found != outcome.variables.end()) {
      value = *found->second;
      value.is_array = value.is_array || assignment.is_array;
      budget_.spend(static_cast<std::int64_t>(value.items.size()), path_, assignment.value.begin);
    }
    if (assignment.is_array) {
      for (const ShellWord& word : assignment.items) {
        for (ShellText& text : expands.words(word)) value.items.push_back(std::move(text));
      }
    } else {
      ShellText text = expands.text(assignment.value);
      if (value.items.empty()) value.items.emplace_back();
      ShellText& all = value.items.front();
      if (!assignment.append) all.clear();
      for (const ShellPiece& piece : all) {
        budget_.spend(1 + static_cast<std::int64_t>(piece.text.size()) / 64, path_, assignment.value.begin);
      }
      for (ShellPiece& piece : text) all.push_back(std::move(piece));
    }
    set(assignment.name, assignment.name_word, std::move(value), outcome);
  }

  // A loop's variable is never known, nor is what an earlier round of it adds to.
  void forget_assigned(const ShellStatement& loop, ShellOutcome& outcome) {
    if (!loop.variable.empty()) {
      set_unknown(loop.variable, loop.extent,
                  fmt::format("the loop gives `{}` several values", loop.variable), outcome);
    }
    for (const ShellAssignment& each : self_dependent_assignments(loop.body, source_)) {
      set_unknown(each.name, each.name_word, fmt::format("`{}` grows in a loop", each.name), outcome);
    }
  }

  // `(( i++ ))`, `(( n = 2 ))`.
  void forget_arithmetic(const ShellStatement& statement, ShellOutcome& outcome) {
    const std::string_view text = slice(statement.subject);
    std::size_t at = 0;
    while (at < text.size() && !is_shell_name_start(text[at])) ++at;
    std::size_t end = at;
    while (end < text.size() && is_shell_name(text[end])) ++end;
    const std::string_view rest = text.substr(end);
    const std::size_t sign = rest.find_first_not_of(" \t");
    const std::string_view after = sign == std::string_view::npos ? std::string_view() : rest.substr(sign);
    const bool changes = text.find("++") != std::string_view::npos ||
                         text.find("--") != std::string_view::npos ||
                         (after.find('=') < 3 && !after.starts_with("==") && !after.starts_with("<=") &&
                          !after.starts_with(">=") && !after.starts_with("!="));
    if (changes)
      set_unknown(text.substr(at, end - at), statement.subject, "it is computed by `((…))`", outcome);
  }

  const std::string& path_;
  std::string_view source_;
  ShellScanner scanner_;
  ShellBudget budget_;
  std::set<std::string, std::less<>> relevant_;
};

}  // namespace

std::vector<ShellOutcome> follow_shell(const std::string& path, std::string_view source,
                                       const std::vector<ShellStatement>& statements) {
  Outcomes outcomes(1);
  Follower(path, source, statements).run(statements, outcomes, false);
  return outcomes;
}

}  // namespace shapelint::text
