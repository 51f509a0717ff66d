// Comparing and joining the ways through a script.
#include "text/shell/paths.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace shapelint::text::shell {

namespace {

// Of two look-ups by name.
constexpr std::size_t units_per_comparison = 4;

// Identifiers behind `$` and `${`, and all of them in arithmetic.
void add_names(std::string_view text, Names& names) {
  charge_bytewise(text.size());
  const bool is_arithmetic = text.find("((") != std::string_view::npos;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool expands = text[i] == '$' || (is_arithmetic && (i == 0 || !is_name(text[i - 1])));
    if (!expands) continue;
    std::size_t begin = text[i] == '$' ? i + 1 : i;
    if (begin < text.size() && text[begin] == '{') ++begin;
    // `${#NAME}`; in arithmetic the name itself is found behind the sign.
    while (text[i] == '$' && begin < text.size() && (text[begin] == '#' || text[begin] == '!')) ++begin;
    std::size_t end = begin;
    if (end < text.size() && is_name_start(text[end])) {
      while (end < text.size() && is_name(text[end])) ++end;
    }
    if (end > begin) names.emplace(text.substr(begin, end - begin));
  }
}

class Relevance {
 public:
  explicit Relevance(std::string_view source) : source_(source) {}

  void visit(const std::vector<Statement>& statements) {
    for_each_statement(statements, [&](const Statement& statement) { visit(statement); });
  }

  Names closure() && {
    // A file without command lines is read for what it assigns.
    if (!has_commands_) {
      for (const auto& [name, parts] : made_of_) names_.insert(name);
    }
    std::vector<std::string> open(names_.begin(), names_.end());
    while (!open.empty()) {
      const std::string name = std::move(open.back());
      open.pop_back();
      for (const std::string& part : made_of_[name]) {
        if (names_.insert(part).second) open.push_back(part);
      }
    }
    return std::move(names_);
  }

 private:
  void assign(const std::string& name, Word value) {
    add_names(slice(value), made_of_[name]);
    if (slice(value).find("--") != std::string_view::npos) names_.insert(name);
  }

  void visit(const Statement& statement) {
    for (const Assignment& each : statement.assignments) assign(each.name, each.value);
    if (statement.words.empty()) return;
    const std::string_view first = slice(statement.words.front());
    if (statement.kind == Statement::Kind::loop || first == "printf") {
      // `for NAME in …`, `printf -v NAME …`: the words become the variable.
      const bool prints = statement.kind != Statement::Kind::loop && statement.words.size() > 2;
      if (!prints && statement.variable.empty()) return;
      const std::string_view name = prints ? slice(statement.words[2]) : statement.variable;
      for (const Word& word : statement.words) add_names(slice(word), made_of_[std::string(name)]);
      return;
    }
    if (first == "read") assign(std::string(slice(statement.words.back())), statement.here_document);
    if (is_harmless_command(first)) return;
    has_commands_ = true;
    for (const Word& word : statement.words) add_names(slice(word), names_);
  }

  std::string_view slice(Word word) const { return source_.substr(word.begin, word.end - word.begin); }
  std::string_view source_;
  bool has_commands_ = false;
  Names names_;
  std::map<std::string, Names> made_of_;
};

bool same_text(const Text& a, const Text& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Piece& x, const Piece& y) {
    charge_text(std::min(x.text.size(), y.text.size()));
    return x.known == y.known && x.text == y.text && x.span == y.span;
  });
}

enum class Difference : std::uint8_t { none, left_is_not_given, right_is_not_given, some };

bool is_not_given(const std::vector<Text>& texts) {
  for (const Text& text : texts) {
    const Piece* piece = first_unknown(text);
    if (piece != nullptr && piece->not_given) return true;
  }
  return false;
}

Difference compare(const std::vector<Text>& a, const std::vector<Text>& b) {
  if (std::equal(a.begin(), a.end(), b.begin(), b.end(), same_text)) return Difference::none;
  const bool left = is_not_given(a);
  const bool right = is_not_given(b);
  if (left == right) return Difference::some;
  return left ? Difference::left_is_not_given : Difference::right_is_not_given;
}

