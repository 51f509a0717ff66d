// A run in as few bytes as say what to do, for agents and other readers with little room:
// docs/schema/shapelint-compact.schema.json describes it.
#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "lint/edits.hpp"
#include "lint/fix.hpp"
#include "lint/phrases.hpp"
#include "model/fields.hpp"
#include "report/exchange/json.hpp"
#include "report/formats.hpp"
#include "report/items.hpp"
#include "report/style.hpp"
#include "rules/engine/points.hpp"
#include "suggest/edit/footprint.hpp"
#include "text/json/write.hpp"

namespace shapelint::report {

namespace {

using Json = nlohmann::ordered_json;

// Raised when a key changes its meaning or goes away.
constexpr int compact_version = 1;

// Shares to a thousandth, as far as any prediction goes; larger figures as whole numbers.
Json share_json(double share) {
  constexpr double steps = 1000;
  return std::round(share * steps) / steps;
}

Json whole_number(double value) {
  return static_cast<std::int64_t>(std::llround(value));
}

// What was stated or given of how the model runs, and what a step always depends on.
Json brief_plan(const model::Reading& reading) {
  using model::FieldId;
  Json out = Json::object();
  for (const model::FieldInfo& field : model::fields()) {
    if (field.section != "run" && field.section != "parallel") continue;
    const model::Origin::Kind origin = reading.origins[field.id].kind;
    const bool is_basic = field.id == FieldId::mode || field.id == FieldId::dtype ||
                          field.id == FieldId::micro_batch_size || field.id == FieldId::sequence_length;
    if (origin == model::Origin::Kind::unknown) continue;
    if (!is_basic && origin != model::Origin::Kind::stated && origin != model::Origin::Kind::command_line)
      continue;
    out[std::string(field.name)] = value_json(field.id, field.get(reading.setup));
  }
  return out;
}

// As `"vocab_size": [50257, 50304]`.
Json brief_changes(const std::vector<rules::Change>& changes) {
  Json out = Json::object();
  for (const rules::Change& change : changes)
    out[printable(lint::changed_name(change))] =
        Json::array({value_json(change.field, change.from), value_json(change.field, change.to)});
  return out;
}

Json brief_fix(const rules::Proposal& proposal, const lint::ModelReport& model) {
  Json out{{"changes", brief_changes(proposal.changes)}};
  if (!proposal.implied.empty()) out["implied"] = brief_changes(proposal.implied);
  const bool is_safe = lint::is_safe(proposal, model.reading);
  out["applicability"] = lint::edits_of(proposal, model).empty() ? "manual" : is_safe ? "safe" : "unsafe";
  return out;
}

Json brief_finding(const Item& item) {
  const rules::Finding& finding = *item.finding;
  Json out{{"id", fingerprint(item, true)},
           {"code", item.code},
           {"rule", item.rule},
           {"severity", rules::name(finding.severity)},
           {"confidence", rules::name(finding.confidence)},
           {"path", item.path}};
  if (item.region) {
    out["line"] = item.region->begin.line;
    out["column"] = item.region->begin.column;
  }
  if (finding.blamed != model::no_field) out["field"] = model::info(finding.blamed).name;
  out["message"] = item.message;
  if (finding.certain_to_fail) out["certain_to_fail"] = true;
  if (!finding.gpu.empty()) out["gpu"] = finding.gpu;
  if (finding.gain != 0) {
    out["gain"] = share_json(finding.gain);
    out["gain_error"] = finding.gain_error > 0 ? share_json(finding.gain_error) : Json();
  }
  if (finding.gains.size() > 1) {
    for (const rules::GpuGain& each : finding.gains)
      out["by_gpu"][each.gpu] = {{"gain", share_json(each.gain)},
                                 {"gain_error", each.error > 0 ? share_json(each.error) : Json()}};
  }
  if (!finding.proposals.empty()) out["fix"] = brief_fix(finding.proposals.front(), *item.model);
  if (!finding.how.empty()) out["how"] = printable(finding.how);
  return out;
}

Json brief_memory(const lint::ModelReport& model, const gpu::Gpu* gpu) {
  const double needed = suggest::memory_bytes(model.reading.setup);
  Json out{{"total_bytes", whole_number(needed)}};
  if (gpu == nullptr || gpu::memory_gib(*gpu) <= 0) return out;
  const double usable = suggest::usable_bytes(gpu::memory_gib(*gpu), model.reading.setup);
  out["usable_bytes"] = whole_number(usable);
  out["fits"] = needed <= usable;
  return out;
}

Json brief_steps(const lint::ModelReport& model, const lint::Report& report) {
  const model::Setup& setup = model.reading.setup;
  const bool network = !setup.model.conv.empty();
  Json out = Json::array();
  for (const rules::GpuReport& each : model.result.gpus) {
    const auto gpu = std::find_if(report.gpus.begin(), report.gpus.end(),
                                  [&](const gpu::Gpu& known) { return known.id == each.gpu; });
    Json step{{"gpu", each.gpu},
              {"step_us", whole_number(each.before.time_us)},
              {"after_us", whole_number(each.after.time_us)},
              {"mfu", share_json(each.before.mfu)}};
    step[network ? "images_per_s_per_gpu" : "tokens_per_s_per_gpu"] =
        whole_number(rules::tokens_per_s_per_gpu(setup, each.workload, each.before));
    step["memory"] = brief_memory(model, gpu == report.gpus.end() ? nullptr : &*gpu);
    out.push_back(std::move(step));
  }
  return out;
}

Json brief_problem(const Item& item) {
  Json out{{"path", item.path}};
  if (item.region) {
    out["line"] = item.region->begin.line;
    out["column"] = item.region->begin.column;
  }
  out["message"] = item.message;
  if (!item.error->hint.empty()) out["hint"] = printable(item.error->hint);
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
  Json models = Json::array();
  bool is_failed = false;
  std::size_t hidden = 0;
  Counts total;
  for (const lint::ModelReport& model : report.models) {
    Json findings = Json::array();
    for (const rules::Finding& finding : model.result.findings) {
      const auto item =
          std::find_if(all.begin(), all.end(), [&](const Item& each) { return each.finding == &finding; });
      if (item != all.end()) findings.push_back(brief_finding(*item));
      add(finding, total);
    }
    hidden += model.hidden.size();
    is_failed = is_failed || fails(model);
    Json out{{"path", tidy_path(model.path)},      {"name", printable(model.reading.name)},
             {"dialect", model.reading.dialect},   {"parameters", model.result.parameters_before},
             {"complete", model.reading.complete}, {"plan", brief_plan(model.reading)}};
    if (model.gpus_assumed) out["gpus_assumed"] = true;
    if (!model.gpus_left_out.empty()) out["gpus_left_out"] = model.gpus_left_out;
    out["steps"] = brief_steps(model, report);
    out["findings"] = std::move(findings);
    models.push_back(std::move(out));
  }
  Json problems = Json::array();
  for (const Item& item : all) {
    if (item.error != nullptr) problems.push_back(brief_problem(item));
  }
  const Json out{{"format", "shapelint-compact"},
                 {"version", compact_version},
                 {"tool", "shapelint " SHAPELINT_VERSION},
                 {"status", !problems.empty() ? "failed"
                            : is_failed       ? "findings"
                                              : "ok"},
                 {"models", std::move(models)},
                 {"counts",
                  {{"error", total.errors},
                   {"warning", total.warnings},
                   {"info", total.infos},
                   {"hidden", hidden},
                   {"suppressed", report.suppressed},
                   {"baselined", report.baselined}}},
                 {"problems", std::move(problems)}};
  return text::json_text(out, -1) + '\n';
}

}  // namespace shapelint::report
