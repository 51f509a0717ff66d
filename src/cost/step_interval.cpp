// The spreads of bench/step_spread.py; docs/explanation/accuracy.md.
#include "cost/step_interval.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace shapelint::cost {
namespace {

// Measured / predicted step time, the 10 % and the 90 % quantile of half of the published runs, moved out by
// what its campaigns need that are left out in turn, and drawn to those of all stacks where it has few
// campaigns (bench/step_spread.py has their sources); `runs` is how many there were.
struct StackSpread {
  Stack stack;
  bool is_mixture;
  Spread spread;
  int runs;
};
constexpr std::array stack_spreads{StackSpread{Stack::engine, false, {0.90, 1.20}, 84},
                                   StackSpread{Stack::fused, false, {0.90, 1.21}, 67},
                                   StackSpread{Stack::fused, true, {0.92, 1.18}, 43},
                                   StackSpread{Stack::compiled, false, {0.93, 1.20}, 22},
                                   StackSpread{Stack::eager, false, {0.91, 1.22}, 63},
                                   StackSpread{Stack::other, false, {0.93, 1.22}, 50}};
// Measured / predicted time to the first token, the 10 % and the 90 % quantile of half of the published ones
// with four requests at a time (bench/first_token.py), by the pass and its host; where none is known, the
// 90 % quantile by the pass alone of those left out.
constexpr Spread first_token{0.69, 1.71};
constexpr double slowest_without_host = 5.1;
// For two published runs of one model by one framework on one GPU, the larger measured / predicted as a
// multiple of the smaller: the 80 % quantile of 63 pairs (tests/cost/published_training.toml).
constexpr double anchored_times = 1.16;
// No run on a GPU whose constants are not fitted was found: twice as far off, in logarithms, is assumed.
constexpr double uncalibrated_times = 2;

}  // namespace

Stack stack_of(const model::Plan& plan) {
  if (plan.mode != model::Mode::train)
    return plan.engine != model::ServingEngine::fastest ? Stack::engine : Stack::other;
  if (plan.fused_gradient_accumulation) return Stack::fused;
  if (plan.compiled) return Stack::compiled;
  return plan.eager ? Stack::eager : Stack::other;
}

Spread step_spread(const gpu::Gpu& gpu, const model::Setup& setup) {
  const Stack stack = stack_of(setup.plan);
  const bool is_mixture = setup.model.moe.num_experts > 0;
  const auto is_of = [&](bool mixture) {
    return
        [&, mixture](const StackSpread& each) { return each.stack == stack && each.is_mixture == mixture; };
  };
  const auto* found = std::find_if(stack_spreads.begin(), stack_spreads.end(), is_of(is_mixture));
  if (found == stack_spreads.end())
    found = std::find_if(stack_spreads.begin(), stack_spreads.end(), is_of(false));
  if (found == stack_spreads.end()) return {};
  Spread out = found->spread;
  if (gpu.calibration.status == "uncalibrated")
    out = {std::pow(out.low, uncalibrated_times), std::pow(out.high, uncalibrated_times)};
  // What is predicted is one of what may be.
  return {std::min(out.low, 1.0), std::max(out.high, 1.0)};
}

Spread anchored_spread(const gpu::Gpu& gpu, const model::Setup& setup) {
  const Spread spread = step_spread(gpu, setup);
  const double times = std::min(anchored_times, std::sqrt(spread.high / spread.low));
  return {1 / times, times};
}

Spread first_token_spread(const gpu::Gpu& gpu, const model::Setup& setup, bool is_host_known) {
  const Spread step = step_spread(gpu, setup);
  if (!is_host_known) return {step.low, std::max(step.high, slowest_without_host)};
  return {std::min(step.low, first_token.low), std::max(step.high, first_token.high)};
}

StepInterval step_interval(const gpu::Gpu& gpu, const model::Setup& setup, double time_us) {
  const Spread spread = step_spread(gpu, setup);
  return {spread.low * time_us, spread.high * time_us};
}

}  // namespace shapelint::cost
