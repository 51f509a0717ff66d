// A roofline for each value of a field.
#include "suggest/serving/curve.hpp"

#include "base/units.hpp"
#include "cost/stages.hpp"
#include "model/lower/lower.hpp"
#include "suggest/edit/footprint.hpp"

namespace shapelint::suggest {

namespace {

CurvePoint point_at(const gpu::Gpu& gpu, const model::Setup& setup, std::int64_t value, const Draft* draft) {
  const model::Workload workload = cost::paced_workload(gpu, setup);
  cost::Roofline line = cost::roofline(gpu, workload, setup.plan.dtype);
  CurvePoint point;
  point.value = value;
  point.bound = line.bound;
  point.bubble_bound = line.bubble_bound;
  const double ranks = static_cast<double>(setup.plan.tensor) * static_cast<double>(setup.plan.pipeline) *
                       static_cast<double>(setup.plan.context);
  const bool decodes = setup.plan.mode == model::Mode::decode;
  const double stages = static_cast<double>(setup.plan.pipeline);
  const double drafting_us = decodes && draft != nullptr ? draft_us(gpu, setup.plan, *draft) : 0.0;
  const double step_us = line.step.time_us * (decodes ? stages : 1.0) + drafting_us;
  point.tokens_per_s_per_gpu =
      line.step.tokens_per_s / ranks * line.step.time_us * (decodes ? stages : 1.0) / step_us;
  point.token_us = decodes ? step_us / model::accepted_tokens(setup.plan) : step_us;
  point.intensity = line.product_dram_bytes > 0 ? line.product_flops / line.product_dram_bytes : 0;
  point.product_tflops =
      line.step.time_us > 0 ? line.product_flops / line.step.time_us / flops_per_us_per_tflops : 0;
  point.memory_bytes = memory_bytes(setup);
  point.fits = point.memory_bytes <= usable_bytes(gpu::memory_gib(gpu), setup);
  point.compute_bound = line.product_compute_us >= line.product_memory_us;
  point.step = std::move(line.step);
  point.step.ops.clear();
  return point;
}

// The smallest value in (low, high] that satisfies a condition which holds at high and not at low.
std::int64_t first_in(std::int64_t low, std::int64_t high, const std::function<bool(std::int64_t)>& holds) {
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (holds(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace

Curve curve_of(const gpu::Gpu& gpu, std::span<const std::int64_t> values,
               const std::function<model::Setup(std::int64_t)>& at, const Draft* draft) {
  Curve curve;
  if (values.empty()) return curve;
  const model::Setup first = at(values.front());
  const double bandwidth = gpu.dram_bandwidth_gb_s;
  curve.ridge = cost::ridge(gpu::peak_tflops(gpu, first.plan.dtype), bandwidth);
  for (const std::int64_t value : values) curve.points.push_back(point_at(gpu, at(value), value, draft));
  for (std::size_t i = 1; i < curve.points.size(); ++i) {
    const CurvePoint& before = curve.points[i - 1];
    const CurvePoint& after = curve.points[i];
    if (!curve.beyond_ridge && before.intensity < curve.ridge && after.intensity >= curve.ridge) {
      curve.beyond_ridge = first_in(before.value, after.value, [&](std::int64_t value) {
        return point_at(gpu, at(value), value, draft).intensity >= curve.ridge;
      });
    }
    if (!curve.compute_bound && !before.compute_bound && after.compute_bound) {
      curve.compute_bound = first_in(before.value, after.value, [&](std::int64_t value) {
        return point_at(gpu, at(value), value, draft).compute_bound;
      });
    }
  }
  return curve;
}

}  // namespace shapelint::suggest
