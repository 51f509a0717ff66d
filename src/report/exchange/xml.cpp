// Text as XML 1.0 takes it.
#include "report/exchange/xml.hpp"

#include "report/style.hpp"

namespace shapelint::report {

std::string xml_escaped(std::string_view text) {
  std::string out;
  std::string clean = printable(text);
  // U+FFFE and U+FFFF are no characters of XML.
  for (const std::string_view none : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"}) {
    for (std::size_t at = clean.find(none); at != std::string::npos; at = clean.find(none, at))
      clean.replace(at, none.size(), "\xEF\xBF\xBD");
  }
  for (const char c : clean) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\n':
        out += "&#10;";
        break;
      case '#':
        // No runner's `##[…` (text::without_commands).
        out += out.ends_with('#') ? "&#35;" : "#";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace shapelint::report
