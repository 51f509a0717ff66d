// One file from its text to its findings: a pure function of the text, the command line and the
// configuration.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "project/setup.hpp"
#include "report/report.hpp"

namespace shapelint::cli {

struct FileOutcome {
  std::vector<report::ModelReport> models;
  std::vector<report::ReportError> errors;
  std::vector<std::string> notes;  // "PATH: why it is passed over, or what was not understood"
  std::vector<gpu::Gpu> gpus;
  std::size_t suppressed = 0;
  rules::Severity fail_level = rules::Severity::warning;
};

// `assume_native`: a text of no known dialect is read as a native file. Several files may be linted at once.
FileOutcome lint_text(const LintOptions& options, const LintSetup& setup, const std::string& path,
                      const std::string& source, bool assume_native, const text::FileSystem& files);

}  // namespace shapelint::cli
