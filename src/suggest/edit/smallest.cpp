// The fewest GPUs that a model fits on, where nobody says how it is divided.
#include "suggest/edit/smallest.hpp"

#include <algorithm>

#include "suggest/edit/footprint.hpp"

namespace shapelint::suggest {

namespace {

using model::FieldId;
using model::Setup;

constexpr std::int64_t most_smallest_gpus = 1024;

bool can_split(const model::ModelSpec& model, std::int64_t tensor) {
  const std::int64_t heads = std::max<std::int64_t>(1, model.num_attention_heads);
  const std::int64_t shared = std::max<std::int64_t>(1, model.num_key_value_heads);
  return heads % tensor == 0 && (shared % tensor == 0 || tensor % shared == 0);
}

// Ways to divide the model over so many GPUs, the least intrusive first.
std::vector<model::Plan> plans_over(const gpu::Gpu& gpu, const Setup& setup, std::int64_t gpus) {
  std::vector<model::Plan> out;
  const std::int64_t tensor = std::min(gpus, std::max<std::int64_t>(1, gpu.link_gpus));
  model::Plan plan = setup.plan;
  if (plan.mode != model::Mode::train) {
    if (!can_split(setup.model, tensor) || gpus / tensor > setup.model.num_layers) return out;
    plan.tensor = tensor;
    plan.pipeline = gpus / tensor;
    out.push_back(plan);
    return out;
  }
  plan.data = gpus;
  if (gpus > 1) plan.zero = 3;
  out.push_back(plan);
  plan.recompute = model::Recompute::full;
  out.push_back(plan);
  if (tensor > 1 && can_split(setup.model, tensor)) {
    plan.tensor = tensor;
    plan.data = gpus / tensor;
    out.push_back(plan);
  }
  return out;
}

}  // namespace

std::optional<SmallestPlan> smallest_plan(const gpu::Gpu& gpu, const Setup& setup) {
  if (!setup.model.conv.empty()) return std::nullopt;
  const double usable = usable_bytes(gpu::memory_gib(gpu), setup);
  for (std::int64_t gpus = 1; gpus <= most_smallest_gpus; gpus *= 2) {
    for (const model::Plan& plan : plans_over(gpu, setup, gpus)) {
      const Setup divided{setup.model, plan};
      const double needed = memory_bytes(divided);
      if (needed > usable) continue;
      SmallestPlan out{{}, gpus, needed};
      for (const FieldId field :
           {FieldId::tensor, FieldId::pipeline, FieldId::data, FieldId::zero, FieldId::recompute}) {
        const std::int64_t from = model::get(setup, field);
        const std::int64_t to = model::get(divided, field);
        if (from != to) out.changes.push_back({field, from, to});
      }
      return out;
    }
  }
  return std::nullopt;
}

}  // namespace shapelint::suggest
