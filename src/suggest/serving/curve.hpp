// A step against one of its fields: where a larger batch stops helping, and where products become
// compute-bound.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "cost/roofline.hpp"
#include "gpu/gpu.hpp"
#include "model/spec.hpp"
#include "suggest/serving/serving.hpp"

namespace shapelint::suggest {

struct CurvePoint {
  std::int64_t value = 0;  // of the field
  cost::StepCost step;
  cost::Bound bound = cost::Bound::compute;
  bool bubble_bound = false;
  double tokens_per_s_per_gpu = 0;
  double token_us = 0;        // decode: between two tokens of a sequence; else the step's time
  double intensity = 0;       // of the matrix products together, FLOP/B of DRAM
  double product_tflops = 0;  // arithmetic of the products / time of the step
  double memory_bytes = 0;
  bool fits = true;
  bool compute_bound = false;  // the products: predicted arithmetic outlasts predicted traffic
};

struct Curve {
  std::vector<CurvePoint> points;
  double ridge = 0;  // FLOP/B of the products' units and DRAM, of the data sheet
  // Smallest values of the field from which on products are beyond the ridge, and are predicted to be
  // compute-bound. Nothing where that does not happen between the first value and the last.
  std::optional<std::int64_t> beyond_ridge;
  std::optional<std::int64_t> compute_bound;
};

// `draft` drafts where the plan speculates, and its time counts. `at` gives the plan for a value; `values`
// ascend.
Curve curve_of(const gpu::Gpu& gpu, std::span<const std::int64_t> values,
               const std::function<model::Setup(std::int64_t)>& at, const Draft* draft = nullptr);

}  // namespace shapelint::suggest
