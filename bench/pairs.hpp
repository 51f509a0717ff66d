// Pairs of measured products that differ in one dimension.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "calibrate/tables.hpp"
#include "cost/step.hpp"
#include "cost/uncertainty.hpp"
#include "gpu/spread.hpp"

namespace shapelint::bench {

// Indices of rows; the later one is larger.
struct ShapePair {
  std::size_t before = 0;
  std::size_t after = 0;
  double doublings = 0;  // by how much, as a power of two
};

// Pairs of rows of which one dimension is larger, by `most_doublings` at most, and all else is the same; of
// each row the next `steps` larger ones. Widths that no model has (n or k below 32) are left out.
std::vector<ShapePair> pairs_of(std::span<const calibrate::MeasuredShape> rows, double most_doublings,
                                std::size_t steps);

bool is_misaligned(const cost::GemmShape& shape);

// A step of these products alone, and its price.
struct Step {
  model::Workload workload;
  cost::StepCost cost;
};
Step step_of(const gpu::Gpu& gpu, std::span<const cost::GemmShape> shapes);

// A pair as lint would tell it, and as it was measured.
struct Told {
  ShapePair pair;
  cost::Gain gain;
  double measured = 0;   // gain
  double before_us = 0;  // predicted
  double after_us = 0;
};
std::vector<Told> told(const gpu::Gpu& gpu, std::span<const calibrate::MeasuredShape> rows,
                       std::span<const ShapePair> pairs);

// The spread that holds 90 of 100 pairs, together with what the effects' errors explain. What too few pairs
// show stays 0.
gpu::ProductSpread spread_of(std::span<const calibrate::MeasuredShape> rows, std::span<const Told> all);

// Half width of a gain with this spread instead of the GPU's.
double half_width(const gpu::ProductSpread& spread, std::span<const calibrate::MeasuredShape> rows,
                  const Told& each);

}  // namespace shapelint::bench
