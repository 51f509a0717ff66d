// Two limits of one kernel that work at the same time.
#pragma once

#include <cmath>

namespace shapelint::cost {

inline double fourth(double x) {
  return (x * x) * (x * x);
}

// The longer of two times that overlap, somewhat more where they are alike: the fourth power rounds the
// corner of the roofline.
inline double overlapped(double a, double b) {
  return std::sqrt(std::sqrt(fourth(a) + fourth(b)));
}

// The same with another power: 1: one after the other; large: the longer one.
inline double overlapped(double a, double b, double power) {
  const double longer = std::fmax(a, b);
  if (!(longer > 0)) return 0;
  return longer * std::pow(1 + std::pow(std::fmin(a, b) / longer, power), 1 / power);
}

}  // namespace shapelint::cost
