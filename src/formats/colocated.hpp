// Models of one file on the same GPUs: those that take turns, as in reinforcement learning, and towers before
// a language model.
#pragma once

#include <span>

#include "model/reading.hpp"

namespace shapelint::formats {

// For each that says so (`colocated`), what the others keep on its GPUs meanwhile (Plan::colocated_mib): of
// weights, gradients and optimizer states those that neither its framework nor its file moves away between
// turns (`keeps_weights`, `keeps_gradients`, `keeps_optimizer`). Of a model without a description nothing is
// known, so the sum is the least that they keep.
void add_colocated(std::span<model::Reading> readings);

// For a language model the parameters of the towers of its file (`tower`), whose output it reads.
void add_towers(std::span<model::Reading> readings);

}  // namespace shapelint::formats
