// The picture of a sweep: a line for each GPU (and each value of the other fields) over the last field.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "chart/sawtooth.hpp"
#include "cost/step.hpp"
#include "gpu/gpu.hpp"
#include "model/spec.hpp"
#include "suggest/edit/axes.hpp"

namespace shapelint::cli {

// Most lines that can still be told apart.
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

}  // namespace shapelint::cli
