// Reading expressions, from what binds least to what binds most.
#include "text/python/expressions.hpp"

#include <array>
#include <vector>

#include "base/budget.hpp"
#include "text/errors.hpp"

namespace shapelint::text::python {

namespace {

// Signs of a level; those of the last bind most.
constexpr std::array<std::array<std::string_view, 5>, 6> levels{
    {{"|"}, {"^"}, {"&"}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "//", "%", "@"}}};

constexpr std::array<std::string_view, 12> words{"if",  "else", "for", "in",     "and", "or",
                                                 "not", "is",   "as",  "lambda", "def", "class"};

bool is_word(std::string_view text) {
  for (const std::string_view word : words) {
    if (word == text) return true;
  }
  return false;
}

}  // namespace

bool ExpressionReader::is_at(std::string_view text) const {
  return !done() && tokens_[at_].kind != Token::Kind::string && slice(tokens_[at_]) == text;
}

bool ExpressionReader::take(std::string_view text) {
  if (!is_at(text)) return false;
  ++at_;
  return true;
}

bool ExpressionReader::at_name() const {
  return !done() && tokens_[at_].kind == Token::Kind::name;
}

std::uint32_t ExpressionReader::begin() const {
  if (!done()) return tokens_[at_].begin;
  return tokens_.empty() ? 0 : tokens_.back().end;
}

std::uint32_t ExpressionReader::end() const {
  return at_ == 0 || tokens_.empty() ? begin() : tokens_[std::min(at_, tokens_.size()) - 1].end;
}

Index ExpressionReader::add(ExpressionKind kind, std::uint32_t begin, const std::vector<Index>& children) {
  charge(2 + children.size());
  charge_bytes(sizeof(Expression) + sizeof(Expression) / 2 + 2 * children.size() * sizeof(Index));
  Expression made;
  made.kind = kind;
  made.begin = begin;
  made.end = std::max(begin, end());
  made.first = static_cast<std::uint32_t>(out_.children.size());
  made.count = static_cast<std::uint32_t>(children.size());
  out_.children.insert(out_.children.end(), children.begin(), children.end());
  out_.expressions.push_back(made);
  return static_cast<Index>(out_.expressions.size() - 1);
}

Index ExpressionReader::add(ExpressionKind kind, std::uint32_t begin, const std::vector<Index>& children,
                            const Token& text) {
  const Index made = add(kind, begin, children);
  out_.expressions[made].text_begin = text.begin;
  out_.expressions[made].text_end = text.end;
  return made;
}

Index ExpressionReader::broken(std::uint32_t begin) {
  failed_ = true;
  at_ = tokens_.size();
  return add(ExpressionKind::missing, begin, {});
}

Index ExpressionReader::list() {
  const std::uint32_t first = begin();
  const Index value = one();
  if (failed_ || !is_at(",")) return value;
  std::vector<Index> items{value};
  while (take(",")) {
    if (done() || is_at("=") || is_at(")") || is_at(":")) break;
    items.push_back(one());
  }
  return add(ExpressionKind::tuple, first, items);
}

Index ExpressionReader::one() {
  const std::uint32_t first = begin();
  if (depth_ >= max_depth) return broken(first);
  ++depth_;
  Index made = nothing;
  if (take("*")) {
    made = add(ExpressionKind::starred, first, {binary(0)});
  } else if (is_at("lambda")) {
    made = lambda();
  } else {
    made = choice();
  }
  --depth_;
  return made;
}

Index ExpressionReader::target() {
  const std::uint32_t first = begin();
  std::vector<Index> items{binary(0)};
  while (!failed_ && take(",")) {
    if (is_at("in") || done()) break;
    items.push_back(binary(0));
  }
  return items.size() == 1 ? items.front() : add(ExpressionKind::tuple, first, items);
}

