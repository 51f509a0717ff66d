// The first fix of a finding in a text, as a line.
#pragma once

#include <string>

#include <fmt/format.h>

#include "lint/edits.hpp"
#include "lint/fix.hpp"
#include "lint/phrases.hpp"
#include "lint/run.hpp"

namespace shapelint::tests {

// What `say` makes of the first finding of this code and its model; "nothing" where there is none.
template <class Say>
std::string of_finding(const std::string& path, const std::string& text, const std::string& code,
                       const std::string& gpu, const Say& say) {
  text::MemoryFileSystem files;
  files.files[path] = text;
  project::Request request;
  request.gpus.names = {gpu};
  request.min_severity = rules::Severity::info;
  request.select = {code};
  lint::RunRequest run;
  run.paths = {path};
  const project::Project project(request, files);
  const lint::RunOutcome out = lint::lint_files(run, project);
  for (const lint::ModelReport& model : out.report.models) {
    for (const rules::Finding& finding : model.result.findings)
      if (finding.code == code) return say(finding, model);
  }
  return "nothing";
}

// "tensor 4 → 2: `model_parallel_size: 2`, safe"
inline std::string first_fix(const std::string& path, const std::string& text, const std::string& code,
                             const std::string& gpu = "h100") {
  const auto say = [](const rules::Finding& finding, const lint::ModelReport& model) {
    if (finding.proposals.empty()) return "no fix of " + std::string(lint::field_name(finding.blamed));
    const rules::Proposal& first = finding.proposals.front();
    const bool can_write = !lint::edits_of(first, model).empty();
    return fmt::format("{}: {}, {}", lint::changes_text(first.changes), lint::written(finding, 0, model).text,
                       !can_write                            ? "by hand"
                       : lint::is_safe(first, model.reading) ? "safe"
                                                             : "unsafe");
  };
  return of_finding(path, text, code, gpu, say);
}

// What stands under `how`.
inline std::string how_of_first(const std::string& path, const std::string& text, const std::string& code,
                                const std::string& gpu = "h100") {
  const auto say = [](const rules::Finding& finding, const lint::ModelReport&) { return finding.how; };
  return of_finding(path, text, code, gpu, say);
}

}  // namespace shapelint::tests
