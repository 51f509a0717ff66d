// The fewest GPUs that a model fits on, where nobody says how it is divided.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gpu/gpu.hpp"
#include "model/spec.hpp"
#include "suggest/edit/change.hpp"

namespace shapelint::suggest {

struct SmallestPlan {
  std::vector<Change> changes;  // of the plan
  std::int64_t gpus = 1;
  double memory_bytes = 0;  // on each
};

// Of powers of two up to 1,024 GPUs: training shares everything (ZeRO 3), with recomputation where it does
// not fit otherwise, and beside that tensor parallelism within the fast link; serving divides by tensor
// parallelism, then in stages. Nothing where none of these fits.
std::optional<SmallestPlan> smallest_plan(const gpu::Gpu& gpu, const model::Setup& setup);

}  // namespace shapelint::suggest
