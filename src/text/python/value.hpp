// The expressions of Python that are worked out without running it: literals, lists, arithmetic.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "text/document.hpp"

namespace shapelint::text {

struct PythonToken {
  enum class Kind : std::uint8_t { name, number, string, sign };
  Kind kind = Kind::sign;
  std::size_t begin = 0;
  std::size_t end = 0;
};

// A logical line: its tokens, and how far it is indented.
struct PythonLine {
  std::size_t indent = 0;
  std::vector<PythonToken> tokens;
};

// A value that is worked out; Kind::unknown when it cannot be.
struct PythonValue {
  Kind kind = Kind::unknown;
  std::int64_t integer = 0;  // also booleans
  double number = 0;
  std::string text;
  std::vector<PythonValue> items;
  Span span;
};

using PythonNames = std::map<std::string, PythonValue, std::less<>>;

// The value of the tokens from `at` to the end of the line, with `names` for what was assigned before;
// unknown when they are anything but one expression of this kind.
PythonValue evaluate_python(std::string_view text, const std::vector<PythonToken>& tokens, std::size_t at,
                            const PythonNames& names);

}  // namespace shapelint::text
