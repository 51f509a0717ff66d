// Strings of the syntax tree: those that stand side by side, and the parts of f-strings.
#include <vector>

#include "text/python/expressions.hpp"

namespace shapelint::text::python {

namespace {

// f-strings within the braces of f-strings.
constexpr int most_nested = 32;

}  // namespace

Index ExpressionReader::strings() {
  const std::uint32_t first = begin();
  std::vector<Index> parts;
  while (!done() && tokens_[at_].kind == Token::Kind::string) {
    const Token token = tokens_[at_++];
    const std::string_view written = slice(token);
    const std::string_view prefix = written.substr(0, written.find_first_of("'\""));
    if (prefix.find_first_of("fF") == std::string_view::npos) {
      const Index part = add(ExpressionKind::string, token.begin, {}, token);
      out_.expressions[part].end = token.end;
      parts.push_back(part);
    } else {
      pieces(token, parts);
    }
  }
  if (parts.size() == 1 && out_.at(parts.front()).kind == ExpressionKind::string) return parts.front();
  return add(ExpressionKind::joined, first, parts);
}

Index ExpressionReader::within(const Line& line) {
  ExpressionReader inner(out_, line.tokens);
  inner.depth_ = depth_ + 1;
  const Index part = inner.one();
  return inner.failed() || !inner.done() ? nothing : part;
}

// A literal piece is ExpressionKind::missing with a text.
void ExpressionReader::pieces(const Token& token, std::vector<Index>& parts) {
  const std::string_view source = out_.source;
  std::uint32_t at = token.begin;
  while (source[at] != '"' && source[at] != '\'') ++at;
  const std::uint32_t quotes =
      token.end - at >= 6 && source[at + 1] == source[at] && source[at + 2] == source[at] ? 3 : 1;
  at += quotes;
  const std::uint32_t stop = token.end - quotes;
  const auto literal = [&](std::uint32_t from, std::uint32_t to) {
    if (from < to) parts.push_back(add(ExpressionKind::missing, from, {}, {Token::Kind::string, from, to}));
  };
  std::uint32_t from = at;
  while (at < stop) {
    const bool doubled = at + 1 < stop && source[at] == source[at + 1];
    if ((source[at] == '{' || source[at] == '}') && doubled) {
      literal(from, at + 1);
      at += 2;
      from = at;
      continue;
    }
    if (source[at] != '{') {
      ++at;
      continue;
    }
    literal(from, at);
    std::uint32_t end = at + 1;
    int depth = 0;
    bool is_plain = true;
    while (end < stop && (depth > 0 || source[end] != '}')) {
      const char c = source[end];
      if (c == '(' || c == '[' || c == '{') ++depth;
      if (c == ')' || c == ']' || c == '}') --depth;
      if (depth == 0 && (c == ':' || c == '!' || c == '=')) is_plain = false;
      ++end;
    }
    Index part = nothing;
    if (is_plain && end < stop && depth_ < most_nested) {
      try {
        const std::vector<Line> lines = scan(source, at + 1, end);
        if (lines.size() == 1) part = within(lines.front());
      } catch (const Unclosed&) {
        part = nothing;
      }
    }
    parts.push_back(part == nothing ? add(ExpressionKind::missing, at, {}) : part);
    at = std::min(end + 1, stop);
    from = at;
  }
  literal(from, stop);
}

}  // namespace shapelint::text::python
