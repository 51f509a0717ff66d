// Colour by role, so that a printer says what a piece of text is and not how it looks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace shapelint::report {

enum class Role : std::uint8_t { plain, strong, error, warning, info, gutter, gain, loss, faint };

struct Style {
  bool color = false;
  std::string paint(Role role, std::string_view text) const;
};

// `text` with control characters (a terminal's escape codes among them) and invalid UTF-8 replaced by U+FFFD,
// so that a file cannot repaint the screen of who lints it. Line feeds stay.
std::string printable(std::string_view text);

// Columns that a code point takes on a terminal: 0, 1 or 2.
int display_width(char32_t code_point);
// Of a whole text of valid UTF-8.
std::int64_t display_width(std::string_view text);
// Takes the first code point off `text` (valid UTF-8, not empty).
char32_t next_code_point(std::string_view& text);

}  // namespace shapelint::report
