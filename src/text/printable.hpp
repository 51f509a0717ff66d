// Text that is safe to show, whatever a file holds.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace shapelint::text {

// `text` with control characters (a terminal's escape codes among them) and invalid UTF-8 replaced by U+FFFD,
// so that a file cannot repaint the screen of who lints it. Line feeds stay.
std::string printable(std::string_view text);

// The same with spaces for line feeds.
std::string one_line(std::string_view text);

// `text`, of which no more than the first `most` bytes are kept, whole characters, and `…` for the rest.
std::string shortened(std::string_view text, std::size_t most);

// `text`, whose lines no reader of a job's log takes for its own: GitHub runs `::error …` at the beginning of
// a line (behind blanks, too), Azure, GitHub and TeamCity `##vso[…`, `##[…` and `##teamcity[…` anywhere. A
// blank parts them. `is_line_begin`: whether `text` begins a line.
std::string without_commands(std::string_view text, bool is_line_begin = true);

// Takes the first code point off `text` (valid UTF-8, not empty).
char32_t next_code_point(std::string_view& text);

}  // namespace shapelint::text
