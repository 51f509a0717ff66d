// What would make a step faster, by what bounds it: each change is made and the step priced again.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cost/op_cost.hpp"
#include "gpu/gpu.hpp"
#include "model/spec.hpp"
#include "suggest/serving/serving.hpp"

namespace shapelint::suggest {

struct Remedy {
  std::string_view id;  // `larger-batch`, `weights-4-bit` …
  cost::Bound against = cost::Bound::memory;
  std::string change;           // `micro_batch_size 1 -> 64`
  double step_us = 0;           // after it
  double time_ratio = 1;        // step's time after / before
  double throughput_ratio = 1;  // tokens per second and GPU, after / before
  std::string_view note;        // what the prediction leaves out; may be empty
};

// Changes that gain at least 1 % in throughput per GPU or in time, most throughput first. Those whose
// weights, cache or activations would not fit into the GPU's memory are left out, unless those of `setup` do
// not either. `draft`: speculates, with its own steps counted; without one drafting is for nothing. `others`:
// GPUs to compare with; the fastest two are named.
std::vector<Remedy> remedies(const gpu::Gpu& gpu, const model::Setup& setup, std::span<const gpu::Gpu> others,
                             const Draft* draft = nullptr);

// Kernels that one rank launches in a step, and the time that a host needs which launches them one by one.
// Predictions assume that the GPU never waits for it.
struct Launches {
  double count = 0;
  double each_us = 0;
  bool measured = false;  // each_us; else assumed
  double host_us = 0;
};
Launches launches_of(const model::Setup& setup);

}  // namespace shapelint::suggest
