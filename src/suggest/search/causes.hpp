// Why one shape is faster than another: time that each effect takes less in each operation.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cost/step.hpp"
#include "gpu/effects.hpp"
#include "model/op.hpp"

namespace shapelint::suggest {

// What one effect costs less in one operation: a share of the start's step (per token, at equal work).
// Negative: it costs more.
struct Cause {
  std::string op;
  gpu::Effect effect = gpu::Effect::throughput;
  bool work = false;  // of `throughput`: the product has less to do; else it does it faster
  double share = 0;
  std::string sizes;  // of a product's effect: what changed of its forward sizes, "n 50257 → 50304"
};

// Causes that are worth less are left out.
inline constexpr double least_cause = 0.001;

// From one step to another, largest first. `scale`: what a share of the new step's time stands for, so that
// both do equal work. Matrix products: what they have less to do at the old rate, and what the new rate saves
// of the rest.
std::vector<Cause> causes_between(const model::Workload& before, const cost::StepCost& before_cost,
                                  const model::Workload& after, const cost::StepCost& after_cost,
                                  double scale);

// "tile quantization", "misalignment" … for people.
std::string_view describe(const Cause& cause);
// For programs: the effect's name, or "work".
std::string_view name(const Cause& cause);

}  // namespace shapelint::suggest
