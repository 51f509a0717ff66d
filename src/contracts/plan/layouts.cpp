// Degrees of parallelism whose product is a number of GPUs.
#include "contracts/plan/layouts.hpp"

#include <algorithm>

namespace shapelint::contracts {

namespace {

// Degrees of expert parallelism over the ranks of a stage.
std::vector<std::int64_t> expert_degrees(const model::Setup& setup, std::int64_t ranks) {
  if (setup.model.moe.num_experts <= 0) return {1};
  if (setup.plan.mode == model::Mode::train) return divisors(ranks);
  return ranks > 1 ? std::vector<std::int64_t>{1, ranks} : std::vector<std::int64_t>{1};
}

}  // namespace

std::vector<std::int64_t> divisors(std::int64_t n) {
  std::vector<std::int64_t> out;
  std::vector<std::int64_t> large;
  for (std::int64_t i = 1; i * i <= n; ++i) {
    if (n % i != 0) continue;
    out.push_back(i);
    if (i != n / i) large.push_back(n / i);
  }
  out.insert(out.end(), large.rbegin(), large.rend());
  return out;
}

std::vector<Layout> layouts(const model::Setup& setup, std::int64_t gpus, bool splits_experts) {
  std::vector<Layout> out;
  Layout each;
  each.gpus = gpus;
  for (const std::int64_t tensor : divisors(gpus)) {
    each.tensor = tensor;
    for (const std::int64_t pipeline : divisors(gpus / tensor)) {
      if (pipeline > setup.model.num_layers) continue;
      each.pipeline = pipeline;
      for (const std::int64_t context : divisors(gpus / tensor / pipeline)) {
        if (context > 1 && setup.plan.mode != model::Mode::train) continue;
        each.context = context;
        each.data = gpus / tensor / pipeline / context;
        const std::int64_t ranks = tensor * context * each.data;
        for (const std::int64_t expert : expert_degrees(setup, ranks)) {
          each.expert = expert;
          each.expert_tensor = expert > 1 ? 1 : tensor;
          out.push_back(each);
          if (!splits_experts || expert <= 1 || tensor <= 1 || ranks % (expert * tensor) != 0) continue;
          each.expert_tensor = tensor;
          out.push_back(each);
        }
      }
    }
  }
  return out;
}

void apply(const Layout& layout, model::Plan& plan) {
  plan.tensor = layout.tensor;
  plan.pipeline = layout.pipeline;
  plan.context = layout.context;
  plan.data = layout.data;
  plan.expert = layout.expert;
  plan.expert_tensor = layout.expert_tensor;
}

}  // namespace shapelint::contracts
