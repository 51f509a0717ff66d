// `shapelint sweep`: predictions over a grid of dimensions, as CSV.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "chart/figures.hpp"
#include "cli/io.hpp"
#include "cli/option.hpp"
#include "cli/project_options.hpp"
#include "cost/step.hpp"
#include "gpu/gpu.hpp"
#include "model/reading.hpp"
#include "model/spec.hpp"
#include "rules/book/rule.hpp"
#include "rules/engine/points.hpp"
#include "suggest/edit/axes.hpp"

namespace shapelint::cli {

struct SweepOptions {
  std::string file;
  std::string model;  // which of the file's
  ProjectOptions project;
  std::vector<std::string> over;
  std::string shard = "1/1";
  std::string plot;  // SVG; empty: none
};

std::vector<Option> sweep_options(SweepOptions& options);
ExitCode sweep(const SweepOptions& options, Io& io);

// Most lines that the eye still distinguishes.
inline constexpr std::size_t most_lines = 8;

// Collects the points of a sweep in the order of its grid, GPUs last.
class SweepPlot {
 public:
  // `over`: the swept fields, the last one is the plot's x; `start` is the plan of the file.
  SweepPlot(const std::vector<suggest::RangeRequest>& over, std::vector<gpu::Gpu> gpus,
            const model::Setup& start, std::string title);
  // Lines that the sweep will make.
  std::size_t lines() const { return lines_; }
  // The point `index` of the grid on the GPU of that number.
  void add(std::size_t index, std::size_t gpu, const model::Setup& setup, const model::Workload& workload,
           const cost::StepCost& step, double tokens_per_s_per_gpu, bool fails);
  std::string svg() &&;

 private:
  using OpKey = std::pair<std::string, model::Pass>;
  // What one product does along a line.
  struct Track {
    double time_us = 0;  // over all points
    double waves = 0;    // at the last point; 0 before the first
    double tiles = 0;
    std::vector<double> wave_edges;
    std::vector<double> tile_edges;
  };
  struct Line {
    chart::SawtoothLine line;
    std::vector<double> tflops;
    std::vector<double> tokens_per_s;
    std::map<OpKey, Track> products;
  };
  OpKey marked_product() const;
  bool is_relative() const;
  const std::vector<suggest::RangeRequest>& over_;
  std::vector<gpu::Gpu> gpus_;
  std::string title_;
  std::size_t lines_ = 0;
  std::size_t per_line_ = 0;
  double current_ = 0;
  std::string case_;  // how the file's model runs
  std::vector<Line> all_;
  bool one_size_ = true;         // the model has the same parameters everywhere
  std::int64_t parameters_ = 0;  // at the first point
};

// What every row follows from.
struct Grid {
  const model::Reading* reading = nullptr;
  const rules::RuleBook* rules = nullptr;
  std::vector<suggest::RangeRequest> over;  // the last one varies fastest
  std::span<const gpu::Gpu> gpus;
  std::int64_t points = 1;
};

// The first line of the output.
std::string header(const Grid& grid);

// Writes rows; remembers prices from point to point. For one thread; the grid must outlive it.
class RowWriter {
 public:
  explicit RowWriter(const Grid& grid);
  // Appends the rows of a point, one for each GPU. `plot` gets them too, and may be null; all calls have one
  // or none has.
  void append(std::int64_t point, SweepPlot* plot, std::string& out);

 private:
  void set_point(std::int64_t point);
  const Grid& grid_;
  rules::Points points_;
  std::int64_t point_ = -2;                      // the present one; at first none, and next to none
  std::vector<std::vector<std::string>> texts_;  // by axis, of its values
  std::vector<std::int64_t> values_;             // of the present point
  std::vector<std::uint32_t> positions_;
  std::string start_;             // of its rows
  std::vector<std::string> ids_;  // by GPU, as fields
};

}  // namespace shapelint::cli
