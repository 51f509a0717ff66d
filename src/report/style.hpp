// How text for people looks: colour by role, so that a printer says what a piece of text is and not how it
// looks, and lines that fit a terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "rules/finding.hpp"
#include "text/printable.hpp"

namespace shapelint::report {

enum class Role : std::uint8_t { plain, strong, error, warning, info, gutter, gain, loss, faint };

struct Style {
  bool color = false;
  std::size_t window = 0;  // columns of the terminal; 0: output is not a terminal
  std::string paint(Role role, std::string_view text) const;
};

using text::next_code_point;
using text::printable;

// Columns that a code point takes on a terminal: 0, 1 or 2.
int display_width(char32_t code_point);
// For a whole text of valid UTF-8.
std::int64_t display_width(std::string_view text);

// The colour of a severity.
Role role_of(rules::Severity severity);

struct Style;

inline constexpr std::size_t text_width = 80;

// Width of the window, or text_width if output is not a terminal.
std::size_t width_of(const Style& style);

// Breaks valid UTF-8 at blanks so that no line is wider than `width` (a longer word stays whole, and so do a
// number with its unit, a change of a value and a short piece of `code`). Lines after the first, and the
// first when `column` is less, start at column `indent`; `column` is where the first line already is. Line
// feeds are kept, colours take no room.
std::string wrap(std::string_view text, std::size_t indent, std::size_t column,
                 std::size_t width = text_width);
std::string wrap(std::string_view text, std::size_t indent, std::size_t column, const Style& style);

// A line that tools look for: broken in a window alone.
std::string headline(std::string_view text, std::size_t indent, std::size_t column, const Style& style);

// "label:  text", wrapped below itself; empty where the text is.
std::string labelled(std::string_view label, std::string_view text, const Style& style);

// A line without the blanks at its end.
std::string without_blank_end(std::string line);

}  // namespace shapelint::report
