// The interactive report: one HTML file that needs nothing else, and no network.
#pragma once

#include <string>

#include "report/report.hpp"
#include "report/roofline/roofline.hpp"

namespace shapelint::chart {

// Whether the build had the libraries that make the page interactive; without them it shows still pictures of
// the first case, and carries the specifications and the data all the same.
bool has_interactive_charts();

// `roofline` holds at least one case; `lint` the findings of the same files for the same GPUs.
std::string page(const report::RooflineReport& roofline, const lint::Report& lint);

}  // namespace shapelint::chart
