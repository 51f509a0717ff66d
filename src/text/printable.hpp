// Text that is safe to show, whatever a file holds.
#pragma once

#include <string>
#include <string_view>

namespace shapelint::text {

// `text` with control characters (a terminal's escape codes among them) and invalid UTF-8 replaced by U+FFFD,
// so that a file cannot repaint the screen of who lints it. Line feeds stay.
std::string printable(std::string_view text);

// The same with spaces for line feeds.
std::string one_line(std::string_view text);

// Takes the first code point off `text` (valid UTF-8, not empty).
char32_t next_code_point(std::string_view& text);

}  // namespace shapelint::text
