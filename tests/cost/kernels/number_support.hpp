// Numbers at random: bytes, FLOPs.
#pragma once

#include <cstdint>

#include <rapidcheck.h>

namespace shapelint::tests {

// Below 2^40.
inline double any_number(std::int64_t least) {
  return static_cast<double>(*rc::gen::inRange<std::int64_t>(least, std::int64_t{1} << 40));
}

}  // namespace shapelint::tests
