// How often the stated interval of a gain holds the measured one, over pairs of measured products.
//
//   interval_coverage GPU FILE.csv            rows of docs/benchmarks/intervals.md
//   interval_coverage GPU FILE.csv --spread   entries of gpus/spreads/products.toml
//
// A pair: two products that differ in one dimension. What is predicted and measured is the share of the time
// that going from the smaller to the larger one saves, as lint counts it.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "bench/pairs.hpp"
#include "calibrate/score.hpp"
#include "gpu/registry.hpp"

using namespace shapelint;
using bench::ShapePair;
using bench::Told;
using calibrate::MeasuredShape;

namespace {

constexpr double near_doublings = 0.171;
constexpr std::size_t most_steps = 6;
constexpr std::size_t min_sites = 20;  // of n and k: a spread of few says nothing of others
constexpr std::size_t min_pairs = 50;  // for a share to mean something
constexpr std::size_t least_groups = 100;
constexpr double share_held = 0.9;

// Sums over pairs: how many the interval holds, and how wide it is.
struct Sum {
  std::size_t pairs = 0;
  std::size_t held = 0;
  double width = 0;
  double gain = 0;              // absolute, measured
  std::size_t pairs_apart = 0;  // within a half of the sites, with the spread of the other half
  std::size_t held_apart = 0;

  void add(const cost::Gain& told, double measured) {
    ++pairs;
    held += std::fabs(told.share - measured) <= told.half_width ? 1U : 0U;
    width += told.half_width;
    gain += std::fabs(measured);
  }
};

void print(const std::string& file, const gpu::Gpu& gpu, const std::string& group, const Sum& sum) {
  if (sum.pairs < min_pairs) return;
  const auto n = static_cast<double>(sum.pairs);
  const auto m = static_cast<double>(sum.pairs_apart);
  const std::string apart = sum.pairs_apart > 0
                                ? fmt::format("{:.1f} %", 100 * static_cast<double>(sum.held_apart) / m)
                                : std::string("-");
  fmt::print("| {} | {} | {} | {} | {:.1f} % | {:.1f} % | {:.1f} % | {} |\n", file, gpu.id, group, sum.pairs,
             100 * static_cast<double>(sum.held) / n, 100 * sum.width / n, 100 * sum.gain / n, apart);
}

// Several products at once, each as in one of the pairs.
struct Group {
  cost::Gain gain;
  double measured = 0;
  double before_us = 0;           // predicted
  std::vector<double> errors_us;  // of each product, by its spread

