// Colour by role, so that a printer says what a piece of text is and not how it looks.
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
  std::size_t window = 0;  // columns of the terminal's window; 0: it goes elsewhere
  std::string paint(Role role, std::string_view text) const;
};

using text::next_code_point;
using text::printable;

// Columns that a code point takes on a terminal: 0, 1 or 2.
int display_width(char32_t code_point);
// Of a whole text of valid UTF-8.
std::int64_t display_width(std::string_view text);

// The colour of a severity.
Role role_of(rules::Severity severity);

}  // namespace shapelint::report
