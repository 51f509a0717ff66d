// Findings for people, in the manner of rustc.
#pragma once

#include <string>
#include <vector>

#include "report/formats.hpp"
#include "report/report.hpp"
#include "report/style.hpp"

namespace shapelint::report {

// Of one file, or where it is asked for: every finding with its source line, closing lines per model and one
// for the run. Of several files: see by_file().
std::string text(const lint::Report& report, const RenderOptions& options = {});

// One finding of a model; `verbose`: with the mechanism and every way out.
std::string text(const rules::Finding& finding, const lint::ModelReport& model, const Style& style,
                 bool verbose = false);

// The findings of several files, a few lines each, grouped by file; then how often each rule was found, and
// the files that need it most.
std::string by_file(const lint::Report& report, const RenderOptions& options);

// What is shown of a model: with `quiet`, what fails alone.
std::vector<const rules::Finding*> shown(const lint::ModelReport& model, bool quiet);

// "1 error, 2 warnings"; "nothing found".
std::string counts_text(const Counts& counts, const lint::Report& report, const Style& style);

}  // namespace shapelint::report
