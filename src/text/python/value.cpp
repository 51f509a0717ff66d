// Evaluation of literal expressions.
#include "text/python/value.hpp"

#include <charconv>
#include <cmath>
#include <limits>

#include "base/decimal.hpp"
#include "text/limits.hpp"

namespace shapelint::text::python {

namespace {

Value integer_value(std::int64_t integer) {
  Value value;
  value.kind = Kind::integer;
  value.integer = integer;
  value.number = static_cast<double>(integer);
  return value;
}

Value number_value(double number) {
  Value value;
  value.kind = Kind::number;
  value.number = number;
  return value;
}

bool is_numeric(const Value& value) {
  return value.kind == Kind::integer || value.kind == Kind::number || value.kind == Kind::boolean;
}

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  const std::int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

Value apply_integers(std::string_view sign, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  bool overflows = false;
  const bool is_division = sign == "//" || sign == "%";
  if (is_division && (b == 0 || b == -1)) {
    if (b == 0 || a == std::numeric_limits<std::int64_t>::min()) return {};
    return integer_value(sign == "%" ? 0 : -a);
  }
  if (sign == "+") overflows = __builtin_add_overflow(a, b, &result);
  if (sign == "-") overflows = __builtin_sub_overflow(a, b, &result);
  if (sign == "*") overflows = __builtin_mul_overflow(a, b, &result);
  if (sign == "//") result = floor_divide(a, b);
  if (sign == "%") result = a - floor_divide(a, b) * b;
  if (sign == "**") {
    constexpr std::int64_t largest_exponent = 1023;  // beyond, doubles are infinite for every base over 1
    if (b < 0)
      return a == 0 ? Value{} : number_value(std::pow(static_cast<double>(a), static_cast<double>(b)));
    if (b > largest_exponent) return {};
    result = 1;
    for (std::int64_t i = 0; i < b && !overflows; ++i) overflows = __builtin_mul_overflow(result, a, &result);
  }
  if (overflows) return {};
  return integer_value(result);
}

Value apply(std::string_view sign, const Value& a, const Value& b) {
  if (sign == "+" && a.kind == Kind::string && b.kind == Kind::string) {
    Value value;
    value.kind = Kind::string;
    value.text = a.text + b.text;
    constexpr std::size_t longest_text = 100'000;  // adding a text to itself doubles it
    return value.text.size() > longest_text ? Value{} : value;
  }
  if (!is_numeric(a) || !is_numeric(b)) return {};
  const double x = a.kind == Kind::number ? a.number : static_cast<double>(a.integer);
  const double y = b.kind == Kind::number ? b.number : static_cast<double>(b.integer);
  if (sign == "/") return y == 0 ? Value{} : number_value(x / y);
  if (a.kind != Kind::number && b.kind != Kind::number) return apply_integers(sign, a.integer, b.integer);
  if (sign == "+") return number_value(x + y);
  if (sign == "-") return number_value(x - y);
  if (sign == "*") return number_value(x * y);
  if (sign == "**") return std::isfinite(std::pow(x, y)) ? number_value(std::pow(x, y)) : Value{};
  if (y == 0) return {};
  return number_value(sign == "//" ? std::floor(x / y) : x - std::floor(x / y) * y);
}

class Evaluator {
 public:
  Evaluator(std::string_view text, const std::vector<Token>& tokens, std::size_t at, const Names& names)
      : text_(text), tokens_(tokens), at_(at), names_(names) {}

  // The rest of the line; unknown when it is anything but one expression.
  Value whole() {
    Value value = sum(0);
    if (value.kind != Kind::unknown && is_at(",")) {  // a tuple without brackets
      Value list;
      list.kind = Kind::list;
      list.items.push_back(std::move(value));
      while (take(",") && at_ < tokens_.size()) list.items.push_back(sum(0));
      value = std::move(list);
    }
    return at_ == tokens_.size() ? value : Value{};
  }

 private:
  std::string_view slice(const Token& token) const {
    return text_.substr(token.begin, token.end - token.begin);
  }
  bool is_at(std::string_view sign) const {
    return at_ < tokens_.size() && tokens_[at_].kind == Token::Kind::sign && slice(tokens_[at_]) == sign;
  }
  bool take(std::string_view sign) {
    if (!is_at(sign)) return false;
    ++at_;
    return true;
  }

  Value placed(Value value, std::size_t first) const {
    if (at_ > first) {
      value.span = Span{static_cast<std::int64_t>(tokens_[first].begin),
                        static_cast<std::int64_t>(tokens_[at_ - 1].end)};
    }
    return value;
  }

  Value sum(int depth) {
    const std::size_t first = at_;
    Value left = product(depth);
    while (is_at("+") || is_at("-")) {
      const std::string_view sign = slice(tokens_[at_++]);
      left = apply(sign, left, product(depth));
    }
    return placed(std::move(left), first);
  }

