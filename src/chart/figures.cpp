// The waterfall and the sawtooth as SVG, and figures from predictions.
#include "chart/figures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/number.hpp"
#include "base/units.hpp"
#include "chart/axes.hpp"
#include "chart/svg.hpp"
#include "cost/waterfall.hpp"

namespace shapelint::chart {

namespace {

constexpr double waterfall_width = 860;
constexpr double waterfall_left = 190;
constexpr double waterfall_right = 740;
constexpr double waterfall_top = 112;
constexpr double waterfall_row = 30;
constexpr double waterfall_bar_height = 20;
constexpr double least_share = 1e-3;

// Colours of groups: green for what the model needs.
std::string colour_of_group(std::size_t group) {
  constexpr std::array<std::size_t, 7> colours{2, 4, 1, 5, 3, 0, 6};
  return colour_of(colours[group % colours.size()]);
}

// Milliseconds, or microseconds where the whole is short.
struct Unit {
  double us = 1e3;
  const char* axis = "time of a step (ms)";
};
Unit unit_of(double total_us) {
  if (total_us >= 2 * us_per_s) return {us_per_s, "time of a step (s)"};
  if (total_us >= 2 * us_per_ms) return {us_per_ms, "time of a step (ms)"};
  return {1, "time of a step (us)"};
}

}  // namespace

std::string waterfall_svg(const WaterfallFigure& figure) {
  double total_us = 0;
  double highest_us = 0;
  for (const WaterfallBar& bar : figure.bars) {
    total_us += bar.us;
    highest_us = std::max(highest_us, total_us);
  }
  std::vector<const WaterfallBar*> shown;
  for (const WaterfallBar& bar : figure.bars) {
    if (std::abs(bar.us) >= least_share * total_us) shown.push_back(&bar);
  }
  const bool has_hidden = figure.hidden_us >= least_share * total_us;
  const std::size_t rows = shown.size() + 1 + (has_hidden ? 1 : 0);
  const double bottom = waterfall_top + waterfall_row * static_cast<double>(rows) + 6;
  Svg svg(waterfall_width, bottom + 52, figure.title, figure.subtitle);
  svg.heading(figure.title, figure.subtitle, waterfall_width);
  std::vector<LegendEntry> legend;
  for (std::size_t i = 0; i < figure.groups.size(); ++i) {
    const auto is_in = [i](const WaterfallBar* bar) { return bar->group == i; };
    if (std::any_of(shown.begin(), shown.end(), is_in))
      legend.push_back({figure.groups[i], "mark " + colour_of_group(i), false});
  }
  draw_legend(svg, {24, 84}, waterfall_width - 48, legend);

  const Unit unit = unit_of(total_us);
  Scale x = round_scale(0, highest_us / unit.us, false, waterfall_left, waterfall_right);
  draw_bar_axis(svg, x, waterfall_top, bottom, 6, unit.axis);

  double sum_us = 0;
  double y = waterfall_top + 8;
  for (const WaterfallBar* bar : shown) {
    const double begin = place(x, sum_us / unit.us);
    sum_us += bar->us;
    const double end = place(x, sum_us / unit.us);
    svg.text({waterfall_left - 10, y + 14}, bar->label, Anchor::end);
    svg.rectangle({std::min(begin, end), y}, std::max(1.5, std::abs(end - begin)), waterfall_bar_height,
                  "bar " + colour_of_group(bar->group), bar->hover);
    svg.line({end, y + waterfall_bar_height}, {end, y + waterfall_row}, "edge");
    svg.text({std::max(begin, end) + 8, y + 14}, duration(bar->us) + ", " + percent(bar->us / total_us),
             Anchor::start, "small halo");
    y += waterfall_row;
  }
  if (has_hidden) {
    const double end = place(x, sum_us / unit.us);
    const double begin = std::max(waterfall_left, place(x, (sum_us - figure.hidden_us) / unit.us));
    svg.text({waterfall_left - 10, y + 14}, "overlapped communication", Anchor::end);
    svg.path({{begin, y + 1},
              {end, y + 1},
              {end, y + waterfall_bar_height - 1},
              {begin, y + waterfall_bar_height - 1},
              {begin, y + 1}},
             "faint", "overlapped communication, not part of the step time");
    svg.text({end + 8, y + 14}, duration(figure.hidden_us) + ", hidden", Anchor::start, "small soft halo");
    y += waterfall_row;
  }
  svg.text({waterfall_left - 10, y + 14}, figure.total_label, Anchor::end, "strong");
  svg.rectangle({waterfall_left, y}, place(x, total_us / unit.us) - waterfall_left, waterfall_bar_height,
                "bar", figure.total_label);
  svg.text({place(x, total_us / unit.us) + 8, y + 14}, duration(total_us), Anchor::start,
           "small strong halo");
  return std::move(svg).finish();
}

namespace {

constexpr double sawtooth_width = 960;
constexpr double sawtooth_left = 96;
constexpr double sawtooth_right = 936;
constexpr double sawtooth_bottom = 440;
constexpr double strip_top = 492;
constexpr double strip_height = 26;
constexpr std::size_t max_marks = 400;  // points of a line that are marked one by one

PlotFrame frame_of(const SawtoothFigure& figure, double top) {
  double low_x = std::numeric_limits<double>::max();
  double high_x = std::numeric_limits<double>::lowest();
  double low_y = std::numeric_limits<double>::max();
  double high_y = 0;
  for (const SawtoothLine& line : figure.lines) {
    for (const SawtoothPoint& point : line.points) {
      low_x = std::min(low_x, point.x);
      high_x = std::max(high_x, point.x);
      low_y = std::min(low_y, point.y);
      high_y = std::max(high_y, point.y);
    }
  }
  if (low_x > high_x) low_x = high_x = 1;
  PlotFrame frame;
  // Where the data is: the teeth are a few percent of the whole.
  const double air = high_y > low_y ? 0.05 * (high_y - low_y) : 0.02 * high_y;
  frame.y = high_y > 0 ? round_scale(std::max(0.0, low_y - air), high_y + air, false, sawtooth_bottom, top)
                       : round_scale(0, 1, false, sawtooth_bottom, top);
  const bool logarithmic = figure.x_logarithmic && low_x > 0;
  if (!(high_x > low_x)) high_x = low_x + 1;
  frame.x = {low_x, high_x, sawtooth_left, sawtooth_right, logarithmic};
  return frame;
}

// A point that runs is filled, one that does not fit is hollow, one that violates a rule is crossed.
void draw_point(Svg& svg, Pixel at, double radius, const SawtoothPoint& point, const std::string& colour) {
  if (!point.fails)
    return svg.circle(at, radius, point.overflows ? "hollow " + colour : "mark " + colour, point.hover);
  const double arm = 0.9 * radius;
  svg.path({{at.x - arm, at.y - arm}, {at.x + arm, at.y + arm}}, "series thin " + colour, point.hover);
  svg.path({{at.x - arm, at.y + arm}, {at.x + arm, at.y - arm}}, "series thin " + colour, point.hover);
}

// What crosses and hollow marks say, of those that there are.
std::string note_of(const SawtoothFigure& figure) {
  bool fails = false;
  bool overflows = false;
  for (const SawtoothLine& line : figure.lines) {
    if (line.points.size() > max_marks) continue;
    for (const SawtoothPoint& point : line.points) {
      fails = fails || point.fails;
      overflows = overflows || (point.overflows && !point.fails);
    }
  }
  std::string out = fails ? "\u00d7 cannot run: violates a rule of the framework" : "";
  if (overflows) out += fmt::format("{}\u25cb does not fit in memory", out.empty() ? "" : "; ");
  return out;
}

void draw_edges(Svg& svg, const PlotFrame& frame, const SawtoothFigure& figure) {
  double y = strip_top;
  for (std::size_t i = 0; i < figure.lines.size(); ++i) {
    const SawtoothLine& line = figure.lines[i];
    if (line.wave_edges.empty() && line.tile_edges.empty()) continue;
    const std::string colour = "series " + colour_of(i);
    for (const double x : line.tile_edges) {
      svg.line({place(frame.x, x), y + strip_height / 2}, {place(frame.x, x), y + strip_height - 6}, "edge");
    }
    for (const double x : line.wave_edges) {
      svg.line({place(frame.x, x), y}, {place(frame.x, x), y + strip_height - 6}, colour);
    }
    y += strip_height;
  }
}

}  // namespace

std::string sawtooth_svg(const SawtoothFigure& figure) {
  const auto strips = std::count_if(figure.lines.begin(), figure.lines.end(), [](const SawtoothLine& line) {
    return !line.wave_edges.empty() || !line.tile_edges.empty();
  });
  const double height = strip_top + strip_height * static_cast<double>(strips) + (strips > 0 ? 22 : 0);
  Svg svg(sawtooth_width, height, figure.title, figure.subtitle);
  svg.heading(figure.title, figure.subtitle, sawtooth_width);
  std::vector<LegendEntry> legend;
  for (std::size_t i = 0; i < figure.lines.size(); ++i) {
    legend.push_back({figure.lines[i].label, "series " + colour_of(i), true});
  }
  // Above the plot there is room for the mark of the file's value, however many rows the legend takes.
  const double top = 86 + draw_legend(svg, {24, 80}, sawtooth_width - 48, legend);

  const PlotFrame frame = frame_of(figure, top);
  draw_frame(svg, frame, figure.x_name, figure.y_name);
  if (frame.y.low > 0) {
    svg.text({sawtooth_left, sawtooth_bottom + 32},
             fmt::format("the scale begins at {}", tick_label(frame.y.low)), Anchor::start, "soft small");
  }
  const std::string note = note_of(figure);
  if (!note.empty()) svg.text({sawtooth_right, sawtooth_bottom + 32}, note, Anchor::end, "soft small");
  if (figure.current_x >= frame.x.low && figure.current_x <= frame.x.high && figure.current_x > 0) {
    const double at = place(frame.x, figure.current_x);
    svg.line({at, sawtooth_bottom}, {at, top}, "axis faint");
    const std::string label = fmt::format("the file: {}", tick_label(figure.current_x));
    const double half = text_width(label, 11) / 2;
    svg.text({std::clamp(at, sawtooth_left + half, sawtooth_right - half), top - 4}, label, Anchor::middle,
             "soft small");
  }
  for (std::size_t i = 0; i < figure.lines.size(); ++i) {
    const SawtoothLine& line = figure.lines[i];
    std::vector<Pixel> pixels;
    for (const SawtoothPoint& point : line.points) {
      pixels.push_back({place(frame.x, point.x), place(frame.y, point.y)});
    }
    svg.path(pixels, "series " + colour_of(i));
    if (pixels.size() > max_marks) continue;
    const double radius = pixels.size() > 100 ? 2.5 : 4;
    for (std::size_t k = 0; k < pixels.size(); ++k) {
      const SawtoothPoint& point = line.points[k];
      draw_point(svg, pixels[k], radius, point, colour_of(i));
    }
  }
  draw_edges(svg, frame, figure);
  if (strips > 0) {
    svg.text({sawtooth_left, height - 8},
             fmt::format("ticks: one more wave (long) or tile (short) of {}, for each line", figure.edges_of),
             Anchor::start, "soft small");
  }
  return std::move(svg).finish();
}

namespace {

constexpr double giga = 1e9;
constexpr double mega = 1e6;
constexpr double bytes_per_us_per_gb_s = 1e3;
constexpr double min_printed = 5e-4;  // shares that would be printed as 0 are left out

// What a loss means, for who points at its bar; by Loss.
constexpr std::array<std::string_view, cost::loss_count> explanations{
    "FLOPs that the model needs, at the peak of the data sheet: alone they would be 100 % MFU",
    "activation recomputation, padding, dtypes slower than the one that MFU refers to; negative if kernels "
    "skip what MFU counts, the masked half of causal attention",
    "memory-bound operations: time of their bytes at the data sheet's bandwidth beyond their FLOPs",
    "dimensions that are misaligned for tensor cores",
    "tile quantization: tiles at the edges of matrices, computed in full and used in part",
    "wave quantization: SMs without a tile in the last wave, or in the only one",
    "issue, ramp and power: what large GEMMs lose against the data sheet",
    "bandwidth below the data sheet's",
    "operations that take no longer than launch and fixed latency",
    "exposed communication",
    "pipeline bubble and stragglers",
    "padding by the kernels of the stack; negative if the padded sizes are faster",
    "fallback kernels of the stack, and those that are slower with these sizes"};

// Kinds of losses, each with its colour; by Loss.
enum class LossKind : std::uint8_t { work, other_work, shape, kernel, launch, waiting, stack };
constexpr std::array<std::string_view, 7> kind_names{"model FLOPs",
                                                     "other FLOPs and DRAM traffic",
                                                     "shape: alignment, tiles, waves",
                                                     "kernels below the roofline",
                                                     "launch overhead",
                                                     "communication and bubble",
                                                     "stack"};
constexpr std::array<LossKind, cost::loss_count> kinds{
    LossKind::work,    LossKind::other_work, LossKind::other_work, LossKind::shape,  LossKind::shape,
    LossKind::shape,   LossKind::kernel,     LossKind::kernel,     LossKind::launch, LossKind::waiting,
    LossKind::waiting, LossKind::stack,      LossKind::stack};

std::string title_of(const report::RooflineCase& of) {
  return fmt::format("{} on {}", of.model.empty() ? of.path : of.model, of.gpu.name);
}

std::string op_name(const model::Op& op) {
  return op.pass == model::Pass::forward ? std::string(op.name)
                                         : fmt::format("{} {}", op.name, report::short_name(op.pass));
}

// The ceilings that some op of the model runs under.
bool is_used(const cost::ComputeRoof& roof, const cost::Roofline& line) {
  return std::any_of(line.points.begin(), line.points.end(), [&](const cost::Point& point) {
    return point.work.flops > 0 && point.work.dtype == roof.dtype &&
           point.work.on_tensor_cores == roof.on_tensor_cores;
  });
}

std::string level_name(cost::Level level) {
  switch (level) {
    case cost::Level::dram:
      return "DRAM";
    case cost::Level::l2:
      return "L2";
    case cost::Level::shared:
      break;
  }
  return "shared memory";
}

}  // namespace

RooflineFigure roofline_figure(const report::RooflineCase& of) {
  RooflineFigure out;
  out.title = fmt::format("Roofline: {}", title_of(of));
  out.groups = {"compute-bound", "memory-bound", "communication-bound", "overhead-bound"};
  for (const cost::MemoryRoof& roof : of.line.roofs.memory) {
    const std::string level = level_name(roof.level);
    if (roof.gb_s > 0) {
      out.roofs.push_back({fmt::format("{} {} GB/s", level, with_commas(std::llround(roof.gb_s))), roof.gb_s,
                           0, false,
                           fmt::format("{}: {:.0f} GB/s ({})", level, roof.gb_s, cost::name(roof.basis))});
    }
    if (roof.level == cost::Level::dram && roof.achieved_gb_s > 0) {
      out.roofs.push_back({level, roof.achieved_gb_s, 0, true,
                           fmt::format("{} as achieved: {:.0f} GB/s ({})", level, roof.achieved_gb_s,
                                       cost::name(roof.achieved_basis))});
    }
  }
  for (const cost::ComputeRoof& roof : of.line.roofs.compute) {
    if (!is_used(roof, of.line)) continue;
    const std::string units =
        fmt::format("{}, {} cores", name(roof.dtype), roof.on_tensor_cores ? "tensor" : "CUDA");
    out.roofs.push_back({std::string(name(roof.dtype)), 0, roof.tflops, false,
                         fmt::format("{}: {:.4g} TFLOP/s (data sheet)", units, roof.tflops)});
    if (roof.achieved_tflops > 0) {
      out.roofs.push_back({units, 0, roof.achieved_tflops, true,
                           fmt::format("{} as achieved: {:.4g} TFLOP/s ({})", units, roof.achieved_tflops,
                                       cost::name(roof.achieved_basis))});
    }
  }
  double unseen_share = 0;
  for (const cost::Point& point : of.line.points) {
    const double intensity = point.intensity[static_cast<std::size_t>(cost::Level::dram)];
    if (!(intensity > 0 && point.tflops > 0)) {
      unseen_share += point.share_of_step;
      continue;
    }
    const model::Op& op = of.workload.ops[point.op];
    const std::string what = op_name(op);
    RooflineMark mark;
    mark.name = what;
    mark.intensity = intensity;
    mark.tflops = point.tflops;
    mark.area = point.share_of_step;
    mark.group = static_cast<std::size_t>(point.bound);
    mark.hover = fmt::format(
        "{}\n{:.4g} GFLOP, {:.4g} MB: {:.4g} FLOP/B\n{:.4g} TFLOP/s predicted, {} of the roof's "
        "{:.4g}\n{}-bound, "
        "{} of the step",
        what, point.work.flops / giga, point.work.bytes[0] / mega, intensity, point.tflops,
        percent(point.share_of_roof), point.roof_tflops, cost::name(point.bound),
        percent(point.share_of_step));
    out.marks.push_back(std::move(mark));
  }
  out.subtitle = fmt::format("{}; area of a mark: share of the step", report::plan_text(of.setup));
  if (unseen_share >= min_printed) {
    out.subtitle +=
        fmt::format("; operations without FLOPs ({} of the step) are not shown", percent(unseen_share));
  }
  return out;
}

WaterfallFigure waterfall_figure(const report::RooflineCase& of) {
  WaterfallFigure out;
  const cost::Waterfall losses = report::losses_of(of);
  out.title = fmt::format("Step time: {}", title_of(of));
  out.subtitle = fmt::format("{}; MFU {}", report::plan_text(of.setup), percent(of.line.step.mfu));
  // MFU says little of a step that reads weights and caches.
  const double bytes_us = of.line.whole.dram_bytes / (of.gpu.dram_bandwidth_gb_s * bytes_per_us_per_gb_s);
  if (of.line.whole.memory_bound && bytes_us > 0) {
    out.subtitle +=
        fmt::format("; DRAM bandwidth utilization (MBU) {}", percent(bytes_us / of.line.step.time_us));
  }
  out.total_label = "the step";
  const bool counts_bytes = of.line.whole.memory_bound && of.setup.plan.mode != model::Mode::train;
  out.hidden_us = of.line.step.hidden_us;
  for (const std::string_view name : kind_names) out.groups.emplace_back(name);
  if (counts_bytes) out.groups.front() = "model FLOPs and DRAM traffic";
  constexpr auto traffic = static_cast<std::size_t>(cost::Loss::traffic);
  for (std::size_t i = 0; i < cost::loss_count; ++i) {
    const std::string label(cost::name(static_cast<cost::Loss>(i)));
    out.bars.push_back({label, losses.us[i],
                        fmt::format("{}: {}, {} of the step\n{}", label, duration(losses.us[i]),
                                    percent(losses.us[i] / of.line.step.time_us), explanations[i]),
                        static_cast<std::size_t>(counts_bytes && i == traffic ? LossKind::work : kinds[i])});
  }
  return out;
}

}  // namespace shapelint::chart
