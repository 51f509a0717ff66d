// Expressions in brackets: lists, tuples, tables, comprehensions.
#include "text/python/expressions.hpp"

namespace shapelint::text::python {

Index ExpressionReader::bracket(std::string_view close, ExpressionKind kind) {
  const std::uint32_t first = begin();
  skip();
  std::vector<Index> items;
  bool is_list = kind == ExpressionKind::list;
  while (!failed_ && !done() && !is_at(close)) {
    const Index item = one();
    if (failed_) break;
    if (is_at("for") || is_at("async")) return listed(item, first, close);
    if (is_at(":") && at_ + 1 < tokens_.size() && slice(tokens_[at_ + 1]) == "=") return broken(first);
    if (is_at(":=")) return broken(first);
    items.push_back(item);
    if (!take(",")) break;
    is_list = true;
  }
  if (failed_ || !take(close)) return broken(first);
  if (!is_list && items.size() == 1) {
    out_.expressions[items.front()].begin = first;  // the brackets are part of how it is written
    out_.expressions[items.front()].end = end();
    return items.front();
  }
  return add(kind, first, items);
}

Index ExpressionReader::listed(Index value, std::uint32_t begin, std::string_view close) {
  take("async");
  skip();
  const Index name = target();
  if (failed_ || !take("in")) return broken(begin);
  const Index over = logic(false);
  std::vector<Index> parts{value, name, over};
  while (!failed_ && take("if")) parts.push_back(logic(false));
  const bool more = is_at("for") || is_at("async");
  if (more) {
    int brackets = 0;
    while (!done() && (brackets > 0 || !is_at(close))) {
      if (is_at("(") || is_at("[") || is_at("{")) ++brackets;
      if (is_at(")") || is_at("]") || is_at("}")) --brackets;
      skip();
    }
  }
  // The bracket of a call is the call's.
  const bool is_argument = close == ")" && out_.source[begin] != '(';
  if (failed_ || (!is_argument && !take(close))) return broken(begin);
  return more ? add(ExpressionKind::missing, begin, {}) : add(ExpressionKind::listed, begin, parts);
}

Index ExpressionReader::braces() {
  const std::uint32_t first = begin();
  skip();
  std::vector<Index> parts;
  bool is_table = is_at("}");
  while (!failed_ && !done() && !is_at("}")) {
    if (take("**")) {
      is_table = true;
      parts.push_back(nothing);
      parts.push_back(binary(0));
    } else {
      const Index item = one();
      if (failed_) break;
      if (is_at("for")) {
        listed(item, first, "}");
        return failed_ ? broken(first) : add(ExpressionKind::missing, first, {});
      }
      parts.push_back(item);
      if (take(":")) {
        is_table = true;
        const Index value = one();
        if (is_at("for")) {
          listed(value, first, "}");
          return failed_ ? broken(first) : add(ExpressionKind::missing, first, {});
        }
        parts.push_back(value);
      } else if (is_table) {
        return broken(first);
      }
    }
    if (!take(",")) break;
  }
  if (failed_ || !take("}") || (is_table && parts.size() % 2 != 0)) return broken(first);
  return add(is_table ? ExpressionKind::table : ExpressionKind::set, first, parts);
}

}  // namespace shapelint::text::python
