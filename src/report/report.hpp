// What a run of the linter has to tell: the input of every output format.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "gpu/gpu.hpp"
#include "model/reading.hpp"
#include "rules/engine/lint.hpp"

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
  std::string rule_url;       // of the rules' pages, as rule_page() takes it; empty: there are none
  double min_gain = 0;        // findings that save less are left out
};

// An error and the text that its place refers to.
struct ReportError {
  Error error;
  std::string source;
};

// What the formats that list the rules (SARIF) tell of one. Views point into the run's rule book.
struct RuleInfo {
  std::string_view code;
  std::string_view name;
  std::string_view summary;    // one line
  std::string_view mechanism;  // one or two sentences
  std::string_view why;        // the page of `shapelint explain`
  std::vector<std::string_view> sources;
  std::string url;  // of its page; empty: there is none
  rules::Severity severity = rules::Severity::warning;
  rules::Confidence confidence = rules::Confidence::estimated;
};

struct Report {
  std::vector<gpu::Gpu> gpus;  // all that any model was linted for
  std::vector<ModelReport> models;
  std::vector<ReportError> errors;  // of files that could not be read or understood
  std::vector<RuleInfo> rules;      // all that ran, by code
  std::size_t suppressed = 0;       // findings left out: a comment or the configuration says so
  std::size_t baselined = 0;        // findings left out: the baseline knows them
};

struct Counts {
  std::size_t errors = 0;
  std::size_t warnings = 0;
  std::size_t infos = 0;
};
// The text of a file that a finding of this model may point into; null when it is not at hand.
const std::string* source_of(const ModelReport& model, const std::string& path);

Counts count(const std::vector<rules::Finding>& findings);

// The address of a rule's page: `{code}` and `{name}` of the pattern filled in; empty for an empty pattern.
std::string rule_page(std::string_view pattern, std::string_view code, std::string_view name);

// The value of a field as a file would state it: `32`, `true`, `bf16`.
std::string value_text(model::FieldId field, std::int64_t value);

}  // namespace shapelint::report
