// How far the time of fused attention in another shape may be from what the ratio of both predictions says.
#pragma once

#include "gpu/gpu.hpp"
#include "model/op.hpp"

namespace shapelint::cost {

// Ratios of sizes beyond which a spread grows no more.
inline constexpr double most_doublings = 3;

// Attention of an engine that serves, whose kernels were timed: its spread has all errors of its model in it.
bool both_are_timed(const model::Op& before, const model::Op& after);

// Of attention that takes the place of another: what 90 of 100 times keep to, as a share of the later one.
double attention_spread(const gpu::Gpu& gpu, const model::Op& before, const model::Op& after);

}  // namespace shapelint::cost
