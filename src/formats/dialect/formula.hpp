// Expressions of the data files over named values.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace shapelint::formats {

// Gives a name's value, or nothing when it is unknown.
using Lookup = std::function<std::optional<double>(std::string_view)>;

// What src/expr understands. Nothing when the text is no expression, or when a value that it needs is
// unknown: `a && b`, `a || b` and `if(c, a, b)` need only the operands that decide them.
std::optional<double> evaluate(const std::string& text, const Lookup& lookup);

// Names that the expression uses. Error: the text is no expression.
Result<std::vector<std::string>> variables(const std::string& text);

}  // namespace shapelint::formats
