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

}  // namespace shapelint::cost
