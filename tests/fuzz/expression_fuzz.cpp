// Fuzz target of expressions: with all values at hand, and asked for them, they say the same.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "expr/expression.hpp"
#include "tests/fuzz/check.hpp"

namespace {

using namespace shapelint;

constexpr std::array<std::string_view, 4> names{"a", "b", "hidden_size", "tensor"};
constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr std::array<std::array<double, 4>, 4> values{
    {{0, 0, 0, 0}, {1, -2, 4096, 8}, {1e308, 9007199254740993.0, 0.5, -1e308}, {none, 3, none, 1}}};

void check_value(const Result<double>& value) {
  fuzz::require(value ? std::isfinite(*value) : !value.error().message.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::vector<Error> errors;
  const auto expression = expr::compile(text, names, errors);
  fuzz::require(expression.has_value() == errors.empty());
  for (const Error& error : errors) fuzz::check(error, size);
  if (!expression) return 0;
  for (const std::array<double, 4>& each : values) {
    const auto value = expression->evaluate(each);
    check_value(value);
    const auto holds =
        expression->holds([&](std::int32_t name) { return each.at(static_cast<std::size_t>(name)); });
    fuzz::require(static_cast<bool>(holds) == static_cast<bool>(value));
    if (value) fuzz::require(*holds == (*value != 0));
    if (!value) fuzz::require(holds.error().message == value.error().message);
  }
  return 0;
}
