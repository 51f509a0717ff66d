// What the linter finds.
#include <algorithm>

#include <fmt/format.h>

#include "api/load.hpp"
#include "lint/run.hpp"
#include "objects/convert.hpp"
#include "text/parse_any.hpp"
#include "text/printable.hpp"

namespace shapelint::api {

namespace {

// Texts that no model came of, and that cannot be parsed.
void add_syntax_errors(const std::vector<Source>& sources, const lint::RunOutcome& found, LintResult& out) {
  for (const Source& source : sources) {
    const auto is_of = [&](const lint::ModelReport& model) { return model.path == source.path; };
    const auto names = [&](const Error& error) { return error.path == source.path; };
    if (!source.text || std::any_of(found.report.models.begin(), found.report.models.end(), is_of) ||
        std::any_of(out.errors.begin(), out.errors.end(), names) ||
        !text::guess_syntax(source.path, *source.text)) {
      continue;
    }
    const auto parsed = text::parse_any(source.path, *source.text);
    if (!parsed) out.errors.push_back(error_of(parsed.error(), code::invalid_file, *source.text));
  }
}

}  // namespace

std::string to_string(const Finding& finding) {
  const std::string place = finding.range ? fmt::format("{}:{}:{}", finding.path, finding.range->start.line,
                                                        finding.range->start.column)
                                          : finding.path;
  return fmt::format("{}: {}: {} [{}]", place, name(finding.severity), finding.message, finding.code);
}

LintResult lint(const FileSystem& files, const std::vector<Source>& sources, const LintOptions& options) {
  LintResult out;
  const InnerFiles inner(files);
  project::Request request = request_of(options.read, options.gpus, inner, out.errors);
  if (!out.errors.empty()) return out;
  limit_proposals(request, options.shape, options.head_multiple, out.errors);
  if (!out.errors.empty()) return out;
  request.select = options.select;
  request.extend_select = options.extend_select;
  request.ignore = options.ignore;
  request.min_gain = options.min_gain;
  if (options.fail_severity) request.fail_level = static_cast<rules::Severity>(*options.fail_severity);
  if (options.min_severity) request.min_severity = static_cast<rules::Severity>(*options.min_severity);
  const project::Project project(std::move(request), inner);

  lint::RunRequest run;
  Sources texts(&inner);
  for (const Source& source : sources) {
    if (source.base) run.bases.emplace(source.path, *source.base);
    if (source.text) {
      run.texts.push_back({source.path, *source.text, options.read.assume_native});
      texts.remember(source.path, text::SharedText(*source.text));
    } else {
      run.paths.push_back(source.path);
    }
  }
  run.no_ignores = options.with_suppressed;
  run.force_exclude = options.exclude_named;
  run.allow_unrecognised = options.allow_unrecognised;
  run.keep_operations = options.with_operations;
  run.baseline.path = options.baseline;
  run.baseline.off = options.with_known;
  if (options.threads > 0) run.jobs = static_cast<std::int64_t>(options.threads);
  const lint::RunOutcome found = lint::lint_files(run, project);

  for (const text::LocatedError& each : found.refused) {
    out.errors.push_back(error_of(
        each.error, each.error.path.empty() ? code::invalid_option : code::invalid_config, each.source));
  }
  LintResult result = result_of(found.report, texts, {options.with_fields, options.with_operations});
  result.errors.insert(result.errors.begin(), out.errors.begin(), out.errors.end());
  out = std::move(result);
  if (options.expect_models) add_syntax_errors(sources, found, out);
  out.fails = found.has_findings;
  return out;
}

}  // namespace shapelint::api
