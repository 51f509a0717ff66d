// Routing of tokens to experts.
#include "model/lower/mixture/routing.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "model/arithmetic.hpp"

namespace shapelint::model {

namespace {

// Chance that at least one of `tokens` tokens visits an expert that each visits with chance `p`.
double is_visited(double p, double tokens) {
  return -std::expm1(tokens * std::log1p(-std::min(p, 1.0)));
}

// The public timings of mixtures (power_law_1.01, power_law_1.2 of NVIDIA's aiconfigurator) draw the load of
// each expert from a density x^-exponent between one token and this share of all tokens.
constexpr double largest_share = 0.8;

double exponent(Routing routing) {
  return routing == Routing::power_law_1_2 ? 1.2 : 1.01;
}

// The load, as a multiple of some unit, that a share `part` of the experts are above. Exponential: the
// popularity of experts is, so that loads are geometric, and E k T / (E + k T) of E are visited.
double quantile(double part, double tokens, Routing routing) {
  if (routing == Routing::exponential) return -std::log(part);
  const double power = 1 - exponent(routing);
  const double most = std::pow(std::max(1.0, largest_share * tokens), power);
  return std::pow(most + part * (1 - most), 1 / power);
}

// Loads of the experts, falling, at the middles of equally likely parts of that density; their sum is
// `copies`, and none is above `tokens`.
std::vector<double> loads(std::size_t experts, double tokens, double copies, Routing routing) {
  std::vector<double> out(experts);
  for (std::size_t i = 0; i < experts; ++i) {
    const double part = (static_cast<double>(i) + 0.5) / static_cast<double>(experts);
    out[i] = quantile(part, tokens, routing);
  }
  // What is above a token for every token goes to the others.
  std::size_t full = 0;
  for (;;) {
    const double sum = std::accumulate(out.begin() + static_cast<std::ptrdiff_t>(full), out.end(), 0.0);
    const double left = copies - static_cast<double>(full) * tokens;
    if (full == experts || sum <= 0) return out;
    for (std::size_t i = full; i < experts; ++i) out[i] *= std::max(left, 0.0) / sum;
    const std::size_t before = full;
    while (full < experts && out[full] > tokens) out[full++] = tokens;
    if (full == before) return out;
  }
}

// A step through the experts that is prime to their number and near its golden section: it spreads the busy
// ones over the ranks as chance would.
std::size_t spreading_step(std::size_t experts) {
  constexpr double golden = 0.6180339887498949;
  auto step = std::max<std::size_t>(1, static_cast<std::size_t>(golden * static_cast<double>(experts)));
  while (std::gcd(step, experts) != 1) ++step;
  return step;
}

}  // namespace

std::int64_t visited(std::int64_t experts, std::int64_t chosen, std::int64_t tokens) {
  if (experts <= 1) return 1;
  const double share = static_cast<double>(chosen) / static_cast<double>(experts);
  const double expected = static_cast<double>(experts) * is_visited(share, static_cast<double>(tokens));
  return std::clamp<std::int64_t>(std::llround(expected), 1, experts);
}

Busiest busiest(std::int64_t experts, std::int64_t chosen, std::int64_t tokens, std::int64_t ranks,
                Routing routing) {
  experts = std::max<std::int64_t>(1, experts);
  ranks = std::max<std::int64_t>(1, ranks);
  chosen = std::clamp<std::int64_t>(chosen, 1, experts);
  if (routing == Routing::even) {
    return {divide_up(visited(experts, chosen, tokens), ranks), divide_up(times(tokens, chosen), ranks)};
  }
  const auto each = static_cast<double>(tokens);
  const auto all = static_cast<std::size_t>(experts);
  const std::vector<double> load = loads(all, each, each * static_cast<double>(chosen), routing);
  const std::size_t step = spreading_step(all);
  const auto held = static_cast<std::size_t>(divide_up(experts, ranks));
  double most_tokens = 0;
  double max_experts = 1;
  for (std::size_t first = 0; first < all; first += held) {
    double sum = 0;
    double busy = 0;
    for (std::size_t i = first; i < std::min(first + held, all); ++i) {
      const double expert_load = load[i * step % all];
      sum += expert_load;
      busy += is_visited(expert_load / each, each);
    }
    if (sum <= most_tokens) continue;
    most_tokens = sum;
    max_experts = busy;
  }
  const auto whole = [](double value) {
    return std::max<std::int64_t>(
        1, value >= static_cast<double>(count_limit) ? count_limit : std::llround(value));
  };
  return {whole(max_experts), whole(most_tokens)};
}

}  // namespace shapelint::model
