// A run in as few bytes as say what to do, for agents and other readers with little room.
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "gpu/registry.hpp"
#include "lint/edits.hpp"
#include "lint/fix.hpp"
#include "lint/phrases.hpp"
#include "model/fields.hpp"
#include "objects/convert.hpp"
#include "objects/printed/compact.hpp"
#include "report/formats.hpp"
#include "report/items.hpp"
#include "report/style.hpp"
#include "rules/engine/points.hpp"
#include "suggest/edit/footprint.hpp"

namespace shapelint::report {

namespace {

// Shares to a thousandth, as far as any prediction goes.
double brief_share(double share) {
  constexpr double steps = 1000;
  return std::round(share * steps) / steps;
}

std::int64_t whole_number(double value) {
  return static_cast<std::int64_t>(std::llround(value));
}

// What was stated or given of how the model runs, and what a step always depends on.
std::map<std::string, api::Scalar> brief_plan(const model::Reading& reading) {
  using model::FieldId;
  std::map<std::string, api::Scalar> out;
  for (const model::FieldInfo& field : model::fields()) {
    if (field.section != "run" && field.section != "parallel") continue;
    const model::Origin::Kind origin = reading.origins[field.id].kind;
    const bool is_basic = field.id == FieldId::mode || field.id == FieldId::dtype ||
                          field.id == FieldId::micro_batch_size || field.id == FieldId::sequence_length;
    if (origin == model::Origin::Kind::unknown) continue;
    if (!is_basic && origin != model::Origin::Kind::stated && origin != model::Origin::Kind::command_line)
      continue;
    out[std::string(field.name)] = api::scalar_of(field.id, field.get(reading.setup));
  }
  return out;
}

// As `"vocab_size": [50257, 50304]`.
std::map<std::string, std::vector<api::Scalar>> brief_changes(const std::vector<rules::Change>& changes) {
  std::map<std::string, std::vector<api::Scalar>> out;
  for (const api::Change& each : api::changes_of(changes))
    out[printable(each.field)] = {each.before, each.after};
  return out;
}

objects::BriefFix brief_fix(const rules::Proposal& proposal, const lint::ModelReport& model) {
  objects::BriefFix out;
  out.changes = brief_changes(proposal.changes);
  out.implied = brief_changes(proposal.implied);
  if (!lint::edits_of(proposal, model).empty()) {
    out.applicability =
        lint::is_safe(proposal, model.reading) ? api::Applicability::safe : api::Applicability::unsafe;
  }
  return out;
}

objects::BriefFinding brief_finding(const Item& item) {
  const rules::Finding& finding = *item.finding;
  objects::BriefFinding out;
  out.id = fingerprint(item, true);
  out.code = item.code;
  out.rule = item.rule;
  out.severity = api::severity_of(finding.severity);
  out.confidence = api::confidence_of(finding.confidence);
  out.path = item.path;
  if (item.region) {
    out.line = item.region->begin.line;
    out.column = item.region->begin.column;
  }
  if (finding.blamed != model::no_field) out.field = model::info(finding.blamed).name;
  out.message = item.message;
  out.certain_to_fail = finding.certain_to_fail;
  out.gpu = finding.gpu;
  if (finding.gain != 0) {
    out.gain = brief_share(finding.gain);
    if (finding.gain_error > 0) out.gain_error = brief_share(finding.gain_error);
  }
  if (finding.gains.size() > 1) {
    for (const rules::GpuGain& each : finding.gains)
      out.by_gpu[each.gpu] = {brief_share(each.gain), brief_share(each.error)};
  }
  if (!finding.proposals.empty()) out.fix = brief_fix(finding.proposals.front(), *item.model);
  out.how = printable(finding.how);
  return out;
}

objects::BriefMemory brief_memory(const lint::ModelReport& model, const gpu::Gpu* gpu) {
  const double needed = suggest::memory_bytes(model.reading.setup);
  objects::BriefMemory out{whole_number(needed), 0, {}};
  if (gpu == nullptr || gpu::memory_gib(*gpu) <= 0) return out;
  const double usable = suggest::usable_bytes(gpu::memory_gib(*gpu), model.reading.setup);
  out.usable_bytes = whole_number(usable);
  out.fits = needed <= usable;
  return out;
}

objects::BriefModel brief_model(const lint::ModelReport& model, const lint::Report& report) {
  const model::Setup& setup = model.reading.setup;
  objects::BriefModel out;
  out.path = tidy_path(model.path);
  out.name = printable(model.reading.name);
  out.dialect = model.reading.dialect;
  out.parameters = model.result.parameters_before;
  out.complete = model.reading.complete;
  out.plan = brief_plan(model.reading);
  out.gpus_assumed = model.gpus_assumed;
  out.gpus_left_out = model.gpus_left_out;
  for (const rules::GpuReport& each : model.result.gpus) {
    objects::BriefStep step;
    step.gpu = each.gpu;
    step.step_us = whole_number(each.before.time_us);
    step.after_us = whole_number(each.after.time_us);
    step.mfu = brief_share(each.before.mfu);
    auto& rate = setup.model.conv.empty() ? step.tokens_per_s_per_gpu : step.images_per_s_per_gpu;
    rate = whole_number(rules::tokens_per_s_per_gpu(setup, each.workload, each.before));
    step.memory = brief_memory(model, gpu::find_by_id(report.gpus, each.gpu));
    out.steps.push_back(std::move(step));
  }
  return out;
}

objects::BriefProblem brief_problem(const Item& item) {
  objects::BriefProblem out;
  out.path = item.path;
  if (item.region) {
    out.line = item.region->begin.line;
    out.column = item.region->begin.column;
  }
  out.message = item.message;
  out.hint = printable(item.error->hint);
  return out;
}

bool fails(const lint::ModelReport& model) {
  const auto& findings = model.result.findings;
  return std::any_of(findings.begin(), findings.end(),
                     [&](const rules::Finding& finding) { return finding.severity >= model.fail_level; });
}

}  // namespace

std::string compact(const lint::Report& report) {
  const std::vector<Item> all = items(report, Which::for_programs);
  objects::CompactResult result;
  std::unordered_map<const rules::Finding*, const Item*> shown_items;
  for (const Item& each : all) shown_items.emplace(each.finding, &each);
  bool is_failed = false;
  Counts total;
  for (const lint::ModelReport& model : report.models) {
    result.models.push_back(brief_model(model, report));
    for (const rules::Finding& finding : model.result.findings) {
      const auto item = shown_items.find(&finding);
      if (item != shown_items.end()) result.models.back().findings.push_back(brief_finding(*item->second));
      add(finding, total);
    }
    result.counts.hidden += model.hidden.size();
    is_failed = is_failed || fails(model);
  }
  for (const Item& item : all)
    if (item.error != nullptr) result.problems.push_back(brief_problem(item));
  result.counts.error = static_cast<std::size_t>(total.errors);
  result.counts.warning = static_cast<std::size_t>(total.warnings);
  result.counts.info = static_cast<std::size_t>(total.infos);
  result.counts.suppressed = report.suppressed;
  result.counts.baselined = report.baselined;
  const objects::Status status = !result.problems.empty() ? objects::Status::failed
                                 : is_failed              ? objects::Status::findings
                                                          : objects::Status::ok;
  return objects::compact_document(status, result);
}

}  // namespace shapelint::report
