// What of a gain comes from the effects that a rule is about.
#pragma once

#include <span>

#include "gpu/effects.hpp"
#include "rules/engine/lint.hpp"
#include "suggest/edit/candidate.hpp"

namespace shapelint::rules {

// The share of the step that a candidate saves by losing less to `effects`, or to slower kernels of a stack
// (`longer_us` of the present step), of what it gains (`gain`) on the report's GPU. The evaluator is that
// GPU's.
double earned(std::span<const gpu::Effect> effects, const GpuReport& report, double longer_us,
              suggest::Evaluator& evaluator, const suggest::Candidate& candidate, double gain);

}  // namespace shapelint::rules