Index ExpressionReader::lambda() {
  const std::uint32_t first = begin();
  skip();
  if (take(":")) return add(ExpressionKind::lambda, first, {one()});
  // Nothing is made of one with parameters: its end is what matters.
  int brackets = 0;
  while (!done()) {
    if (is_at("(") || is_at("[") || is_at("{")) ++brackets;
    if ((is_at(")") || is_at("]") || is_at("}")) && --brackets < 0) break;
    if (is_at(",") && brackets == 0 && at_ > 0) {
      // A comma between parameters stands before the colon.
      std::size_t ahead = at_;
      bool colon = false;
      for (; ahead < tokens_.size() && !colon; ++ahead) {
        charge();
        const std::string_view text = slice(tokens_[ahead]);
        if (text == ")" || text == "]" || text == "}" || text == "=") break;
        colon = text == ":";
      }
      if (!colon) break;
    }
    ++at_;
  }
  return add(ExpressionKind::lambda, first, {});
}

Index ExpressionReader::choice() {
  const std::uint32_t first = begin();
  const Index value = logic(false);
  if (failed_ || !is_at("if")) return value;
  skip();
  const Index condition = logic(false);
  if (!take("else")) return broken(first);
  const Index other = one();
  return add(ExpressionKind::choice, first, {condition, value, other});
}

Index ExpressionReader::logic(bool only_and) {
  const std::uint32_t first = begin();
  Index left = negation();
  while (!failed_ && (is_at("and") || (!only_and && is_at("or")))) {
    const Token sign = tokens_[at_++];
    const Index right = slice(sign) == "or" ? logic(true) : negation();
    left = add(ExpressionKind::logic, first, {left, right}, sign);
  }
  return left;
}

Index ExpressionReader::negation() {
  const std::uint32_t first = begin();
  std::vector<Token> signs;
  while (is_at("not")) signs.push_back(tokens_[at_++]);
  Index value = comparison();
  if (signs.size() > max_depth) return broken(first);
  for (; !signs.empty(); signs.pop_back()) value = add(ExpressionKind::unary, first, {value}, signs.back());
  return value;
}

Index ExpressionReader::comparison() {
  const std::uint32_t first = begin();
  Index left = binary(0);
  Index all = nothing;
  while (!failed_ && !done()) {
    Token sign = tokens_[at_];
    const std::string_view text = slice(sign);
    const bool is_sign =
        text == "==" || text == "!=" || text == "<" || text == ">" || text == "<=" || text == ">=";
    const bool is_not = text == "not" && at_ + 1 < tokens_.size() && slice(tokens_[at_ + 1]) == "in";
    if (!is_sign && text != "in" && text != "is" && !is_not) break;
    if (sign.kind == Token::Kind::string) break;
    ++at_;
    if (is_not || (text == "is" && is_at("not"))) sign.end = tokens_[at_++].end;
    const Index right = binary(0);
    const Index made = add(ExpressionKind::compare, first, {left, right}, sign);
    all = all == nothing ? made : add(ExpressionKind::logic, first, {all, made});
    left = right;
  }
  return all == nothing ? left : all;
}

// The level of a sign that stands between two values; -1 when it does not.
int ExpressionReader::level_here(Token& sign) const {
  if (done() || tokens_[at_].kind != Token::Kind::sign) return -1;
  sign = tokens_[at_];
  std::string_view text = slice(sign);
  // `<<` is two tokens.
  if ((text == "<" || text == ">") && at_ + 1 < tokens_.size() && tokens_[at_ + 1].begin == sign.end &&
      slice(tokens_[at_ + 1]) == text) {
    sign.end = tokens_[at_ + 1].end;
    text = slice(sign);
  }
  for (std::size_t level = 0; level < levels.size(); ++level) {
    for (const std::string_view each : levels[level]) {
      if (!each.empty() && each == text) return static_cast<int>(level);
    }
  }
  return -1;
}

Index ExpressionReader::binary(int level) {
  const std::uint32_t first = begin();
  Index left = signed_value();
  Token sign;
  for (int here = level_here(sign); !failed_ && here >= level; here = level_here(sign)) {
    while (!done() && tokens_[at_].begin < sign.end) ++at_;
    const Index right = binary(here + 1);
    left = add(ExpressionKind::binary, first, {left, right}, sign);
  }
  return left;
}

