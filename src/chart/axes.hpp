// Scales, their ticks, and the frame that a plot is drawn into.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "chart/svg.hpp"

namespace shapelint::chart {

struct Scale {
  double low = 0;  // value at `from`; positive where logarithmic
  double high = 1;
  double from = 0;  // pixels
  double to = 1;
  bool logarithmic = false;
};

// Pixel of a value; values outside lie outside.
double place(const Scale& scale, double value);

// A scale whose ends are round numbers around the values: steps of 1, 2 or 5 times a power of ten.
Scale round_scale(double low, double high, bool logarithmic, double from, double to);

// Round values within the scale, `about` as many: where it is logarithmic 1, 10, 100 …, with 2 and 5 between
// where they fit.
std::vector<double> ticks(const Scale& scale, int about);

// "0.5", "250", "10,000", "2 M": short, for an axis.
std::string tick_label(double value);

struct PlotFrame {
  Scale x;
  Scale y;
};

// Grid, ticks and names of both axes. `x_ticks` are used where given.
void draw_frame(Svg& svg, const PlotFrame& frame, std::string_view x_name, std::string_view y_name,
                const std::vector<double>& x_ticks = {});

// Grid, ticks and name of a horizontal axis under bars, from `top` to `bottom`.
void draw_bar_axis(Svg& svg, const Scale& x, double top, double bottom, int about, std::string_view name);

struct LegendEntry {
  std::string label;
  std::string classes;  // of a line, or of a circle
  bool is_line = true;
};
// One row of entries from the left, more rows where they do not fit; returns the height that it takes.
double draw_legend(Svg& svg, Pixel at, double width, const std::vector<LegendEntry>& entries);

// Places that are taken, so that names do not cover each other.
struct Box {
  double x0 = 0;
  double x1 = 0;
  double y0 = 0;
  double y1 = 0;
};
bool overlaps(const Box& a, const Box& b);

}  // namespace shapelint::chart
