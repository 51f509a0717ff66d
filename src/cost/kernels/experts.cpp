// Experts: grouped GEMMs as batched GEMMs of the experts that tokens visit.
#include "cost/kernels/experts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>

#include "cost/kernels/gemm.hpp"
#include "cost/kernels/memory.hpp"

namespace shapelint::cost {

namespace {

constexpr double max_experts = 65536;  // beyond, loads are taken as even
constexpr double largest_share = 0.8;  // of the tokens, that one expert gets at most
constexpr double min_draw = 0.01;      // and most, where there are fewer rows than experts
constexpr double max_draw = 2;
// Ways to deal the experts out to ranks, of which the median counts: which experts share a rank is chance.
constexpr std::size_t deals = 5;

std::vector<ExpertLoad> even(double rows, double local) {
  rows = std::max(1.0, rows);
  const double visited = std::min(local, std::ceil(rows));
  const double least = std::floor(rows / visited);
  const double more = std::round(rows - least * visited);
  std::vector<ExpertLoad> loads;
  if (more > 0) loads.push_back({least + 1, more});
  if (least > 0 && visited > more) loads.push_back({least, visited - more});
  return loads;
}

// Quantiles of the power law, scaled to all rows, largest first.
std::vector<double> drawn(const ExpertLayer& layer, double skew, double rows) {
  const auto experts = static_cast<std::size_t>(layer.experts);
  const bool many = rows > layer.experts;
  const double least = std::pow(many ? 1 : min_draw, 1 - skew);
  const double most = std::pow(many ? std::max(1.0, largest_share * layer.tokens) : max_draw, 1 - skew);
  std::vector<double> loads(experts);
  double sum = 0;
  for (std::size_t i = 0; i < experts; ++i) {
    const double share = 1 - (static_cast<double>(i) + 0.5) / static_cast<double>(experts);
    loads[i] = std::pow((most - least) * share + least, 1 / (1 - skew));
    sum += loads[i];
  }
  // Whole rows; what rounding adds or loses, the first ones get.
  double left = rows;
  for (double& load : loads) {
    load = std::min(layer.tokens, std::round(load / sum * rows));
    left -= load;
  }
  for (std::size_t i = 0; i < experts && left != 0; ++i) {
    const double change = left > 0 ? std::min(left, layer.tokens - loads[i]) : std::max(left, -loads[i]);
    loads[i] += change;
    left -= change;
  }
  return loads;
}

// A fixed order without pattern.
std::uint64_t scattered(std::uint64_t number) {
  number = (number + 0x9e3779b97f4a7c15U) * 0xbf58476d1ce4e5b9U;
  number ^= number >> 27U;
  number *= 0x94d049bb133111ebU;
  return number ^ (number >> 31U);
}

// Experts of equal rows counted together, fewest rows first; those without rows are left out.
std::vector<ExpertLoad> counted(std::vector<double> loads) {
  std::sort(loads.begin(), loads.end());
  std::vector<ExpertLoad> out;
  for (const double load : loads) {
    if (load <= 0) continue;
    if (!out.empty() && out.back().rows == load) {
      ++out.back().experts;
    } else {
      out.push_back({load, 1});
    }
  }
  return out;
}

}  // namespace

std::vector<ExpertLoad> balanced_loads(const ExpertLayer& layer, double skew, double slots) {
  const double rows = layer.tokens * std::min(layer.top_k, layer.experts);
  const auto ranks = static_cast<std::size_t>(std::max(1.0, layer.expert));
  if (skew <= 1 || slots > max_experts || layer.experts < 2) {
    return even(rows / layer.expert, std::max(1.0, std::floor(slots / layer.expert)));
  }
  // The busiest is halved for each copy; then the busiest left goes to the rank with the fewest rows that has
  // a slot for it.
  std::vector<double> loads = drawn(layer, skew, rows);
  std::make_heap(loads.begin(), loads.end());
  for (double copies = slots - layer.experts; copies >= 1; --copies) {
    std::pop_heap(loads.begin(), loads.end());
    const double half = std::ceil(loads.back() / 2);
    const double rest = loads.back() - half;
    loads.back() = half;
    std::push_heap(loads.begin(), loads.end());
    loads.push_back(rest);
    std::push_heap(loads.begin(), loads.end());
  }
  std::sort(loads.begin(), loads.end(), std::greater<>());
  const std::size_t each = (loads.size() + ranks - 1) / ranks;
  std::vector<std::vector<double>> dealt(ranks);
  std::vector<double> sums(ranks, 0);
  for (const double load : loads) {
    std::size_t least = ranks;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      if (dealt[rank].size() < each && (least == ranks || sums[rank] < sums[least])) least = rank;
    }
    dealt[least].push_back(load);
    sums[least] += load;
  }
  const auto slowest = static_cast<std::size_t>(std::max_element(sums.begin(), sums.end()) - sums.begin());
  std::vector<ExpertLoad> out = counted(std::move(dealt[slowest]));
  return out.empty() ? even(1, 1) : out;
}

