// Degrees of parallelism whose product is a number of GPUs.
#include "contracts/plan/layouts.hpp"

#include <algorithm>

#include "base/number.hpp"

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

namespace {

constexpr std::int64_t max_searched = 16'384;
constexpr std::int64_t max_served = 64;

}  // namespace

std::optional<GpuCounts> parse_counts(std::string_view text, bool serves) {
  GpuCounts out;
  if (text == "auto") {
    out.is_auto = true;
    for (std::int64_t n = 1; serves && n <= max_served; n *= 2) out.values.push_back(n);
    return out;
  }
  const std::size_t dots = text.find("..");
  const auto low = parse_integer(text.substr(0, dots));
  const auto high = dots == std::string_view::npos ? low : parse_integer(text.substr(dots + 2));
  if (!low || !high || *low < 1 || *high < *low || *high > max_planned_gpus) return std::nullopt;
  for (std::int64_t n = *low; n <= *high; n += n < node_gpus ? 1 : node_gpus - n % node_gpus)
    out.values.push_back(n);
  if (out.values.size() > max_planned_counts) return std::nullopt;
  return out;
}

// Powers of two within a node, then nodes, and steps of an eighth.
std::optional<std::int64_t> next_count(std::int64_t count) {
  constexpr std::int64_t parts = 8;
  const std::int64_t next = count < node_gpus
                                ? 2 * count
                                : count + std::max<std::int64_t>(1, count / parts / node_gpus) * node_gpus;
  return next <= max_searched ? std::optional(next) : std::nullopt;
}

}  // namespace shapelint::contracts
