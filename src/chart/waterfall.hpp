// The waterfall picture: what each loss adds, from the ideal to the whole.
#pragma once

#include <string>
#include <vector>

namespace shapelint::chart {

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
  double hidden_us = 0;             // overlapped communication: a row beside the sum
};

// Bars below a thousandth of the whole are left out.
std::string waterfall_svg(const WaterfallFigure& figure);

}  // namespace shapelint::chart
