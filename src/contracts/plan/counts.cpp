// Numbers of GPUs, as they are written and as they are tried.
#include "contracts/plan/counts.hpp"

#include <algorithm>

#include "base/number.hpp"

namespace shapelint::contracts {

namespace {

constexpr std::int64_t most_searched = 16'384;
constexpr std::int64_t most_served = 64;

}  // namespace

std::optional<GpuCounts> parse_counts(std::string_view text, bool serves) {
  GpuCounts out;
  if (text == "auto") {
    out.is_auto = true;
    for (std::int64_t n = 1; serves && n <= most_served; n *= 2) out.values.push_back(n);
    return out;
  }
  const std::size_t dots = text.find("..");
  const auto low = parse_integer(text.substr(0, dots));
  const auto high = dots == std::string_view::npos ? low : parse_integer(text.substr(dots + 2));
  if (!low || !high || *low < 1 || *high < *low || *high > most_planned_gpus) return std::nullopt;
  for (std::int64_t n = *low; n <= *high; n += n < node_gpus ? 1 : node_gpus - n % node_gpus)
    out.values.push_back(n);
  if (out.values.size() > most_planned_counts) return std::nullopt;
  return out;
}

// Powers of two within a node, then nodes, and steps of an eighth.
std::optional<std::int64_t> next_count(std::int64_t count) {
  constexpr std::int64_t parts = 8;
  const std::int64_t next = count < node_gpus
                                ? 2 * count
                                : count + std::max<std::int64_t>(1, count / parts / node_gpus) * node_gpus;
  return next <= most_searched ? std::optional(next) : std::nullopt;
}

}  // namespace shapelint::contracts
