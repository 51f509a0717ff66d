// Ends of quotes, expansions and words.
#include <algorithm>

#include <fmt/format.h>

#include "base/budget.hpp"
#include "text/errors.hpp"
#include "text/shell/grammar/syntax.hpp"

namespace shapelint::text::shell {

bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_name(char c) {
  return is_name_start(c) || (c >= '0' && c <= '9');
}

void Scanner::stop(std::size_t begin, std::size_t end, std::string message) const {
  end = std::min(end, source_.size());
  throw Stop{Error{std::move(message),
                   {},
                   path_,
                   Span{static_cast<std::int64_t>(std::min(begin, end)), static_cast<std::int64_t>(end)}}};
}

void Scanner::check_depth(std::size_t position, int depth) const {
  if (depth > max_depth) {
    stop(position, position + 1, fmt::format("quotes and brackets are nested more than {} deep", max_depth));
  }
}

std::size_t Scanner::continuation_size(std::size_t position) const {
  if (at(position) != '\\') return 0;
  if (at(position + 1) == '\n') return 2;
  return at(position + 1) == '\r' && at(position + 2) == '\n' ? 3 : 0;
}

std::size_t Scanner::skip_blanks(std::size_t position) const {
  while (position < source_.size()) {
    const char c = source_[position];
    if (c == ' ' || c == '\t' || (c == '\r' && at(position + 1) == '\n')) {
      ++position;
    } else if (const std::size_t size = continuation_size(position); size > 0) {
      position += size;
    } else {
      break;
    }
  }
  return position;
}

std::size_t Scanner::single_quoted_end(std::size_t position) const {
  const bool has_escapes = position > 0 && source_[position - 1] == '$';
  for (std::size_t i = position + 1; i < source_.size(); ++i) {
    if (has_escapes && source_[i] == '\\') {
      ++i;
    } else if (source_[i] == '\'') {
      charge_text(i - position);
      return i + 1;
    }
  }
  stop(position, position + 1, "the quote `'` is never closed");
}

std::size_t Scanner::double_quoted_end(std::size_t position, int depth) const {
  check_depth(position, depth);
  std::size_t i = position + 1;
  while (i < source_.size()) {
    if (source_[i] == '"') return i + 1;
    i = source_[i] == '\'' ? i + 1 : item_end(i, depth);  // an apostrophe quotes nothing here
  }
  stop(position, position + 1, "the quote `\"` is never closed");
}

std::size_t Scanner::backquoted_end(std::size_t position) const {
  for (std::size_t i = position + 1; i < source_.size(); ++i) {
    if (source_[i] == '\\') {
      ++i;
    } else if (source_[i] == '`') {
      charge_text(i - position);
      return i + 1;
    }
  }
  stop(position, position + 1, "the backquote is never closed");
}

std::size_t Scanner::item_end(std::size_t position, int depth) const {
  charge();  // what is nested is gone over at every level, and again where it is expanded
  switch (source_[position]) {
    case '\\':
      return position + 2;
    case '\'':
      return single_quoted_end(position);
    case '"':
      return double_quoted_end(position, depth + 1);
    case '`':
      return backquoted_end(position);
    case '$':
      return expansion_end(position, depth + 1);
    default:
      return position + 1;
  }
}

std::size_t Scanner::parenthesis_end(std::size_t position, int depth) const {
  check_depth(position, depth);
  std::size_t i = position + 1;
  bool word_starts = true;
  while (i < source_.size()) {
    const char c = source_[i];
    const bool at_word_start = word_starts;
    word_starts = c == ' ' || c == '\t' || c == '\n' || c == ';' || c == '(' || c == '|' || c == '&';
    if (c == ')') return i + 1;
    if (c == '(') {
      i = parenthesis_end(i, depth + 1);
    } else if (c == '#' && at_word_start) {
      i = std::min(source_.find('\n', i), source_.size());
    } else {
      i = item_end(i, depth);
    }
  }
  stop(position, position + 1, "the bracket `(` is never closed");
}

std::size_t Scanner::brace_end(std::size_t position, int depth) const {
  check_depth(position, depth);
  std::size_t i = position + 1;
  while (i < source_.size()) {
    if (source_[i] == '}') return i + 1;
    i = item_end(i, depth);
  }
  stop(position, position + 1, "the bracket `{` is never closed");
}

std::size_t Scanner::expansion_end(std::size_t position, int depth) const {
  const char next = at(position + 1);
  if (next == '{') return brace_end(position + 1, depth);
  if (next == '(') return parenthesis_end(position + 1, depth);
  if (is_name_start(next)) {
    std::size_t i = position + 2;
    while (i < source_.size() && is_name(source_[i])) ++i;
    return i;
  }
  if (next == '[') {  // `$((…))` as it was written once; without its end in the line it is itself
    check_depth(position, depth);
    std::size_t open = 0;
    for (std::size_t i = position + 1; i < source_.size() && source_[i] != '\n';) {
      charge();
      if (source_[i] == '[') ++open;
      if (source_[i] == ']' && --open == 0) return i + 1;
      i = source_[i] == '$' ? expansion_end(i, depth + 1) : i + 1;
    }
  }
  // $1, $@, $? and the like; a dollar sign before anything else is itself.
  const bool is_special =
      next != '\0' && std::string_view("0123456789@*#?$!-").find(next) != std::string_view::npos;
  return position + (is_special ? 2 : 1);
}

std::size_t Scanner::word_end(std::size_t position, int depth) const {
  check_depth(position, depth);
  std::size_t i = position;
  while (i < source_.size()) {
    const char c = source_[i];
    if (std::string_view(" \t\n;&|<>()").find(c) != std::string_view::npos) break;
    if (c == '\r' && at(i + 1) == '\n') break;
    if (c == '\\') {
      i = std::min(i + std::max<std::size_t>(2, continuation_size(i)), source_.size());
    } else if (c == '$' && at(i + 1) == '\'') {
      ++i;
    } else {
      i = item_end(i, depth);
    }
  }
  return i;
}

}  // namespace shapelint::text::shell
