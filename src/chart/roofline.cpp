// Roofs, and a mark for each op below them.
#include "chart/roofline.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "base/number.hpp"
#include "chart/axes.hpp"
#include "chart/svg.hpp"

namespace shapelint::chart {
namespace {

constexpr double roofline_width = 860;
constexpr double roofline_height = 560;
constexpr double roofline_left = 84;
constexpr double roofline_right = 836;
constexpr double roofline_top = 104;
constexpr double roofline_bottom = 504;
constexpr double gb_s_per_tflops = 1e3;  // 1 TFLOPS at 1 FLOP/B takes 1000 GB/s
constexpr double largest_radius = 26;    // of an op that is the whole step
constexpr double smallest_radius = 3.5;  // that can still be pointed at
constexpr std::size_t most_names = 7;    // of the largest marks
constexpr std::size_t most_others = 4;   // further names where there is room beside the mark
constexpr std::size_t spots_beside = 4;  // of spots_around()

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

Frame frame_of(const RooflineFigure& figure) {
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

// Where the name of a ceiling stands, with the lines of theory and practice below it.
Box ceiling_label(const Frame& frame, const RoofLine& roof) {
  const double y = place(frame.y, roof.tflops);
  const double wide = roof.achieved ? frame.x.to - frame.x.from : text_width(roof.label, 11) + 8;
  return {frame.x.to - wide, frame.x.to, y - (roof.achieved ? 2 : 16), y + 2};
}

struct Segment {
  Pixel from;
  Pixel to;
};

// What is seen of a roof; nothing where all of it lies outside of the frame.
std::optional<Segment> seen(const Frame& frame, const RooflineFigure& figure, const RoofLine& roof) {
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

// Along a slope, ending where it meets its ceiling: marks of memory-bound ops lie further down.
struct SlopeLabel {
  Pixel end;
  double turn = 0;  // radians, clockwise
};
SlopeLabel slope_label(Pixel from, Pixel to) {
  constexpr double before_end = 12;
  constexpr double above = 5;
  const double turn = std::atan2(to.y - from.y, to.x - from.x);
  return {{to.x - before_end * std::cos(turn) + above * std::sin(turn),
           to.y - before_end * std::sin(turn) - above * std::cos(turn)},
          turn};
}

void draw_roof(Svg& svg, const Frame& frame, const RooflineFigure& figure, const RoofLine& roof,
               bool labels) {
  const std::optional<Segment> line = seen(frame, figure, roof);
  if (!line) return;
  const auto [from, to] = *line;
  if (!labels) return svg.path({from, to}, roof.achieved ? "roof faint" : "roof", roof.hover);
  if (roof.achieved) return;
  if (roof.gb_s > 0) {
    constexpr double degrees_per_radian = 180 / 3.14159265358979323846;
    const SlopeLabel label = slope_label(from, to);
    svg.text(label.end, roof.label, Anchor::end, "small halo", label.turn * degrees_per_radian);
  } else {
    svg.text({frame.x.to - 4, to.y - 5}, roof.label, Anchor::end, "small halo");
  }
}

// Where a name of that width may stand: beside its mark, then further and further away.
std::vector<Pixel> spots_around(Pixel at, double r, double wide) {
  std::vector<Pixel> spots{{at.x + r + 4, at.y + 4},
                           {at.x - r - 4 - wide, at.y + 4},
                           {at.x - wide / 2, at.y + r + 12},
                           {at.x - wide / 2, at.y - r - 5}};
  constexpr double line_height = 15;
  constexpr int most_lines = 14;
  for (int away = 1; away <= most_lines; ++away) {
    const double dy = line_height * away;
    std::vector<double> across{-wide / 2};
    // Further and further to the sides: a slanted line from there passes by the names between.
    for (const double slant : {0.0, 15.0, 30.0, 60.0, 120.0}) {
      const double aside = r + 14 + slant * away;
      across.insert(across.end(), {-wide - aside, aside});
    }
    for (const double dx : across) {
      spots.push_back({at.x + dx, at.y + 4 + dy});
      spots.push_back({at.x + dx, at.y + 4 - dy});
    }
  }
  return spots;
}

// From the edge of a mark to the nearest edge of its name; nothing where the two touch.
std::optional<Segment> leader(Pixel at, double r, const Box& name) {
  const Pixel to{std::clamp(at.x, name.x0, name.x1), std::clamp(at.y, name.y0, name.y1)};
  const double distance = std::hypot(to.x - at.x, to.y - at.y);
  constexpr double beside = 8;
  if (distance <= r + beside) return std::nullopt;
  const double share = r / distance;
  return Segment{{at.x + share * (to.x - at.x), at.y + share * (to.y - at.y)}, to};
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

// Where roofs have their names.
std::vector<Box> roof_labels(const Frame& frame, const RooflineFigure& figure) {
  std::vector<Box> out;
  for (const RoofLine& roof : figure.roofs) {
    if (roof.tflops > 0) out.push_back(ceiling_label(frame, roof));
    const std::optional<Segment> line = seen(frame, figure, roof);
    if (roof.gb_s <= 0 || roof.achieved || !line) continue;
    const SlopeLabel label = slope_label(line->from, line->to);
    const double wide = text_width(roof.label, 11);
    const Pixel begin{label.end.x - wide * std::cos(label.turn), label.end.y - wide * std::sin(label.turn)};
    constexpr double half = 6;  // of the letters' height
    const std::vector<Box> along = boxes_along({begin, label.end}, half);
    out.insert(out.end(), along.begin(), along.end());
  }
  return out;
}

// Names of the largest marks, largest first: beside them where there is room between the names and marks that
// are there, otherwise at the end of a line that crosses as few names as can be.
void draw_names(Svg& svg, const Frame& frame, const RooflineFigure& figure,
                const std::vector<const RooflineMark*>& by_size) {
  const auto center = [&](const RooflineMark& mark) {
    return Pixel{place(frame.x, mark.intensity), place(frame.y, mark.tflops)};
  };
  std::vector<Box> names = roof_labels(frame, figure);
  std::vector<Box> taken = names;
  const auto is_free = [](const Box& box, const std::vector<Box>& others) {
    return std::none_of(others.begin(), others.end(), [&](const Box& other) { return overlaps(box, other); });
  };
  for (const RooflineMark* mark : by_size) {
    const Pixel at = center(*mark);
    const double r = radius(mark->area);
    taken.push_back({at.x - r, at.x + r, at.y - r, at.y + r});
  }
  std::size_t others = 0;
  for (std::size_t i = 0; i < by_size.size() && others < most_others; ++i) {
    const Pixel at = center(*by_size[i]);
    const double r = radius(by_size[i]->area);
    const double wide = text_width(by_size[i]->name, 11);
    std::vector<Pixel> spots = spots_around(at, r, wide);
    const bool is_large = i < most_names;
    if (!is_large) spots.resize(spots_beside);
    const auto box_at = [&](const Pixel& spot) {
      return Box{spot.x, spot.x + wide, spot.y - 10, spot.y + 3};
    };
    std::erase_if(spots, [&](const Pixel& spot) {
      const Box box = box_at(spot);
      const bool is_inside = box.x0 >= frame.x.from + 2 && box.x1 <= frame.x.to - 2 &&
                             box.y1 <= frame.y.from - 2 && box.y0 >= frame.y.to + 2;
      return !is_inside || !is_free(box, taken);
    });
    if (spots.empty()) continue;
    const auto crossed = [&](const Pixel& spot) {
      const std::optional<Segment> line = leader(at, r, box_at(spot));
      if (!line) return std::ptrdiff_t{0};
      const std::vector<Box> along = boxes_along(*line, 1);
      return std::count_if(names.begin(), names.end(),
                           [&](const Box& name) { return !is_free(name, along); });
    };
    const auto spot = std::min_element(spots.begin(), spots.end(), [&](const Pixel& a, const Pixel& b) {
      return crossed(a) < crossed(b);  // the first, which is the nearest, of several
    });
    const Box box = box_at(*spot);
    if (const std::optional<Segment> line = leader(at, r, box)) {
      svg.line(line->from, line->to, "axis");
      const std::vector<Box> along = boxes_along(*line, 1);
      taken.insert(taken.end(), along.begin(), along.end());
    }
    svg.text(*spot, by_size[i]->name, Anchor::start, "small halo");
    names.push_back(box);
    taken.push_back(box);
    others += is_large ? 0 : 1;
  }
}

}  // namespace

std::string roofline_svg(const RooflineFigure& figure) {
  Svg svg(roofline_width, roofline_height, figure.title, figure.subtitle);
  svg.text({24, 30}, figure.title, Anchor::start, "title");
  svg.subtitle(figure.subtitle, roofline_width - 48);
  std::vector<LegendEntry> legend;
  for (std::size_t i = 0; i < figure.groups.size(); ++i) {
    const auto is_in = [i](const RooflineMark& mark) { return mark.group == i; };
    if (std::none_of(figure.marks.begin(), figure.marks.end(), is_in)) continue;
    legend.push_back({figure.groups[i], "mark " + colour_of(i), false});
  }
  legend.push_back({"roof of the data sheet", "roof", true});
  legend.push_back({"as achieved", "roof faint", true});
  draw_legend(svg, {24, 80}, roofline_width - 48, legend);

  const Frame frame = frame_of(figure);
  draw_frame(svg, frame, "arithmetic intensity (FLOP per byte of DRAM traffic)", "throughput (TFLOPS)");
  // Names over all lines.
  for (const bool labels : {false, true}) {
    for (const RoofLine& roof : figure.roofs) draw_roof(svg, frame, figure, roof, labels);
  }

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
  draw_names(svg, frame, figure, by_size);
  return std::move(svg).finish();
}

}  // namespace shapelint::chart
