// The experts of one mixture-of-experts layer on one rank.
#pragma once

#include <optional>
#include <vector>

#include "base/dtype.hpp"
#include "cost/op_cost.hpp"
#include "gpu/gpu.hpp"

namespace shapelint::cost {

struct ExpertLayer {
  double tokens = 1;  // of all ranks that share the experts
  double hidden = 1;
  double intermediate = 1;  // of an expert, of the whole layer
  double top_k = 1;
  double experts = 1;  // of the whole layer
  double tensor = 1;   // ranks that an expert is cut over
  double expert = 1;   // ranks that the experts are spread over
  bool gated = true;
  DType dtype = DType::bf16;  // of the products
  double weight_bytes = 0;    // of a weight stored packed; 0: as dtype
};

// Rows of some of a rank's experts.
struct ExpertLoad {
  double rows = 0;
  double experts = 1;  // that have as many
};

// Experts with work on the slowest rank. Even routing deals rows out in turn. `skew` > 1: loads drawn from a
// power law with that exponent, from 1 to 0.8 of the tokens (from 0.01 to 2 where there are fewer rows than
// experts), as public timings of skewed routing draw them; the rank with the most rows counts.
std::vector<ExpertLoad> expert_loads(const ExpertLayer& layer, double skew);

// The same where busy experts have copies in `slots` of all ranks together, and ranks are dealt equal rows
// (EPLB, as DeepSeek-V3 is served: 2412.19437, section 3.4).
std::vector<ExpertLoad> balanced_loads(const ExpertLayer& layer, double skew, double slots);

// Experts of a rank that at least one of `tokens` visits, with even routing: E (1 - (1 - k/E)^T).
double visited_experts(const ExpertLayer& layer);

// The two grouped GEMMs of gate and up, and of down, with the activation between them and the copies that
// bring tokens to their experts and back. Nothing where the GPU has no units for the number format.
std::optional<OpCost> price_experts(const gpu::Gpu& gpu, const ExpertLayer& layer);

// The product of gate and up alone.
std::optional<OpCost> price_expert_up(const gpu::Gpu& gpu, const ExpertLayer& layer);

}  // namespace shapelint::cost
