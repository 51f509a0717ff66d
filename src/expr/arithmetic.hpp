// Operators and functions of expressions. NaN means that there is no value, and is carried through.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace shapelint::expr::arithmetic {

inline constexpr double none = std::numeric_limits<double>::quiet_NaN();

// Whole numbers beyond this are not exact in a double, so a remainder would mean nothing.
inline constexpr double largest_exact = 9'007'199'254'740'992.0;  // 2^53

inline double finite(double value) {
  return std::isfinite(value) ? value : none;
}
inline bool no_value(double a, double b) {
  return std::isnan(a) || std::isnan(b);
}
inline bool is_whole(double value) {
  return std::fabs(value) <= largest_exact && std::floor(value) == value;
}

inline double add(double a, double b) {
  return finite(a + b);
}
inline double subtract(double a, double b) {
  return finite(a - b);
}
inline double multiply(double a, double b) {
  return finite(a * b);
}
inline double divide(double a, double b) {
  return b == 0 ? none : finite(a / b);
}
inline double power(double a, double b) {
  return finite(std::pow(a, b));
}
// Remainder of whole numbers, never negative for a positive divisor.
inline double modulo(double a, double b) {
  if (!is_whole(a) || !is_whole(b) || b == 0) return none;
  const double rest = std::fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
inline double less(double a, double b) {
  return no_value(a, b) ? none : a < b;
}
inline double less_or_equal(double a, double b) {
  return no_value(a, b) ? none : a <= b;
}
inline double greater(double a, double b) {
  return no_value(a, b) ? none : a > b;
}
inline double greater_or_equal(double a, double b) {
  return no_value(a, b) ? none : a >= b;
}
inline double equal(double a, double b) {
  return no_value(a, b) ? none : a == b;
}
inline double not_equal(double a, double b) {
  return no_value(a, b) ? none : a != b;
}
inline double both(double a, double b) {
  if (a == 0 || b == 0) return a == 0 || !std::isnan(a) ? 0 : none;
  return no_value(a, b) ? none : 1;
}
inline double either(double a, double b) {
  if (!std::isnan(a) && a != 0) return 1;
  if (std::isnan(a)) return none;
  return std::isnan(b) ? none : b != 0;
}
inline double negate(double a) {
  return -a;
}
inline double not_(double a) {
  return std::isnan(a) ? none : a == 0;
}

inline double ceil_to(double x, double m) {
  return m > 0 ? finite(std::ceil(x / m) * m) : none;
}
inline double floor_to(double x, double m) {
  return m > 0 ? finite(std::floor(x / m) * m) : none;
}
// Halves go up.
inline double nearest_to(double x, double m) {
  return m > 0 ? finite(std::floor(x / m + 0.5) * m) : none;
}
// The largest power of two that divides x; no value for 0 and fractions.
inline double pow2_divisor(double x) {
  if (!is_whole(x) || x == 0) return none;
  const auto whole = static_cast<std::int64_t>(std::fabs(x));
  return static_cast<double>(whole & -whole);
}
inline double divides(double a, double b) {
  const double rest = modulo(b, a);
  return std::isnan(rest) ? none : rest == 0;
}
inline double if_(double condition, double a, double b) {
  if (std::isnan(condition)) return none;
  return condition != 0 ? a : b;
}
inline double absolute(double a) {
  return std::fabs(a);
}
inline double ceiling(double a) {
  return std::ceil(a);
}
inline double floor_(double a) {
  return std::floor(a);
}
inline double root(double a) {
  return a < 0 ? none : std::sqrt(a);
}
inline double log2_(double a) {
  return a > 0 ? std::log2(a) : none;
}
inline double minimum(const double* values, int count) {
  double out = values[0];
  for (int i = 0; i < count; ++i) {
    if (std::isnan(values[i])) return none;
    out = std::min(out, values[i]);
  }
  return out;
}
inline double maximum(const double* values, int count) {
  double out = values[0];
  for (int i = 0; i < count; ++i) {
    if (std::isnan(values[i])) return none;
    out = std::max(out, values[i]);
  }
  return out;
}
inline double round_(double a) {
  return std::floor(a + 0.5);
}
inline double truncate(double a) {
  return std::trunc(a);
}

}  // namespace shapelint::expr::arithmetic
