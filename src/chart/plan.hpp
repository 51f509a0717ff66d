// Pictures of plans: the Pareto front of a service, memory by part, and the timeline of a pipeline's step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shapelint::chart {

struct FrontPoint {
  double per_user = 0;  // output tokens/s of a user
  double per_gpu = 0;   // of a GPU
  std::string label;    // `4 x TP 2, fp8`
  std::string hover;
};
struct FrontFigure {
  std::vector<FrontPoint> points;  // by `per_user`, ascending
};

struct MemoryBar {
  std::string label;
  std::vector<double> part_bytes;  // by part of the figure
};
struct MemoryFigure {
  std::vector<std::string> parts;
  std::vector<MemoryBar> bars;
  double usable_bytes = 0;
};

// Stages that are equally fast, in the order of 1F1B or, with chunks, of the interleaved schedule; with
// `weights_us`, of one chunk, in that of ZB-H1 (2401.10241, figure 2).
struct TimelineFigure {
  std::int64_t stages = 1;
  std::int64_t chunks = 1;  // of each stage
  std::int64_t micro_batches = 1;
  double forward_us = 0;  // of one micro-batch on a whole stage
  double backward_us = 0;
  double weights_us = 0;  // of the backward pass, weight gradients that run apart
};

struct PlanFigure {
  std::string title;
  std::string subtitle;
  std::optional<FrontFigure> front{};
  std::optional<MemoryFigure> memory{};
  std::optional<TimelineFigure> timeline{};
};

// One picture below the other.
std::string plan_svg(const PlanFigure& figure);
// The pictures, `text` as it stands, and nothing that needs a network or a script.
std::string plan_page(const PlanFigure& figure, std::string_view text);

// One block of work of a stage.
struct PipelineBlock {
  std::int64_t stage = 0;
  std::int64_t chunk = 0;
  std::int64_t micro_batch = 0;
  bool backward = false;
  bool weights = false;  // their gradients alone
  double begin_us = 0;
  double end_us = 0;
};
// All blocks of a step by stage and time (Narayanan et al. 2021, 2104.04473, figures 4).
std::vector<PipelineBlock> pipeline_blocks(const TimelineFigure& figure);

}  // namespace shapelint::chart
