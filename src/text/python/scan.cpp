// Tokens of Python.
#include "text/python/scan.hpp"

#include <algorithm>

#include "base/budget.hpp"
#include "base/strings.hpp"
#include "text/errors.hpp"

namespace shapelint::text::python {

namespace {

bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// A name, a sign and a value: what an assignment takes at least.
constexpr std::int64_t max_tokens = 3 * max_values;
class Tokenizer {
 public:
  Tokenizer(std::string_view text, std::size_t begin, std::size_t end)
      : text_(text.substr(0, end)), at_(begin) {}

  std::vector<Line> lines() {
    if (at_ == 0 && text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
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
    line.continues = begin > 0 && text_[begin - 1] == ';';
    line.indent = line.continues ? indent_ : static_cast<std::uint32_t>(at_ - begin);
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
    charge(2);
    charge_bytes(sizeof(Token) + sizeof(Token) / 2);
    Token found;
    found.begin = static_cast<std::uint32_t>(at_);
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
      at_ += sign_length(c);
    }
    found.end = static_cast<std::uint32_t>(at_);
    return found;
  }

  // `<<` stays two tokens, as `>>` ends two brackets of types.
  std::size_t sign_length(char c) const {
    for (const std::string_view augmented : {"**=", "//=", "<<=", ">>="}) {
      if (text_.substr(at_, augmented.size()) == augmented) return augmented.size();
    }
    for (const std::string_view doubled : {"**", "//", "==", "->"}) {
      if (text_.substr(at_, doubled.size()) == doubled) return doubled.size();
    }
    return peek(1) == '=' && std::string_view("+-*/%<>!:|&^@").find(c) != std::string_view::npos ? 2 : 1;
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
  std::uint32_t indent_ = 0;
  std::int64_t tokens_ = 0;
};

}  // namespace

std::vector<Line> scan(std::string_view text, std::size_t begin, std::size_t end) {
  return Tokenizer(text, begin, end).lines();
}

}  // namespace shapelint::text::python
