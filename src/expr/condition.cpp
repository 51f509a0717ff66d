// Conditions, part by part.
#include "expr/condition.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/number.hpp"
#include "base/words.hpp"
#include "expr/arithmetic.hpp"

namespace shapelint::expr {

namespace {

// The parts that `&&` joins; the whole text where `||` joins them too.
std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> out;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth < 0) return {text};
    if (depth > 0 || i + 1 == text.size() || text[i] != text[i + 1]) continue;
    if (text[i] == '|') return {text};
    if (text[i] != '&') continue;
    out.push_back(trimmed(text.substr(begin, i - begin)));
    begin = ++i + 1;
  }
  out.push_back(trimmed(text.substr(begin)));
  return out;
}

double compare(std::string_view sign, double a, double b) {
  if (sign == "==") return arithmetic::equal(a, b);
  if (sign == "!=") return arithmetic::not_equal(a, b);
  if (sign == "<=") return arithmetic::less_or_equal(a, b);
  if (sign == ">=") return arithmetic::greater_or_equal(a, b);
  return sign == "<" ? arithmetic::less(a, b) : arithmetic::greater(a, b);
}

}  // namespace

std::optional<Condition::Comparison> Condition::comparison(std::string_view text) const {
  const auto find = [&](std::string_view name) {
    for (const std::int32_t each : used_) {
      if (names_[static_cast<std::size_t>(each)] == name) return each;
    }
    return std::int32_t{-1};
  };
  Comparison out;
  if (text.starts_with('!')) {
    out.sign = "!";
    out.left = find(trimmed(text.substr(1)));
    return out.left < 0 ? std::nullopt : std::optional(out);
  }
  // Names of signs that begin others come behind those.
  constexpr std::array<std::string_view, 6> signs{"==", "!=", "<=", ">=", "<", ">"};
  for (const std::string_view sign : signs) {
    const std::size_t at = text.find(sign);
    if (at == std::string_view::npos) continue;
    out.sign = sign;
    out.left = find(trimmed(text.substr(0, at)));
    const std::string_view right = trimmed(text.substr(at + sign.size()));
    out.right = find(right);
    const bool is_number = !right.empty() && right.find_first_not_of("0123456789.") == std::string_view::npos;
    const auto number = is_number ? parse_number(right) : std::nullopt;
    if (out.left < 0 || (out.right < 0 && !number)) return std::nullopt;
    out.number = number.value_or(0);
    return out;
  }
  out.left = find(text);
  return out.left < 0 ? std::nullopt : std::optional(out);
}

std::optional<Condition> Condition::read(std::string_view text, std::span<const std::string_view> names) {
  if (trimmed(text).empty()) return std::nullopt;
  auto used = names_in(text, names);
  if (!used) return std::nullopt;
  Condition out;
  out.names_ = names;
  out.used_ = *std::move(used);
  out.whole_.text = text;
  for (const std::string_view part : parts_of(text)) {
    out.parts_.push_back({std::string(part), out.comparison(part), false, std::nullopt});
  }
  return out;
}

std::optional<Result<double>> Condition::evaluate(Part& part,
                                                  const std::function<double(std::int32_t)>& value) {
  if (!part.compiled) {
    part.compiled = true;
    std::vector<Error> ignored;
    part.expression = compile(part.text, names_, ignored);
  }
  if (!part.expression) return std::nullopt;
  values_.resize(names_.size());
  for (const std::int32_t name : part.expression->used())
    values_[static_cast<std::size_t>(name)] = value(name);
  return part.expression->evaluate(values_);
}

Result<bool> Condition::holds(const std::function<double(std::int32_t)>& value) {
  for (Part& part : parts_) {
    double result = arithmetic::none;
    if (part.simple) {
      const Comparison& simple = *part.simple;
      const double left = value(simple.left);
      result = simple.sign.empty() ? left
               : simple.sign == "!"
                   ? arithmetic::not_(left)
                   : compare(simple.sign, left, simple.right < 0 ? simple.number : value(simple.right));
    } else if (const auto computed = evaluate(part, value)) {
      if (*computed) result = **computed;
    }
    if (result == 0) return false;
    if (std::isfinite(result)) continue;
    // Without a value, or with a mistake: the text as a whole says which.
    const auto whole = evaluate(whole_, value);
    if (!whole) return false;
    if (!*whole) return whole->error();
    return **whole != 0;
  }
  return true;
}

}  // namespace shapelint::expr
