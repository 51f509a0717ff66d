// Golden tests: an input beside its exact output, rewritten by UPDATE_GOLDEN=1.
//
//   tests/golden/ROOM/NAME.cmd   command lines (`#` starts a comment), run from the root of the source
//   tests/golden/ROOM/NAME.toml  short for `shapelint tests/golden/ROOM/NAME.toml --gpu a100`
//   tests/golden/ROOM/NAME.out   what they print, and their exit codes
//
// A command line is `shapelint ARGS…`, with 'quotes', variables in front (NO_COLOR=1) and `< FILE` at the
// end.
#pragma once

#include <string>

namespace shapelint::tests {

// A text with the address of the documentation replaced: a build may have been given another.
std::string wherever_home_is(std::string text);

// What a shell would show: the command lines, their output, "--- stderr", "--- exit N".
std::string transcript(const std::string& command_lines);

// Compares `actual` with the file (path from the root of the source), or rewrites the file when UPDATE_GOLDEN
// is set. Returns an empty string, or what differs.
std::string compare_with_file(const std::string& path, const std::string& actual);

}  // namespace shapelint::tests
