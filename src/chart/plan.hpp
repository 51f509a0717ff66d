// Pictures of plans: the Pareto front of a service, memory by part, and the timeline of a pipeline's step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/spec.hpp"

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

// 1F1B, interleaved if stages have chunks (Narayanan et al. 2021, 2104.04473, figure 4); ZB-H1 (2401.10241,
// figure 2); ZB-V (section 6); DualPipe (2412.19437, figure 5), DualPipeV. The last three have two chunks for
// each stage, of which the second goes the other way. Others are not drawn.
using Schedule = model::PipelineSchedule;
// As fields name it; nothing for another name.
std::optional<Schedule> schedule_named(std::string_view name);

// Stages that are equally fast.
struct TimelineFigure {
  std::int64_t stages = 1;
  std::int64_t chunks = 1;  // of each stage
  std::int64_t micro_batches = 1;
  double forward_us = 0;  // of one micro-batch on a whole stage
  double backward_us = 0;
  double weights_us = 0;  // of the backward pass, weight gradients that run apart
  Schedule schedule = Schedule::one_forward_one_backward;
};

struct PlanFigure {
  std::string title;
  std::string subtitle;
  std::optional<FrontFigure> front{};
  std::optional<MemoryFigure> memory{};
  std::optional<TimelineFigure> timeline{};
};

// One picture below the other.
std::string plan_svg(const PlanFigure& figure, bool with_title = true);
// A page with one title, the pictures and `text`; needs neither network nor scripts.
std::string plan_page(const PlanFigure& figure, std::string_view text);

// One block of work of a stage.
struct PipelineBlock {
  std::int64_t stage = 0;
  std::int64_t chunk = 0;
  std::int64_t micro_batch = 0;
  bool backward = false;
  bool weights = false;   // their gradients alone
  bool overlaps = false;  // runs with the next block, communication overlapped with computation
  double begin_us = 0;
  double end_us = 0;
};
// Whether the schedule is defined for so many stages and micro-batches.
bool can_be_drawn(const TimelineFigure& figure);
// Chunks of a stage, those of schedules that turn counted.
std::int64_t drawn_chunks(const TimelineFigure& figure);
// All blocks of a step by stage and time.
std::vector<PipelineBlock> pipeline_blocks(const TimelineFigure& figure);
// From the first to the last block of the stage that takes longest.
double stage_span_us(const std::vector<PipelineBlock>& blocks);

}  // namespace shapelint::chart
