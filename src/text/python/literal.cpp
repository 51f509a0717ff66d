// Top-level assignments of a Python file.
#include "text/python/literal.hpp"

#include <optional>
#include <vector>

#include "text/python/value.hpp"

namespace shapelint::text::python {

namespace {

bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

struct Unclosed {
  std::size_t at;
};

struct TooMuch {
  std::size_t at;
};

// A name, a sign and a value: what an assignment takes at least.
constexpr std::int64_t max_tokens = 3 * max_values;
// Texts of a file, and those that are added up from them.
constexpr std::size_t max_text_bytes = 2 * static_cast<std::size_t>(max_source_bytes);

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view text) : text_(text) {}

  std::vector<Line> lines() {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
    std::vector<Line> all;
    while (at_ < text_.size()) {
      Line line = next_line();
      if (!line.tokens.empty()) all.push_back(std::move(line));
    }
    return all;
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  Line next_line() {
    Line line;
    const std::size_t begin = at_;
    while (peek() == ' ' || peek() == '\t') ++at_;
    // A statement behind a `;` stands where the one before it does.
    line.indent = begin > 0 && text_[begin - 1] == ';' ? indent_ : at_ - begin;
    indent_ = line.indent;
    int brackets = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        ++at_;
        if (brackets == 0) break;
      } else if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (c == '\\' && (peek(1) == '\n' || (peek(1) == '\r' && peek(2) == '\n'))) {
        at_ += peek(1) == '\n' ? 2 : 3;
      } else if (c == ' ' || c == '\t' || c == '\r') {
        ++at_;
      } else if (c == ';' && brackets == 0) {
        ++at_;
        break;
      } else {
        line.tokens.push_back(token());
        if (c == '(' || c == '[' || c == '{') ++brackets;
        if ((c == ')' || c == ']' || c == '}') && brackets > 0) --brackets;
      }
    }
    return line;
  }

  Token token() {
    if (++tokens_ > max_tokens) throw TooMuch{at_};
    Token found;
    found.begin = at_;
    const char c = peek();
    if (is_name_start(c)) {
      while (at_ < text_.size() && (is_name_start(peek()) || is_digit(peek()))) ++at_;
      found.kind = Token::Kind::name;
      const bool is_prefix = at_ - found.begin <= 2 && (peek() == '"' || peek() == '\'');
      if (is_prefix) {
        string(found);
      }
    } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
      found.kind = Token::Kind::number;
      while (at_ < text_.size()) {
        const char d = peek();
        const bool is_exponent_sign = (d == '+' || d == '-') &&
                                      (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E') &&
                                      text_.substr(found.begin, 2) != "0x" && at_ > found.begin;
        if (!is_digit(d) && !is_name_start(d) && d != '.' && !is_exponent_sign) break;
        ++at_;
      }
    } else if (c == '"' || c == '\'') {
      string(found);
    } else {
      at_ += text_.substr(at_, 2) == "**" || text_.substr(at_, 2) == "//" || text_.substr(at_, 2) == "==" ||
                     (peek(1) == '=' && std::string_view("+-*/%<>!:").find(c) != std::string_view::npos)
                 ? 2
                 : 1;
    }
    found.end = at_;
    return found;
  }

  void string(Token& found) {
    found.kind = Token::Kind::string;
    const char quote = peek();
    const bool is_triple = peek(1) == quote && peek(2) == quote;
    const std::size_t open = at_;
    at_ += is_triple ? 3 : 1;
    while (at_ < text_.size()) {
      if (peek() == '\\') {
        at_ += 2;
      } else if (peek() == quote && (!is_triple || (peek(1) == quote && peek(2) == quote))) {
        at_ += is_triple ? 3 : 1;
        return;
      } else if (peek() == '\n' && !is_triple) {
        break;
      } else {
        ++at_;
      }
    }
    throw Unclosed{open};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t indent_ = 0;
  std::int64_t tokens_ = 0;
};

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  TreeBuilder read(const std::vector<Line>& lines) {
    root_ = tree_.add(no_node, Kind::table, {}, {}, Span{0, static_cast<std::int64_t>(text_.size())});
    bool in_function = false;
    for (const Line& line : lines) {
      const std::string_view first = slice(line.tokens.front());
      if (line.indent == 0)
        in_function = first == "def" || first == "class" || first == "async" || first == "@";
      if (in_function) continue;
      if (line.indent == 0) {
        assignment(line);
      } else {
        nested(line);
      }
    }
    return std::move(tree_);
  }

 private:
  std::string_view slice(const Token& token) const {
    return text_.substr(token.begin, token.end - token.begin);
  }

  // The index of the first token of the value, and of the sign before it; nothing when it is no assignment.
  std::optional<std::size_t> value_index(const Line& line) const {
    if (line.tokens.size() < 3 || line.tokens.front().kind != Token::Kind::name) return std::nullopt;
    const std::string_view sign = slice(line.tokens[1]);
    if (sign == "=" || (sign.size() == 2 && sign[1] == '=' && sign != "==" && sign != ":=" && sign != "!="))
      return 2;
    if (sign != ":") return std::nullopt;
    for (std::size_t i = 2; i + 1 < line.tokens.size(); ++i) {
      if (slice(line.tokens[i]) == "=") return i + 1;
    }
    return std::nullopt;
  }

  void assignment(const Line& line) {
    const auto index = value_index(line);
    if (!index) return;
    const std::string name(slice(line.tokens.front()));
    Value value;
    if (slice(line.tokens[*index - 1]) == "=") {
      value = evaluate(text_, line.tokens, *index, names_);
    }
    value.span = Span{static_cast<std::int64_t>(line.tokens[*index].begin),
                      static_cast<std::int64_t>(line.tokens.back().end)};
    const Span key{static_cast<std::int64_t>(line.tokens.front().begin),
                   static_cast<std::int64_t>(line.tokens.front().end)};
    add(root_, name, key, value, "its value is more than a literal");
    names_[name] = std::move(value);
  }

  // Inside of a block that may or may not be run.
  void nested(const Line& line) {
    const auto index = value_index(line);
    if (!index) return;
    const std::string name(slice(line.tokens.front()));
    if (!names_.contains(name)) return;
    Value value;
    value.span = Span{static_cast<std::int64_t>(line.tokens[*index].begin),
                      static_cast<std::int64_t>(line.tokens.back().end)};
    const Span key{static_cast<std::int64_t>(line.tokens.front().begin),
                   static_cast<std::int64_t>(line.tokens.front().end)};
    add(root_, name, key, value, "it is assigned inside of a block");
    names_[name] = std::move(value);
  }

  void add(std::int32_t parent, std::string_view name, Span key, const Value& value,
           std::string_view reason) {
    if (tree_.pool_size() > max_text_bytes) throw TooMuch{static_cast<std::size_t>(value.span.begin)};
    const std::int32_t index = tree_.add(parent, value.kind, name, key, value.span);
    if (value.kind == Kind::integer) tree_.set_integer(index, value.integer);
    if (value.kind == Kind::number) tree_.set_number(index, value.number);
    if (value.kind == Kind::boolean) tree_.set_boolean(index, value.integer != 0);
    if (value.kind == Kind::string) tree_.set_string(index, value.text);
    if (value.kind == Kind::unknown) tree_.set_note(index, reason);
    for (const Value& item : value.items) add(index, {}, {}, item, reason);
  }

  std::string_view text_;
  TreeBuilder tree_;
  std::int32_t root_ = no_node;
  Names names_;
};

}  // namespace

}  // namespace shapelint::text::python

namespace shapelint::text {

Result<Document> parse_literal_python(std::string path, SharedText source) {
  if (const auto problem = check_source(path, source)) return *problem;
  try {
    TreeBuilder tree = python::Reader(source).read(python::Tokenizer(source).lines());
    return std::move(tree).finish(std::move(path), std::move(source));
  } catch (const python::TooMuch& much) {
    return too_many_values(path, static_cast<std::int64_t>(much.at));
  } catch (const python::Unclosed& unclosed) {
    const auto at = static_cast<std::int64_t>(unclosed.at);
    return Error{"the string is never closed", {}, std::move(path), Span{at, at + 1}, ErrorCode::syntax};
  }
}

}  // namespace shapelint::text
