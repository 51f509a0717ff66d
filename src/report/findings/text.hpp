// Findings for people, in the manner of rustc.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/formats.hpp"
#include "report/style.hpp"
#include "report/together.hpp"

namespace shapelint::report {

// Of one file, or where it is asked for: every finding with its source line, closing lines per model and one
// for the run. Of several files: see by_file().
std::string text(const lint::Report& report, const RenderOptions& options = {});

// One finding of a model; `verbose`: with the mechanism and every way out. What another's change fixes, too,
// needs no way out of its own then.
std::string text(const rules::Finding& finding, const lint::ModelReport& model, const Style& style,
                 bool verbose = false, const FindingRelation& tie = {});

// The findings of several files, a few lines each, grouped by file; then how often each rule was found, and
// the files that need it most.
std::string by_file(const lint::Report& report, const RenderOptions& options);

// What is shown of a model: with `quiet`, what fails alone. What rests on an assumed number of tokens is
// folded into one line unless `verbose`.
// What is reported with another model of the file is left out.
struct Shown {
  std::vector<const rules::Finding*> in_full;
  std::vector<const rules::Finding*> folded;
};
Shown shown(const lint::ModelReport& model, const DuplicateFindings& duplicates,
            const RenderOptions& options);
std::string folded(const std::vector<const rules::Finding*>& findings, const lint::ModelReport& model,
                   const Style& style);

// What holds for the run as a whole, and what was left out. `is_several`: no model has closing lines.
std::string last_lines(const lint::Report& report, bool is_several, const Style& style);

// "1 error, 2 warnings"; "nothing found", or "no error or warning" where of some of the models lesser ones
// are not shown.
std::string counts_text(const Counts& counts, const lint::Report& report,
                        std::span<const lint::ModelReport> models, const Style& style);

}  // namespace shapelint::report
