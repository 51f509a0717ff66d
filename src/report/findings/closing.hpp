// What is said of a model below its findings: the run, its step now and with fixes, and how many there are.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lint/report.hpp"
#include "report/formats.hpp"
#include "report/style.hpp"
#include "report/together.hpp"

namespace shapelint::report {

// A step on one GPU. Cells may be empty.
struct StepRow {
  std::string label;   // "now", "with SL605, SL101"; behind the GPU where there are several
  std::string step;    // "2.34 s"; "n/a until fixed: SL451" of a run that fails
  std::string mfu;     // "40.2 %"
  std::string memory;  // "37.0 of 80.0 GiB"
  std::string saving;  // "18.2 % less"
};

// All that the closing lines state, in one place.
struct Closing {
  std::string title;                  // the file, and of several models which
  Counts counts;                      // of findings, shown or reported with another model
  std::size_t fixable = 0;            // by `--fix`
  std::string told_elsewhere;         // "2 of them reported with update"
  std::string run;                    // "training step, 2.652 B parameters, fp16, …"
  std::vector<std::string> verdicts;  // what to know first: that it does not fit, what was not looked at
  std::vector<std::string> notes;     // what is assumed, or taken as fixed
  std::vector<std::string> jobs;      // of a shape without a job: what it could be used for
  std::vector<StepRow> rows;
  std::span<const lint::ModelReport> models;  // this one
};

Closing closing_of(const lint::ModelReport& model, const lint::Report& report,
                   const DuplicateFindings& duplicates);

// The same as text, ending with a line feed.
std::string closing(const Closing& closing, const lint::Report& report, const Style& style);

// "memory 56.8 of 80.0 GiB".
std::string memory_text(double needed, const gpu::Gpu& gpu);

}  // namespace shapelint::report