Difference compare(const std::shared_ptr<const Value>& a, const std::shared_ptr<const Value>& b) {
  if (a == b) return Difference::none;
  // Not set at all is as good as not given.
  if (!a) return Difference::left_is_not_given;
  if (!b) return Difference::right_is_not_given;
  return compare(a->items, b->items);
}

std::shared_ptr<const Value> value_of(const ExecutionPath& outcome, const std::string& name) {
  const auto found = outcome.variables.find(name);
  return found == outcome.variables.end() ? nullptr : found->second;
}

// Whether `a` says nothing that `b` does not say, or say better.
bool is_subsumed_by(const ExecutionPath& a, const ExecutionPath& b, const Names& relevant) {
  charge(units_per_comparison);
  if (a.ended != b.ended) return a.ended && !a.returned && starts_nothing(a);
  if (a.commands.size() != b.commands.size()) return false;
  for (std::size_t i = 0; i < a.commands.size(); ++i) {
    charge();
    if (a.commands[i] == b.commands[i]) continue;
    const Difference difference = compare(a.commands[i]->words, b.commands[i]->words);
    if (difference == Difference::some || difference == Difference::right_is_not_given) return false;
  }
  if (a.ended) return true;
  for (const std::string& name : relevant) {
    // Two values are mostly one and the same; their texts are charged where they are not.
    charge(units_per_comparison);
    const Difference difference = compare(value_of(a, name), value_of(b, name));
    if (difference == Difference::some || difference == Difference::right_is_not_given) return false;
  }
  return true;
}

void keep_common_branches(ExecutionPath& kept, const ExecutionPath& other) {
  const auto differ = std::mismatch(kept.branches.begin(), kept.branches.end(), other.branches.begin(),
                                    other.branches.end(), same_branch);
  kept.branches.erase(differ.first, kept.branches.end());
}

}  // namespace

bool is_harmless_command(std::string_view name) {
  constexpr std::array<std::string_view, 43> harmless = {
      "echo",   "tee",     "sed",   "awk",      "printf",  "cat",   "mkdir", "cd",     "ls",
      "rm",     "cp",      "mv",    "ln",       "touch",   "chmod", "sleep", "source", ".",
      "export", "declare", "local", "readonly", "typeset", "unset", "shift", "set",    "trap",
      "module", "conda",   "pip",   "git",      "wget",    "curl",  "tar",   "unzip",  "apt-get",
      "ulimit", "wait",    "kill",  "pkill",    "[",       "test",  "exit"};
  return std::find(harmless.begin(), harmless.end(), name) != harmless.end();
}

bool starts_nothing(const ExecutionPath& outcome) {
  return std::all_of(outcome.commands.begin(), outcome.commands.end(), [](const auto& line) {
    const std::string name = as_string(line->words.front());
    charge(units_per_comparison);
    // A cluster is cleared before it is used.
    const bool clears = name == "ray" && line->words.size() > 1 && as_string(line->words[1]) == "stop";
    return clears || is_harmless_command(name);
  });
}

Names relevant_variables(std::string_view source, const std::vector<Statement>& statements) {
  Relevance relevance(source);
  relevance.visit(statements);
  return std::move(relevance).closure();
}

std::vector<Assignment> self_dependent_assignments(const std::vector<Statement>& statements,
                                                   std::string_view source) {
  std::vector<Assignment> found;
  for_each_statement(statements, [&](const Statement& statement) {
    charge();
    for (const Assignment& each : statement.assignments) {
      charge(2 + (each.value.end - each.value.begin) / 8);
      Names names;
      add_names(source.substr(each.value.begin, each.value.end - each.value.begin), names);
      if (each.append || names.contains(each.name)) found.push_back(each);
    }
  });
  return found;
}

