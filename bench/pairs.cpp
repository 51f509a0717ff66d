// Pairs of products, and the spread of their ratios.
#include "bench/pairs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

namespace shapelint::bench {

namespace {

constexpr double share_held = 0.9;
constexpr std::size_t min_pairs = 200;    // for a quantile that is known to a few per cent
constexpr double near_doublings = 0.171;  // an eighth larger

constexpr std::int64_t narrowest = 32;  // of n and k that change: no head or layer is narrower

using Slice = double gpu::GemmSpread::*;
constexpr std::array<Slice, 4> slices{&gpu::GemmSpread::decode, &gpu::GemmSpread::small,
                                      &gpu::GemmSpread::large, &gpu::GemmSpread::misaligned};

// How the spread grows to sizes twice as large where too few such pairs were measured: as on four GPUs
// together (cost/uncertainty.cpp).
constexpr std::array<double, 4> assumed_growth{0.17 * 0.17 - 0.1 * 0.1, 0.18 * 0.18 - 0.14 * 0.14,
                                               0.13 * 0.13 - 0.12 * 0.12, 0.18 * 0.18 - 0.14 * 0.14};

// As cost::gain_between takes them.
std::size_t slice_of(const cost::GemmShape& a, const cost::GemmShape& b, double time_us) {
  constexpr std::int64_t decode_rows = 64;
  constexpr double large_us = 256;
  if (is_misaligned(a) || is_misaligned(b)) return 3;
  if (a.m <= decode_rows) return 0;
  return time_us < large_us ? 1 : 2;
}

double size_of(const cost::GemmShape& shape) {
  return static_cast<double>(shape.m) * static_cast<double>(shape.n) * static_cast<double>(shape.k);
}

double quantile(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto at = static_cast<std::size_t>(share_held * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
  return values[at];
}

}  // namespace

std::vector<ShapePair> pairs_of(std::span<const calibrate::MeasuredShape> rows, double most_doublings,
                                std::size_t steps) {
  // By what stays the same, after which dimension it is that changes.
  using Line = std::tuple<int, int, int, int, std::int64_t, std::int64_t, std::int64_t>;
  std::map<Line, std::vector<std::size_t>> lines;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const cost::GemmShape& s = rows[i].shape;
    const auto line = [&](int axis, std::int64_t x, std::int64_t y) {
      return Line{
          axis, static_cast<int>(s.dtype), static_cast<int>(s.recipe), static_cast<int>(s.layout), s.batch, x,
          y};
    };
    lines[line(0, s.n, s.k)].push_back(i);
    if (s.n >= narrowest) lines[line(1, s.m, s.k)].push_back(i);
    if (s.k >= narrowest) lines[line(2, s.m, s.n)].push_back(i);
  }
  std::vector<ShapePair> pairs;
  for (auto& [line, members] : lines) {
    std::stable_sort(members.begin(), members.end(), [&](std::size_t a, std::size_t b) {
      return size_of(rows[a].shape) < size_of(rows[b].shape);
    });
    for (std::size_t j = 0; j < members.size(); ++j) {
      for (std::size_t next = j + 1; next < members.size() && next <= j + steps; ++next) {
        const double doublings =
            std::log2(size_of(rows[members[next]].shape) / size_of(rows[members[j]].shape));
        if (doublings > most_doublings) break;
        if (doublings > 0) pairs.push_back({members[j], members[next], doublings});
      }
    }
  }
  return pairs;
}

bool is_misaligned(const cost::GemmShape& shape) {
  return shape.n % 8 != 0 || shape.k % 8 != 0;
}

Step step_of(const gpu::Gpu& gpu, std::span<const cost::GemmShape> shapes) {
  Step step;
  for (const cost::GemmShape& shape : shapes) {
    model::Op op;
    op.name = "product";
    op.kind = model::OpKind::gemm;
    op.dtype = shape.dtype;
    op.recipe = shape.recipe;
    op.layout = shape.layout;
    op.batch.value = shape.batch;
    op.m.value = shape.m;
    op.n.value = shape.n;
    op.k.value = shape.k;
    step.workload.ops.push_back(op);
  }
  step.cost = cost::price(gpu, step.workload, shapes.front().dtype);
  return step;
}

std::vector<Told> told(const gpu::Gpu& gpu, std::span<const calibrate::MeasuredShape> rows,
                       std::span<const ShapePair> pairs) {
  std::map<std::size_t, Step> steps;
  const auto step = [&](std::size_t i) -> const Step& {
    const auto found = steps.find(i);
    if (found != steps.end()) return found->second;
    return steps.emplace(i, step_of(gpu, {&rows[i].shape, 1})).first->second;
  };
  std::vector<Told> out;
  out.reserve(pairs.size());
  for (const ShapePair& pair : pairs) {
    const Step& before = step(pair.before);
    const Step& after = step(pair.after);
    out.push_back({pair, cost::gain_between(gpu, before.workload, before.cost, after.workload, after.cost),
                   1 - rows[pair.after].time_us / rows[pair.before].time_us, before.cost.time_us,
                   after.cost.time_us});
  }
  return out;
}

gpu::ProductSpread spread_of(std::span<const calibrate::MeasuredShape> rows, std::span<const Told> all) {
  gpu::ProductSpread out;
  out.pairs = static_cast<std::int64_t>(all.size());
  for (std::size_t slice = 0; slice < slices.size(); ++slice) {
    // What the effects do not explain, squared, as a share of the later time.
    std::vector<double> near;
    std::vector<std::pair<double, double>> any;  // after doublings
    for (const Told& each : all) {
      const double min_us = std::min(each.before_us, each.after_us);
      if (slice_of(rows[each.pair.before].shape, rows[each.pair.after].shape, min_us) != slice) continue;
      const double ratio = each.after_us / each.before_us;
      const double error = each.gain.share - each.measured;
      const double unexplained =
          std::max(0.0, error * error - each.gain.from_effects * each.gain.from_effects) / (ratio * ratio);
      any.emplace_back(each.pair.doublings, unexplained);
      if (each.pair.doublings <= near_doublings) near.push_back(unexplained);
    }
    if (any.size() < min_pairs) continue;
    const bool has_near = near.size() >= min_pairs;
    if (!has_near) {
      // Sizes far apart alone: as uncertain as those.
      for (const auto& each : any) near.push_back(each.second);
    }
    const double at_near = quantile(near);
    std::vector<double> growth;
    for (const auto& [doublings, unexplained] : any) {
      if (has_near && doublings > near_doublings) growth.push_back((unexplained - at_near) / doublings);
    }
    const double grown = growth.size() >= min_pairs ? std::max(0.0, quantile(growth))
                         : has_near                 ? assumed_growth[slice]
                                                    : 0;
    out.near.*slices[slice] = std::sqrt(at_near);
    out.doubled.*slices[slice] = std::sqrt(at_near + grown);
  }
  return out;
}

double half_width(const gpu::ProductSpread& spread, std::span<const calibrate::MeasuredShape> rows,
                  const Told& each) {
  const double min_us = std::min(each.before_us, each.after_us);
  const std::size_t slice = slice_of(rows[each.pair.before].shape, rows[each.pair.after].shape, min_us);
  const double near = spread.near.*slices[slice];
  const double doubled = spread.doubled.*slices[slice];
  const double squared = near * near + std::max(0.0, doubled * doubled - near * near) * each.pair.doublings;
  const double ratio = each.after_us / each.before_us;
  return std::sqrt(each.gain.from_effects * each.gain.from_effects + squared * ratio * ratio);
}

}  // namespace shapelint::bench
