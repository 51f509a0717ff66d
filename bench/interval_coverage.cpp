// How often the stated interval of a gain holds the measured one, over pairs of measured products.
//
//   interval_coverage GPU FILE.csv
//
// A pair: two rows of one number format that differ in one dimension, of which the later has it rounded up,
// or the next one that was measured, by an eighth at most. What is predicted and measured is the share of the
// time per multiplication that going from one to the other saves, as lint counts it.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "calibrate/score.hpp"
#include "calibrate/shapes.hpp"
#include "cost/uncertainty.hpp"
#include "gpu/registry.hpp"

using namespace shapelint;

namespace {

constexpr double most_apart = 1.125;
constexpr double wanted = 0.9;

model::Workload product(const cost::GemmShape& shape) {
  model::Workload workload;
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
  workload.ops.push_back(op);
  return workload;
}

double work(const cost::GemmShape& s) {
  return static_cast<double>(s.batch) * static_cast<double>(s.m) * static_cast<double>(s.n) *
         static_cast<double>(s.k);
}

bool is_misaligned(const cost::GemmShape& shape) {
  return shape.n % 8 != 0 || shape.k % 8 != 0;
}

struct Sum {
  std::size_t pairs = 0;
  std::size_t held = 0;
  std::vector<double> ratios;  // |predicted - measured| / half width
};

void print(const std::string& gpu, const std::string& file, const std::string& group, Sum& sum) {
  std::sort(sum.ratios.begin(), sum.ratios.end());
  const auto at = static_cast<std::size_t>(wanted * static_cast<double>(sum.ratios.size() - 1));
  fmt::print("| {} | {} | {} | {} | {:.1f} % | {:.2f} |\n", file, gpu, group, sum.pairs,
             100 * static_cast<double>(sum.held) / static_cast<double>(sum.pairs), sum.ratios[at]);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: interval_coverage GPU FILE.csv\n");
    return 2;
  }
  const auto gpu = gpu::find_gpu(argv[1]);
  if (!gpu) {
    fmt::print(stderr, "error: {}\n", gpu.error().message);
    return 2;
  }
  std::map<std::string, Sum> sums;
  {
    std::ifstream file(argv[2]);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    std::vector<Error> errors;
    const calibrate::ShapeTable table = calibrate::read_shapes(text, argv[2], DType::bf16, errors);
    if (!errors.empty() || !table.has_times) {
      fmt::print(stderr, "error: {}: {}\n", argv[2], errors.empty() ? "no times" : errors.front().message);
      return 2;
    }
    // By what stays: number format, kind, layout and the two other dimensions.
    std::map<std::string, std::vector<const calibrate::MeasuredShape*>> lines;
    for (const calibrate::MeasuredShape& row : table.rows) {
      if (!row.gpu.empty() && !gpu::is_called(*gpu, row.gpu)) continue;
      if (!can_multiply(*gpu, row.shape.dtype)) continue;
      const cost::GemmShape& s = row.shape;
      const std::string kind =
          fmt::format("{} {} {} {}", name(s.dtype), name(s.recipe), static_cast<int>(s.layout), s.batch);
      lines[fmt::format("m {} {} {}", kind, s.n, s.k)].push_back(&row);
      lines[fmt::format("n {} {} {}", kind, s.m, s.k)].push_back(&row);
      lines[fmt::format("k {} {} {}", kind, s.m, s.n)].push_back(&row);
    }
    for (auto& [line, rows] : lines) {
      std::sort(rows.begin(), rows.end(),
                [](const auto* a, const auto* b) { return work(a->shape) < work(b->shape); });
      for (std::size_t j = 0; j + 1 < rows.size(); ++j) {
        const calibrate::MeasuredShape& from = *rows[j];
        const calibrate::MeasuredShape& to = *rows[j + 1];
        const double more = work(to.shape) / work(from.shape);
        if (more <= 1 || more > most_apart) continue;
        const model::Workload before = product(from.shape);
        const model::Workload after = product(to.shape);
        const cost::StepCost before_cost = cost::price(*gpu, before, from.shape.dtype);
        const cost::StepCost after_cost = cost::price(*gpu, after, to.shape.dtype);
        const cost::Gain gain = cost::gain_between(*gpu, before, before_cost, after, after_cost);
        const double measured = 1 - to.time_us / from.time_us;
        const double error = std::fabs(gain.share - measured);
        std::vector<std::string> names{"all"};
        if (is_misaligned(from.shape) && !is_misaligned(to.shape)) names.emplace_back("to a multiple of 8");
        for (const std::string& each : names) {
          Sum& sum = sums[each];
          ++sum.pairs;
          sum.held += error <= gain.half_width ? 1U : 0U;
          sum.ratios.push_back(error / std::max(gain.half_width, 1e-9));
        }
      }
    }
  }
  for (auto& [group, sum] : sums) print(gpu->id, std::filesystem::path(argv[2]).stem().string(), group, sum);
  return 0;
}
