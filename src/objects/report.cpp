// What a run of the linter found as the public structs.

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "gpu/registry.hpp"
#include "lint/edits.hpp"
#include "lint/fix.hpp"
#include "lint/phrases.hpp"
#include "lint/report.hpp"
#include "lint/step_state.hpp"
#include "model/fields.hpp"
#include "objects/convert.hpp"
#include "suggest/edit/change.hpp"
#include "suggest/edit/footprint.hpp"
#include "text/printable.hpp"

namespace shapelint::api {

namespace {

std::vector<GpuGain> gains_of(const std::vector<rules::GpuGain>& gains) {
  std::vector<GpuGain> out;
  for (const rules::GpuGain& each : gains)
    out.push_back({each.gpu, each.gain, each.error, each.step_us, each.step_us > 0 ? each.new_step_us : 0});
  return out;
}

std::vector<std::string> names_of(const std::vector<model::FieldId>& fields) {
  std::vector<std::string> out;
  for (const model::FieldId field : fields)
    if (field != model::no_field) out.emplace_back(model::info(field).name);
  return out;
}

Proposal proposal_of(const rules::Proposal& proposal, const lint::ModelReport& model, bool is_here,
                     Sources& sources) {
  Proposal out;
  out.summary = text::one_line(lint::proposal_text(proposal, model.result.gpus.size()));
  out.changes = changes_of(proposal.changes);
  out.implied = changes_of(proposal.implied);
  out.gain = proposal.gain;
  out.gain_error = proposal.gain_error;
  out.by_gpu = gains_of(proposal.gains);
  out.parameters_before = proposal.parameters_before;
  out.parameters_after = proposal.parameters_after;
  out.or_multiple_of = proposal.or_multiple_of;
  if (model.reading.complete) {
    out.memory_bytes_before = memory_of(model.reading.setup, nullptr).total_bytes;
    std::vector<suggest::Change> all = proposal.changes;
    all.insert(all.end(), proposal.implied.begin(), proposal.implied.end());
    const auto after = suggest::apply(model.reading.setup, suggest::links_of(model.reading), all);
    if (after) out.memory_bytes_after = memory_of(*after, nullptr).total_bytes;
  }
  // Those of a finding in a file that this one inherits from would go into another file.
  if (!is_here) return out;
  for (lint::TextEdit& edit : lint::edits_of(proposal, model)) {
    const auto range = sources.range(model.path, edit.span);
    out.edits.push_back(
        {model.path, range ? *range : range_of(model.source, edit.span), std::move(edit.text)});
  }
  if (!out.edits.empty())
    out.applicability = lint::is_safe(proposal, model.reading) ? Applicability::safe : Applicability::unsafe;
  return out;
}

Finding finding_of(const rules::Finding& finding, const lint::ModelReport& model, const std::string& id,
                   Sources& sources) {
  Finding out;
  out.path = finding.path.empty() ? model.path : finding.path;
  out.id = fingerprint_of({tidy_path(out.path), finding.code, finding.gpu, finding.key_path,
                           sources.bytes(out.path, finding.span)});
  out.code = finding.code;
  out.rule = finding.rule;
  out.severity = severity_of(finding.severity);
  out.confidence = confidence_of(finding.confidence);
  out.model = id;
  out.gpu = finding.gpu;
  out.message = text::one_line(finding.message);
  out.label = text::one_line(finding.label);
  out.why = text::one_line(finding.why);
  out.note = text::one_line(lint::note_text(finding));
  out.cost = lint::cost_text(finding, model.result.gpus.size());
  out.how = text::one_line(finding.how);
  if (finding.blamed != model::no_field) out.field = model::info(finding.blamed).name;
  out.key_path = finding.key_path;
  out.range = sources.range(out.path, finding.span);
  out.use_range = sources.range(out.path, finding.use_span);
  out.certain_to_fail = finding.certain_to_fail;
  out.gain = finding.gain;
  out.gain_error = finding.gain_error;
  out.by_gpu = gains_of(finding.gains);
  for (const rules::Proposal& each : finding.proposals)
    out.proposals.push_back(proposal_of(each, model, out.path == model.path, sources));
  out.operations = finding.ops;
  out.related = names_of(finding.related);
  out.assumed = names_of(finding.assumed);
  out.url = lint::rule_page(model.rule_url, finding.code, finding.rule);
  return out;
}

LintedStep linted_step(const rules::GpuReport& step, const lint::ModelReport& model, const gpu::Gpu& gpu) {
  LintedStep out;
  static_cast<Step&>(out) = step_of(model.reading, gpu, step.workload, step.before);
  out.after = {step.after.time_us,
               step.after.mfu,
               step.gain,
               changes_of(step.applied),
               changes_of(step.left_out),
               text::one_line(step.left_out_because)};
  const model::Setup& setup = model.reading.setup;
  const bool serves = setup.plan.mode != model::Mode::train && setup.model.conv.empty();
  if (serves && model.reading.complete) out.capacity = capacity_of(suggest::capacity_of(gpu, setup));
  out.out_of_memory = lint::memory_state(model.reading, gpu) == lint::MemoryState::does_not_fit;
  return out;
}

Whole whole_of(const lint::CompositeModel& whole, const lint::Report& report) {
  Whole out{whole.path, {}, whole_bytes(whole.memory_bytes), {}};
  const std::vector<std::int64_t> gpus = lint::gpus_of_parts(whole, report);
  for (const lint::CompositeModel::Part& part : whole.parts)
    out.parts.push_back({part.name, part.runs, gpus[out.parts.size()]});
  for (const lint::CompositeModel::Time& time : whole.gpus)
    out.by_gpu.push_back({time.gpu, time.time_us, time.shares});
  return out;
}

// The second model of the same name in a file is called `…#2`.
std::string id_of(const lint::ModelReport& model, std::set<std::string>& taken) {
  const std::string& part = model.reading.part;
  std::string id = part.empty() ? model.path : model.path + '#' + part;
  if (taken.insert(id).second) return id;
  for (int number = 2;; ++number) {
    std::string other = fmt::format("{}#{}", id, number);
    if (taken.insert(other).second) return other;
  }
}

}  // namespace

Capacity capacity_of(const suggest::Capacity& capacity) {
  Capacity out;
  out.budget_bytes = whole_bytes(capacity.budget_bytes);
  out.runtime_bytes = whole_bytes(capacity.runtime_bytes);
  out.longest_sequence = capacity.longest;
  out.weights_known = capacity.is_known;
  if (!capacity.is_known) return out;
  out.kv_cache_bytes = whole_bytes(capacity.cache_bytes);
  out.kv_cache_tokens = capacity.tokens;
  out.concurrent_requests = capacity.requests;
  out.largest_sequence = capacity.largest;
  out.starts = !suggest::lacks_cache(capacity);
  return out;
}

std::vector<Finding> findings_of(const lint::ModelReport& model, const std::string& id, Sources& sources) {
  sources.remember(model.path, model.source);
  for (const auto& [path, text] : model.other_sources) sources.remember(path, text);
  std::vector<Finding> out;
  for (const rules::Finding* finding : lint::for_programs(model))
    out.push_back(finding_of(*finding, model, id, sources));
  return out;
}

LintResult result_of(const lint::Report& report, Sources& sources, ReportParts parts) {
  LintResult out;
  for (const gpu::Gpu& gpu : report.gpus) out.gpus.push_back(gpu_of(gpu));
  std::set<std::string> taken;
  for (const lint::ModelReport& model : report.models) {
    const std::string id = id_of(model, taken);
    const std::string left_out = lint::left_out_text(model.gpus_left_out, model.reading.setup.plan.dtype);
    if (!left_out.empty()) out.notes.push_back(text::one_line(fmt::format("{}: {}", model.path, left_out)));
    for (Finding& finding : findings_of(model, id, sources)) {
      const Severity severity = finding.severity;
      ++(severity == Severity::error     ? out.counts.error
         : severity == Severity::warning ? out.counts.warning
                                         : out.counts.info);
      out.findings.push_back(std::move(finding));
    }
    out.models.emplace_back();
    static_cast<Model&>(out.models.back()) = model_of(model.reading, sources, parts.fields);
    out.models.back().id = id;
    out.models.back().path = model.path;
    out.models.back().gpus_assumed = model.gpus_assumed;
    out.models.back().gpus_left_out = model.gpus_left_out;
    out.models.back().shape_note = model.shape_note;
    out.models.back().min_gain = model.min_gain;
    for (const rules::GpuReport& step : model.result.gpus) {
      const gpu::Gpu* gpu = gpu::find_by_id(report.gpus, step.gpu);
      if (gpu == nullptr) continue;
      out.steps.push_back(linted_step(step, model, *gpu));
      out.steps.back().model = id;
      if (!parts.operations) out.steps.back().operations.clear();
    }
    const auto fails = [&](const rules::Finding& each) { return each.severity >= model.fail_level; };
    const auto& findings = model.result.findings;
    out.fails = out.fails || std::any_of(findings.begin(), findings.end(), fails);
    if (model.hides_from_programs) out.counts.hidden += model.hidden.size();
  }
  for (const std::string& note : report.notes) out.notes.push_back(text::one_line(note));
  for (const lint::CompositeModel& each : lint::composite_models(report))
    out.together.push_back(whole_of(each, report));
  for (const text::LocatedError& each : report.errors)
    out.errors.push_back(error_of(each.error, code::invalid_file, each.source));
  out.counts.suppressed = report.suppressed;
  out.counts.baselined = report.baselined;
  out.counts.not_whole = report.not_whole;
  out.counts.not_recognised = report.not_recognised;
  return out;
}

}  // namespace shapelint::api
