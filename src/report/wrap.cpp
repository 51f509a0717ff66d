// Text in lines that fit a terminal.
#include "report/wrap.hpp"

#include <algorithm>

#include "report/style.hpp"

namespace shapelint::report {

namespace {

// Columns of a word; colours (`ESC [ … m`) take none.
std::size_t width_of(std::string_view word) {
  std::size_t width = 0;
  while (!word.empty()) {
    const std::size_t escape = std::min(word.find('\x1b'), word.size());
    width += static_cast<std::size_t>(display_width(word.substr(0, escape)));
    word.remove_prefix(escape);
    word.remove_prefix(std::min(word.size(), word.find('m') + 1));
  }
  return width;
}

}  // namespace

std::string wrap(std::string_view text, std::size_t indent, std::size_t column) {
  std::string out;
  std::size_t at = column;
  bool line_has_word = false;
  const auto new_line = [&] {
    out += '\n';
    at = 0;
    line_has_word = false;
  };
  for (std::size_t begin = 0; begin < text.size();) {
    if (text[begin] == '\n') {
      new_line();
      ++begin;
      continue;
    }
    const std::size_t end = std::min(text.find_first_of(" \n", begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    const std::size_t width = width_of(word);
    if (line_has_word && at + 1 + width > text_width) new_line();
    if (line_has_word) {
      out += ' ';
      ++at;
    } else if (at < indent) {
      out.append(indent - at, ' ');
      at = indent;
    }
    out += word;
    at += width;
    line_has_word = true;
    begin = end < text.size() && text[end] == ' ' ? end + 1 : end;
  }
  return out;
}

}  // namespace shapelint::report
