// Plans as SVG.
#include "chart/plan.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "base/number.hpp"
#include "base/units.hpp"
#include "chart/axes.hpp"
#include "chart/page.hpp"
#include "chart/svg.hpp"
#include "report/exchange/exchange.hpp"

namespace shapelint::chart {

namespace {

constexpr double plan_width = 960;
constexpr double plan_margin = 24;
constexpr double plan_right = 900;
constexpr double head_height = 76;

constexpr double front_height = 440;
constexpr double memory_row = 30;
constexpr double memory_bar = 20;
constexpr double stage_row = 20;
constexpr double stage_bar = 16;
constexpr double below_axis = 56;
constexpr double above_rows = 64;  // heading and legend

constexpr std::int64_t max_stages = 32;  // that are drawn
constexpr std::int64_t fewest_drawn = 16;
constexpr double label_width = 15;  // pixels of a block that has room for its number

void draw_front(Svg& svg, const FrontFigure& figure, double top) {
  svg.text({plan_margin, top}, "Pareto front", Anchor::start, "strong");
  double low_x = figure.points.front().per_user;
  double high_x = low_x;
  double low_y = figure.points.front().per_gpu;
  double high_y = low_y;
  for (const FrontPoint& each : figure.points) {
    low_x = std::min(low_x, each.per_user);
    high_x = std::max(high_x, each.per_user);
    low_y = std::min(low_y, each.per_gpu);
    high_y = std::max(high_y, each.per_gpu);
  }
  constexpr double decade = 10;
  constexpr double front_left = 96;
  const double bottom = top + front_height - below_axis;
  const bool is_wide_x = high_x > decade * low_x;
  const bool is_wide_y = high_y > decade * low_y;
  const PlotFrame frame{round_scale(is_wide_x ? low_x : 0, high_x, is_wide_x, front_left, plan_right),
                        round_scale(is_wide_y ? low_y : 0, high_y, is_wide_y, bottom, top + 28)};
  draw_frame(svg, frame, "output tokens/s/user", "output tokens/s/GPU");
  std::vector<Pixel> line;
  for (const FrontPoint& each : figure.points)
    line.push_back({place(frame.x, each.per_user), place(frame.y, each.per_gpu)});
  svg.path(line, "series c0");
  // A plan is named once: where the front first has it, if there is room.
  std::vector<Box> taken;
  for (const Pixel& at : line) taken.push_back({at.x - 5, at.x + 5, at.y - 5, at.y + 5});
  std::string named;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const FrontPoint& point = figure.points[i];
    svg.circle(line[i], 4.5, "mark c0", point.hover);
    if (point.label == named) continue;
    const double wide = text_width(point.label, 11);
    const bool is_left = line[i].x + 8 + wide > plan_right;
    const double x = is_left ? line[i].x - 8 : line[i].x + 8;
    const double y = is_left ? line[i].y + 16 : line[i].y - 6;
    const Box box{is_left ? x - wide : x, is_left ? x : x + wide, y - 11, y + 3};
    if (std::any_of(taken.begin(), taken.end(), [&](const Box& each) { return overlaps(each, box); }))
      continue;
    taken.push_back(box);
    named = point.label;
    svg.text({x, y}, point.label, is_left ? Anchor::end : Anchor::start, "small halo");
  }
}

double memory_height(const MemoryFigure& figure) {
  return above_rows + memory_row * static_cast<double>(figure.bars.size()) + below_axis;
}

void draw_memory(Svg& svg, const MemoryFigure& figure, double top) {
  constexpr double label_size = 11;
  constexpr double sum_width = 60;
  double left = 200;
  double most = figure.usable_bytes;
  std::vector<double> sums;
  for (const MemoryBar& bar : figure.bars) {
    left = std::max(left, plan_margin + 10 + text_width(bar.label, label_size));
    sums.push_back(std::accumulate(bar.part_bytes.begin(), bar.part_bytes.end(), 0.0));
    most = std::max(most, sums.back());
  }
  const double end = plan_right - sum_width;
  svg.text({plan_margin, top}, "Memory per GPU", Anchor::start, "strong");
  std::vector<LegendEntry> legend;
  for (std::size_t i = 0; i < figure.parts.size(); ++i)
    legend.push_back({figure.parts[i], "mark " + colour_of(i), false});
  draw_legend(svg, {left, top}, plan_right - left, legend);
  const double rows_top = top + above_rows - 20;
  const double bottom = rows_top + memory_row * static_cast<double>(figure.bars.size()) + 8;
  const Scale x = round_scale(0, most / bytes_per_gib, false, left, end);
  draw_bar_axis(svg, x, rows_top, bottom, 8, "GiB per GPU");
  for (std::size_t row = 0; row < figure.bars.size(); ++row) {
    const MemoryBar& bar = figure.bars[row];
    const double y = rows_top + 8 + memory_row * static_cast<double>(row);
    svg.text({left - 10, y + 14}, bar.label, Anchor::end, "small");
    double sum = 0;
    for (std::size_t i = 0; i < bar.part_bytes.size(); ++i) {
      const double from = place(x, sum / bytes_per_gib);
      sum += bar.part_bytes[i];
      const double to = place(x, sum / bytes_per_gib);
      if (to - from < 0.2) continue;
      svg.rectangle({from, y}, to - from, memory_bar, "bar " + colour_of(i),
                    fmt::format("{}: {} {} GiB", bar.label, figure.parts[i], gib(bar.part_bytes[i])));
    }
    svg.text({plan_right, y + 14}, gib(sums[row]) + " GiB", Anchor::end, "small");
  }
  if (figure.usable_bytes <= 0) return;
  const double at = place(x, figure.usable_bytes / bytes_per_gib);
  svg.path({{at, rows_top}, {at, bottom}}, "series faint", "usable memory");
  svg.text({at, rows_top - 5}, fmt::format("usable: {} GiB", gib(figure.usable_bytes)), Anchor::middle,
           "small halo");
}

// As many micro-batches as show the schedule: those between are all alike.
TimelineFigure drawn_part(const TimelineFigure& figure) {
  TimelineFigure out = figure;
  const std::int64_t enough = std::max(2 * figure.stages, fewest_drawn);
  if (out.micro_batches * drawn_chunks(figure) > 2 * enough)
    out.micro_batches = std::min(out.micro_batches, enough);
  return out;
}

double timeline_height(const TimelineFigure& figure) {
  return above_rows + stage_row * static_cast<double>(std::min(figure.stages, max_stages)) + below_axis;
}

std::string schedule_title(const TimelineFigure& figure) {
  switch (figure.schedule) {
    case Schedule::one_forward_one_backward:
      return figure.chunks > 1 ? fmt::format("interleaved 1F1B, VPP {}", figure.chunks) : "1F1B";
    case Schedule::zero_bubble:
      return "ZB-H1";
    case Schedule::zero_bubble_v:
      return "ZB-V";
    case Schedule::dualpipe:
      return "DualPipe";
    case Schedule::dualpipe_v:
      return "DualPipeV";
    case Schedule::gpipe:
    case Schedule::in_turn:
      break;
  }
  return {};
}

// Colours: forward and backward passes of even and of odd chunks, and weight gradients.
std::string_view look_of(const PipelineBlock& block) {
  const bool is_odd = block.chunk % 2 != 0;
  if (block.weights) return "c7";
  if (block.backward) return is_odd ? "c5" : "c2";
  return is_odd ? "c3" : "c4";
}

std::vector<LegendEntry> timeline_legend(const TimelineFigure& figure) {
  std::vector<LegendEntry> out{{"forward", "mark c4", false}, {"backward", "mark c2", false}};
  if (drawn_chunks(figure) > 1) {
    const std::string_view which = figure.schedule == Schedule::dualpipe ? "from the last stage"
                                   : figure.chunks > 2                   ? "odd virtual stages"
                                                                         : "second virtual stage";
    out.push_back({fmt::format("forward, {}", which), "mark c3", false});
    out.push_back({fmt::format("backward, {}", which), "mark c5", false});
  }
  if (figure.weights_us > 0) out.push_back({"weight gradients", "mark c7", false});
  return out;
}

std::string time_axis(const TimelineFigure& figure, bool in_seconds) {
  std::string out = in_seconds ? "time (s)" : "time (ms)";
  if (figure.schedule == Schedule::zero_bubble_v)
    return out + "; each stage begins the next step where it ends";
  out += "; white: pipeline bubble";
  if (figure.schedule == Schedule::dualpipe || figure.schedule == Schedule::dualpipe_v)
    out += "; framed: overlapped passes";
  return out;
}

void draw_timeline(Svg& svg, const TimelineFigure& whole, double top) {
  const TimelineFigure figure = drawn_part(whole);
  const std::vector<PipelineBlock> blocks = pipeline_blocks(figure);
  double end_us = 0;
  for (const PipelineBlock& each : blocks) end_us = std::max(end_us, each.end_us);
  std::string heading = fmt::format("Pipeline, {}", schedule_title(figure));
  heading +=
      figure.micro_batches < whole.micro_batches
          ? fmt::format(", {} of {} drawn", figure.micro_batches, counted(whole.micro_batches, "micro-batch"))
          : ", " + counted(whole.micro_batches, "micro-batch");
  svg.text({plan_margin, top}, heading, Anchor::start, "strong");
  constexpr double timeline_left = 96;
  draw_legend(svg, {timeline_left, top + 22}, plan_right - timeline_left, timeline_legend(figure));
  const std::int64_t stages = std::min(figure.stages, max_stages);
  const double rows_top = top + above_rows - 28;
  const double bottom = rows_top + stage_row * static_cast<double>(stages) + 8;
  const double unit = end_us >= 2 * us_per_s ? us_per_s : us_per_ms;
  const Scale x{0, end_us / unit, timeline_left, plan_right, false};
  draw_bar_axis(svg, x, rows_top, bottom, 8, time_axis(figure, unit == us_per_s));
  for (std::int64_t stage = 0; stage < stages; ++stage)
    svg.text({timeline_left - 10, rows_top + stage_row * static_cast<double>(stage) + 16},
             fmt::format("stage {}", stage), Anchor::end, "small");
  for (const PipelineBlock& each : blocks) {
    if (each.stage >= stages) continue;
    const double from = place(x, each.begin_us / unit);
    const double to = place(x, each.end_us / unit);
    const double y = rows_top + 4 + stage_row * static_cast<double>(each.stage);
    const std::string_view work = each.weights ? "weight gradients" : each.backward ? "backward" : "forward";
    // With DualPipe the second half of the micro-batches begins at the last stage.
    const bool is_of_second_half = figure.schedule == Schedule::dualpipe && each.chunk == 1;
    const std::int64_t number = each.micro_batch + 1 + (is_of_second_half ? figure.micro_batches / 2 : 0);
    // A gap of its share, so that narrow blocks are not mostly gaps.
    const double gap = std::min(0.6, 0.1 * (to - from));
    svg.rectangle({from, y}, to - from - gap, stage_bar, fmt::format("bar {}", look_of(each)),
                  fmt::format("stage {}, {} of micro-batch {}{}, {} to {}", each.stage, work, number,
                              drawn_chunks(figure) > 1 ? fmt::format(", virtual stage {}", each.chunk) : "",
                              duration(each.begin_us), duration(each.end_us)));
    if (to - from >= label_width)
      svg.text({(from + to) / 2, y + 12}, std::to_string(number), Anchor::middle, "small");
  }
  // Around each forward pass and the backward pass that runs with it.
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const PipelineBlock& first = blocks[i];
    if (!first.overlaps || first.backward || first.stage >= stages) continue;
    const PipelineBlock& last = blocks[i + 2];
    const double from = place(x, first.begin_us / unit);
    const double to = place(x, last.end_us / unit) - 0.6;
    const double y = rows_top + 4 + stage_row * static_cast<double>(first.stage);
    svg.path({{from, y}, {to, y}, {to, y + stage_bar}, {from, y + stage_bar}, {from, y}}, "edge");
  }
}

}  // namespace

