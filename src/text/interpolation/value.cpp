// Values of interpolations.
#include "text/interpolation/value.hpp"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/budget.hpp"
#include "base/strings.hpp"

namespace shapelint::text::interpolation {

std::size_t reference_end(std::string_view text, std::size_t at) {
  int depth = 0;
  for (std::size_t i = at; i < text.size(); ++i) {
    constexpr std::size_t bytes_per_charge = 8;
    if (i % bytes_per_charge == 0) charge();
    if (text[i] == '{') ++depth;
    if (text[i] == '}' && --depth == 0) return i + 1;
  }
  return std::string_view::npos;
}

std::vector<std::string_view> split_arguments(std::string_view text, HeldBytes& held) {
  constexpr std::size_t units_per_argument = 2;
  charge(1 + text.size() / 4);
  std::vector<std::string_view> found;
  int depth = 0;
  char quote = '\0';
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    if (quote != '\0' && i < text.size()) {
      if (c == quote) quote = '\0';
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '{' || c == '[' || c == '(') {
      ++depth;
    } else if (c == '}' || c == ']' || c == ')') {
      --depth;
    } else if (c == ',' && (depth <= 0 || i == text.size())) {
      charge(units_per_argument);
      held.add(2 * sizeof(std::string_view));  // a vector that grows has room for as many again
      found.push_back(trimmed(text.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  return found;
}

bool is_variable_name(std::string_view text) {
  if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
  for (const char c : text) {
    if (!((c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_')) return false;
  }
  return true;
}

Resolved unknown(std::string reason) {
  return Resolved{Resolved::Kind::unknown, {}, {}, std::move(reason)};
}

Resolved of_string(std::string text) {
  Resolved outcome;
  outcome.kind = Resolved::Kind::scalar;
  outcome.text = std::move(text);
  return outcome;
}

Resolved of_number(double value, bool is_integer) {
  Resolved outcome;
  outcome.kind = Resolved::Kind::scalar;
  constexpr double exact = 9007199254740992.0;  // 2^53: above, doubles skip integers
  const bool fits = is_integer && std::fabs(value) <= exact;
  outcome.scalar.kind = fits ? Kind::integer : Kind::number;
  outcome.scalar.integer = fits ? static_cast<std::int64_t>(value) : 0;
  outcome.scalar.number = value;
  return outcome;
}

Resolved of_written(std::string_view text) {
  Resolved outcome;
  outcome.kind = Resolved::Kind::scalar;
  outcome.scalar = yaml::resolve_scalar(text);
  outcome.text = std::string(text);
  return outcome;
}

std::optional<std::string> as_text(const Resolved& outcome) {
  if (outcome.kind == Resolved::Kind::unknown) return std::nullopt;
  if (outcome.kind == Resolved::Kind::node) {
    const NodeRef node = outcome.node;
    if (const auto text = node.as_string()) return std::string(*text);
    if (const auto integer = node.as_integer()) return fmt::format("{}", *integer);
    if (const auto number = node.as_number()) return fmt::format("{}", *number);
    if (const auto boolean = node.as_boolean()) return *boolean ? "True" : "False";
    if (node.is(Kind::null)) return "None";
    return std::nullopt;
  }
  switch (outcome.scalar.kind) {
    case Kind::integer:
      return fmt::format("{}", outcome.scalar.integer);
    case Kind::number:
      return fmt::format("{}", outcome.scalar.number);
    case Kind::boolean:
      return outcome.scalar.boolean ? "True" : "False";
    case Kind::null:
      return "None";
    default:
      return outcome.text;
  }
}

std::optional<WrittenNumber> as_number(const Resolved& outcome) {
  if (outcome.kind == Resolved::Kind::node) {
    const auto number = outcome.node.as_number();
    return number ? std::optional(WrittenNumber{*number, outcome.node.is(Kind::integer)}) : std::nullopt;
  }
  if (outcome.kind == Resolved::Kind::unknown) return std::nullopt;
  if (outcome.scalar.kind != Kind::integer && outcome.scalar.kind != Kind::number) return std::nullopt;
  return WrittenNumber{outcome.scalar.number, outcome.scalar.kind == Kind::integer};
}

bool is_arithmetic(std::string_view name) {
  return name == "add" || name == "sum" || name == "multiply" || name == "mul" || name == "subtract" ||
         name == "divide" || name == "divide_floor" || name == "floor_divide" || name == "divide_ceil" ||
         name == "div_up";
}

Resolved calculated(std::string_view name, std::span<const WrittenNumber> operands) {
  if (operands.empty()) return unknown(fmt::format("`{}` has no result", name));
  auto [result, is_integer] = operands.front();
  for (const auto [value, whole] : operands.subspan(1)) {
    is_integer = is_integer && whole;
    if (name == "add" || name == "sum") {
      result += value;
    } else if (name == "multiply" || name == "mul") {
      result *= value;
    } else if (name == "subtract") {
      result -= value;
    } else if (value == 0) {
      return unknown("a division by zero");
    } else if (name == "divide") {
      result /= value;
      is_integer = false;
    } else {
      result =
          name == "divide_ceil" || name == "div_up" ? std::ceil(result / value) : std::floor(result / value);
    }
  }
  if (!std::isfinite(result)) return unknown(fmt::format("`{}` has no result", name));
  return of_number(result, is_integer);
}

}  // namespace shapelint::text::interpolation
