// What a run of the linter has to tell: the input of every output format.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "gpu/gpu.hpp"
#include "model/reading.hpp"
#include "rules/lint.hpp"

namespace shapelint::report {

// One model. A file may hold several (a text and a vision part).
struct ModelReport {
  std::string path;    // of the file
  std::string source;  // its text, for snippets
  // Texts of other files that findings point into (what a configuration inherits from), by path.
  std::map<std::string, std::string> other_sources;
  model::Reading reading;
  rules::LintResult result;
  bool gpus_assumed = false;  // nobody named one
  double min_gain = 0;        // findings that save less are left out
};

// An error and the text that its place refers to.
struct ReportError {
  Error error;
  std::string source;
};

struct Report {
  std::vector<gpu::Gpu> gpus;  // all that any model was linted for
  std::vector<ModelReport> models;
  std::vector<ReportError> errors;  // of files that could not be read or understood
};

struct Counts {
  std::size_t errors = 0;
  std::size_t warnings = 0;
  std::size_t infos = 0;
};
// The text of a file that a finding of this model may point into; null when it is not at hand.
const std::string* source_of(const ModelReport& model, const std::string& path);

Counts count(const std::vector<rules::Finding>& findings);

// The value of a field as a file would state it: `32`, `true`, `bf16`.
std::string value_text(model::FieldId field, std::int64_t value);

}  // namespace shapelint::report
