// From predictions to figures.
#pragma once

#include "chart/roofline.hpp"
#include "chart/waterfall.hpp"
#include "report/roofline/roofline.hpp"

namespace shapelint::chart {

RooflineFigure roofline_figure(const report::RooflineCase& of);
WaterfallFigure waterfall_figure(const report::RooflineCase& of);

}  // namespace shapelint::chart
