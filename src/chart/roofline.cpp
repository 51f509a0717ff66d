// Roofs, and a mark for each op below them.
#include "chart/figures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "base/number.hpp"
#include "chart/axes.hpp"
#include "chart/svg.hpp"

namespace shapelint::chart {
namespace {

constexpr double roofline_width = 1190;
constexpr double roofline_height = 560;
constexpr double roofline_left = 84;
constexpr double roofline_right = 724;
constexpr double roofline_top = 104;
constexpr double roofline_bottom = 504;
constexpr double gb_s_per_tflops = 1e3;  // 1 TFLOP/s at 1 FLOP/B takes 1000 GB/s
constexpr double largest_radius = 26;    // of an op that is the whole step
constexpr double smallest_radius = 3.5;  // that can still be pointed at
constexpr double table_left = 822;       // of the numbered operations, right of the names of ceilings
constexpr double table_row = 19;
constexpr std::size_t max_numbers = 18;  // as many rows as the plot is high

double radius(double area) {
  return std::max(smallest_radius, largest_radius * std::sqrt(area));
}

// Where a slope ends: below the highest ceiling of its kind (theoretical or achieved).
double ceiling_of(const RooflineFigure& figure, bool achieved) {
  double best = 0;
  for (const RoofLine& roof : figure.roofs) {
    if (roof.achieved == achieved) best = std::max(best, roof.tflops);
  }
  return best;
}

double steepest(const RooflineFigure& figure, bool achieved) {
  double best = 0;
  for (const RoofLine& roof : figure.roofs) {
    if (roof.achieved == achieved) best = std::max(best, roof.gb_s);
  }
  return best;
}

PlotFrame frame_of(const RooflineFigure& figure) {
  double low_x = 1;
  double high_x = 100;
  double low_y = std::numeric_limits<double>::max();
  double high_y = 0;
  for (const RooflineMark& mark : figure.marks) {
    low_x = std::min(low_x, mark.intensity);
    high_x = std::max(high_x, mark.intensity);
    low_y = std::min(low_y, mark.tflops);
    high_y = std::max(high_y, mark.tflops);
  }
  for (const RoofLine& roof : figure.roofs) {
    if (roof.tflops > 0) {
      low_y = std::min(low_y, roof.tflops / 10);
      high_y = std::max(high_y, roof.tflops);
    }
  }
  if (!(high_y > 0)) high_y = low_y = 1;
  // Some air above the roof for its label and at the sides for the marks.
  return {round_scale(low_x / 1.2, high_x * 1.2, true, roofline_left, roofline_right),
          round_scale(low_y / 1.2, high_y * 1.3, true, roofline_bottom, roofline_top)};
}

struct Segment {
  Pixel from;
  Pixel to;
};

// What is seen of a roof; nothing where all of it lies outside of the frame.
std::optional<Segment> seen(const PlotFrame& frame, const RooflineFigure& figure, const RoofLine& roof) {
  const auto at = [&](double x, double y) { return Pixel{place(frame.x, x), place(frame.y, y)}; };
  const bool slope = roof.gb_s > 0;
  double x0 = frame.x.low;
  double x1 = frame.x.high;
  const auto y_of = [&](double x) { return slope ? x * roof.gb_s / gb_s_per_tflops : roof.tflops; };
  if (slope) {
    const double ceiling = ceiling_of(figure, roof.achieved);
    if (ceiling > 0) x1 = std::min(x1, ceiling * gb_s_per_tflops / roof.gb_s);
    x0 = std::max(x0, frame.y.low * gb_s_per_tflops / roof.gb_s);
  } else if (const double bandwidth = steepest(figure, roof.achieved); bandwidth > 0) {
    x0 = std::max(x0, roof.tflops * gb_s_per_tflops / bandwidth);
  }
  if (!(x1 > x0)) return std::nullopt;
  return Segment{at(x0, y_of(x0)), at(x1, y_of(x1))};
}

// Small boxes along a line, so that what is placed later keeps off it.
std::vector<Box> boxes_along(const Segment& line, double half) {
  const double length = std::hypot(line.to.x - line.from.x, line.to.y - line.from.y);
  const auto steps = static_cast<int>(length / std::max(1.0, half)) + 1;
  std::vector<Box> out;
  for (int i = 0; i <= steps; ++i) {
    const double share = static_cast<double>(i) / steps;
    const double x = line.from.x + share * (line.to.x - line.from.x);
    const double y = line.from.y + share * (line.to.y - line.from.y);
    out.push_back({x - half, x + half, y - half, y + half});
  }
  return out;
}

bool is_free(const Box& box, const std::vector<Box>& taken) {
  return std::none_of(taken.begin(), taken.end(), [&](const Box& other) { return overlaps(box, other); });
}

// Along a slope and above it.
struct SlopeLabel {
  Pixel end;
  double turn = 0;  // radians, clockwise
};
SlopeLabel slope_label(Pixel from, Pixel to, double before_end) {
  constexpr double above = 5;
  const double turn = std::atan2(to.y - from.y, to.x - from.x);
  return {{to.x - before_end * std::cos(turn) + above * std::sin(turn),
           to.y - before_end * std::sin(turn) - above * std::cos(turn)},
          turn};
}

std::vector<Box> boxes_of(const SlopeLabel& label, std::string_view text) {
  const double wide = text_width(text, 11);
  constexpr double half = 5;  // of the letters' height, around the middle of the line
  const Pixel end{label.end.x + half * std::sin(label.turn), label.end.y - half * std::cos(label.turn)};
  const Pixel begin{end.x - wide * std::cos(label.turn), end.y - wide * std::sin(label.turn)};
  return boxes_along({begin, end}, half);
}

// As near to the ceiling as the other roofs leave room: marks of memory-bound ops lie further down.
SlopeLabel placed_label(const PlotFrame& frame, const RooflineFigure& figure, const RoofLine& roof,
                        const Segment& line) {
  std::vector<Box> taken;
  for (const RoofLine& other : figure.roofs) {
    const std::optional<Segment> its = &other == &roof ? std::nullopt : seen(frame, figure, other);
    if (!its) continue;
    const std::vector<Box> along = boxes_along(*its, 1);
    taken.insert(taken.end(), along.begin(), along.end());
  }
  const double length = std::hypot(line.to.x - line.from.x, line.to.y - line.from.y);
  for (double before_end = 12; before_end < length - text_width(roof.label, 11); before_end += 4) {
    const SlopeLabel label = slope_label(line.from, line.to, before_end);
    const std::vector<Box> boxes = boxes_of(label, roof.label);
    if (std::all_of(boxes.begin(), boxes.end(), [&](const Box& box) { return is_free(box, taken); }))
      return label;
  }
  return slope_label(line.from, line.to, 12);
}

void draw_roof(Svg& svg, const PlotFrame& frame, const RooflineFigure& figure, const RoofLine& roof,
               bool labels) {
  const std::optional<Segment> line = seen(frame, figure, roof);
  if (!line) return;
  const auto [from, to] = *line;
  if (!labels) return svg.path({from, to}, roof.achieved ? "roof faint" : "roof", roof.hover);
  if (roof.achieved) return;
  if (roof.gb_s > 0) {
    constexpr double degrees_per_radian = 180 / 3.14159265358979323846;
    const SlopeLabel label = placed_label(frame, figure, roof, *line);
    svg.text(label.end, roof.label, Anchor::end, "small halo", label.turn * degrees_per_radian);
  }
}

// Names of the ceilings at the margin, since compute-bound marks lie on them; near ones are moved apart.
void draw_ceiling_labels(Svg& svg, const PlotFrame& frame, const RooflineFigure& figure) {
  constexpr double two_lines = 26;
  std::vector<std::pair<double, const RoofLine*>> labels;
  for (const RoofLine& roof : figure.roofs) {
    if (roof.achieved || roof.gb_s > 0) continue;
    if (const auto line = seen(frame, figure, roof)) labels.emplace_back(line->to.y, &roof);
  }
  std::sort(labels.begin(), labels.end());
  for (std::size_t i = 1; i < labels.size(); ++i) {
    const double missing = labels[i - 1].first + two_lines - labels[i].first;
    if (missing <= 0) continue;
    if (i == 1) labels[0].first -= missing / 2;
    labels[i].first += i == 1 ? missing / 2 : missing;
  }
  for (const auto& [y, roof] : labels) {
    const std::string peak =
        roof->tflops < 1000 ? fmt::format("{:.4g}", roof->tflops) : with_commas(std::llround(roof->tflops));
    svg.text({frame.x.to + 6, y - 2}, roof->label, Anchor::start, "small halo");
    svg.text({frame.x.to + 6, y + 10}, peak + " TFLOP/s", Anchor::start, "small halo");
  }
}

// Where a number of that width may stand: next to its mark, then further and further away.
std::vector<Pixel> spots_around(Pixel at, double r, double wide) {
  constexpr double step = 7;
  constexpr int most_steps = 16;
  constexpr int directions = 24;
  constexpr double whole_turn = 6.283185307179586;
  std::vector<Pixel> spots;
  for (int away = 0; away < most_steps; ++away) {
    const double distance = r + 8 + step * away;
    for (int i = 0; i < directions; ++i) {
      const double angle = whole_turn * i / directions;
      const double x = at.x + distance * std::cos(angle) + (std::cos(angle) < 0 ? -wide : 0);
      spots.push_back({std::abs(std::cos(angle)) < 0.2 ? at.x + distance * std::cos(angle) - wide / 2 : x,
                       at.y + distance * std::sin(angle) + 4});
    }
  }
  return spots;
}

// From the edge of a mark to the nearest edge of its number; nothing where the two touch.
std::optional<Segment> leader(Pixel at, double r, const Box& name) {
  const Pixel to{std::clamp(at.x, name.x0, name.x1), std::clamp(at.y, name.y0, name.y1)};
  const double distance = std::hypot(to.x - at.x, to.y - at.y);
  constexpr double beside = 12;
  if (distance <= r + beside) return std::nullopt;
  const double share = r / distance;
  return Segment{{at.x + share * (to.x - at.x), at.y + share * (to.y - at.y)}, to};
}

// Roofs and their names.
std::vector<Box> roof_boxes(const PlotFrame& frame, const RooflineFigure& figure) {
  std::vector<Box> out;
  const auto add = [&](const std::vector<Box>& more) { out.insert(out.end(), more.begin(), more.end()); };
  for (const RoofLine& roof : figure.roofs) {
    const std::optional<Segment> line = seen(frame, figure, roof);
    if (!line) continue;
    add(boxes_along(*line, 2));
    if (roof.gb_s > 0 && !roof.achieved) add(boxes_of(placed_label(frame, figure, roof, *line), roof.label));
  }
  return out;
}

// Numbers of marks, one text for those that lie on each other. No number crosses a roof or another number.
void draw_numbers(Svg& svg, const PlotFrame& frame, const RooflineFigure& figure,
                  const std::vector<const RooflineMark*>& by_size) {
  const auto center = [&](const RooflineMark& mark) {
    return Pixel{place(frame.x, mark.intensity), place(frame.y, mark.tflops)};
  };
  constexpr double bold = 1.12;  // width of bold digits and blanks relative to text_width()
  std::vector<Box> taken = roof_boxes(frame, figure);
  for (const RooflineMark* mark : by_size) {
    const Pixel at = center(*mark);
    const double r = radius(mark->area);
    taken.push_back({at.x - r, at.x + r, at.y - r, at.y + r});
  }
  const std::size_t count = std::min(by_size.size(), max_numbers);
  std::vector<bool> is_done(count, false);
  std::vector<Box> numbers;
  for (std::size_t i = 0; i < count; ++i) {
    if (is_done[i]) continue;
    const Pixel at = center(*by_size[i]);
    const double r = radius(by_size[i]->area);
    std::string text;
    for (std::size_t k = i; k < count; ++k) {
      const Pixel other = center(*by_size[k]);
      if (is_done[k] || std::hypot(other.x - at.x, other.y - at.y) > std::max(r, 8.0)) continue;
      is_done[k] = true;
      text += fmt::format("{}{}", text.empty() ? "" : " ", k + 1);
    }
    const double wide = bold * text_width(text, 11);
    const auto box_at = [&](const Pixel& spot) {
      return Box{spot.x - 3, spot.x + wide + 3, spot.y - 10, spot.y + 3};
    };
    const std::vector<Pixel> spots = spots_around(at, r, wide);
    const auto leader_boxes = [&](const Box& box) {
      const std::optional<Segment> line = leader(at, r, box);
      return line ? boxes_along(*line, 1) : std::vector<Box>();
    };
    const auto spot = std::find_if(spots.begin(), spots.end(), [&](const Pixel& each) {
      const Box box = box_at(each);
      const std::vector<Box> line = leader_boxes(box);
      if (std::any_of(line.begin(), line.end(), [&](const Box& part) { return !is_free(part, numbers); }))
        return false;
      const bool is_inside = box.x0 >= frame.x.from + 2 && box.x1 <= frame.x.to - 2 &&
                             box.y1 <= frame.y.from - 2 && box.y0 >= frame.y.to + 2;
      return is_inside && is_free(box, taken);
    });
    if (spot == spots.end()) continue;
    const Box box = box_at(*spot);
    if (const std::optional<Segment> line = leader(at, r, box)) svg.line(line->from, line->to, "axis");
    svg.text(*spot, text, Anchor::start, "small strong halo");
    taken.push_back(box);
    numbers.push_back(box);
    const std::vector<Box> line = leader_boxes(box);
    taken.insert(taken.end(), line.begin(), line.end());
  }
}

// What the numbers stand for, largest first.
void draw_table(Svg& svg, const std::vector<const RooflineMark*>& by_size) {
  const double right = roofline_width - 24;
  double y = roofline_top + 4;
  svg.text({table_left + 44, y}, "operation", Anchor::start, "soft small");
  svg.text({right, y}, "of the step", Anchor::end, "soft small");
  const std::size_t count = std::min(by_size.size(), max_numbers);
  double rest = 0;
  for (std::size_t i = 0; i < by_size.size(); ++i) {
    const RooflineMark& mark = *by_size[i];
    if (i >= count) {
      rest += mark.area;
      continue;
    }
    y += table_row;
    svg.text({table_left + 18, y}, fmt::format("{}", i + 1), Anchor::end, "small strong");
    svg.circle({table_left + 31, y - 4}, 5, "mark " + colour_of(mark.group), mark.hover);
    svg.text({table_left + 44, y}, mark.name, Anchor::start, "small");
    svg.text({right, y}, percent(mark.area), Anchor::end, "small");
  }
  if (by_size.size() <= count) return;
  y += table_row;
  svg.text({table_left + 44, y},
           counted(by_size.size() - count, "smaller mark without a number|smaller marks without a number"),
           Anchor::start, "soft small");
  svg.text({right, y}, percent(rest), Anchor::end, "soft small");
}

}  // namespace

std::string roofline_svg(const RooflineFigure& figure) {
  Svg svg(roofline_width, roofline_height, figure.title, figure.subtitle);
  svg.heading(figure.title, figure.subtitle, roofline_width);
  std::vector<LegendEntry> legend;
  for (std::size_t i = 0; i < figure.groups.size(); ++i) {
    const auto is_in = [i](const RooflineMark& mark) { return mark.group == i; };
    if (std::none_of(figure.marks.begin(), figure.marks.end(), is_in)) continue;
    legend.push_back({figure.groups[i], "mark " + colour_of(i), false});
  }
  legend.push_back({"roofline (data sheet)", "roof", true});
  legend.push_back({"achieved", "roof faint", true});
  draw_legend(svg, {24, 80}, roofline_width - 48, legend);

  const PlotFrame frame = frame_of(figure);
  draw_frame(svg, frame, "arithmetic intensity (FLOP per byte of DRAM traffic)", "throughput (TFLOP/s)");
  // Names over all lines.
  for (const bool labels : {false, true}) {
    for (const RoofLine& roof : figure.roofs) draw_roof(svg, frame, figure, roof, labels);
  }
  draw_ceiling_labels(svg, frame, figure);

  std::vector<const RooflineMark*> by_size;
  for (const RooflineMark& mark : figure.marks) {
    if (mark.intensity > 0 && mark.tflops > 0) by_size.push_back(&mark);
  }
  std::stable_sort(by_size.begin(), by_size.end(),
                   [](const RooflineMark* a, const RooflineMark* b) { return a->area > b->area; });
  // The small ones over the large ones, so that each can be pointed at.
  for (const RooflineMark* mark : by_size) {
    svg.circle({place(frame.x, mark->intensity), place(frame.y, mark->tflops)}, radius(mark->area),
               "mark " + colour_of(mark->group), mark->hover);
  }
  draw_numbers(svg, frame, figure, by_size);
  draw_table(svg, by_size);
  return std::move(svg).finish();
}

}  // namespace shapelint::chart
