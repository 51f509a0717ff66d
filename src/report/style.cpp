// Colours, and how wide text is.
#include "report/style.hpp"

#include <algorithm>
#include <array>

#include "text/source.hpp"

namespace shapelint::report {

namespace {

// ECMA-48, Select Graphic Rendition; the 16 colours that every terminal theme defines.
std::string_view escape_of(Role role) {
  switch (role) {
    case Role::plain:
      return "";
    case Role::strong:
      return "\x1b[1m";
    case Role::error:
      return "\x1b[1;31m";
    case Role::warning:
      return "\x1b[1;33m";
    case Role::info:
      return "\x1b[1;36m";
    case Role::gutter:
      return "\x1b[1;34m";
    case Role::gain:
      return "\x1b[32m";
    case Role::loss:
      return "\x1b[31m";
    case Role::faint:
      return "\x1b[2m";
  }
  return "";
}

struct Range {
  char32_t first;
  char32_t last;
};

// Unicode 15, East Asian Width W and F (UAX #11), as the blocks that matter.
constexpr std::array<Range, 15> wide{{{0x1100, 0x115F},
                                      {0x2329, 0x232A},
                                      {0x2E80, 0x303E},
                                      {0x3041, 0xA4CF},
                                      {0xA960, 0xA97F},
                                      {0xAC00, 0xD7A3},
                                      {0xF900, 0xFAFF},
                                      {0xFE10, 0xFE19},
                                      {0xFE30, 0xFE6F},
                                      {0xFF00, 0xFF60},
                                      {0xFFE0, 0xFFE6},
                                      {0x1F300, 0x1F64F},
                                      {0x1F680, 0x1F6FF},
                                      {0x1F900, 0x1F9FF},
                                      {0x20000, 0x3FFFD}}};
// Combining marks, joiners and variation selectors.
constexpr std::array<Range, 5> zero{
    {{0x0300, 0x036F}, {0x1AB0, 0x1AFF}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}}};

template <std::size_t N>
bool in(const std::array<Range, N>& ranges, char32_t code_point) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const Range& range) {
    return code_point >= range.first && code_point <= range.last;
  });
}

}  // namespace

std::string Style::paint(Role role, std::string_view text) const {
  const std::string_view escape = color ? escape_of(role) : std::string_view{};
  if (escape.empty() || text.empty()) return std::string(text);
  return std::string(escape) + std::string(text) + "\x1b[0m";
}

int display_width(char32_t code_point) {
  if (code_point < 0x300) return 1;
  if (in(zero, code_point)) return 0;
  return in(wide, code_point) ? 2 : 1;
}

std::int64_t display_width(std::string_view text) {
  std::int64_t width = 0;
  while (!text.empty()) width += display_width(next_code_point(text));
  return width;
}

Role role_of(rules::Severity severity) {
  switch (severity) {
    case rules::Severity::error:
      return Role::error;
    case rules::Severity::warning:
      return Role::warning;
    case rules::Severity::info:
      return Role::info;
  }
  return Role::plain;
}

}  // namespace shapelint::report