std::vector<ExpertLoad> expert_loads(const ExpertLayer& layer, double skew) {
  const double rows = layer.tokens * std::min(layer.top_k, layer.experts);
  const double local = std::max(1.0, std::floor(layer.experts / layer.expert));
  if (skew <= 1 || layer.experts > max_experts || layer.experts < 2) return even(rows / layer.expert, local);

  const std::vector<double> loads = drawn(layer, skew, rows);
  const auto each = static_cast<std::size_t>(local);
  struct Rank {
    double rows = 0;
    std::vector<double> loads;
  };
  std::array<Rank, deals> slowest;
  std::vector<std::size_t> order(loads.size());
  for (std::size_t deal = 0; deal < deals; ++deal) {
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return scattered(a * deals + deal) < scattered(b * deals + deal);
    });
    for (std::size_t begin = 0; begin + each <= order.size(); begin += each) {
      Rank rank;
      for (std::size_t i = begin; i < begin + each; ++i) {
        rank.rows += loads[order[i]];
        if (loads[order[i]] > 0) rank.loads.push_back(loads[order[i]]);
      }
      if (rank.rows > slowest[deal].rows) slowest[deal] = std::move(rank);
    }
  }
  std::sort(slowest.begin(), slowest.end(), [](const Rank& a, const Rank& b) { return a.rows < b.rows; });
  Rank& median = slowest[deals / 2];
  std::vector<ExpertLoad> out = counted(std::move(median.loads));
  return out.empty() ? even(1, local) : out;
}

namespace {

constexpr double activation_flops = 5;  // of an element of the gated branch
constexpr double max_size = 1e12;

std::int64_t whole(double value) {
  return static_cast<std::int64_t>(std::clamp(std::ceil(value - 1e-9), 1.0, max_size));
}

void add(OpCost& sum, const OpCost& part) {
  sum.time_us += part.time_us;
  sum.ideal_us += part.ideal_us;
  sum.compute_us += part.compute_us;
  sum.memory_us += part.memory_us;
  sum.overhead_us += part.overhead_us;
}

OpCost finished(OpCost cost) {
  cost.efficiency.rest = cost.time_us > 0 ? cost.ideal_us / cost.time_us : 1;
  cost.bound = bound_of(cost.time_us, cost.compute_us, cost.memory_us, cost.overhead_us);
  return cost;
}

// Rows of all experts of this rank.
double routed(const ExpertLayer& layer) {
  return layer.tokens * std::min(layer.top_k, layer.experts) / layer.expert;
}

OpCost grouped(const GemmModel& model, const ExpertLayer& layer, double n, double k) {
  const double visited = visited_experts(layer);
  GemmShape shape;
  shape.batch = whole(visited);
  shape.m = whole(routed(layer) / visited);
  shape.n = whole(n);
  shape.k = whole(k);
  shape.dtype = layer.dtype;
  return predict_gemm(model, shape);
}

}  // namespace

double visited_experts(const ExpertLayer& layer) {
  const double local = std::max(1.0, layer.experts / layer.expert);
  const double missed = std::pow(1 - std::min(1.0, layer.top_k / layer.experts), layer.tokens);
  return std::clamp(local * (1 - missed), 1.0, std::max(1.0, std::min(local, routed(layer))));
}

std::optional<OpCost> price_expert_up(const gpu::Gpu& gpu, const ExpertLayer& layer) {
  if (!can_multiply(gpu, layer.dtype)) return std::nullopt;
  const GemmModel model = gemm_model(gpu, layer.dtype, Timing::in_step, layer.weight_bytes);
  const double width = layer.intermediate / layer.tensor;
  return finished(grouped(model, layer, (layer.gated ? 2 : 1) * width, layer.hidden));
}

std::optional<OpCost> price_experts(const gpu::Gpu& gpu, const ExpertLayer& layer) {
  if (!can_multiply(gpu, layer.dtype)) return std::nullopt;
  const GemmModel model = gemm_model(gpu, layer.dtype, Timing::in_step, layer.weight_bytes);
  const double width = layer.intermediate / layer.tensor;
  const double rows = routed(layer);
  const double element = bytes_of(DType::bf16);
  OpCost cost;
  add(cost, grouped(model, layer, (layer.gated ? 2 : 1) * width, layer.hidden));
  const double branches = layer.gated ? 3 : 2;
  add(cost, price_elementwise(gpu, branches * rows * width * element, activation_flops * rows * width));
  add(cost, grouped(model, layer, layer.hidden, width));
  // In: each token once, and a row for each of its experts. Out: the other way round.
  const double moved = (layer.tokens / layer.expert + rows) * layer.hidden * element;
  add(cost, price_elementwise(gpu, moved, 0));
  add(cost, price_elementwise(gpu, moved, 2 * rows * layer.hidden));
  return finished(cost);
}

}  // namespace shapelint::cost
