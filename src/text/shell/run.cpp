// Branches, loops, assignments.
#include "text/shell/run.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "text/limits.hpp"
#include "text/shell/condition.hpp"
#include "text/shell/outcomes.hpp"

namespace shapelint::text::shell {

namespace {

using Kind = Statement::Kind;
using Operator = Statement::Operator;
using Outcomes = std::vector<Outcome>;

constexpr std::int64_t steps_per_copy = 20;
// Open conditions of one `a && b || c` that are followed both ways; more are taken to hold.
constexpr int max_open_parts = 4;

class Follower {
 public:
  Follower(const std::string& path, std::string_view source, const std::vector<Statement>& statements)
      : path_(path),
        source_(source),
        scanner_(path, source),
        budget_{max_values},
        relevant_(relevant_variables(source, statements)) {}

  void run(const std::vector<Statement>& statements, Outcomes& outcomes, bool in_loop) {
    for (const Statement& statement : statements) run(statement, outcomes, in_loop);
  }

 private:
  Expander expander(Outcome& outcome) { return Expander(path_, source_, outcome.variables, budget_); }

  std::string_view slice(Word word) const { return source_.substr(word.begin, word.end - word.begin); }

  void run(const Statement& statement, Outcomes& outcomes, bool in_loop) {
    switch (statement.kind) {
      case Kind::command:
        for (Outcome& outcome : outcomes) {
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
        for (Outcome& outcome : outcomes) {
          if (!outcome.ended) forget_assigned(statement, outcome);
        }
        return run(statement.body, outcomes, true);
      case Kind::arithmetic:
        for (Outcome& outcome : outcomes) forget_arithmetic(statement, outcome);
        return;
      case Kind::test:
      case Kind::function:
        return;
    }
  }

  // Each outcome goes through the branches that are open to it.
  void fork(const Statement& statement, Outcomes& outcomes, bool in_loop) {
    Outcomes after;
    for (Outcome& outcome : outcomes) {
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
      merge_outcomes(ways, relevant_, budget_, path_);
      if (in_loop && ways.size() > 1) join_outcomes(ways, relevant_);
      for (Outcome& way : ways) after.push_back(std::move(way));
    }
    merge_outcomes(after, relevant_, budget_, path_);
    if (after.size() > max_outcomes) join_outcomes(after, relevant_);
    outcomes = std::move(after);
  }

  Outcome copy(const Outcome& outcome) {
    budget_.spend(
        static_cast<std::int64_t>(outcome.variables.size() + outcome.commands.size()) + steps_per_copy, path_,
        0);
    return outcome;
  }

  void branches(const Statement& statement, Outcome outcome, Outcomes& ways, bool in_loop) {
    Text subject;
    if (statement.kind == Kind::case_) subject = expander(outcome).text(statement.subject);
    for (const Branch& branch : statement.branches) {
      Truth holds = Truth::yes;
      if (statement.kind == Kind::case_) {
        Expander expands = expander(outcome);
        holds = matches_case(subject, branch.patterns, expands);
      } else if (!branch.condition.empty()) {
        Outcomes one;
        one.push_back(std::move(outcome));
        holds = condition(branch.condition, one, in_loop);
        outcome = std::move(one.front());
      }
      if (holds == Truth::no) continue;
      Outcomes way;
      if (holds == Truth::yes) {
        const bool is_open = !ways.empty();
        way.push_back(std::move(outcome));
        if (is_open) way.back().branches.push_back(branch.label);
        run(branch.body, way, in_loop);
        for (Outcome& each : way) ways.push_back(std::move(each));
        return;
      }
      way.push_back(copy(outcome));
      way.back().branches.push_back(branch.label);
      run(branch.body, way, in_loop);
      for (Outcome& each : way) ways.push_back(std::move(each));
    }
    ways.push_back(std::move(outcome));
  }

  // Whether the last statement of a condition succeeds; what the statements assign stays.
  Truth condition(const std::vector<Statement>& statements, Outcomes& one, bool in_loop) {
    for (std::size_t i = 0; i + 1 < statements.size(); ++i) {
      run(statements[i], one, in_loop);
      one.resize(1);
    }
    return truth(statements.back(), one.front());
  }

  // What a statement of a condition says, without following what it does.
  Truth truth(const Statement& statement, Outcome& outcome) {
    Truth value = Truth::unknown;
    Expander expands = expander(outcome);
    if (statement.kind == Kind::test) {
      value = evaluate_test(test_words(scanner_, statement.subject), true, source_, expands);
    } else if (statement.kind == Kind::arithmetic) {
      if (const auto number = expands.arithmetic(statement.subject)) {
        value = *number != 0 ? Truth::yes : Truth::no;
      }
    } else if (statement.kind == Kind::and_or) {
      value = truth(statement.body.front(), outcome);
      for (std::size_t i = 0; i < statement.operators.size(); ++i) {
        if (statement.operators[i] == Operator::pipe) return Truth::unknown;
        const bool is_and = statement.operators[i] == Operator::and_;
        if (value == (is_and ? Truth::no : Truth::yes)) continue;
        const Truth next = truth(statement.body[i + 1], outcome);
        const bool settles = next == (is_and ? Truth::no : Truth::yes);
        value = value == Truth::unknown && !settles ? Truth::unknown : next;
      }
    } else if (statement.kind == Kind::command && !statement.words.empty()) {
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
  void and_or(const Statement& statement, Outcome outcome, Outcomes& ways, bool in_loop) {
    and_or_from(statement, 0, std::move(outcome), ways, in_loop, 0);
  }

  void and_or_from(const Statement& statement, std::size_t index, Outcome outcome, Outcomes& ways,
                   bool in_loop, int open_parts) {
    Outcomes one;
    one.push_back(std::move(outcome));
    while (true) {
      const Statement& part = statement.body[index];
      run(part, one, in_loop);
      const Truth value = success(part, one);
      // The next part that this success, or failure, leads to.
      const std::size_t on_yes = next_part(statement, index, true);
      const std::size_t on_no = next_part(statement, index, false);
      const std::size_t end = statement.body.size();
      if (value == Truth::unknown && on_yes != on_no && open_parts < max_open_parts) {
        for (const Outcome& each : one) {
          for (const bool holds : {true, false}) {
            const std::size_t next = holds ? on_yes : on_no;
            Outcome way = copy(each);
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
      index = value == Truth::no ? on_no : on_yes;
      if (index == end) break;
    }
    for (Outcome& each : one) ways.push_back(std::move(each));
  }

  static std::size_t next_part(const Statement& statement, std::size_t index, bool succeeded) {
    for (; index < statement.operators.size(); ++index) {
      const Operator sign = statement.operators[index];
      if (sign == Operator::pipe || (sign == Operator::and_) == succeeded) return index + 1;
    }
    return statement.body.size();
  }

  Truth success(const Statement& part, Outcomes& one) {
    const bool tests = part.kind == Kind::test || part.kind == Kind::arithmetic ||
                       (part.kind == Kind::command && !part.words.empty() &&
                        (slice(part.words.front()) == "[" || slice(part.words.front()) == "test" ||
                         slice(part.words.front()) == "false"));
    return tests && one.size() == 1 ? truth(part, one.front()) : Truth::yes;
  }

  void command(const Statement& statement, Outcome& outcome, bool in_loop) {
    Expander expands = expander(outcome);
    const std::string_view first =
        statement.words.empty() ? std::string_view() : slice(statement.words.front());
    const bool declares = first == "export" || first == "declare" || first == "local" ||
                          first == "readonly" || first == "typeset";
    if (statement.words.empty() || declares) {
      for (const Assignment& each : statement.assignments) assign(each, outcome);
      return;
    }
    if ((first == "exit" || first == "return") && !in_loop) {
      outcome.ended = true;
      return;
    }
    if (first == "read" || first == "mapfile" || first == "readarray" || first == "getopts") {
      for (const Word& word : statement.words)
        set_unknown(slice(word), word, "it is read in when run", outcome);
      return;
    }
    if (first == "unset") {
      for (const Word& word : statement.words) {
        const auto found = outcome.variables.find(slice(word));
        if (found != outcome.variables.end()) outcome.variables.erase(found);
      }
      return;
    }
    if (first == "let") {
      for (const Word& word : statement.words) {
        const std::string_view name = slice(word).substr(0, slice(word).find_first_of("=+-*/%"));
        set_unknown(name, word, "it is computed by `let`", outcome);
      }
      return;
    }
    CommandLine line;
    line.extent = statement.extent;
    for (const Word& word : statement.words) {
      for (Text& text : expands.words(word)) {
        const bool is_script =
            first == "eval" || (!line.words.empty() && as_string(line.words.back()) == "-c");
        line.words.push_back(is_script ? expanded_again(std::move(text), expands) : std::move(text));
      }
    }
    if (!line.words.empty()) outcome.commands.push_back(std::move(line));
  }

  // `eval` and `bash -c` expand once more: what single quotes or backslashes kept is read where it stands.
  static Text expanded_again(Text text, Expander& expands) {
    Text all;
    for (Piece& piece : text) {
      if (!piece.known || !piece.exact || piece.text.find('$') == std::string::npos) {
        all.push_back(std::move(piece));
        continue;
      }
      const Word written{static_cast<std::size_t>(piece.span.begin),
                         static_cast<std::size_t>(piece.span.end)};
      for (Piece& part : expands.quoted_text(written)) all.push_back(std::move(part));
    }
    return all;
  }

  void set(const std::string& name, Word word, Value value, Outcome& outcome) {
    outcome.variables[name] = std::make_shared<const Value>(std::move(value));
    outcome.names[name] = Span{static_cast<std::int64_t>(word.begin), static_cast<std::int64_t>(word.end)};
  }

  void set_unknown(std::string_view name, Word word, std::string reason, Outcome& outcome) {
    if (name.empty() || !is_name_start(name[0])) return;
    Piece piece;
    piece.span = Span{static_cast<std::int64_t>(word.begin), static_cast<std::int64_t>(word.end)};
    piece.exact = false;
    piece.known = false;
    piece.name = std::string(name);
    piece.reason = std::move(reason);
    set(std::string(name), word, Value{false, {{std::move(piece)}}}, outcome);
  }

  void assign(const Assignment& assignment, Outcome& outcome) {
    if (assignment.is_element) {
      return set_unknown(assignment.name, assignment.name_word,
                         "one element of it is set, which is not followed", outcome);
    }
    Expander expands = expander(outcome);
    Value value;
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
      for (const Word& word : assignment.items) {
        for (Text& text : expands.words(word)) value.items.push_back(std::move(text));
      }
    } else {
      Text text = expands.text(assignment.value);
      if (value.items.empty()) value.items.emplace_back();
      Text& all = value.items.front();
      if (!assignment.append) all.clear();
      for (const Piece& piece : all) {
        budget_.spend(1 + static_cast<std::int64_t>(piece.text.size()) / 64, path_, assignment.value.begin);
      }
      for (Piece& piece : text) all.push_back(std::move(piece));
    }
    set(assignment.name, assignment.name_word, std::move(value), outcome);
  }

  // A loop's variable is never known, nor is what an earlier round of it adds to.
  void forget_assigned(const Statement& loop, Outcome& outcome) {
    if (!loop.variable.empty()) {
      set_unknown(loop.variable, loop.extent,
                  fmt::format("the loop gives `{}` several values", loop.variable), outcome);
    }
    for (const Assignment& each : self_dependent_assignments(loop.body, source_)) {
      set_unknown(each.name, each.name_word, fmt::format("`{}` grows in a loop", each.name), outcome);
    }
  }

  // `(( i++ ))`, `(( n = 2 ))`.
  void forget_arithmetic(const Statement& statement, Outcome& outcome) {
    const std::string_view text = slice(statement.subject);
    std::size_t at = 0;
    while (at < text.size() && !is_name_start(text[at])) ++at;
    std::size_t end = at;
    while (end < text.size() && is_name(text[end])) ++end;
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
  Scanner scanner_;
  Budget budget_;
  std::set<std::string, std::less<>> relevant_;
};

}  // namespace

std::vector<Outcome> follow(const std::string& path, std::string_view source,
                            const std::vector<Statement>& statements) {
  Outcomes outcomes(1);
  Follower(path, source, statements).run(statements, outcomes, false);
  return outcomes;
}

}  // namespace shapelint::text::shell
