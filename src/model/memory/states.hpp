// What a rank keeps of its parameters in training: weights, gradients, and what the optimizer knows of them.
#pragma once

#include "model/lower/lower.hpp"
#include "model/parameter_bytes.hpp"
#include "model/spec.hpp"

namespace shapelint::model {

// Bytes on one rank.
struct HeldStates {
  double weights = 0;    // that learn, and of adapters also those that do not
  double gradients = 0;  // when all are there
  double optimizer = 0;  // states, and copies of weights
  double host = 0;       // of all these, what is in the host's memory, and not counted above
};
// Of a rank with so many parameters, over `data` data-parallel ranks: ZeRO's stages share optimizer states,
// then gradients, then weights over the ranks that hold the same parameters.
HeldStates held_states(const Setup& setup, double data, RankParameters held);

// Of a convolutional network with so many parameters.
HeldStates held_states(const Plan& plan, double data, double parameters);

}  // namespace shapelint::model
