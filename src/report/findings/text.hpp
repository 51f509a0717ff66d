// Findings for people, in the manner of rustc.
#pragma once

#include <string>

#include "report/report.hpp"
#include "report/style.hpp"

namespace shapelint::report {

// Every finding with its source line, then a closing line per model and one for the run. `quiet` leaves the
// closing lines out, and so prints nothing when there is no finding.
std::string text(const lint::Report& report, const Style& style, bool quiet = false);

// One finding of a model.
std::string text(const rules::Finding& finding, const lint::ModelReport& model, const Style& style);

}  // namespace shapelint::report
