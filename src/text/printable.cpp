// Text that is safe to show.
#include "text/printable.hpp"

#include <algorithm>
#include <cstdint>

#include "base/strings.hpp"
#include "text/source.hpp"

namespace shapelint::text {

namespace {

bool is_harmful(char32_t code_point) {
  if (code_point < 0x20) return code_point != '\n';
  if (code_point < 0x7F) return false;
  // Controls, line and paragraph separators, what reorders the text behind it (CVE-2021-42574), and what has
  // no width: two names would look alike. Joiners (U+200C, U+200D) are part of scripts and of emoji.
  return code_point < 0xA0 || code_point == 0x00AD || code_point == 0x061C || code_point == 0x180E ||
         code_point == 0x200B || code_point == 0x200E || code_point == 0x200F ||
         (code_point >= 0x2028 && code_point <= 0x202E) || (code_point >= 0x2060 && code_point <= 0x206F) ||
         code_point == 0xFEFF || (code_point >= 0xE0000 && code_point <= 0xE007F);
}

// What runners pass over at the beginning of a line (.NET's Char.IsWhiteSpace).
bool is_blank(char32_t code_point) {
  return (code_point >= 0x09 && code_point <= 0x0D) || code_point == ' ' || code_point == 0x85 ||
         code_point == 0xA0 || code_point == 0x1680 || (code_point >= 0x2000 && code_point <= 0x200A) ||
         code_point == 0x2028 || code_point == 0x2029 || code_point == 0x202F || code_point == 0x205F ||
         code_point == 0x3000;
}

// Of "##[", "##vso[", "##teamcity[".
bool is_logging_command(std::string_view text) {
  if (!text.starts_with("##")) return false;
  text.remove_prefix(2);
  for (const std::string_view name : {"vso", "teamcity"}) {
    if (text.starts_with(name)) text.remove_prefix(name.size());
  }
  return text.starts_with('[');
}

}  // namespace

std::string printable(std::string_view text) {
  constexpr std::string_view replacement = "\xEF\xBF\xBD";
  std::string out;
  while (!text.empty()) {
    const std::int64_t bad = first_invalid_utf8(text);
    std::string_view good = text.substr(0, bad < 0 ? text.size() : static_cast<std::size_t>(bad));
    text.remove_prefix(good.size());
    while (!good.empty()) {
      std::string_view rest = good;
      const char32_t code_point = next_code_point(rest);
      out += is_harmful(code_point) ? replacement : good.substr(0, good.size() - rest.size());
      good = rest;
    }
    if (!text.empty()) {
      out += replacement;
      text.remove_prefix(1);
    }
  }
  return out;
}

std::string one_line(std::string_view text) {
  std::string line = printable(text);
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

std::string shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  while (most > 0 && is_continuation(text[most])) --most;
  return std::string(text.substr(0, most)) + "…";
}

std::string without_commands(std::string_view text, bool is_line_begin) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    if ((is_line_begin && text.starts_with("::")) || is_logging_command(text)) {
      out += text.front();
      out += ' ';
      text.remove_prefix(1);
      is_line_begin = false;
      continue;
    }
    std::string_view rest = text;
    const char32_t code_point = next_code_point(rest);
    out += text.substr(0, text.size() - rest.size());
    is_line_begin = code_point == '\n' || code_point == '\r' || (is_line_begin && is_blank(code_point));
    text = rest;
  }
  return out;
}

char32_t next_code_point(std::string_view& text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t length = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  char32_t value = length == 1 ? lead : lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length && i < text.size(); ++i) {
    value = (value << 6U) | (static_cast<unsigned char>(text[i]) & 0x3FU);
  }
  text.remove_prefix(std::min(length, text.size()));
  return value;
}

}  // namespace shapelint::text
