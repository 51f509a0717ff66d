// What a model takes that is made of a file.
#pragma once

#include <cstddef>

#include "base/budget.hpp"

namespace shapelint::formats {

// Before one more is made: all of it lives until the file's last is costed. Throws Spent.
inline void charge_reading() {
  constexpr std::size_t units_per_reading = 20'000;
  constexpr std::size_t bytes_per_reading = std::size_t{64} * 1024;
  charge(units_per_reading);
  charge_bytes(bytes_per_reading);
}

}  // namespace shapelint::formats
