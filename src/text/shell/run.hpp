// Follows a script from top to bottom without running anything: which variables are set to what, and which
// command lines come out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/shell/expand.hpp"
#include "text/shell/syntax.hpp"
#include "text/shell/value.hpp"

namespace shapelint::text::shell {

struct CommandLine {
  std::vector<Text> words;
  Word extent;  // as written
};

// One way through the script.
struct Outcome {
  Variables variables;
  std::map<std::string, Span, std::less<>> names;  // where each variable was last assigned: its name
  std::vector<CommandLine> commands;
  std::vector<Word> branches;  // the conditions that hold in it, of those that the file leaves open
  bool ended = false;          // by `exit`
};

// A branch is followed alone when its condition can be worked out from the file; otherwise every branch makes
// an outcome of its own. Outcomes that differ in nothing that a command line uses are one, and one that
// leaves a value to an argument or to the environment gives way to one that sets it. Past max_outcomes,
// and in loops, what branches set differently becomes unknown. Loops are gone through once, with their
// variable unknown. Functions and sourced files are ignored.
inline constexpr std::size_t max_outcomes = 16;

// Throws Stop when the script does more than the budget allows.
std::vector<Outcome> follow(const std::string& path, std::string_view source,
                            const std::vector<Statement>& statements);

}  // namespace shapelint::text::shell
