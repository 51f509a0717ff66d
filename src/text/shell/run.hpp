// Follows a script from top to bottom without running anything: which variables are set to what, and which
// command lines come out.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "text/shell/expand.hpp"
#include "text/shell/grammar/syntax.hpp"
#include "text/shell/shell.hpp"
#include "text/shell/value.hpp"

namespace shapelint::text::shell {

// A variable that is set for one command alone: `NPROC_PER_NODE=4 swift sft`.
struct Prefix {
  std::string name;
  Span name_span;
  std::shared_ptr<const Value> value;
};

struct CommandLine {
  std::vector<Text> words;
  Word extent;  // as written
  std::vector<Prefix> prefixes;
};

// A branch that a way through the script takes, where the file leaves the choice open.
struct BranchTaken {
  Word label;            // its condition, or its patterns
  std::size_t fork = 0;  // where the `if`, `case` or list begins
};

inline bool same_branch(const BranchTaken& a, const BranchTaken& b) {
  return a.fork == b.fork && a.label.begin == b.label.begin && a.label.end == b.label.end;
}

// One way through the script.
struct ExecutionPath {
  Variables variables;
  std::map<std::string, Span, std::less<>> names;  // where each variable was last assigned: its name
  std::set<std::string, std::less<>> exported;     // variables that other programs see
  std::vector<std::shared_ptr<const CommandLine>> commands;
  std::vector<BranchTaken> branches;
  bool ended = false;               // by `exit` or `return`
  bool returned = false;            // from a function, and goes on behind its call
  std::shared_ptr<HeldBytes> held;  // of a copy
};

// A branch is followed alone when its condition can be worked out from the file; otherwise every branch makes
// an outcome of its own. Paths that differ in nothing that a command line uses are one, and one that
// leaves a value to an argument or to the environment gives way to one that sets it. Past max_paths
// (reduce_paths), and in loops, what branches set differently becomes unknown. A loop that only assigns is
// gone through round by round where the file says how many there are, any other once, with its variable
// unknown. A function is followed where it is
// called, if the script defines it once.
inline constexpr std::size_t max_paths = 8;
inline constexpr std::size_t max_alternatives = 64;

// Functions that call each other, or themselves.
inline constexpr int max_calls = 8;

// Scripts that one run of another may source, and how deep.
inline constexpr std::int64_t max_sourced = 32;
inline constexpr int max_sourced_depth = 8;

// `variables` are set at the start. Without a loader, and where it finds nothing, a sourced script is
// ignored. What a sourced script sets counts as written where it is sourced, and its open branches make no
// outcomes. Throws Stop when it takes more than a file may (base/budget.hpp).
std::vector<ExecutionPath> follow(const std::string& path, std::string_view source,
                                  const std::vector<Statement>& statements, Variables variables,
                                  const SourceLoader& load);

}  // namespace shapelint::text::shell
