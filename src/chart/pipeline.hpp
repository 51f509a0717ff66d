// The order in which each stage of a pipeline works.
#pragma once

#include <vector>

#include "chart/plan.hpp"

namespace shapelint::chart {

// Blocks that run as one: all that they wait for is there before the first begins, and what they make is
// handed on after the last.
using PipelineWork = std::vector<PipelineBlock>;
// The work of one stage, in its order.
using StageOrder = std::vector<PipelineWork>;

// 1F1B, interleaved where stages have chunks, and ZB-H1.
StageOrder in_turn_order(const TimelineFigure& figure, std::int64_t stage);
// ZB-V (2401.10241, section 6): layers go forth and back over the stages.
StageOrder zero_bubble_v_order(const TimelineFigure& figure, std::int64_t stage);
// DualPipe (2412.19437, figure 5) and DualPipeV.
StageOrder dualpipe_order(const TimelineFigure& figure, std::int64_t stage);

}  // namespace shapelint::chart
