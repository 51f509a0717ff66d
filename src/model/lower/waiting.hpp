// Whom the ranks of a training step wait for.
#pragma once

#include "model/spec.hpp"

namespace shapelint::model {

// What a training step waits for the slowest of its GPUs, as a share of the time that it is busy: 0 up to the
// eight of a node, whose measured speeds hold that of the slowest already; growing with their number.
double waiting_share(const Plan& plan);

}  // namespace shapelint::model
