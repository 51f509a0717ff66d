// Templates: texts that a program fills in before anything reads them as a configuration.
#include "formats/placeholder.hpp"

#include <algorithm>

namespace shapelint::formats {

namespace {

// `NAN`, `INF`, `ON` and the like are meant as values.
constexpr std::size_t shortest_word = 5;

bool is_capital(char c) {
  return (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_of_word(char c) {
  return is_capital(c) || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

std::string_view word_at(std::string_view source, std::size_t position) {
  std::size_t begin = position;
  while (begin > 0 && is_of_word(source[begin - 1])) --begin;
  std::size_t end = position;
  while (end < source.size() && is_of_word(source[end])) ++end;
  return source.substr(begin, end - begin);
}

}  // namespace

std::string_view placeholder_at(std::string_view source, Span problem) {
  if (source.empty()) return {};
  const std::size_t at = std::min(static_cast<std::size_t>(problem.begin), source.size() - 1);
  const std::string_view word = word_at(source, at);
  const bool is_name =
      std::all_of(word.begin(), word.end(), [](char c) { return is_capital(c) || (c >= '0' && c <= '9'); });
  if (word.size() >= shortest_word && is_name && is_capital(word.front())) return word;
  constexpr std::string_view variable = "${";  // of a shell that writes the file
  if (source.substr(at).starts_with(variable)) return source.substr(at, variable.size());
  const std::size_t line_end = std::min(source.find('\n', at), source.size());
  const std::size_t before = at == 0 ? std::string_view::npos : source.rfind('\n', at - 1);
  const std::size_t line_begin = before == std::string_view::npos ? 0 : before + 1;
  const std::string_view line =
      source.substr(std::min(line_begin, line_end), line_end - std::min(line_begin, line_end));
  for (const std::string_view opening : {"{{", "{%", "<%"}) {
    const std::size_t found = line.find(opening);
    if (found != std::string_view::npos) return line.substr(found, opening.size());
  }
  return {};
}

}  // namespace shapelint::formats