  Value product(int depth) {
    Value left = signed_value(depth);
    while (is_at("*") || is_at("/") || is_at("//") || is_at("%")) {
      const std::string_view sign = slice(tokens_[at_++]);
      left = apply(sign, left, signed_value(depth));
    }
    return left;
  }

  Value signed_value(int depth) {
    if (depth > max_depth) {
      at_ = tokens_.size();
      return {};
    }
    if (take("-")) return apply("-", integer_value(0), signed_value(depth + 1));
    if (take("+")) return apply("+", integer_value(0), signed_value(depth + 1));
    Value base = atom(depth);
    if (take("**")) return apply("**", base, signed_value(depth + 1));
    return base;
  }

  Value atom(int depth) {
    if (at_ >= tokens_.size() || depth > max_depth) return {};
    const std::size_t first = at_;
    if (take("(")) return placed(bracket(")", depth), first);
    if (take("[")) return placed(bracket("]", depth), first);
    const Token& token = tokens_[at_++];
    const std::string_view written = slice(token);
    Value value;
    if (token.kind == Token::Kind::number) value = number(written);
    if (token.kind == Token::Kind::string) value = strings(written);
    if (token.kind == Token::Kind::name) value = name(written);
    return placed(std::move(value), first);
  }

  Value bracket(std::string_view close, int depth) {
    Value list;
    list.kind = Kind::list;
    bool is_list = close == "]";
    bool is_known = true;
    while (at_ < tokens_.size() && !is_at(close)) {
      list.items.push_back(sum(depth + 1));
      is_known = is_known && list.items.back().kind != Kind::unknown;
      if (!take(",")) break;
      is_list = true;
    }
    if (!take(close) || !is_known) return {};
    if (is_list || list.items.empty()) return list;
    return std::move(list.items.front());
  }

  Value name(std::string_view written) const {
    Value value;
    if (written == "True" || written == "False") {
      value.kind = Kind::boolean;
      value.integer = written == "True" ? 1 : 0;
      return value;
    }
    if (written == "None") {
      value.kind = Kind::null;
      return value;
    }
    const auto found = names_.find(written);
    // A list of lists by name could double with every line.
    return found == names_.end() || found->second.kind == Kind::list ? value : found->second;
  }

  static Value number(std::string_view written) {
    std::string digits;
    for (const char c : written) {
      if (c != '_') digits += c;
    }
    int base = 10;
    std::string_view body = digits;
    if (body.size() > 2 && body[0] == '0') {
      const char kind = static_cast<char>(body[1] | 0x20);
      base = kind == 'x' ? 16 : kind == 'o' ? 8 : kind == 'b' ? 2 : 10;
      if (base != 10) body.remove_prefix(2);
    }
    std::int64_t integer = 0;
    const char* const end = body.data() + body.size();
    if (const auto [stop, problem] = std::from_chars(body.data(), end, integer, base);
        stop == end && problem == std::errc()) {
      return integer_value(integer);
    }
    double real = 0;
    const auto [stop, problem] = read_decimal(body.data(), end, real);
    return base == 10 && stop == end && problem == std::errc() ? number_value(real) : Value{};
  }

  // A string, and those written directly after it, which Python joins.
  Value strings(std::string_view written) {
    Value value;
    value.kind = Kind::string;
    while (true) {
      const std::size_t quote = written.find_first_of("'\"");
      const std::string_view prefix = written.substr(0, quote);
      if (prefix.find_first_of("fFbB") != std::string_view::npos) return {};
      const bool is_raw = prefix.find_first_of("rR") != std::string_view::npos;
      written.remove_prefix(quote);
      const std::size_t size =
          written.size() >= 6 && written[1] == written[0] && written[2] == written[0] ? 3 : 1;
      const std::string_view body = written.substr(size, written.size() - 2 * size);
      if (is_raw || body.find('\\') == std::string_view::npos) {
        value.text += body;
      } else if (!unescape(body, value.text)) {
        return {};
      }
      if (at_ >= tokens_.size() || tokens_[at_].kind != Token::Kind::string) return value;
      written = slice(tokens_[at_++]);
    }
  }

  static bool unescape(std::string_view body, std::string& out) {
    for (std::size_t i = 0; i < body.size(); ++i) {
      if (body[i] != '\\' || i + 1 >= body.size()) {
        out += body[i];
        continue;
      }
      const char c = body[++i];
      if (c == 'n') {
        out += '\n';
      } else if (c == 't') {
        out += '\t';
      } else if (c == '\\' || c == '\'' || c == '"') {
        out += c;
      } else if (c != '\n') {
        return false;  // character codes are not needed for a configuration
      }
    }
    return true;
  }

  std::string_view text_;
  const std::vector<Token>& tokens_;
  std::size_t at_;
  const Names& names_;
};

}  // namespace

Value evaluate(std::string_view text, const std::vector<Token>& tokens, std::size_t at, const Names& names) {
  return Evaluator(text, tokens, at, names).whole();
}

}  // namespace shapelint::text::python
