// Python's text as logical lines of tokens.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/budget.hpp"

namespace shapelint::text::python {

struct Token {
  enum class Kind : std::uint8_t { name, number, string, sign };
  Kind kind = Kind::sign;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

// A logical line: brackets and backslashes join lines, `;` parts them.
struct Line {
  std::uint32_t indent = 0;
  bool continues = false;  // behind a `;`
  std::vector<Token> tokens;
};

// A string that is never closed, or more tokens than a file may have.
struct Unclosed {
  std::size_t at;
};
struct TooMuch {
  std::size_t at;
};
// More work or memory than a file may take.
struct SpentAt {
  Spent spent;
  std::size_t at;
};

// Throws Unclosed and TooMuch. `begin` to `end` are bytes of `text`, tokens count from its start.
std::vector<Line> scan(std::string_view text, std::size_t begin, std::size_t end);

}  // namespace shapelint::text::python
