// Numbers of GPUs that are planned for: one, a range, or the fewest that do.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace shapelint::contracts {

inline constexpr std::int64_t most_planned_gpus = 131'072;
inline constexpr std::size_t most_planned_counts = 1000;
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
