// Everything a run found, for programs.
#include "report/exchange/json.hpp"

#include <algorithm>
#include <ostream>
#include <sstream>

#include <nlohmann/json.hpp>

#include "lint/parts.hpp"
#include "lint/phrases.hpp"
#include "model/fields.hpp"
#include "model/op_names.hpp"
#include "report/capacity.hpp"
#include "report/formats.hpp"
#include "report/items.hpp"
#include "report/style.hpp"
#include "suggest/edit/footprint.hpp"
#include "text/json/write.hpp"
#include "text/source.hpp"

namespace shapelint::report {

nlohmann::ordered_json value_json(model::FieldId field, std::int64_t value) {
  if (field == model::no_field) return value;
  switch (model::info(field).type) {
    case model::FieldType::boolean:
      return value != 0;
    case model::FieldType::choice:
      return model::value_text(field, value);
    case model::FieldType::integer:
      return value;
  }
  return value;
}

namespace {

using Json = nlohmann::ordered_json;

// JSON text is UTF-8: what is not becomes U+FFFD.
Json text_of(std::string_view text) {
  return printable(text);
}

Json location(const text::SharedText& source, Span span) {
  const text::Place begin = source.places().place(span.begin);
  const text::Place end = source.places().place(span.end);
  return {{"line", begin.line},       {"column", begin.column}, {"end_line", end.line},
          {"end_column", end.column}, {"byte", span.begin},     {"end_byte", span.end}};
}

std::string_view name_of(model::Origin::Kind kind) {
  switch (kind) {
    case model::Origin::Kind::unknown:
      return "unknown";
    case model::Origin::Kind::stated:
      return "stated";
    case model::Origin::Kind::command_line:
      return "command_line";
    case model::Origin::Kind::derived:
      return "derived";
    case model::Origin::Kind::defaulted:
      return "default";
  }
  return "";
}

Json field_name(model::FieldId field) {
  return field == model::no_field ? Json() : Json(model::info(field).name);
}

Json dim(const model::Dim& each) {
  return {{"value", each.value}, {"expression", each.expression}};
}

Json dimensions(const model::Op& op) {
  if (op.kind == model::OpKind::gemm) {
    return {{"batch", dim(op.batch)}, {"m", dim(op.m)}, {"n", dim(op.n)}, {"k", dim(op.k)}};
  }
  if (op.kind == model::OpKind::attention) {
    const model::AttentionShape& shape = op.attention;
    return {{"sequences", dim(shape.sequences)},
            {"heads", dim(shape.heads)},
            {"key_value_heads", dim(shape.key_value_heads)},
            {"query_length", dim(shape.query_length)},
            {"key_length", dim(shape.key_length)},
            {"head_dim", dim(shape.head_dim)},
            {"value_head_dim", dim(shape.value_head_dim)}};
  }
  if (op.kind == model::OpKind::scan) {
    const model::AttentionShape& shape = op.attention;
    return {{"sequences", dim(shape.sequences)},       {"length", dim(shape.query_length)},
            {"key_heads", dim(shape.key_value_heads)}, {"value_heads", dim(shape.heads)},
            {"key_dim", dim(shape.head_dim)},          {"value_dim", dim(shape.value_head_dim)},
            {"chunk", dim(shape.key_length)}};
  }
  return Json::object();
}

Json operation(const model::Op& op, const cost::OpCost& cost) {
  Json out{{"name", op.name},
           {"kind", model::name(op.kind)},
           {"pass", model::name(op.pass)},
           {"dtype", name(op.dtype)},
           {"count", op.count},
           {"time_us", cost.time_us},
           {"ideal_us", cost.ideal_us},
           {"bound", name(cost.bound)},
           {"efficiency",
            {{"alignment", cost.efficiency.alignment},
             {"tile", cost.efficiency.tile},
             {"wave", cost.efficiency.wave},
             {"rest", cost.efficiency.rest}}},
           {"dimensions", dimensions(op)}};
  if (op.kind == model::OpKind::gemm) {
    out["layout"] = model::name(op.layout);
    out["tile_m"] = cost.tile_m;
    out["tile_n"] = cost.tile_n;
    out["split_k"] = cost.split_k;
    out["waves"] = cost.waves;
  }
  if (op.kind == model::OpKind::attention) {
    out["causal"] = op.attention.causal;
    if (op.attention.window > 0) out["window"] = op.attention.window;
  }
  if (op.kind == model::OpKind::elementwise || op.kind == model::OpKind::collective) out["bytes"] = op.bytes;
  if (op.kind == model::OpKind::collective) {
    out["collective"] = model::name(op.collective);
    out["ranks"] = op.ranks;
    out["overlapped"] = op.overlapped;
  }
  return out;
}

// `network`: what it counts as tokens are images.
Json totals(const cost::StepCost& step, bool network) {
  Json out{{"time_us", step.time_us},
           {"low_us", step.low_us},
           {"high_us", step.high_us},
           {"compute_us", step.compute_us},
           {"memory_us", step.memory_us},
           {"communication_us", step.communication_us},
           {"overhead_us", step.overhead_us},
           {"bubble_us", step.bubble_us},
           {"mfu", step.mfu},
           {"hfu", step.hfu},
           {"tokens_per_s", step.tokens_per_s}};
  if (network) out["images_per_s"] = step.tokens_per_s;
  return out;
}

Json changes(const std::vector<rules::Change>& list) {
  Json out = Json::array();
  for (const rules::Change& change : list) {
    out.push_back({{"field", change.key.empty() ? field_name(change.field) : Json(change.path)},
                   {"from", value_json(change.field, change.from)},
                   {"to", value_json(change.field, change.to)}});
  }
  return out;
}

Json gains(const std::vector<rules::GpuGain>& list) {
  Json out = Json::array();
  for (const rules::GpuGain& each : list) {
    out.push_back({{"gpu", each.gpu}, {"gain", each.gain}, {"gain_error", each.error}});
    if (each.step_us <= 0) continue;
    out.back()["step_us"] = each.step_us;
    out.back()["new_step_us"] = each.new_step_us;
  }
  return out;
}

Json finding_json(const rules::Finding& finding, const lint::ModelReport& model) {
  Json related = Json::array();
  for (const model::FieldId field : finding.related) related.push_back(field_name(field));
  Json proposals = Json::array();
  for (const rules::Proposal& proposal : finding.proposals) {
    proposals.push_back({{"changes", changes(proposal.changes)},
                         {"implied", changes(proposal.implied)},
                         {"gain", proposal.gain},
                         {"gain_error", proposal.gain_error},
                         {"gains", gains(proposal.gains)},
                         {"parameters_before", proposal.parameters_before},
                         {"parameters_after", proposal.parameters_after},
                         {"or_multiple_of", proposal.or_multiple_of}});
    if (proposal.memory_bytes > 0) proposals.back()["memory_bytes"] = proposal.memory_bytes;
  }
  Json assumed = Json::array();
  for (const model::FieldId field : finding.assumed) assumed.push_back(field_name(field));
  const text::SharedText* source = lint::source_of(model, finding.path);
  const bool is_stated = finding.span.end > finding.span.begin && source != nullptr;
  const std::string page = lint::rule_page(model.rule_url, finding.code, finding.rule);
  return {{"code", finding.code},
          {"rule", finding.rule},
          {"url", page.empty() ? Json() : Json(text_of(page))},
          {"severity", rules::name(finding.severity)},
          {"confidence", rules::name(finding.confidence)},
          {"gpu", finding.gpu.empty() ? Json() : Json(finding.gpu)},
          {"message", text_of(finding.message)},
          {"label", text_of(finding.label)},
          {"why", finding.why},
          {"note", text_of(lint::note_text(finding))},
          {"assumed", std::move(assumed)},
          {"how", finding.how},
          {"certain_to_fail", finding.certain_to_fail},
          {"gain", finding.gain},
          {"gain_error", finding.gain_error},
          {"gains", gains(finding.gains)},
          {"field", field_name(finding.blamed)},
          {"related", std::move(related)},
          {"key_path", text_of(finding.key_path)},
          {"path", text_of(finding.path.empty() ? model.path : finding.path)},
          {"location", is_stated ? location(*source, finding.span) : Json()},
          {"ops", finding.ops},
          {"proposals", std::move(proposals)}};
}

Json fields_json(const model::Reading& reading, const text::SharedText& source) {
  Json out = Json::object();
  for (const model::FieldInfo& info : model::fields()) {
    const model::Origin& origin = reading.origins[info.id];
    Json field{
        {"value",
         origin.kind == model::Origin::Kind::unknown ? Json() : value_json(info.id, info.get(reading.setup))},
        {"origin", name_of(origin.kind)}};
    if (!origin.note.empty()) field["note"] = text_of(origin.note);
    if (!origin.key_path.empty()) field["key_path"] = text_of(origin.key_path);
    const bool is_here = origin.kind == model::Origin::Kind::stated && origin.path == reading.path;
    if (is_here) field["location"] = location(source, origin.span);
    out[std::string(info.name)] = std::move(field);
  }
  return out;
}

// Of a model that an engine serves; null otherwise.
Json capacity_of(const lint::ModelReport& model, std::string_view gpu, const lint::Report& report) {
  const model::Setup& setup = model.reading.setup;
  const auto found = std::find_if(report.gpus.begin(), report.gpus.end(),
                                  [&](const gpu::Gpu& each) { return each.id == gpu; });
  const bool serves =
      setup.plan.mode != model::Mode::train && setup.model.conv.empty() && model.reading.complete;
  return serves && found != report.gpus.end() ? capacity_json(suggest::capacity_of(*found, setup)) : Json();
}

Json operations(const rules::GpuReport& gpu) {
  Json out = Json::array();
  for (std::size_t i = 0; i < gpu.workload.ops.size() && i < gpu.before.ops.size(); ++i)
    out.push_back(operation(gpu.workload.ops[i], gpu.before.ops[i]));
  return out;
}

Json model_json(const lint::ModelReport& model, const lint::Report& report, JsonParts parts) {
  Json findings = Json::array();
  for (const rules::Finding* finding : lint::for_programs(model))
    findings.push_back(finding_json(*finding, model));
  const bool network = !model.reading.setup.model.conv.empty();
  Json steps = Json::array();
  for (const rules::GpuReport& gpu : model.result.gpus) {
    steps.push_back({{"gpu", gpu.gpu},
                     {"tokens", gpu.workload.tokens_per_step},
                     {"model_flops", gpu.workload.model_flops},
                     {"hardware_flops", gpu.workload.hardware_flops},
                     {"before", totals(gpu.before, network)},
                     {"after", totals(gpu.after, network)},
                     {"gain", gpu.gain},
                     {"applied", changes(gpu.applied)},
                     {"left_out", changes(gpu.left_out)},
                     {"left_out_because", gpu.left_out_because},
                     {"capacity", capacity_of(model, gpu.gpu, report)}});
    if (parts.operations) steps.back()["ops"] = operations(gpu);
    if (network) steps.back()["images"] = gpu.workload.tokens_per_step;
  }
  Json out{{"path", text_of(model.path)},
           {"name", text_of(model.reading.name)},
           {"dialect", model.reading.dialect},
           {"parameters", model.result.parameters_before},
           {"memory_bytes", suggest::memory_bytes(model.reading.setup)},
           {"gpus_assumed", model.gpus_assumed},
           {"gpus_left_out", model.gpus_left_out},
           {"shape_note", model.shape_note},
           {"min_gain", model.min_gain}};
  if (parts.fields) out["fields"] = fields_json(model.reading, model.source);
  out["findings"] = std::move(findings);
  out["steps"] = std::move(steps);
  return out;
}

Json whole_json(const lint::Whole& whole, const lint::Report& report) {
  const std::vector<std::int64_t> each_gpus = lint::gpus_of_parts(whole, report);
  Json parts = Json::array();
  for (const lint::Whole::Part& part : whole.parts)
    parts.push_back({{"part", text_of(part.name)}, {"runs", part.runs}, {"gpus", each_gpus[parts.size()]}});
  Json gpus = Json::array();
  for (const lint::Whole::Time& time : whole.gpus)
    gpus.push_back({{"gpu", time.gpu}, {"time_us", time.time_us}, {"shares", time.shares}});
  return {{"path", text_of(whole.path)},
          {"parts", std::move(parts)},
          {"memory_bytes", whole.memory_bytes > 0 ? Json(whole.memory_bytes) : Json()},
          {"gpus", std::move(gpus)}};
}

Json error_json(const Error& error, const text::SharedText& source) {
  return {{"path", text_of(error.path)},
          {"message", text_of(error.message)},
          {"hint", text_of(error.hint)},
          {"location", error.span ? location(source, *error.span) : Json()}};
}

}  // namespace

namespace {

// The members of an object, without its braces and the line feeds beside them.
std::string members(const Json& object) {
  const std::string written = text::json_text(object, 2);
  return written.substr(2, written.size() - 4);
}

// Each item two levels in, as it stands in a list of the outermost object.
void write_item(const Json& item, bool is_first, std::ostream& out) {
  out << (is_first ? "\n    " : ",\n    ");
  const std::string written = text::json_text(item, 2);
  std::string_view left = written;
  for (std::size_t feed = left.find('\n'); feed != std::string_view::npos; feed = left.find('\n')) {
    out << left.substr(0, feed + 1) << "    ";
    left.remove_prefix(feed + 1);
  }
  out << left;
}

}  // namespace

void write_json(const lint::Report& report, JsonParts parts, std::ostream& out) {
  Json gpus = Json::array();
  for (const gpu::Gpu& gpu : report.gpus) {
    gpus.push_back({{"id", text_of(gpu.id)},
                    {"name", text_of(gpu.name)},
                    {"calibration", gpu.calibration.status},
                    {"usable_bytes",
                     gpu::memory_gib(gpu) > 0 ? Json(suggest::usable_bytes(gpu::memory_gib(gpu))) : Json()}});
  }
  out << "{\n"
      << members({{"format", "shapelint-report"},
                  {"version", json_version},
                  {"tool", {{"name", "shapelint"}, {"version", SHAPELINT_VERSION}}},
                  {"gpus", std::move(gpus)}})
      << ",\n  \"models\": [";
  Counts total;
  std::size_t hidden = 0;
  for (const lint::ModelReport& model : report.models) {
    write_item(model_json(model, report, parts), &model == &report.models.front(), out);
    for (const rules::Finding* finding : lint::for_programs(model)) add(*finding, total);
    if (model.hides_from_programs) hidden += model.hidden.size();
  }
  out << (report.models.empty() ? "],\n" : "\n  ],\n");
  Json wholes = Json::array();
  for (const lint::Whole& each : lint::wholes(report)) wholes.push_back(whole_json(each, report));
  Json errors = Json::array();
  for (const text::LocatedError& each : report.errors) errors.push_back(error_json(each.error, each.source));
  out << members({{"together", std::move(wholes)},
                  {"errors", std::move(errors)},
                  {"summary",
                   {{"errors", total.errors},
                    {"warnings", total.warnings},
                    {"infos", total.infos},
                    {"suppressed", report.suppressed},
                    {"baselined", report.baselined},
                    {"hidden", hidden},
                    {"not_whole", report.not_whole},
                    {"not_recognised", report.not_recognised}}}})
      << "\n}\n";
}

std::string json(const lint::Report& report, JsonParts parts) {
  std::ostringstream out;
  write_json(report, parts, out);
  return std::move(out).str();
}

std::string json_lines(const lint::Report& report) {
  std::string out;
  for (const Item& item : items(report, Which::for_programs)) {
    Json line{{"type", item.finding != nullptr ? "finding" : "error"}, {"path", item.path}};
    line.update(item.finding != nullptr ? finding_json(*item.finding, *item.model)
                                        : error_json(*item.error, item.source));
    line["path"] = item.path;
    out += text::json_text(line, -1) + '\n';
  }
  return out;
}

}  // namespace shapelint::report
