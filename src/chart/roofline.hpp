// The roofline picture: throughput against arithmetic intensity, both logarithmic.
#pragma once

#include <string>
#include <vector>

namespace shapelint::chart {

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

}  // namespace shapelint::chart
