// `$((…))`: the operators of C on 64-bit integers.
#include <charconv>
#include <limits>
#include <optional>

#include "text/shell/grammar/syntax.hpp"
#include "text/shell/value.hpp"

namespace shapelint::text::shell {

namespace {

using Number = std::optional<std::int64_t>;

// Nesting of brackets and of names that stand for expressions; real scripts use two or three.
constexpr int max_arithmetic_depth = 32;

// The signs behind an operand are compared with all there are.
constexpr std::size_t units_per_operand = 6;

struct BinaryOperator {
  std::string_view sign;
  int level;  // binds tighter when higher (bash manual, "Shell Arithmetic")
};
// Longer signs before those that they begin with.
constexpr BinaryOperator binary_operators[] = {
    {"||", 1}, {"&&", 2},  {"==", 6}, {"!=", 6}, {"<<", 8}, {">>", 8}, {"<=", 7},
    {">=", 7}, {"**", 11}, {"|", 3},  {"^", 4},  {"&", 5},  {"<", 7},  {">", 7},
    {"+", 9},  {"-", 9},   {"*", 10}, {"/", 10}, {"%", 10},
};

Number power(std::int64_t base, std::int64_t exponent) {
  std::int64_t result = 1;
  if (exponent < 0) return std::nullopt;
  if (base == 0 || base == 1) return exponent == 0 ? 1 : base;
  if (base == -1) return exponent % 2 == 0 ? 1 : -1;
  for (std::int64_t i = 0; i < exponent; ++i) {  // 64 rounds at most
    if (__builtin_mul_overflow(result, base, &result)) return std::nullopt;
  }
  return result;
}

Number apply(std::string_view sign, std::int64_t a, std::int64_t b) {
  constexpr std::int64_t bits = 64;
  std::int64_t result = 0;
  if (sign == "+") return __builtin_add_overflow(a, b, &result) ? Number() : Number(result);
  if (sign == "-") return __builtin_sub_overflow(a, b, &result) ? Number() : Number(result);
  if (sign == "*") return __builtin_mul_overflow(a, b, &result) ? Number() : Number(result);
  if (sign == "/" || sign == "%") {
    if (b == 0 || (b == -1 && a == std::numeric_limits<std::int64_t>::min())) return std::nullopt;
    return sign == "/" ? a / b : a % b;
  }
  if (sign == "**") return power(a, b);
  if (sign == "<<" || sign == ">>") {
    if (b < 0 || b >= bits || a < 0) return std::nullopt;
    if (sign == ">>") return a >> b;
    return a > (std::numeric_limits<std::int64_t>::max() >> b) ? Number() : Number(a << b);
  }
  if (sign == "<") return a < b;
  if (sign == ">") return a > b;
  if (sign == "<=") return a <= b;
  if (sign == ">=") return a >= b;
  if (sign == "==") return a == b;
  if (sign == "!=") return a != b;
  if (sign == "&") return a & b;
  if (sign == "|") return a | b;
  if (sign == "^") return a ^ b;
  if (sign == "&&") return (a != 0 && b != 0) ? 1 : 0;
  return (a != 0 || b != 0) ? 1 : 0;
}

class Evaluator {
 public:
  Evaluator(std::string_view text, const Variables& variables, int depth)
      : text_(text), variables_(variables), depth_(depth) {}

  Number whole() {
    charge_bytewise(text_.size());
    const Number value = ternary();
    skip_blanks();
    return at_ == text_.size() ? value : std::nullopt;
  }

 private:
  void skip_blanks() {
    const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }

  bool take(std::string_view sign) {
    skip_blanks();
    if (text_.substr(at_, sign.size()) != sign) return false;
    at_ += sign.size();
    return true;
  }

  Number ternary() {
    if (++depth_ > max_arithmetic_depth) return std::nullopt;
    const Number condition = binary(1);
    Number value = condition;
    if (condition && take("?")) {
      const Number yes = ternary();
      if (!yes || !take(":")) return std::nullopt;
      const Number no = ternary();
      if (!no) return std::nullopt;
      value = *condition != 0 ? yes : no;
    }
    --depth_;
    return value;
  }

  Number binary(int level) {
    Number left = unary();
    while (left) {
      skip_blanks();
      const BinaryOperator* found = nullptr;
      for (const BinaryOperator& each : binary_operators) {
        if (text_.substr(at_, each.sign.size()) == each.sign) {
          found = &each;
          break;
        }
      }
      if (found == nullptr || found->level < level) break;
      at_ += found->sign.size();
      if (++depth_ > max_arithmetic_depth) return std::nullopt;
      // `**` groups from the right.
      const Number right = binary(found->sign == "**" ? found->level : found->level + 1);
      --depth_;
      if (!right) return std::nullopt;
      left = apply(found->sign, *left, *right);
    }
    return left;
  }

  Number unary() {
    charge(units_per_operand);
    if (depth_ > max_arithmetic_depth) return std::nullopt;
    skip_blanks();
    if (at_ >= text_.size()) return std::nullopt;
    const char c = text_[at_];
    if (c == '-' || c == '+' || c == '!' || c == '~') {
      ++at_;
      ++depth_;
      const Number value = unary();
      --depth_;
      if (!value) return std::nullopt;
      if (c == '-') return apply("-", 0, *value);
      if (c == '!') return *value == 0 ? 1 : 0;
      return c == '~' ? ~*value : *value;
    }
    if (c == '(') {
      ++at_;
      const Number value = ternary();
      return take(")") ? value : std::nullopt;
    }
    std::size_t end = at_;
    while (end < text_.size() && is_name(text_[end])) ++end;
    const std::string_view word = text_.substr(at_, end - at_);
    at_ = end;
    if (word.empty()) return std::nullopt;
    return is_name_start(word[0]) ? variable(word) : number(word);
  }

  static Number number(std::string_view word) {
    int base = 10;
    if (word.size() > 2 && (word.starts_with("0x") || word.starts_with("0X"))) {
      base = 16;
      word.remove_prefix(2);
    } else if (word.size() > 1 && word[0] == '0') {
      base = 8;
    }
    std::int64_t value = 0;
    const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), value, base);
    if (problem != std::errc() || end != word.data() + word.size()) return std::nullopt;
    return value;
  }

  Number variable(std::string_view name) {
    const auto found = variables_.find(name);
    if (found == variables_.end() || found->second->items.empty()) return std::nullopt;
    const Text& text = found->second->items.front();
    if (!is_known(text)) return std::nullopt;
    return Evaluator(as_string(text), variables_, depth_ + 1).whole();
  }

  std::string_view text_;
  const Variables& variables_;
  std::size_t at_ = 0;
  int depth_;
};

}  // namespace

Number evaluate_arithmetic(std::string_view expression, const Variables& variables) {
  return Evaluator(expression, variables, 0).whole();
}

}  // namespace shapelint::text::shell
