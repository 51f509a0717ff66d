// The slowest of many: equations in docs/explanation/gpu-model.md, section 4.
#include "model/lower/waiting.hpp"

#include <algorithm>
#include <cmath>

#include "model/arithmetic.hpp"

namespace shapelint::model {

namespace {

// Standard deviations of the time that ranks take for the same work, as shares. Chips under one power limit
// differ in their clocks, which counts where ranks meet once a step; those that gather or sum each layer
// (from ZeRO 2 on) meet with each, and what disturbs one of them for a moment is no longer averaged out over
// a step. Fitted to the series of bench/scaling_runs.toml whose part is `fit` (4 and 6), checked with the
// others.
constexpr double step_spread = 0.012;
constexpr double layer_spread = 0.08;
// GPUs of the nodes on which single kernels and most runs were measured.
constexpr std::int64_t node_gpus = 8;

// The largest of so many normal deviates lies about so many standard deviations above their mean (the leading
// term of extreme value theory).
double largest_deviate(std::int64_t of) {
  return std::sqrt(2 * std::log(static_cast<double>(of)));
}

}  // namespace

double waiting_share(const Plan& plan) {
  if (plan.mode != Mode::train) return 0;
  const std::int64_t gpus =
      times(std::max<std::int64_t>(1, plan.data), std::max<std::int64_t>(1, plan.tensor),
            std::max<std::int64_t>(1, plan.pipeline), std::max<std::int64_t>(1, plan.context));
  if (gpus <= node_gpus) return 0;
  const double spread = plan.zero >= 2 ? layer_spread : step_spread;
  return spread * (largest_deviate(gpus) - largest_deviate(node_gpus));
}

}  // namespace shapelint::model
