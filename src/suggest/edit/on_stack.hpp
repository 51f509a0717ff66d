// Setups as a stack of packages runs them, for whoever prices them: padded, with other kernels.
#pragma once

#include <functional>
#include <vector>

#include "cost/step.hpp"
#include "gpu/gpu.hpp"
#include "model/op.hpp"
#include "model/spec.hpp"
#include "suggest/constraints.hpp"

namespace shapelint::suggest {

// What is lowered and priced in a setup's place.
struct StackRun {
  model::Setup setup;         // the sizes that are computed
  model::Workload workload;   // its model FLOPs are those of the sizes as they are written
  std::vector<double> times;  // how many times as long each op takes; empty: none takes longer
};

// For one thread. Without a function setups run as they are written.
struct OnStack {
  std::function<StackRun(const model::Setup&, const gpu::Gpu&)> run{};
  std::vector<Constraint> constraints{};  // what the stack refuses is no proposal
};
// A fresh one for each thread.
using MakeOnStack = std::function<OnStack()>;

// A step, with what it is of.
struct Step {
  model::Workload workload;
  cost::StepCost cost;
  double longer_us = 0;  // of the step: what the stack's kernels take beyond those that were predicted
};
// `stack` may be null: setups run as they are written. The memory of `out` is used again.
void step_of(const OnStack* stack, cost::PriceMemo& memo, const model::Setup& setup, Step& out);
double memory_bytes_of(const OnStack* stack, const gpu::Gpu& gpu, const model::Setup& setup);

}  // namespace shapelint::suggest
