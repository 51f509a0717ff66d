// Colours, widths of characters, and breaks of lines.
#include "report/style.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "text/source.hpp"

namespace shapelint::report {

namespace {

// ECMA-48, Select Graphic Rendition; the 16 colours that every terminal theme defines.
std::string_view escape_of(Role role) {
  static constexpr std::array<std::string_view, 9> escapes{"",           "\x1b[1m",    "\x1b[1;31m",
                                                           "\x1b[1;33m", "\x1b[1;36m", "\x1b[1;34m",
                                                           "\x1b[32m",   "\x1b[31m",   "\x1b[2m"};
  return escapes.at(static_cast<std::size_t>(role));
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

namespace {

// Colours (`ESC [ … m`) take no columns.
std::string without_colours(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t escape = std::min(text.find('\x1b'), text.size());
    out += text.substr(0, escape);
    text.remove_prefix(escape);
    // One that never ends takes the rest.
    if (!text.empty()) text.remove_prefix(std::min(text.size() - 1, text.find('m')) + 1);
  }
  return out;
}

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(display_width(without_colours(text)));
}

bool is_unit(std::string_view word) {
  constexpr std::array<std::string_view, 25> units{
      "%",  "B",  "K",  "M",  "T", "KB",  "MB",  "GB", "TB",       "KiB",  "MiB",  "GiB",    "s",
      "ms", "us", "µs", "ns", "W", "MHz", "GHz", "x",  "tokens/s", "GB/s", "TB/s", "TFLOP/s"};
  return std::find(units.begin(), units.end(), word) != units.end();
}

// Between the halves of a value, as "±" in "16.2 ± 3.0 %".
bool joins(std::string_view word) {
  return word == "±" || word == "→" || word == "×";
}

std::string_view without_punctuation(std::string_view word) {
  while (!word.empty() && std::string_view("(`\"").find(word.front()) != std::string_view::npos)
    word.remove_prefix(1);
  while (!word.empty() && std::string_view(".,;:)`\"").find(word.back()) != std::string_view::npos)
    word.remove_suffix(1);
  return word;
}

// Whether two words are one value: "7.3 %", "32 → 20".
bool are_one_value(std::string_view first, std::string_view second) {
  const std::string before_colours = without_colours(first);
  const std::string after_colours = without_colours(second);
  const std::string_view before = without_punctuation(before_colours);
  const std::string_view after = without_punctuation(after_colours);
  if (joins(before) || joins(after)) return true;
  const bool is_number = before.find_first_of("0123456789") != std::string_view::npos &&
                         before.find_first_not_of("+-.,0123456789") == std::string_view::npos;
  return is_number && before_colours.ends_with(before) && is_unit(after);
}

constexpr std::size_t longest_code = 40;  // that is kept together

// Whether a blank at `at` is within a short piece of code; `opened` is where the last backtick before it is.
bool is_in_code(std::string_view text, std::size_t opened, std::size_t at) {
  const std::size_t closed = text.find('`', at);
  return closed != std::string_view::npos && closed - opened <= longest_code;
}

// The end of the words from `begin` on that belong together.
std::size_t end_of_unit(std::string_view text, std::size_t begin, std::size_t opened) {
  const auto end_of_word = [&](std::size_t from) {
    return std::min(text.find_first_of(" \n", from), text.size());
  };
  std::size_t word = begin;
  std::size_t end = end_of_word(begin);
  while (end + 1 < text.size() && text[end] == ' ' && text[end + 1] != ' ' && text[end + 1] != '\n') {
    for (std::size_t at = word; at < end; ++at) {
      if (text[at] == '`') opened = opened == std::string_view::npos ? at : std::string_view::npos;
    }
    const std::size_t next = end_of_word(end + 1);
    const bool in_code = opened != std::string_view::npos && is_in_code(text, opened, end);
    if (!in_code && !are_one_value(text.substr(word, end - word), text.substr(end + 1, next - end - 1)))
      break;
    word = end + 1;
    end = next;
  }
  return end;
}

}  // namespace

std::string wrap(std::string_view text, std::size_t indent, std::size_t column, std::size_t width) {
  std::string out;
  std::size_t at = column;
  bool line_has_word = false;
  const auto new_line = [&] {
    while (out.ends_with(' ')) out.pop_back();
    out += '\n';
    at = 0;
    line_has_word = false;
  };
  std::size_t opened = std::string_view::npos;  // the backtick that is not closed yet
  for (std::size_t begin = 0; begin < text.size();) {
    if (text[begin] == '\n') {
      new_line();
      ++begin;
      continue;
    }
    std::size_t end = end_of_unit(text, begin, opened);
    // What is wider than a line is broken between its words.
    if (columns_of(text.substr(begin, end - begin)) + indent > width)
      end = std::min(text.find_first_of(" \n", begin), text.size());
    const std::string_view unit = text.substr(begin, end - begin);
    for (std::size_t i = begin; i < end; ++i) {
      if (text[i] == '`') opened = opened == std::string_view::npos ? i : std::string_view::npos;
    }
    const std::size_t columns = columns_of(unit);
    if (line_has_word && at + 1 + columns > width) new_line();
    if (line_has_word) {
      out += ' ';
      ++at;
    } else if (at < indent) {
      out.append(indent - at, ' ');
      at = indent;
    }
    out += unit;
    at += columns;
    line_has_word = true;
    begin = end < text.size() && text[end] == ' ' ? end + 1 : end;
  }
  return out;
}

std::size_t width_of(const Style& style) {
  constexpr std::size_t narrowest = 40;
  return style.window > 0 ? std::max(style.window, narrowest) : text_width;
}

std::string wrap(std::string_view text, std::size_t indent, std::size_t column, const Style& style) {
  return wrap(text, indent, column, width_of(style));
}

std::string headline(std::string_view text, std::size_t indent, std::size_t column, const Style& style) {
  return style.window > 0 ? wrap(text, indent, column, style) : std::string(text);
}

std::string labelled(std::string_view label, std::string_view text, const Style& style) {
  if (text.empty()) return {};
  constexpr std::size_t indent = 14;
  const std::size_t gap = label.size() + 1 < indent ? indent - label.size() - 1 : 1;
  return fmt::format("{}{}{}\n", style.paint(Role::strong, fmt::format("{}:", label)), std::string(gap, ' '),
                     wrap(text, indent, indent, style));
}

std::string without_blank_end(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace shapelint::report
