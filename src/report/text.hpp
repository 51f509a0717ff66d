// Findings for people, in the manner of rustc.
#pragma once

#include <string>

#include "report/report.hpp"
#include "report/style.hpp"

namespace shapelint::report {

// Every finding with its source line, then a closing line per model and one for the run.
std::string text(const Report& report, const Style& style);

// One finding of a model.
std::string text(const rules::Finding& finding, const ModelReport& model, const Style& style);

}  // namespace shapelint::report