  // What the gain's half width is where errors of different products have this correlation.
  double half_width(double together) const {
    double sum_us = 0;
    double squares_us2 = 0;
    for (const double each : errors_us) {
      sum_us += each;
      squares_us2 += each * each;
    }
    const double effects_us = gain.from_effects * before_us;
    return std::sqrt(effects_us * effects_us + (1 - together) * squares_us2 + together * sum_us * sum_us) /
           before_us;
  }
  bool holds(double half_width) const { return std::fabs(gain.share - measured) <= half_width; }
};

// Of one change of one dimension at six sites; sites in an order that has nothing to do with their sizes.
std::vector<Group> groups_of(const gpu::Gpu& gpu, const std::vector<MeasuredShape>& rows,
                             const std::vector<Told>& all, const gpu::ProductSpread* spread) {
  constexpr std::size_t products = 6;
  std::map<std::string, std::vector<Told>> changes;
  for (const Told& each : all) {
    const cost::GemmShape& a = rows[each.pair.before].shape;
    const cost::GemmShape& b = rows[each.pair.after].shape;
    const char axis = a.m != b.m ? 'm' : a.n != b.n ? 'n' : 'k';
    const auto size = [&](const cost::GemmShape& s) { return axis == 'm' ? s.m : axis == 'n' ? s.n : s.k; };
    changes[fmt::format("{} {} {} {}", axis, size(a), size(b), name(a.dtype))].push_back(each);
  }
  std::vector<Group> groups;
  for (auto& [change, sites] : changes) {
    std::stable_sort(sites.begin(), sites.end(), [&](const Told& a, const Told& b) {
      constexpr std::size_t many = 1009;
      return calibrate::fold_of(rows[a.pair.before].shape, many) <
             calibrate::fold_of(rows[b.pair.before].shape, many);
    });
    for (std::size_t i = 0; i + products <= sites.size(); i += products) {
      Group group;
      std::vector<cost::GemmShape> before;
      std::vector<cost::GemmShape> after;
      double from_us = 0;
      double to_us = 0;
      for (std::size_t j = i; j < i + products; ++j) {
        const Told& each = sites[j];
        before.push_back(rows[each.pair.before].shape);
        after.push_back(rows[each.pair.after].shape);
        from_us += rows[each.pair.before].time_us;
        to_us += rows[each.pair.after].time_us;
        const double width =
            spread != nullptr ? bench::half_width(*spread, rows, each) : each.gain.half_width;
        const double effects = each.gain.from_effects;
        group.errors_us.push_back(each.before_us *
                                  std::sqrt(std::max(0.0, width * width - effects * effects)));
      }
      const bench::Step from = bench::step_of(gpu, before);
      const bench::Step to = bench::step_of(gpu, after);
      group.gain = cost::gain_between(gpu, from.workload, from.cost, to.workload, to.cost);
      group.measured = 1 - to_us / from_us;
      group.before_us = from.cost.time_us;
      groups.push_back(std::move(group));
    }
  }
  return groups;
}

// The smallest correlation with which 90 of 100 groups hold, of those whose place is `part` modulo `parts`;
// unknown where they are few.
double correlation_of(const std::vector<Group>& groups, std::size_t part, std::size_t parts) {
  if (groups.size() / parts < least_groups) return gpu::unknown_correlation;
  constexpr int steps = 50;
  for (int step = 0; step < steps; ++step) {
    const double together = static_cast<double>(step) / steps;
    std::size_t count = 0;
    std::size_t held = 0;
    for (std::size_t i = part; i < groups.size(); i += parts) {
      ++count;
      held += groups[i].holds(groups[i].half_width(together)) ? 1U : 0U;
    }
    if (static_cast<double>(held) >= share_held * static_cast<double>(count)) return together;
  }
  return 1;
}

// How often the intervals of groups hold; apart: with the correlation of every other one, for those between.
Sum together(const std::vector<Group>& groups) {
  const std::array<double, 2> halves{correlation_of(groups, 0, 2), correlation_of(groups, 1, 2)};
  Sum sum;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    sum.add(groups[i].gain, groups[i].measured);
    const double other = halves[1 - i % 2];
    if (other < 0) continue;
    ++sum.pairs_apart;
    sum.held_apart += groups[i].holds(groups[i].half_width(other)) ? 1U : 0U;
  }
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  const bool fits = argc == 4 && std::string(argv[3]) == "--spread";
  if (argc != 3 && !fits) {
    fmt::print(stderr, "usage: interval_coverage GPU FILE.csv [--spread]\n");
    return 2;
  }
  const auto gpu = gpu::find_gpu(argv[1]);
  if (!gpu) {
    fmt::print(stderr, "error: {}\n", gpu.error().message);
    return 2;
  }
  std::ifstream file(argv[2]);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::vector<Error> errors;
  const calibrate::ShapeTable table = calibrate::read_shapes(text, argv[2], DType::bf16, errors);
  if (!errors.empty() || !table.has_times) {
    fmt::print(stderr, "error: {}: {}\n", argv[2], errors.empty() ? "no times" : errors.front().message);
    return 2;
  }
  // By set of constants: each has a spread of its own.
  std::map<gpu::ConstantSet, std::vector<MeasuredShape>> sets;
  for (const MeasuredShape& row : table.rows) {
    if (!row.gpu.empty() && !gpu::is_called(*gpu, row.gpu)) continue;
    if (can_multiply(*gpu, row.shape.dtype))
      sets[gpu::constant_set(row.shape.dtype, row.shape.recipe)].push_back(row);
  }
  for (const auto& [set, rows] : sets) {
    const std::vector<ShapePair> pairs = bench::pairs_of(rows, 1.1, most_steps);
    if (pairs.empty()) continue;
    const std::vector<Told> all = bench::told(*gpu, rows, pairs);
    if (fits) {
      gpu::ProductSpread spread = bench::spread_of(rows, all);
      spread.architecture = gpu->architecture.id;
      spread.gpu = gpu->id;
      spread.constants = gpu::constant_set_names[static_cast<std::size_t>(set)];
      std::set<std::pair<std::int64_t, std::int64_t>> sites;
      for (const MeasuredShape& row : rows) sites.emplace(row.shape.n, row.shape.k);
      const bool is_known =
          sites.size() >= min_sites &&
          spread.near.decode + spread.near.small + spread.near.large + spread.near.misaligned > 0;
      spread.together = correlation_of(groups_of(*gpu, rows, all, &spread), 0, 1);
      if (is_known) fmt::print("{}", gpu::write_spread(spread));
      continue;
    }
    // The spread of half of the sites, for the others.
    const auto half_of = [&](const Told& each) {
      return calibrate::fold_of(rows[each.pair.before].shape, 2) +
             2 * calibrate::fold_of(rows[each.pair.after].shape, 2);
    };
    std::array<gpu::ProductSpread, 2> halves;
    for (std::size_t half = 0; half < 2; ++half) {
      std::vector<Told> own;
      std::copy_if(all.begin(), all.end(), std::back_inserter(own),
                   [&](const Told& each) { return half_of(each) == 3 * half; });
      halves[half] = bench::spread_of(rows, own);
    }
    std::map<std::string, Sum> sums;
    for (const Told& each : all) {
      const bool is_near = each.pair.doublings <= near_doublings;
      const double error = std::fabs(each.gain.share - each.measured);
      const cost::GemmShape& a = rows[each.pair.before].shape;
      const cost::GemmShape& b = rows[each.pair.after].shape;
      std::vector<std::string> names{is_near ? "1 up to an eighth larger" : "2 up to twice as large"};
      if (is_near && bench::is_misaligned(a) && !bench::is_misaligned(b))
        names.emplace_back("3 to a multiple of 8");
      for (const std::string& each_name : names) {
        Sum& sum = sums[each_name];
        sum.add(each.gain, each.measured);
        const std::size_t half = half_of(each);
        if (half != 0 && half != 3) continue;  // between the halves
        const double width = bench::half_width(halves[half == 0 ? 1 : 0], rows, each);
        ++sum.pairs_apart;
        sum.held_apart += error <= width ? 1U : 0U;
      }
    }
    const std::string name = fmt::format("{} ({})", std::filesystem::path(argv[2]).stem().string(),
                                         gpu::constant_set_names[static_cast<std::size_t>(set)]);
    for (const auto& [group, sum] : sums) print(name, *gpu, group.substr(2), sum);
    print(name, *gpu, "six GEMMs together", together(groups_of(*gpu, rows, all, nullptr)));
  }
  return 0;
}
