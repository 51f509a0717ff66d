// Models of one file that take turns on the same GPUs, as in reinforcement learning.
#pragma once

#include <span>

#include "model/reading.hpp"

namespace shapelint::formats {

// For each that says so (`colocated`), what the others keep on its GPUs meanwhile (Plan::colocated_mib): of
// weights, gradients and optimizer states those that neither its framework nor its file moves away between
// turns (`keeps_weights`, `keeps_gradients`, `keeps_optimizer`). Of a model that nobody describes nothing is
// known, so the sum is the least that they keep.
void add_colocated(std::span<model::Reading> readings);

}  // namespace shapelint::formats
