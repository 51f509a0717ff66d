// Lines, and under them a strip of ticks for each line's edges.
#include "chart/sawtooth.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "chart/axes.hpp"
#include "chart/svg.hpp"

namespace shapelint::chart {
namespace {

constexpr double sawtooth_width = 960;
constexpr double sawtooth_left = 96;
constexpr double sawtooth_right = 936;
constexpr double sawtooth_top = 104;
constexpr double sawtooth_bottom = 440;
constexpr double strip_top = 492;
constexpr double strip_height = 26;
constexpr std::size_t most_marks = 400;  // points of a line that are marked one by one

Frame frame_of(const SawtoothFigure& figure) {
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
  Frame frame;
  // Where the data is: the teeth are a few percent of the whole.
  const double air = high_y > low_y ? 0.05 * (high_y - low_y) : 0.02 * high_y;
  frame.y = high_y > 0
                ? round_scale(std::max(0.0, low_y - air), high_y + air, false, sawtooth_bottom, sawtooth_top)
                : round_scale(0, 1, false, sawtooth_bottom, sawtooth_top);
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
    if (line.points.size() > most_marks) continue;
    for (const SawtoothPoint& point : line.points) {
      fails = fails || point.fails;
      overflows = overflows || (point.overflows && !point.fails);
    }
  }
  std::string out = fails ? "\u00d7 cannot run: violates a rule of the framework" : "";
  if (overflows) out += fmt::format("{}\u25cb does not fit in memory", out.empty() ? "" : "; ");
  return out;
}

void draw_edges(Svg& svg, const Frame& frame, const SawtoothFigure& figure) {
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
  svg.text({24, 30}, figure.title, Anchor::start, "title");
  svg.subtitle(figure.subtitle, sawtooth_width - 48);
  std::vector<LegendEntry> legend;
  for (std::size_t i = 0; i < figure.lines.size(); ++i) {
    legend.push_back({figure.lines[i].label, "series " + colour_of(i), true});
  }
  draw_legend(svg, {24, 80}, sawtooth_width - 48, legend);

  const Frame frame = frame_of(figure);
  draw_frame(svg, frame, figure.x_name, figure.y_name);
  if (frame.y.low > 0) {
    svg.text({sawtooth_left, sawtooth_bottom + 32},
             fmt::format("the scale begins at {}", tick_label(frame.y.low)), Anchor::start, "soft small");
  }
  const std::string note = note_of(figure);
  if (!note.empty()) svg.text({sawtooth_right, sawtooth_bottom + 32}, note, Anchor::end, "soft small");
  if (figure.current_x >= frame.x.low && figure.current_x <= frame.x.high && figure.current_x > 0) {
    const double at = place(frame.x, figure.current_x);
    svg.line({at, sawtooth_bottom}, {at, sawtooth_top}, "axis faint");
    const std::string label = fmt::format("the file: {}", tick_label(figure.current_x));
    const double half = text_width(label, 11) / 2;
    svg.text({std::clamp(at, sawtooth_left + half, sawtooth_right - half), sawtooth_top - 4}, label,
             Anchor::middle, "soft small");
  }
  for (std::size_t i = 0; i < figure.lines.size(); ++i) {
    const SawtoothLine& line = figure.lines[i];
    std::vector<Pixel> pixels;
    for (const SawtoothPoint& point : line.points) {
      pixels.push_back({place(frame.x, point.x), place(frame.y, point.y)});
    }
    svg.path(pixels, "series " + colour_of(i));
    if (pixels.size() > most_marks) continue;
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

}  // namespace shapelint::chart
