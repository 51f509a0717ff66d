// Conditions, part by part.
#include "expr/condition.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/budget.hpp"
#include "base/number.hpp"
#include "base/words.hpp"
#include "expr/arithmetic.hpp"

namespace shapelint::expr {

namespace {

// Of a part, where it is looked at once more: names and numbers are compared, its values asked for.
constexpr std::size_t characters_per_unit_of_part = 4;

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

std::optional<Condition::Atom> Condition::atom(std::string_view text) const {
  text = trimmed(text);
  charge(1 + used_.size() / 4);  // most differ in their length already
  for (const std::int32_t each : used_) {
    if (names_[static_cast<std::size_t>(each)] == text) return Atom{each, 0};
  }
  const bool is_number = !text.empty() && text.find_first_not_of("0123456789.") == std::string_view::npos;
  const auto number = is_number ? parse_number(text) : std::nullopt;
  return number ? std::optional(Atom{-1, *number}) : std::nullopt;
}

std::optional<Condition::Operand> Condition::operand(std::string_view text) const {
  const std::size_t at = text.find('%');
  const auto value = atom(text.substr(0, at));
  if (!value) return std::nullopt;
  if (at == std::string_view::npos) return Operand{*value, std::nullopt};
  const auto divisor = atom(text.substr(at + 1));
  return divisor ? std::optional(Operand{*value, divisor}) : std::nullopt;
}

std::optional<Condition::Comparison> Condition::comparison(std::string_view text) const {
  text = trimmed(text);
  if (text.starts_with('!')) {
    const auto name = atom(text.substr(1));
    return name ? std::optional(Comparison{"!", {*name, std::nullopt}, {}}) : std::nullopt;
  }
  // Names of signs that begin others come behind those.
  constexpr std::array<std::string_view, 6> signs{"==", "!=", "<=", ">=", "<", ">"};
  for (const std::string_view sign : signs) {
    const std::size_t at = text.find(sign);
    if (at == std::string_view::npos) continue;
    const auto left = operand(text.substr(0, at));
    const auto right = operand(text.substr(at + sign.size()));
    return left && right ? std::optional(Comparison{sign, *left, *right}) : std::nullopt;
  }
  const auto alone = operand(text);
  return alone ? std::optional(Comparison{{}, *alone, {}}) : std::nullopt;
}

std::vector<Condition::Comparison> Condition::alternatives(std::string_view text) const {
  if (text.starts_with('(') && text.ends_with(')')) text = text.substr(1, text.size() - 2);
  std::vector<Comparison> out;
  while (true) {
    const std::size_t end = text.find("||");
    const auto next = comparison(text.substr(0, end));
    if (!next) return {};  // `(`, `&&` and all else that is more
    out.push_back(*next);
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + 2);
  }
}

double Condition::evaluate(const Operand& operand, const Value& value) {
  const auto of = [&](const Atom& each) { return each.name < 0 ? each.number : value(each.name); };
  const double left = of(operand.value);
  return operand.divisor ? arithmetic::modulo(left, of(*operand.divisor)) : left;
}

double Condition::evaluate(const Comparison& comparison, const Value& value) {
  const double left = evaluate(comparison.left, value);
  if (comparison.sign.empty()) return left;
  if (comparison.sign == "!") return arithmetic::not_(left);
  return compare(comparison.sign, left, evaluate(comparison.right, value));
}

double Condition::evaluate(std::span<const Comparison> alternatives, const Value& value) {
  double result = evaluate(alternatives.front(), value);
  for (const Comparison& each : alternatives.subspan(1)) {
    if (result != 0) break;  // it holds, or has no value
    result = arithmetic::either(result, evaluate(each, value));
  }
  return result;
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
    out.parts_.push_back({std::string(part), false, {}, false, std::nullopt});
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
    charge(1 + part.text.size() / characters_per_unit_of_part);
    if (!part.was_read) {
      part.was_read = true;
      part.simple = alternatives(part.text);
    }
    if (!part.simple.empty()) {
      result = evaluate(part.simple, value);
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
