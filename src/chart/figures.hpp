// Figures, from predictions to SVG: the roofline, the waterfall of losses, and the sawtooth of a swept
// dimension.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/roofline/roofline.hpp"

namespace shapelint::chart {

// The roofline: throughput against arithmetic intensity, both logarithmic.

struct RoofLine {
  std::string label;
  double gb_s = 0;    // a slope, or
  double tflops = 0;  // a ceiling
  bool achieved = false;
  std::string hover;
};

// An op: `area` is its share of the step, which the area of its mark shows.
struct RooflineMark {
  std::string name;
  std::string hover;
  double intensity = 0;  // FLOP/B
  double tflops = 0;
  double area = 0;
  std::size_t group = 0;  // index into the figure's groups, which gives its colour
};

struct RooflineFigure {
  std::string title;
  std::string subtitle;
  std::vector<RoofLine> roofs;
  std::vector<RooflineMark> marks;  // those without FLOPs are no points of a roofline and stay away
  std::vector<std::string> groups;
};

std::string roofline_svg(const RooflineFigure& figure);

// The waterfall: what each loss adds, from the ideal to the whole.

struct WaterfallBar {
  std::string label;
  double us = 0;
  std::string hover;
  std::size_t group = 0;  // index into the figure's groups, which gives its colour
};

struct WaterfallFigure {
  std::string title;
  std::string subtitle;
  std::vector<WaterfallBar> bars;  // the first stands on the ground, each other one on the sum before it
  std::string total_label;
  std::vector<std::string> groups;  // named by the legend
  double hidden_us = 0;             // overlapped communication: a row outside the sum
};

// Bars below a thousandth of the whole are left out.
std::string waterfall_svg(const WaterfallFigure& figure);

// The sawtooth: a rate against a dimension, with the edges of tiles and waves below it.

struct SawtoothPoint {
  double x = 0;
  double y = 0;
  std::string hover;
  bool fails = false;      // violates a hard rule of a framework: cannot run
  bool overflows = false;  // does not fit into the GPU's memory
};

struct SawtoothLine {
  std::string label;
  std::vector<SawtoothPoint> points;  // by x
  std::vector<double> wave_edges;     // first x of one more wave
  std::vector<double> tile_edges;     // first x of one more tile
};

struct SawtoothFigure {
  std::string title;
  std::string subtitle;
  std::string x_name;
  std::string y_name;
  std::string edges_of;  // the op whose edges are marked
  std::vector<SawtoothLine> lines;
  bool x_logarithmic = false;
  double current_x = 0;  // where the file stands; 0: nowhere
};

std::string sawtooth_svg(const SawtoothFigure& figure);

// From predictions to figures.

RooflineFigure roofline_figure(const report::RooflineCase& of);
WaterfallFigure waterfall_figure(const report::RooflineCase& of);

}  // namespace shapelint::chart
