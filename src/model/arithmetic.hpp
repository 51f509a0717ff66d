// Integer arithmetic that neither overflows nor divides by zero, whatever a configuration says.
#pragma once

#include <algorithm>
#include <cstdint>

namespace shapelint::model {

// Results are held at this bound instead of overflowing: 2^62, more than any element count that means
// anything, and its double fits in 63 bits.
inline constexpr std::int64_t count_limit = std::int64_t{1} << 62;

constexpr double real(std::int64_t value) {
  return static_cast<double>(value);
}
// For sizes that are divided by, or that stand for something that is there.
constexpr double at_least_one(std::int64_t value) {
  return real(std::max<std::int64_t>(1, value));
}

// A count of what may be absent.
constexpr std::int64_t when(bool present, std::int64_t count) {
  return present ? count : 0;
}

// Product of two numbers >= 0, at most count_limit.
constexpr std::int64_t times(std::int64_t a, std::int64_t b) {
  if (a <= 0 || b <= 0) return 0;
  return a > count_limit / b ? count_limit : a * b;
}
template <class... More>
constexpr std::int64_t times(std::int64_t a, std::int64_t b, More... more) {
  return times(times(a, b), more...);
}

// Sum of two numbers >= 0, at most count_limit.
constexpr std::int64_t plus(std::int64_t a, std::int64_t b) {
  return a >= count_limit - b ? count_limit : a + b;
}
template <class... More>
constexpr std::int64_t plus(std::int64_t a, std::int64_t b, More... more) {
  return plus(plus(a, b), more...);
}

// a / b rounded up, for a >= 0; a divisor below 1 counts as 1. This is what `/` means in a Dim's expression.
constexpr std::int64_t divide_up(std::int64_t a, std::int64_t b) {
  return b <= 1 ? a : a / b + (a % b == 0 ? 0 : 1);
}

// The smallest multiple of `multiple` that is at least a.
constexpr std::int64_t ceil_to(std::int64_t a, std::int64_t multiple) {
  return times(divide_up(a, multiple), std::max<std::int64_t>(1, multiple));
}

}  // namespace shapelint::model
