// Text that is safe to show.
#include "text/printable.hpp"

#include <algorithm>
#include <cstdint>

#include "text/source.hpp"

namespace shapelint::text {

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
      const bool control =
          (code_point < 0x20 && code_point != '\n') || (code_point >= 0x7F && code_point < 0xA0);
      // Bidirectional overrides reorder what follows (CVE-2021-42574).
      const bool reorders =
          (code_point >= 0x202A && code_point <= 0x202E) || (code_point >= 0x2066 && code_point <= 0x2069);
      out += control || reorders ? replacement : good.substr(0, good.size() - rest.size());
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
