// Points to lines, and edges where the marked product gets one more tile or wave.
#include "cli/commands/sweep/sweep.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/number.hpp"
#include "base/units.hpp"
#include "model/fields.hpp"
#include "model/lower/lower.hpp"
#include "report/roofline/roofline.hpp"
#include "suggest/edit/footprint.hpp"

namespace shapelint::cli {

namespace {

constexpr double slack = 1e-9;  // of rounding

std::string_view name_of(const suggest::RangeRequest& range) {
  return model::info(range.field).name;
}

double tiles_of(const model::Op& op, const cost::OpCost& cost) {
  if (cost.tile_m < 1 || cost.tile_n < 1) return 0;
  const std::int64_t rows = (op.m.value + cost.tile_m - 1) / cost.tile_m;
  const std::int64_t columns = (op.n.value + cost.tile_n - 1) / cost.tile_n;
  return static_cast<double>(op.batch.value) * static_cast<double>(rows) * static_cast<double>(columns);
}

}  // namespace

SweepPlot::SweepPlot(const std::vector<suggest::RangeRequest>& over, std::vector<gpu::Gpu> gpus,
                     const model::Setup& start, std::string title)
    : over_(over), gpus_(std::move(gpus)), title_(std::move(title)), per_line_(over.back().values.size()) {
  lines_ = gpus_.size();
  for (std::size_t i = 0; i + 1 < over_.size(); ++i) lines_ *= over_[i].values.size();
  const std::int64_t own = model::get(start, over_.back().field);
  const std::vector<std::int64_t>& values = over_.back().values;
  if (std::find(values.begin(), values.end(), own) != values.end()) current_ = static_cast<double>(own);
  case_ = report::plan_text(start);
}

void SweepPlot::add(std::size_t index, std::size_t gpu, const model::Setup& setup,
                    const model::Workload& workload, const cost::StepCost& step, double tokens_per_s_per_gpu,
                    bool fails) {
  if (all_.empty()) {
    all_.resize(lines_);
    parameters_ = model::parameter_count(setup);
  }
  one_size_ = one_size_ && parameters_ == model::parameter_count(setup);
  Line& line = all_[index / per_line_ * gpus_.size() + gpu];
  const double x = static_cast<double>(over_.back().values[index % per_line_]);
  if (line.line.points.empty()) {
    line.line.label = gpus_[gpu].name;
    for (std::size_t i = 0; i + 1 < over_.size(); ++i) {
      line.line.label +=
          fmt::format(", {} {}", name_of(over_[i]), with_commas(model::get(setup, over_[i].field)));
    }
  }
  for (std::size_t i = 0; i < workload.ops.size(); ++i) {
    const model::Op& op = workload.ops[i];
    if (op.kind != model::OpKind::gemm) continue;
    const cost::OpCost& cost = step.ops[i];
    Track& track = line.products[{std::string(op.name), op.pass}];
    const double waves = std::ceil(cost.waves - slack);
    const double tiles = tiles_of(op, cost);
    if (track.waves > 0 && waves > track.waves) track.wave_edges.push_back(x);
    if (track.tiles > 0 && tiles > track.tiles) track.tile_edges.push_back(x);
    track.waves = waves;
    track.tiles = tiles;
    track.time_us += op.count * cost.time_us;
  }
  const double memory_bytes = gpu::memory_bytes(gpus_[gpu]);
  const bool overflows = memory_bytes > 0 && suggest::memory_bytes(setup) > memory_bytes;
  const double tflops = step.time_us > 0 ? workload.model_flops / step.time_us / flops_per_us_per_tflops : 0;
  line.tflops.push_back(tflops);
  line.tokens_per_s.push_back(tokens_per_s_per_gpu);
  line.line.points.push_back(
      {x, 0,
       fmt::format("{}\n{} {}\n{:.4g} TFLOP/s of model FLOPs, MFU {}\n{:.5g} tokens/s/GPU, step {}{}{}",
                   line.line.label, name_of(over_.back()),
                   with_commas(over_.back().values[index % per_line_]), tflops, percent(step.mfu),
                   tokens_per_s_per_gpu, duration(step.time_us),
                   fails ? "\ncannot run: violates a rule of the framework" : "",
                   overflows ? "\ndoes not fit in memory" : ""),
       fails, overflows});
}

// The longest product of the first line whose tiles change at all.
SweepPlot::OpKey SweepPlot::marked_product() const {
  OpKey best;
  double longest_us = 0;
  for (const auto& [key, track] : all_.front().products) {
    if (track.tile_edges.empty() || track.time_us <= longest_us) continue;
    longest_us = track.time_us;
    best = key;
  }
  return best;
}

// GPUs that differ much are shown as shares of their own best, so that their edges are visible.
bool SweepPlot::is_relative() const {
  constexpr double much = 2;
  double lowest = 0;
  double highest = 0;
  for (const Line& line : all_) {
    const std::vector<double>& values = one_size_ ? line.tokens_per_s : line.tflops;
    const double best = values.empty() ? 0 : *std::max_element(values.begin(), values.end());
    lowest = lowest == 0 ? best : std::min(lowest, best);
    highest = std::max(highest, best);
  }
  return lowest > 0 && highest >= much * lowest;
}

std::string SweepPlot::svg() && {
  chart::SawtoothFigure figure;
  figure.x_name = name_of(over_.back());
  figure.title = fmt::format("Throughput against {}: {}", figure.x_name, title_);
  // If the size of the model changes, tokens would compare different models.
  const std::string_view unit = one_size_ ? "tokens/s" : "model TFLOP/s";
  const bool relative = is_relative();
  figure.y_name = relative ? "throughput (% of the best of each line)" : fmt::format("{} per GPU", unit);
  figure.subtitle = case_;
  const OpKey marked = marked_product();
  figure.edges_of = fmt::format("{} {}", marked.first, report::short_name(marked.second));
  figure.current_x = current_;
  const std::vector<std::int64_t>& values = over_.back().values;
  constexpr double ratio_of_logarithmic =
      16;  // highest to lowest value, from which on equal factors read better
  figure.x_logarithmic =
      values.size() > 2 && values.front() > 0 &&
      static_cast<double>(values.back()) >= ratio_of_logarithmic * static_cast<double>(values.front()) &&
      values[2] - values[1] != values[1] - values[0];
  for (Line& line : all_) {
    const std::vector<double>& rates = one_size_ ? line.tokens_per_s : line.tflops;
    const double best = rates.empty() ? 0 : *std::max_element(rates.begin(), rates.end());
    constexpr double percent_of_all = 100;
    for (std::size_t i = 0; i < line.line.points.size(); ++i)
      line.line.points[i].y = relative && best > 0 ? percent_of_all * rates[i] / best : rates[i];
    if (relative) line.line.label += fmt::format(" (100 % = {:.4g} {} per GPU)", best, unit);
    if (const auto found = line.products.find(marked); found != line.products.end()) {
      line.line.wave_edges = std::move(found->second.wave_edges);
      line.line.tile_edges = std::move(found->second.tile_edges);
    }
    figure.lines.push_back(std::move(line.line));
  }
  return chart::sawtooth_svg(figure);
}

}  // namespace shapelint::cli