std::string plan_svg(const PlanFigure& figure, bool with_title) {
  const bool has_front = figure.front && !figure.front->points.empty();
  const double head = with_title ? head_height : 0;
  double height = head;
  if (has_front) height += front_height;
  if (figure.memory) height += memory_height(*figure.memory);
  if (figure.timeline) height += timeline_height(*figure.timeline);
  Svg svg(plan_width, height, figure.title, figure.subtitle);
  if (with_title) svg.heading(figure.title, figure.subtitle, plan_width, plan_margin);
  double top = head + 12;
  if (has_front) {
    draw_front(svg, *figure.front, top);
    top += front_height;
  }
  if (figure.memory) {
    draw_memory(svg, *figure.memory, top);
    top += memory_height(*figure.memory);
  }
  if (figure.timeline) draw_timeline(svg, *figure.timeline, top);
  return std::move(svg).finish();
}

std::string plan_page(const PlanFigure& figure, std::string_view text) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'\">\n"
      "<title>{0}</title>\n<style>\n{1}\n</style>\n</head>\n<body>\n<header>\n<h1>{0}</h1>\n"
      "<p class=\"soft\">{2}</p>\n</header>\n<main>\n<section>\n<div class=\"chart\">{3}</div>\n</section>\n"
      "<section>\n<div class=\"scroll\"><pre>{4}</pre></div>\n</section>\n</main>\n"
      "<footer class=\"soft\">Predicted by shapelint " SHAPELINT_VERSION ".</footer>\n</body>\n</html>\n",
      report::xml_escaped(figure.title), web_assets().style, report::xml_escaped(figure.subtitle),
      plan_svg(figure, false), report::xml_escaped(text));
}

}  // namespace shapelint::chart
