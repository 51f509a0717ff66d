// Error statistics of predictions.
#include "calibrate/score.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace shapelint::calibrate {

namespace {

constexpr std::size_t min_pairs = 100;
constexpr double measured_cliff = 1.10;
constexpr double predicted_cliff = 1.05;

Score summarize(std::vector<std::pair<double, double>>& pairs) {
  Score score;
  score.rows = pairs.size();
  if (pairs.empty()) return score;
  std::vector<double> errors;
  double logs = 0;
  for (const auto& [predicted, measured] : pairs) {
    errors.push_back(std::abs(predicted / measured - 1));
    logs += std::log(predicted / measured);
  }
  const auto n = static_cast<double>(pairs.size());
  for (const double error : errors) score.mean += error / n;
  std::sort(errors.begin(), errors.end());
  score.median = errors[errors.size() / 2];
  score.p90 = errors[std::min(errors.size() - 1, static_cast<std::size_t>(0.9 * n))];
  score.bias = std::exp(logs / n);
  return score;
}

std::optional<EdgeScore> edges_of(std::span<const MeasuredShape> rows, std::span<const double> predicted) {
  using Site = std::tuple<int, int, std::int64_t, std::int64_t, std::int64_t>;
  std::map<Site, std::map<std::int64_t, std::size_t>> sites;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const cost::GemmShape& s = rows[i].shape;
    if (s.n >= 1024 && s.k >= 1024)
      sites[{static_cast<int>(s.dtype), static_cast<int>(s.recipe), s.batch, s.n, s.k}][s.m] = i;
  }
  EdgeScore edges;
  double found = 0;
  double measured = 0;
  double reported = 0;
  for (const auto& [site, by_m] : sites) {
    for (const auto& [m, i] : by_m) {
      const auto next = by_m.find(m + 1);
      if (m % 16 != 0 || next == by_m.end()) continue;
      const bool is_cliff = rows[next->second].time_us / rows[i].time_us > measured_cliff;
      const bool is_predicted = predicted[next->second] / predicted[i] > predicted_cliff;
      ++edges.pairs;
      measured += is_cliff ? 1 : 0;
      reported += is_predicted ? 1 : 0;
      found += is_cliff && is_predicted ? 1 : 0;
    }
  }
  if (edges.pairs < min_pairs) return std::nullopt;
  edges.recall = found / std::max(1.0, measured);
  edges.precision = found / std::max(1.0, reported);
  return edges;
}

}  // namespace

bool in_slice(Slice slice, const cost::GemmShape& s) {
  switch (slice) {
    case Slice::all:
      return true;
    case Slice::train:
      return s.m >= 1024 && s.n >= 512 && s.k >= 512;
    case Slice::decode:
      return s.m <= 64 && s.n >= 1024 && s.k >= 1024;
    case Slice::misaligned:
      return s.n % 8 != 0 || s.k % 8 != 0;
  }
  return false;
}

Scores score(std::span<const MeasuredShape> rows, std::span<const double> predicted_us) {
  Scores scores;
  for (std::size_t slice = 0; slice < slice_names.size(); ++slice) {
    std::vector<std::pair<double, double>> pairs;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (in_slice(static_cast<Slice>(slice), rows[i].shape)) {
        pairs.emplace_back(predicted_us[i], rows[i].time_us);
      }
    }
    scores.slices[slice] = summarize(pairs);
  }
  scores.edges = edges_of(rows, predicted_us);
  return scores;
}

std::vector<double> predict(const gpu::Gpu& gpu, std::span<const MeasuredShape> rows, cost::Timing timing) {
  cost::GemmModels models(gpu, timing);
  std::vector<double> times;
  times.reserve(rows.size());
  for (const MeasuredShape& row : rows) {
    times.push_back(predict_gemm_us(models.of(row.shape), row.shape));
  }
  return times;
}

std::vector<double> roofline(const gpu::Gpu& gpu, std::span<const MeasuredShape> rows) {
  cost::GemmModels models(gpu, cost::Timing::as_measured);
  std::vector<double> times;
  times.reserve(rows.size());
  for (const MeasuredShape& row : rows) {
    times.push_back(predict_gemm(models.of(row.shape), row.shape).ideal_us);
  }
  return times;
}

std::size_t fold_of(const cost::GemmShape& shape, std::size_t folds) {
  // Fibonacci hashing of both sizes; any fixed mixing would do.
  auto hash = static_cast<std::uint64_t>(shape.n) * 1000003U + static_cast<std::uint64_t>(shape.k) * 7919U;
  hash ^= hash >> 13U;
  hash *= 0x9E3779B97F4A7C15U;
  return static_cast<std::size_t>(hash >> 40U) % folds;
}

}  // namespace shapelint::calibrate
