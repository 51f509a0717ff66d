// Ways of dividing a model over GPUs: all degrees of parallelism whose product is the number of GPUs. What
// `fits` lists and `plan` searches.
#pragma once

#include <cstdint>
#include <vector>

#include "model/spec.hpp"

namespace shapelint::contracts {

struct Layout {
  std::int64_t gpus = 1;
  std::int64_t tensor = 1;
  std::int64_t pipeline = 1;
  std::int64_t context = 1;
  std::int64_t data = 1;
  std::int64_t expert = 1;
  std::int64_t expert_tensor = 1;
};

// Ascending; none below 1.
std::vector<std::int64_t> divisors(std::int64_t n);

// Of a model in training, with each expert whole or split by `tensor`; in serving, where engines split no
// sequence's attention among ranks of its own and share experts out among all ranks of a stage or none.
// Stages have at least a layer each. `splits_experts`: experts that are shared out may be split, too.
std::vector<Layout> layouts(const model::Setup& setup, std::int64_t gpus, bool splits_experts);

void apply(const Layout& layout, model::Plan& plan);

}  // namespace shapelint::contracts
