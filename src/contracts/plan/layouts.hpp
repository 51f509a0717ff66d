// Ways of dividing a model over GPUs: all degrees of parallelism whose product is the number of GPUs. What
// `fits` lists and `plan` searches.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
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

// For a model in training, with each expert whole or split by `tensor`; in serving, where engines split no
// sequence's attention among ranks of its own and share experts out among all ranks of a stage or none.
// Stages have at least a layer each. `splits_experts`: experts that are shared out may be split, too.
std::vector<Layout> layouts(const model::Setup& setup, std::int64_t gpus, bool splits_experts);

void apply(const Layout& layout, model::Plan& plan);

// Numbers of GPUs to plan for: one, a range, or the fewest that do.

inline constexpr std::int64_t max_planned_gpus = 131'072;
inline constexpr std::size_t max_planned_counts = 1000;
inline constexpr std::int64_t node_gpus = 8;
// That so many GPUs take.
constexpr std::int64_t nodes_of(std::int64_t gpus) {
  return (gpus + node_gpus - 1) / node_gpus;
}

struct GpuCounts {
  std::vector<std::int64_t> values;  // empty: the fewest that train it
  bool is_auto = false;
};

// `8`, `8..64` (every number up to a node's, then whole nodes) or `auto` (of a service 1 to 64). Nothing for
// another text.
std::optional<GpuCounts> parse_counts(std::string_view text, bool serves);

// The next number that is tried for the fewest; beyond the last that is searched, nothing.
std::optional<std::int64_t> next_count(std::int64_t count);

}  // namespace shapelint::contracts
