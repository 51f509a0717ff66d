// What the linter finds.
#include <algorithm>

#include <fmt/format.h>

#include "api/convert.hpp"
#include "api/load.hpp"
#include "api/step.hpp"
#include "base/units.hpp"
#include "lint/edits.hpp"
#include "lint/phrases.hpp"
#include "lint/run.hpp"
#include "model/fields.hpp"
#include "suggest/edit/change.hpp"
#include "suggest/edit/footprint.hpp"
#include "text/parse_any.hpp"
#include "text/printable.hpp"

namespace shapelint::api {

namespace {

std::vector<GpuGain> gains_of(const std::vector<rules::GpuGain>& gains) {
  std::vector<GpuGain> out;
  for (const rules::GpuGain& each : gains) out.push_back({each.gpu, each.gain, each.error});
  return out;
}

Proposal proposal_of(const rules::Proposal& proposal, const lint::ModelReport& model, bool is_here) {
  Proposal out;
  out.summary = lint::proposal_text(proposal, model.result.gpus.size());
  out.changes = changes_of(proposal.changes);
  out.implied = changes_of(proposal.implied);
  out.gain = proposal.gain;
  out.gain_error = proposal.gain_error;
  out.gains = gains_of(proposal.gains);
  out.parameters_before = proposal.parameters_before;
  out.parameters_after = proposal.parameters_after;
  if (model.reading.complete) {
    out.memory_before_gb = known_memory_bytes(model.reading.setup) / bytes_per_gb;
    std::vector<suggest::Change> all = proposal.changes;
    all.insert(all.end(), proposal.implied.begin(), proposal.implied.end());
    const auto after = suggest::apply(model.reading.setup, suggest::links_of(model.reading), all);
    if (after) out.memory_after_gb = known_memory_bytes(*after) / bytes_per_gb;
  }
  // Those of a finding in a file that this one inherits from would go into another file.
  if (!is_here) return out;
  for (lint::TextEdit& edit : lint::edits_of(proposal, model)) {
    out.edits.push_back({range_of(model.source, edit.span), std::move(edit.text)});
  }
  return out;
}

Finding finding_of(const rules::Finding& finding, const lint::ModelReport& model, std::size_t index,
                   Sources& sources) {
  Finding out;
  out.code = finding.code;
  out.rule = finding.rule;
  out.severity = severity_of(finding.severity);
  out.confidence = confidence_of(finding.confidence);
  out.model = index;
  out.gpu = finding.gpu;
  out.message = text::one_line(finding.message);
  out.label = text::one_line(finding.label);
  out.why = text::one_line(finding.why);
  out.note = text::one_line(lint::note_text(finding));
  out.cost = lint::cost_text(finding, model.result.gpus.size());
  out.how = text::one_line(finding.how);
  if (finding.blamed != model::no_field) {
    out.field = model::info(finding.blamed).name;
  }
  out.path = finding.path.empty() ? model.path : finding.path;
  out.range = sources.range(out.path, finding.span);
  out.use_range = sources.range(out.path, finding.use_span);
  out.key_path = finding.key_path;
  out.certain_to_fail = finding.certain_to_fail;
  out.gain = finding.gain;
  out.gain_error = finding.gain_error;
  out.gains = gains_of(finding.gains);
  for (const rules::Proposal& each : finding.proposals) {
    out.proposals.push_back(proposal_of(each, model, out.path == model.path));
  }
  out.operations = finding.ops;
  out.url = lint::rule_page(model.rule_url, finding.code, finding.rule);
  return out;
}

Improvement improvement_of(const rules::GpuReport& step, const lint::ModelReport& model, std::size_t index,
                           const std::vector<gpu::Gpu>& gpus) {
  Improvement out;
  out.model = index;
  const auto gpu =
      std::find_if(gpus.begin(), gpus.end(), [&](const gpu::Gpu& each) { return each.id == step.gpu; });
  if (gpu != gpus.end()) out.before = step_of(model.reading, *gpu, step.workload, step.before);
  out.after_us = step.after.time_us;
  out.gain = step.gain;
  out.applied = changes_of(step.applied);
  return out;
}

void add_errors(const std::vector<text::LocatedError>& found, LintResult& out) {
  for (const text::LocatedError& each : found) {
    out.errors.push_back(error_of(each.error, code::invalid_file, each.source));
  }
}

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

std::vector<Change> changes_of(const std::vector<suggest::Change>& changes) {
  std::vector<Change> out;
  for (const suggest::Change& each : changes) {
    out.push_back({lint::changed_name(each), model::value_text(each.field, each.from),
                   model::value_text(each.field, each.to), each.from, each.to});
  }
  return out;
}

std::string to_string(const Finding& finding) {
  const std::string place = finding.range ? fmt::format("{}:{}:{}", finding.path, finding.range->begin.line,
                                                        finding.range->begin.column)
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
  Sources texts(inner);
  for (const Source& source : sources) {
    if (source.base) run.bases.emplace(source.path, *source.base);
    if (source.text) {
      run.texts.push_back({source.path, *source.text, options.read.assume_native});
      texts.remember(source.path, *source.text);
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
  add_errors(found.report.errors, out);
  if (options.expect_models) add_syntax_errors(sources, found, out);
  for (const gpu::Gpu& gpu : found.report.gpus) out.gpus.push_back(gpu_of(gpu));
  for (const lint::ModelReport& model : found.report.models) {
    const std::size_t index = out.models.size();
    const std::string left_out = lint::left_out_text(model.gpus_left_out, model.reading.setup.plan.dtype);
    if (!left_out.empty()) out.notes.push_back(text::one_line(fmt::format("{}: {}", model.path, left_out)));
    texts.remember(model.path, model.source);
    out.models.push_back(model_of(model.reading, texts));
    for (const rules::Finding* finding : lint::for_programs(model)) {
      out.findings.push_back(finding_of(*finding, model, index, texts));
    }
    for (const rules::GpuReport& step : model.result.gpus) {
      out.steps.push_back(improvement_of(step, model, index, found.report.gpus));
    }
  }
  out.suppressed = found.report.suppressed;
  out.known = found.report.baselined;
  out.fails = found.has_findings;
  for (const lint::Note& note : found.notes) out.notes.push_back(text::one_line(note.text));
  return out;
}

}  // namespace shapelint::api
