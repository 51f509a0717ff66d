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

}  // namespace shapelint::rules
