// How tokens are spread over a mixture's experts: how many experts have work, and how much. The functions are
// those of Dim's expressions of the same names.
#pragma once

#include <cstdint>

#include "model/spec.hpp"

namespace shapelint::model {

// Distinct experts of `experts` that `tokens` tokens visit, each `chosen` of them, all experts as likely as
// any other: experts (1 - (1 - chosen / experts)^tokens), rounded to the nearest.
std::int64_t visited(std::int64_t experts, std::int64_t chosen, std::int64_t tokens);

// The same where few experts get most of the tokens, over `ranks` that hold as many experts each: on the rank
// that gets the most, its experts with work, and the tokens of all of them together.
struct Busiest {
  std::int64_t experts = 1;
  std::int64_t tokens = 1;
};
Busiest busiest(std::int64_t experts, std::int64_t chosen, std::int64_t tokens, std::int64_t ranks,
                Routing routing);

}  // namespace shapelint::model
