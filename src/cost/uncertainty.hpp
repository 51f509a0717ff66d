// How sure a predicted gain is: an interval, and whether measurements on this GPU show the effects behind it.
#pragma once

#include <array>

#include "cost/step.hpp"
#include "gpu/effects.hpp"
#include "gpu/gpu.hpp"
#include "model/op.hpp"

namespace shapelint::cost {

using gpu::Effect;
using gpu::effect_count;

// Time in microseconds by the effect that is to blame for it; the parts add up to an op's time.
using EffectTimes = std::array<double, effect_count>;

// One run of an op. A product's losses by effect, what it needs without them as `throughput`; other ops as a
// whole belong to theirs (attention's idle SMs to `wave`).
EffectTimes split_by_effect(const model::Op& op, const OpCost& cost);

// Error of one effect as it applies to this op with this cost: where this GPU's calibration was tested on
// products of the op's slice, what it came to there (`errors`); else the profile's or architecture's
// `[errors]`. An unmeasured attention bucket is estimated whatever the profile says of the others.
gpu::EffectError error_of(const gpu::Gpu& gpu, const model::Op& op, const OpCost& cost, Effect effect);

struct Gain {
  double share = 0;                     // of the step's time before: 1 - after / before; negative: slower
  double half_width = 0;                // holds the true `share` in 90 of 100 cases
  double from_effects = 0;              // what the errors of effects alone would make of it
  bool measured = false;                // most of the change comes from effects with timings on this GPU
  Effect largest = Effect::throughput;  // that contributes most to the change
};

// The gain from one step to another with the same GPU: both workloads with their prices. Ops are matched by
// name and pass; one that only one side has counts with its whole time. Equations:
// docs/explanation/accuracy.md.
Gain gain_between(const gpu::Gpu& gpu, const model::Workload& before, const StepCost& before_cost,
                  const model::Workload& after, const StepCost& after_cost);

// How far the time of fused attention in another shape may be from what the ratio of both predictions says.

// Ratios of sizes beyond which a spread grows no more.
inline constexpr double most_doublings = 3;

// Attention of an engine that serves, whose kernels were timed: its spread has all errors of its model in it.
bool both_are_timed(const model::Op& before, const model::Op& after);

// For attention that replaces another kind: what 90 of 100 times keep to, as a share of the later one.
double attention_spread(const gpu::Gpu& gpu, const model::Op& before, const model::Op& after);

}  // namespace shapelint::cost
