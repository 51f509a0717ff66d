// Dictionaries from structs, field by field.
#include "to_python.hpp"

namespace shapelint::python {

using namespace py::literals;

namespace {

std::string_view name(api::Origin origin) {
  switch (origin) {
    case api::Origin::unknown:
      return "unknown";
    case api::Origin::stated:
      return "stated";
    case api::Origin::given:
      return "given";
    case api::Origin::derived:
      return "derived";
    case api::Origin::defaulted:
      break;
  }
  return "defaulted";
}

std::string_view name(api::FieldType type) {
  switch (type) {
    case api::FieldType::integer:
      return "integer";
    case api::FieldType::boolean:
      return "boolean";
    case api::FieldType::choice:
      break;
  }
  return "choice";
}

py::object to_python(const api::Value& value) {
  return py::dict("field"_a = value.field, "text"_a = value.text, "number"_a = value.number,
                  "origin"_a = name(value.origin), "note"_a = value.note, "path"_a = value.path,
                  "key_path"_a = value.key_path, "range"_a = python::to_python(value.range));
}

py::object to_python(const api::Performance& each) {
  return py::dict("time_us"_a = each.time_us, "mfu"_a = each.mfu, "tokens_per_s"_a = each.tokens_per_s,
                  "dollars_per_m_tokens"_a = each.dollars_per_m_tokens, "memory_gb"_a = each.memory_gb,
                  "capacity_gb"_a = each.capacity_gb);
}

py::object to_python(const api::Cause& cause) {
  return py::dict("operation"_a = cause.operation, "effect"_a = cause.effect,
                  "description"_a = cause.description, "share"_a = cause.share, "sizes"_a = cause.sizes);
}

py::object to_python(const api::SuggestionOnGpu& each) {
  py::list causes;
  for (const api::Cause& cause : each.causes) causes.append(to_python(cause));
  return py::dict("gpu"_a = each.gpu, "performance"_a = to_python(each.performance), "gain"_a = each.gain,
                  "gain_error"_a = each.gain_error, "measured"_a = each.measured,
                  "causes"_a = py::tuple(causes), "other"_a = each.other);
}

}  // namespace

py::object to_python(const api::Error& error) {
  return py::dict("code"_a = error.code, "message"_a = error.message, "hint"_a = error.hint,
                  "path"_a = error.path, "range"_a = to_python(error.range),
                  "text"_a = api::to_string(error));
}

py::object to_python(const api::Range& range) {
  return py::dict("begin_byte"_a = range.begin_byte, "end_byte"_a = range.end_byte,
                  "line"_a = range.begin.line, "column"_a = range.begin.column, "end_line"_a = range.end.line,
                  "end_column"_a = range.end.column);
}

py::object to_python(const api::Gpu& gpu) {
  py::dict tflops;
  for (const api::PeakRate& each : gpu.peaks) {
    if (each.tflops > 0) tflops[py::str(each.dtype)] = each.tflops;
  }
  return py::dict("id"_a = gpu.id, "name"_a = gpu.name, "vendor"_a = gpu.vendor,
                  "aliases"_a = texts(gpu.aliases), "architecture"_a = gpu.architecture,
                  "compute_capability"_a = gpu.compute_capability, "sm_count"_a = gpu.sm_count,
                  "peak_tflops"_a = tflops, "dram_bandwidth_gb_s"_a = gpu.dram_bandwidth_gb_s,
                  "dram_gb"_a = gpu.dram_gb, "l2_mib"_a = gpu.l2_mib, "link_gb_s"_a = gpu.link_gb_s,
                  "boost_clock_mhz"_a = gpu.boost_clock_mhz, "tdp_w"_a = gpu.tdp_w,
                  "calibration"_a = gpu.calibration, "calibration_source"_a = gpu.calibration_source);
}

py::object to_python(const api::Rule& rule) {
  py::dict parameters;
  for (const api::RuleParameter& each : rule.parameters) parameters[py::str(each.name)] = each.value;
  return py::dict("code"_a = rule.code, "name"_a = rule.name, "since"_a = rule.since,
                  "status"_a = rule.status, "severity"_a = api::name(rule.severity),
                  "confidence"_a = api::name(rule.confidence), "scope"_a = rule.scope,
                  "effect"_a = rule.effect, "summary"_a = rule.summary, "mechanism"_a = rule.mechanism,
                  "page"_a = rule.page, "sources"_a = texts(rule.sources), "parameters"_a = parameters);
}

py::object to_python(const api::Field& field) {
  return py::dict("name"_a = field.name, "section"_a = field.section, "type"_a = name(field.type),
                  "minimum"_a = field.minimum, "maximum"_a = field.maximum,
                  "choices"_a = texts(field.choices), "unit"_a = field.unit, "doc"_a = field.doc);
}

py::object to_python(const api::Note& note) {
  return py::dict("message"_a = note.message, "path"_a = note.path, "key_path"_a = note.key_path,
                  "range"_a = to_python(note.range));
}

py::object to_python(const api::Model& model) {
  py::list values;
  for (const api::Value& each : model.values) values.append(to_python(each));
  return py::dict("name"_a = model.name, "path"_a = model.path, "dialect"_a = model.dialect,
                  "type"_a = model.type, "part"_a = model.part, "complete"_a = model.complete,
                  "values"_a = py::tuple(values), "parameters"_a = model.parameters,
                  "active_parameters"_a = model.active_parameters, "notes"_a = to_python(model.notes));
}

py::object to_python(const api::Change& change) {
  return py::dict("field"_a = change.field, "before"_a = change.from, "after"_a = change.to,
                  "before_number"_a = change.from_number, "after_number"_a = change.to_number);
}

py::object to_python(const api::GpuGain& gain) {
  return py::dict("gpu"_a = gain.gpu, "gain"_a = gain.gain, "gain_error"_a = gain.error);
}

py::object to_python(const api::Edit& edit) {
  return py::dict("range"_a = to_python(edit.range), "text"_a = edit.text);
}

py::object to_python(const api::Proposal& proposal) {
  return py::dict("summary"_a = proposal.summary, "changes"_a = to_python(proposal.changes),
                  "implied"_a = to_python(proposal.implied), "gain"_a = proposal.gain,
                  "gain_error"_a = proposal.gain_error, "gains"_a = to_python(proposal.gains),
                  "parameters_before"_a = proposal.parameters_before,
                  "parameters_after"_a = proposal.parameters_after,
                  "memory_before_gb"_a = proposal.memory_before_gb,
                  "memory_after_gb"_a = proposal.memory_after_gb, "edits"_a = to_python(proposal.edits));
}

py::object to_python(const api::Finding& finding) {
  return py::dict("code"_a = finding.code, "rule"_a = finding.rule,
                  "severity"_a = api::name(finding.severity), "confidence"_a = api::name(finding.confidence),
                  "model"_a = finding.model, "gpu"_a = finding.gpu, "message"_a = finding.message,
                  "label"_a = finding.label, "why"_a = finding.why, "note"_a = finding.note,
                  "cost"_a = finding.cost, "how"_a = finding.how, "field"_a = finding.field,
                  "path"_a = finding.path, "range"_a = to_python(finding.range),
                  "use_range"_a = to_python(finding.use_range), "key_path"_a = finding.key_path,
                  "certain_to_fail"_a = finding.certain_to_fail, "gain"_a = finding.gain,
                  "gain_error"_a = finding.gain_error, "gains"_a = to_python(finding.gains),
                  "proposals"_a = to_python(finding.proposals), "operations"_a = texts(finding.operations),
                  "url"_a = finding.url, "text"_a = api::to_string(finding));
}

py::object to_python(const api::KernelCost& cost) {
  return py::dict("time_us"_a = cost.time_us, "ideal_us"_a = cost.ideal_us, "bound"_a = api::name(cost.bound),
                  "compute_us"_a = cost.compute_us, "memory_us"_a = cost.memory_us,
                  "overhead_us"_a = cost.overhead_us, "alignment"_a = cost.efficiency.alignment,
                  "tile"_a = cost.efficiency.tile, "wave"_a = cost.efficiency.wave,
                  "rest"_a = cost.efficiency.rest, "tile_m"_a = cost.tile_m, "tile_n"_a = cost.tile_n,
                  "split_k"_a = cost.split_k, "waves"_a = cost.waves);
}

py::object to_python(const api::Operation& operation) {
  py::dict sizes;
  const auto size = [&](const char* key, const api::OperationDim& dim) {
    if (!dim.expression.empty() || dim.value != 1) sizes[key] = dim.value;
  };
  size("batch", operation.batch);
  size("m", operation.m);
  size("n", operation.n);
  size("k", operation.k);
  size("sequences", operation.sequences);
  size("heads", operation.heads);
  size("key_value_heads", operation.key_value_heads);
  size("query_length", operation.query_length);
  size("key_length", operation.key_length);
  size("head_dim", operation.head_dim);
  return py::dict("name"_a = operation.name, "kind"_a = operation.kind, "pass_name"_a = operation.pass,
                  "dtype"_a = operation.dtype, "count"_a = operation.count,
                  "cost"_a = to_python(operation.cost), "total_us"_a = operation.total_us,
                  "share"_a = operation.share, "overlapped"_a = operation.overlapped, "sizes"_a = sizes,
                  "layout"_a = operation.layout, "bytes"_a = operation.bytes, "ranks"_a = operation.ranks);
}

py::object to_python(const api::Step& step) {
  return py::dict(
      "model"_a = step.model, "part"_a = step.part, "gpu"_a = step.gpu, "time_us"_a = step.time_us,
      "compute_us"_a = step.compute_us, "memory_us"_a = step.memory_us,
      "communication_us"_a = step.communication_us, "overhead_us"_a = step.overhead_us,
      "bubble_us"_a = step.bubble_us, "hidden_us"_a = step.hidden_us, "bound"_a = api::name(step.bound),
      "mfu"_a = step.mfu, "hfu"_a = step.hfu, "tokens_per_step"_a = step.tokens_per_step,
      "tokens_per_s"_a = step.tokens_per_s, "model_flops"_a = step.model_flops,
      "parameters"_a = step.parameters, "memory_bytes"_a = step.memory_bytes,
      "memory_capacity_bytes"_a = step.memory_capacity_bytes, "operations"_a = to_python(step.operations));
}

py::object to_python(const api::Improvement& improvement) {
  return py::dict("model"_a = improvement.model, "before"_a = to_python(improvement.before),
                  "after_us"_a = improvement.after_us, "gain"_a = improvement.gain,
                  "applied"_a = to_python(improvement.applied));
}

py::object to_python(const api::LintResult& result) {
  return py::dict("findings"_a = to_python(result.findings), "models"_a = to_python(result.models),
                  "steps"_a = to_python(result.steps), "gpus"_a = to_python(result.gpus),
                  "suppressed"_a = result.suppressed, "known"_a = result.known, "fails"_a = result.fails,
                  "notes"_a = texts(result.notes), "errors"_a = to_python(result.errors));
}

py::object to_python(const api::Suggestion& suggestion) {
  py::list gpus;
  for (const api::SuggestionOnGpu& each : suggestion.gpus) gpus.append(to_python(each));
  return py::dict("changes"_a = to_python(suggestion.changes), "implied"_a = to_python(suggestion.implied),
                  "parameters"_a = suggestion.parameters, "gain"_a = suggestion.gain,
                  "gain_error"_a = suggestion.gain_error, "of_best"_a = suggestion.of_best,
                  "gpus"_a = py::tuple(gpus));
}

py::object to_python(const api::SuggestResult& result) {
  py::list start;
  for (const api::Performance& each : result.start) start.append(to_python(each));
  return py::dict("model"_a = result.model, "path"_a = result.path, "shape_note"_a = result.shape_note,
                  "gpus"_a = texts(result.gpus), "start"_a = py::tuple(start),
                  "start_parameters"_a = result.start_parameters,
                  "suggestions"_a = to_python(result.suggestions), "behind_front"_a = result.behind_front,
                  "candidates"_a = result.candidates, "priced"_a = result.priced,
                  "complete"_a = result.complete, "gap"_a = result.gap);
}

}  // namespace shapelint::python
