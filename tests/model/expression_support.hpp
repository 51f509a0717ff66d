// Evaluates a Dim's expression over the fields of a setup, so that tests can hold it against the value.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/fields.hpp"

namespace shapelint::tests {

// `/` rounds up; functions: min, max, ceil_to, and those of model/lower/routing. Throws std::runtime_error on
// a syntax error or unknown name.
std::int64_t evaluate(std::string_view expression, const model::Setup& setup);

// All fields at their smallest legal value.
model::Setup smallest_setup();

}  // namespace shapelint::tests