Index ExpressionReader::signed_value() {
  const std::uint32_t first = begin();
  std::vector<Token> signs;
  while (is_at("-") || is_at("+") || is_at("~")) signs.push_back(tokens_[at_++]);
  if (signs.size() > max_depth) return broken(first);
  take("await");
  Index value = postfix();
  if (!failed_ && is_at("**")) {
    const Token sign = tokens_[at_++];
    if (++depth_ >= max_depth) return broken(first);
    const Index power = signed_value();
    --depth_;
    value = add(ExpressionKind::binary, out_.at(value).begin, {value, power}, sign);
  }
  for (; !signs.empty(); signs.pop_back())
    value = add(ExpressionKind::unary, signs.back().begin, {value}, signs.back());
  return value;
}

Index ExpressionReader::postfix() {
  const std::uint32_t first = begin();
  Index value = atom();
  while (!failed_ && !done()) {
    if (is_at("(")) {
      value = call(value, first);
    } else if (is_at("[")) {
      value = subscript(value, first);
    } else if (is_at(".") && at_ + 1 < tokens_.size() && tokens_[at_ + 1].kind == Token::Kind::name) {
      const Token name = tokens_[at_ + 1];
      at_ += 2;
      value = add(ExpressionKind::attribute, first, {value}, name);
    } else {
      break;
    }
  }
  return value;
}

Index ExpressionReader::argument() {
  const std::uint32_t first = begin();
  if (take("**")) return add(ExpressionKind::unpacked, first, {one()});
  if (at_name() && at_ + 1 < tokens_.size() && slice(tokens_[at_ + 1]) == "=") {
    const Token name = tokens_[at_];
    at_ += 2;
    const Index value = one();
    return add(ExpressionKind::keyword, first, {value}, name);
  }
  const Index value = one();
  return is_at("for") ? listed(value, first, ")") : value;
}

Index ExpressionReader::call(Index called, std::uint32_t begin) {
  skip();
  std::vector<Index> parts{called};
  while (!failed_ && !done() && !is_at(")")) {
    parts.push_back(argument());
    if (!take(",")) break;
  }
  if (!take(")")) return broken(begin);
  return add(ExpressionKind::call, begin, parts);
}

Index ExpressionReader::subscript(Index of, std::uint32_t begin) {
  skip();
  const std::uint32_t first = this->begin();
  bool is_slice = is_at(":");
  Index index = nothing;
  if (!is_slice) {
    index = list();
    is_slice = is_at(":");
  }
  if (is_slice) {
    std::vector<Index> parts{index, nothing};
    take(":");
    if (!is_at("]") && !is_at(":")) parts[1] = one();
    const bool has_step = is_at(":") || is_at(",");
    int brackets = 0;
    while (!done() && (brackets > 0 || !is_at("]"))) {
      if (is_at("[")) ++brackets;
      if (is_at("]")) --brackets;
      skip();
    }
    if (!failed_)
      index = has_step ? add(ExpressionKind::slice, first, {}) : add(ExpressionKind::slice, first, parts);
  }
  if (failed_ || !take("]")) return broken(begin);
  return add(ExpressionKind::subscript, begin, {of, index});
}

Index ExpressionReader::atom() {
  const std::uint32_t first = begin();
  if (done()) return broken(first);
  if (is_at("(")) return bracket(")", ExpressionKind::tuple);
  if (is_at("[")) return bracket("]", ExpressionKind::list);
  if (is_at("{")) return braces();
  const Token token = tokens_[at_];
  if (token.kind == Token::Kind::string) return strings();
  if (token.kind == Token::Kind::sign) {
    // `...`
    if (slice(token) != ".") return broken(first);
    while (take(".")) {
    }
    return add(ExpressionKind::missing, first, {});
  }
  if (token.kind == Token::Kind::name && is_word(slice(token))) return broken(first);
  ++at_;
  return add(token.kind == Token::Kind::number ? ExpressionKind::number : ExpressionKind::name, first, {},
             token);
}

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

namespace {

// f-strings within the braces of f-strings.
constexpr int max_nested = 32;

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
    if (is_plain && end < stop && depth_ < max_nested) {
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
