// Short names for what many variables are computed from.
#pragma once

#include <string_view>

#include "rules/scope/context.hpp"

namespace shapelint::rules {

inline double real(std::int64_t value) {
  return static_cast<double>(value);
}
inline const model::ModelSpec& spec(const Context& c) {
  return c.setup->model;
}
inline const model::Plan& plan(const Context& c) {
  return c.setup->plan;
}
inline double share_of_step(const Context& c, double time_us) {
  return c.step->time_us > 0 ? time_us / c.step->time_us : 0;
}

// A value that the file's dialect worked out on the way (model::Extra); 0 where it has none.
inline double extra(const model::Reading& reading, std::string_view name) {
  for (const model::Extra& each : reading.extras) {
    if (each.name == name) return each.value;
  }
  return 0;
}

}  // namespace shapelint::rules
