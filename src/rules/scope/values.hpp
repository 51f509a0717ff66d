// Short names for what many variables are computed from.
#pragma once

#include <string_view>

#include "model/arithmetic.hpp"
#include "rules/scope/context.hpp"

namespace shapelint::rules {

using model::real;

inline const model::ModelSpec& spec(const Context& c) {
  return c.setup->model;
}
inline const model::Plan& plan(const Context& c) {
  return c.setup->plan;
}
// A tower of images or sound beside a language model that is served: engines divide it by rules of its own,
// or not at all.
inline bool is_tower(const model::Reading& reading) {
  return (reading.part == "vision" || reading.part == "audio") &&
         reading.setup.plan.mode != model::Mode::train;
}
inline double share_of_step(const Context& c, double time_us) {
  return c.step->time_us > 0 ? time_us / c.step->time_us : 0;
}

}  // namespace shapelint::rules
