// What a run of the linter found, as plain data: the input of every output format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/gpu.hpp"
#include "lint/jobs.hpp"
#include "model/reading.hpp"
#include "rules/engine/lint.hpp"
#include "text/errors.hpp"

namespace shapelint::project {

struct Configured;

}  // namespace shapelint::project

namespace shapelint::lint {

// What a file's format calls a choice of a field; empty where it has no word for it.
struct ChoiceWord {
  model::FieldId field = model::no_field;
  std::int64_t value = 0;
  std::string text;
};

// One model. A file may hold several (a text and a vision part).
struct ModelReport {
  std::string path;         // of the file
  text::SharedText source;  // its text, for snippets
  // Texts of other files that findings point into (what a configuration inherits from), by path.
  std::map<std::string, text::SharedText> other_sources;
  model::Reading reading;
  rules::LintResult result;
  std::vector<ChoiceWord> words;                 // of what the findings propose, and of what stands there
  std::shared_ptr<const rules::RuleBook> rules;  // what the findings' views point into; may be absent
  bool gpus_assumed = false;                     // none was named
  std::vector<std::string> gpus_left_out;        // ids of those named that cannot multiply what is stored
  std::string rule_url;                          // of the rules' pages, as rule_page() takes it
  double min_gain = 0;                           // findings that save less are left out
  rules::Severity fail_level = rules::Severity::warning;
  // Of `result`, those that are not severe enough for people to be shown; whether somebody asked for that: it
  // holds for programs, too, then.
  std::vector<rules::Finding> hidden;
  bool hides_from_programs = false;
  // Where nothing says what is done with the model, and the run asks: by GPU, what could be.
  std::vector<JobPlan> jobs;
  std::vector<JobPlan> least;  // of a stated job without a layout that one GPU is too small for
  // Findings (key_in_file) whose first proposal `--fix` would make, as it was tried; nothing where none
  // tried.
  std::optional<std::set<std::string>> fixable;
  std::string shape_note;  // what of the model is taken as fixed, and why; empty: nothing
};

// What the formats that list the rules (SARIF) tell of one. Views point into the run's rule books.
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
  std::vector<text::LocatedError> errors;  // of files that could not be read or understood
  std::vector<std::string> notes;          // why files are passed over, or what was not understood
  std::vector<RuleInfo> rules;             // all that ran, by code
  std::size_t suppressed = 0;              // findings left out: a comment or the configuration says so
  std::size_t baselined = 0;               // findings left out: the baseline knows them
  // Files that a folder holds and of which nothing was checked: too little is known of the model, or it is no
  // model's configuration.
  std::size_t not_whole = 0;
  std::size_t not_recognised = 0;
};

// Models of one file that are one step together, or its plans that are one iteration
// (model::Reading::runs_in_whole).
struct CompositeModel {
  std::string path;  // of the file
  struct Part {
    std::string name;
    double runs = 1;
  };
  std::vector<Part> parts;
  struct Time {
    std::string gpu;
    double time_us = 0;          // as the file has it
    std::vector<double> shares;  // of it, by part
  };
  std::vector<Time> gpus;  // those that each of the parts was priced for
  // For parts that are models of their own, held at once; 0: plans of one model, one after the other.
  double memory_bytes = 0;
};
// In the order of the files; of a file with fewer than two such models none.
std::vector<CompositeModel> composite_models(const Report& report);

// What programs get of a model, most valuable first: also what people are not shown, unless that was
// asked for.
std::vector<const rules::Finding*> for_programs(const ModelReport& model);

// The text of a file that a finding of this model may point into; null when it is not at hand.
const text::SharedText* source_of(const ModelReport& model, const std::string& path);

// The address of a rule's page: `{code}` and `{name}` of the pattern filled in. For an empty pattern that of
// the project's own documentation, which has none of rules that are not its own: then it is empty.
std::string rule_page(std::string_view pattern, std::string_view code, std::string_view name);

// The rules that configurations let run, by code. A file's own table may leave out more, and what it adds is
// here where the report holds a finding of it. Views as in RuleInfo.
std::vector<RuleInfo> rules_of(const Report& report,
                               const std::vector<const project::Configured*>& configured);

// By part of `whole`, which is one of wholes(report).
std::vector<std::int64_t> gpus_of_parts(const CompositeModel& whole, const Report& report);

}  // namespace shapelint::lint
