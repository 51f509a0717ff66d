// Text in lines that fit a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace shapelint::report {

inline constexpr std::size_t text_width = 80;

// Breaks valid UTF-8 at blanks so that no line is wider than text_width (a longer word stays whole). Lines
// after the first, and the first when `column` is less, start at column `indent`; `column` is where the first
// line already is. Line feeds are kept, colours take no room.
std::string wrap(std::string_view text, std::size_t indent, std::size_t column);

}  // namespace shapelint::report
