// Internal to the public face: a priced step as a plain struct.
#pragma once

#include <shapelint/shapelint.hpp>

#include "cost/step.hpp"
#include "gpu/gpu.hpp"
#include "model/op.hpp"
#include "model/reading.hpp"
#include "model/spec.hpp"

namespace shapelint::api {

// That one GPU needs; 0 where nobody knows how the weights are stored.
double known_memory_bytes(const model::Setup& setup);

// Without ops in the workload it has no operations.
Step step_of(const model::Reading& reading, const gpu::Gpu& gpu, const model::Workload& workload,
             const cost::StepCost& cost);

}  // namespace shapelint::api
