// What every candidate must satisfy.
#pragma once

#include <functional>
#include <string>

#include "model/spec.hpp"

namespace shapelint::suggest {

// A condition that candidates must satisfy: a framework's hard rule, or a wish of the user.
struct Constraint {
  std::string name;
  std::function<bool(const model::Setup&)> holds;
};

}  // namespace shapelint::suggest
