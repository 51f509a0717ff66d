// Patterns with `*`, as file lists, shells and tables of names write them.
#pragma once

#include <cstdint>
#include <string_view>

namespace shapelint {

enum class Glob : std::uint8_t {
  path,   // as in .gitignore: `*`, `?` and `[a-z]` stop at `/`, `**` does not, and `\` quotes
  shell,  // as in a shell's `case`: `*`, `?` and `[a-z]`
  name    // `*` only, and case does not matter
};

// Whether the whole of `text` matches. `?` takes a character, of however many bytes. Time grows with the
// product of both lengths at most.
bool glob_matches(std::string_view pattern, std::string_view text, Glob kind);

}  // namespace shapelint
