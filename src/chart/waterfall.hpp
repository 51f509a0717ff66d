// The waterfall picture: what each loss adds, from the ideal to the whole.
#pragma once

#include <string>
#include <vector>

namespace shapelint::chart {

struct WaterfallBar {
  std::string label;
  double us = 0;
  std::string hover;
};

struct WaterfallFigure {
  std::string title;
  std::string subtitle;
  std::vector<WaterfallBar> bars;  // the first stands on the ground, each other one on the sum before it
  std::string total_label;
};

// Bars below a thousandth of the whole are left out.
std::string waterfall_svg(const WaterfallFigure& figure);

}  // namespace shapelint::chart
