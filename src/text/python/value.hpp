// The expressions of Python that are worked out without running it: literals, lists, arithmetic.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "text/document.hpp"

namespace shapelint::text::python {

struct Token {
  enum class Kind : std::uint8_t { name, number, string, sign };
  Kind kind = Kind::sign;
  std::size_t begin = 0;
  std::size_t end = 0;
};

// A logical line: its tokens, and how far it is indented.
struct Line {
  std::size_t indent = 0;
  std::vector<Token> tokens;
};

// A value that is worked out; Kind::unknown when it cannot be.
struct Value {
  Kind kind = Kind::unknown;
  std::int64_t integer = 0;  // also booleans
  double number = 0;
  std::string text;
  std::vector<Value> items;
  Span span;
};

using Names = std::map<std::string, Value, std::less<>>;

// The value of the tokens from `at` to the end of the line, with `names` for what was assigned before;
// unknown when they are anything but one expression of this kind.
Value evaluate(std::string_view text, const std::vector<Token>& tokens, std::size_t at, const Names& names);

}  // namespace shapelint::text::python