void merge_paths(std::vector<ExecutionPath>& paths, const Names& relevant) {
  if (paths.size() < 2) return;
  std::vector<ExecutionPath> kept;
  for (ExecutionPath& outcome : paths) {
    const auto says_better = std::find_if(kept.begin(), kept.end(), [&](const ExecutionPath& other) {
      return is_subsumed_by(outcome, other, relevant);
    });
    if (says_better != kept.end()) {
      // Two that say the same do not depend on the branch.
      if (is_subsumed_by(*says_better, outcome, relevant)) keep_common_branches(*says_better, outcome);
      continue;
    }
    const auto gone = std::remove_if(kept.begin(), kept.end(), [&](const ExecutionPath& other) {
      return is_subsumed_by(other, outcome, relevant);
    });
    kept.erase(gone, kept.end());
    kept.push_back(std::move(outcome));
  }
  paths = std::move(kept);
}

namespace {

// The flags that a value holds, or may hold, without their own values.
void add_flags(const std::shared_ptr<const Value>& value, std::set<std::string>& flags) {
  if (!value) return;
  const auto add = [&](std::string_view word) {
    if (word.size() > 2 && word.starts_with("--") && is_name_start(word[2]))
      flags.emplace(word.substr(0, word.find('=')));
  };
  for (const Text& text : value->items) {
    for (const Piece& piece : text) {
      charge(1 + (piece.known ? piece.text : piece.flags).size() / 8);
      std::string_view rest = piece.known ? piece.text : piece.flags;
      while (!rest.empty()) {
        const std::size_t end = std::min(rest.find_first_of(" \t\r\n"), rest.size());
        add(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
    }
  }
}

std::string flags_of(const std::shared_ptr<const Value>& a, const std::shared_ptr<const Value>& b) {
  std::set<std::string> flags;
  add_flags(a, flags);
  add_flags(b, flags);
  std::string all;
  for (const std::string& flag : flags) all += all.empty() ? flag : ' ' + flag;
  return all;
}

}  // namespace

void join_paths(std::vector<ExecutionPath>& paths, const Names& relevant) {
  ExecutionPath joined = std::move(paths.front());
  for (std::size_t i = 1; i < paths.size(); ++i) {
    ExecutionPath& other = paths[i];
    charge(units_per_comparison * relevant.size());
    for (const std::string& name : relevant) {
      const std::shared_ptr<const Value> theirs = value_of(other, name);
      const Difference difference = compare(value_of(joined, name), theirs);
      if (difference == Difference::none || difference == Difference::right_is_not_given) continue;
      if (const auto name_place = other.names.find(name); name_place != other.names.end())
        joined.names.insert(*name_place);
      if (difference == Difference::left_is_not_given) {
        joined.variables[name] = theirs;
        continue;
      }
      Piece piece;
      piece.span = other.names[name];
      piece.exact = false;
      piece.known = false;
      piece.name = name;
      piece.reason = fmt::format("branches set `{}` differently", name);
      piece.flags = flags_of(value_of(joined, name), theirs);
      charge_copy(piece);
      joined.variables[name] = std::make_shared<const Value>(Value{false, {{std::move(piece)}}});
    }
    if (joined.commands.empty()) joined.commands = std::move(other.commands);
    joined.ended = joined.ended && other.ended;
  }
  joined.branches.clear();
  paths.clear();
  paths.push_back(std::move(joined));
}

namespace {

// The variables that a fork's branches set to different numbers, at any depth.
class Settings {
 public:
  Settings(std::string_view source, const Names& relevant) : source_(source), relevant_(relevant) {}

  void visit(const std::vector<Statement>& statements) {
    for_each_statement(statements, [&](const Statement& statement) {
      charge();
      for (const Assignment& each : statement.assignments) {
        if (each.is_array || each.is_element || !relevant_.contains(each.name)) continue;
        const std::string_view value = source_.substr(each.value.begin, each.value.end - each.value.begin);
        const bool is_number =
            !value.empty() && value.find_first_not_of("0123456789.") == std::string_view::npos;
        if (is_number) values_[each.name].insert(value);
      }
    });
  }

  std::int64_t count() const {
    return std::count_if(values_.begin(), values_.end(),
                         [](const auto& each) { return each.second.size() > 1; });
  }

 private:
  std::string_view source_;
  const Names& relevant_;
  std::map<std::string, std::set<std::string_view>> values_;
};

void weigh(const std::vector<Statement>& statements, std::string_view source, const Names& relevant,
           Weights& weights) {
  for (const Statement& statement : statements) {
    weigh(statement.body, source, relevant, weights);
    if (statement.kind != Statement::Kind::if_ && statement.kind != Statement::Kind::case_) continue;
    Settings settings(source, relevant);
    for (const Branch& branch : statement.branches) {
      weigh(branch.body, source, relevant, weights);
      settings.visit(branch.body);
    }
    weights[statement.extent.begin] = settings.count();
  }
}

// What a path went through except one fork.
std::vector<BranchTaken> without(const ExecutionPath& outcome, std::size_t fork) {
  charge(2 * (1 + outcome.branches.size()));
  std::vector<BranchTaken> others = outcome.branches;
  others.erase(std::remove_if(others.begin(), others.end(),
                              [&](const BranchTaken& each) { return each.fork == fork; }),
               others.end());
  return others;
}

void join_fork(std::vector<ExecutionPath>& paths, std::size_t fork, const Names& relevant) {
  std::vector<ExecutionPath> kept;
  while (!paths.empty()) {
    std::vector<BranchTaken> others = without(paths.front(), fork);
    const bool ended = paths.front().ended;
    std::vector<ExecutionPath> alike;
    std::vector<ExecutionPath> rest;
    for (ExecutionPath& outcome : paths) {
      const std::vector<BranchTaken> its = without(outcome, fork);
      const bool is_alike = outcome.ended == ended &&
                            std::equal(its.begin(), its.end(), others.begin(), others.end(), same_branch);
      (is_alike ? alike : rest).push_back(std::move(outcome));
    }
    join_paths(alike, relevant);
    alike.front().branches = std::move(others);
    kept.push_back(std::move(alike.front()));
    paths = std::move(rest);
  }
  paths = std::move(kept);
}

std::set<std::size_t> forks_of(const std::vector<ExecutionPath>& paths) {
  std::set<std::size_t> forks;
  for (const ExecutionPath& outcome : paths) {
    charge(10 * outcome.branches.size());
    for (const BranchTaken& each : outcome.branches) forks.insert(each.fork);
  }
  return forks;
}

std::int64_t weight_of(std::size_t fork, const Weights& weights) {
  const auto found = weights.find(fork);
  return found == weights.end() ? 0 : found->second;
}

}  // namespace

Weights fork_weights(const std::vector<Statement>& statements, std::string_view source,
                     const Names& relevant) {
  Weights weights;
  weigh(statements, source, relevant, weights);
  return weights;
}

void reduce_paths(std::vector<ExecutionPath>& paths, const Names& relevant, const Weights& weights) {
  while (paths.size() > max_paths) {
    charge();
    const std::set<std::size_t> forks = forks_of(paths);
    if (forks.empty() || (forks.size() == 1 && paths.size() > max_alternatives))
      return join_paths(paths, relevant);
    if (forks.size() == 1) return;
    // The fork that says least of sizes, the last of several.
    const std::size_t least =
        *std::min_element(forks.begin(), forks.end(), [&](std::size_t a, std::size_t b) {
          const std::int64_t left = weight_of(a, weights);
          const std::int64_t right = weight_of(b, weights);
          return left != right ? left < right : a > b;
        });
    join_fork(paths, least, relevant);
  }
}

void keep_sizes(std::vector<ExecutionPath>& paths, const Names& relevant, const Weights& weights) {
  constexpr std::int64_t numbers_of_a_size = 2;
  const std::set<std::size_t> forks = forks_of(paths);
  const bool tells_sizes = std::any_of(forks.begin(), forks.end(), [&](std::size_t fork) {
    return weight_of(fork, weights) >= numbers_of_a_size;
  });
  if (!tells_sizes) return;
  for (const std::size_t fork : forks) {
    if (weight_of(fork, weights) == 0) join_fork(paths, fork, relevant);
  }
}

}  // namespace shapelint::text::shell
