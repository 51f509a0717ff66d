// Each struct by its members; a member that is added to the library is added here.
#include "to_json.hpp"

#include <array>
#include <cmath>
#include <string_view>

namespace shapelint::wasm {

namespace {

Json plain(bool value) {
  return value;
}
Json plain(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}
template <class T>
requires std::is_integral_v<T> Json plain(T value) {
  return value;
}
Json plain(const std::string& value) {
  return value;
}
Json plain(api::Severity value) {
  return api::name(value);
}
Json plain(api::Confidence value) {
  return api::name(value);
}
Json plain(api::Bound value) {
  return api::name(value);
}
Json plain(api::Origin value) {
  constexpr std::array<std::string_view, 5> names{"unknown", "stated", "given", "derived", "defaulted"};
  return names.at(static_cast<std::size_t>(value));
}
Json plain(api::FieldType value) {
  constexpr std::array<std::string_view, 3> names{"integer", "boolean", "choice"};
  return names.at(static_cast<std::size_t>(value));
}
template <class T>
Json plain(const std::optional<T>& value);
template <class T>
Json plain(const std::vector<T>& values);

Json plain(const api::Place& of) {
  return {{"line", plain(of.line)}, {"column", plain(of.column)}};
}
Json plain(const api::Range& of) {
  return {{"begin_byte", plain(of.begin_byte)},
          {"end_byte", plain(of.end_byte)},
          {"begin", plain(of.begin)},
          {"end", plain(of.end)}};
}
Json plain(const api::Error& of) {
  return {{"code", plain(of.code)},
          {"message", plain(of.message)},
          {"hint", plain(of.hint)},
          {"path", plain(of.path)},
          {"range", plain(of.range)}};
}
Json plain(const api::GpuGain& of) {
  return {{"gpu", plain(of.gpu)}, {"gain", plain(of.gain)}, {"error", plain(of.error)}};
}
Json plain(const api::Change& of) {
  return {{"field", plain(of.field)},
          {"from", plain(of.from)},
          {"to", plain(of.to)},
          {"from_number", plain(of.from_number)},
          {"to_number", plain(of.to_number)}};
}
Json plain(const api::Edit& of) {
  return {{"range", plain(of.range)}, {"text", plain(of.text)}};
}
Json plain(const api::Proposal& of) {
  return {{"summary", plain(of.summary)},
          {"changes", plain(of.changes)},
          {"implied", plain(of.implied)},
          {"gain", plain(of.gain)},
          {"gain_error", plain(of.gain_error)},
          {"gains", plain(of.gains)},
          {"parameters_before", plain(of.parameters_before)},
          {"parameters_after", plain(of.parameters_after)},
          {"memory_before_gb", plain(of.memory_before_gb)},
          {"memory_after_gb", plain(of.memory_after_gb)},
          {"edits", plain(of.edits)}};
}
Json plain(const api::Finding& of) {
  return {{"code", plain(of.code)},
          {"rule", plain(of.rule)},
          {"severity", plain(of.severity)},
          {"confidence", plain(of.confidence)},
          {"model", plain(of.model)},
          {"gpu", plain(of.gpu)},
          {"message", plain(of.message)},
          {"label", plain(of.label)},
          {"why", plain(of.why)},
          {"note", plain(of.note)},
          {"cost", plain(of.cost)},
          {"how", plain(of.how)},
          {"field", plain(of.field)},
          {"path", plain(of.path)},
          {"range", plain(of.range)},
          {"use_range", plain(of.use_range)},
          {"key_path", plain(of.key_path)},
          {"certain_to_fail", plain(of.certain_to_fail)},
          {"gain", plain(of.gain)},
          {"gain_error", plain(of.gain_error)},
          {"gains", plain(of.gains)},
          {"proposals", plain(of.proposals)},
          {"operations", plain(of.operations)},
          {"url", plain(of.url)}};
}
Json plain(const api::Efficiency& of) {
  return {{"alignment", plain(of.alignment)},
          {"tile", plain(of.tile)},
          {"wave", plain(of.wave)},
          {"rest", plain(of.rest)}};
}
Json plain(const api::KernelCost& of) {
  return {{"time_us", plain(of.time_us)},
          {"ideal_us", plain(of.ideal_us)},
          {"bound", plain(of.bound)},
          {"compute_us", plain(of.compute_us)},
          {"memory_us", plain(of.memory_us)},
          {"overhead_us", plain(of.overhead_us)},
          {"efficiency", plain(of.efficiency)},
          {"tile_m", plain(of.tile_m)},
          {"tile_n", plain(of.tile_n)},
          {"split_k", plain(of.split_k)},
          {"waves", plain(of.waves)}};
}
Json plain(const api::OperationDim& of) {
  return {{"value", plain(of.value)}, {"expression", plain(of.expression)}};
}

// Of all that an operation may have, what its kind has.
Json plain(const api::Operation& of) {
  Json out{{"name", of.name},         {"kind", of.kind},   {"pass", of.pass},
           {"dtype", of.dtype},       {"count", of.count}, {"cost", plain(of.cost)},
           {"total_us", of.total_us}, {"share", of.share}, {"overlapped", of.overlapped}};
  const auto add = [&](const char* name, const api::OperationDim& dim) { out[name] = plain(dim); };
  if (of.kind == "gemm") {
    add("batch", of.batch);
    add("m", of.m);
    add("n", of.n);
    add("k", of.k);
    out["layout"] = of.layout;
  } else if (of.kind == "attention") {
    add("sequences", of.sequences);
    add("heads", of.heads);
    add("key_value_heads", of.key_value_heads);
    add("query_length", of.query_length);
    add("key_length", of.key_length);
    add("head_dim", of.head_dim);
    out["kernel_head_dim"] = of.kernel_head_dim;
  } else {
    out["bytes"] = plain(of.bytes);
    if (of.kind == "collective") out["ranks"] = of.ranks;
  }
  return out;
}
Json plain(const api::Step& of) {
  return {{"model", plain(of.model)},
          {"part", plain(of.part)},
          {"gpu", plain(of.gpu)},
          {"time_us", plain(of.time_us)},
          {"compute_us", plain(of.compute_us)},
          {"memory_us", plain(of.memory_us)},
          {"communication_us", plain(of.communication_us)},
          {"overhead_us", plain(of.overhead_us)},
          {"bubble_us", plain(of.bubble_us)},
          {"hidden_us", plain(of.hidden_us)},
          {"bound", plain(of.bound)},
          {"mfu", plain(of.mfu)},
          {"hfu", plain(of.hfu)},
          {"tokens_per_step", plain(of.tokens_per_step)},
          {"tokens_per_s", plain(of.tokens_per_s)},
          {"model_flops", plain(of.model_flops)},
          {"parameters", plain(of.parameters)},
          {"memory_bytes", plain(of.memory_bytes)},
          {"memory_capacity_bytes", plain(of.memory_capacity_bytes)},
          {"operations", plain(of.operations)}};
}
Json plain(const api::Improvement& of) {
  return {{"model", plain(of.model)},
          {"before", plain(of.before)},
          {"after_us", plain(of.after_us)},
          {"gain", plain(of.gain)},
          {"applied", plain(of.applied)}};
}
Json plain(const api::Value& of) {
  return {{"field", plain(of.field)},       {"text", plain(of.text)},   {"number", plain(of.number)},
          {"origin", plain(of.origin)},     {"note", plain(of.note)},   {"path", plain(of.path)},
          {"key_path", plain(of.key_path)}, {"range", plain(of.range)}, {"key_range", plain(of.key_range)}};
}
Json plain(const api::Note& of) {
  return {{"message", plain(of.message)},
          {"path", plain(of.path)},
          {"key_path", plain(of.key_path)},
          {"range", plain(of.range)}};
}
Json plain(const api::Model& of) {
  return {{"name", plain(of.name)},
          {"path", plain(of.path)},
          {"dialect", plain(of.dialect)},
          {"type", plain(of.type)},
          {"part", plain(of.part)},
          {"complete", plain(of.complete)},
          {"values", plain(of.values)},
          {"parameters", plain(of.parameters)},
          {"active_parameters", plain(of.active_parameters)},
          {"notes", plain(of.notes)}};
}
Json plain(const api::PeakRate& of) {
  return {{"dtype", plain(of.dtype)}, {"tflops", plain(of.tflops)}, {"tensor_cores", plain(of.tensor_cores)}};
}
Json plain(const api::Gpu& of) {
  return {{"id", plain(of.id)},
          {"name", plain(of.name)},
          {"vendor", plain(of.vendor)},
          {"aliases", plain(of.aliases)},
          {"architecture", plain(of.architecture)},
          {"compute_capability", plain(of.compute_capability)},
          {"sm_count", plain(of.sm_count)},
          {"peaks", plain(of.peaks)},
          {"dram_bandwidth_gb_s", plain(of.dram_bandwidth_gb_s)},
          {"dram_gb", plain(of.dram_gb)},
          {"l2_mib", plain(of.l2_mib)},
          {"link_gb_s", plain(of.link_gb_s)},
          {"boost_clock_mhz", plain(of.boost_clock_mhz)},
          {"tdp_w", plain(of.tdp_w)},
          {"calibration", plain(of.calibration)},
          {"calibration_source", plain(of.calibration_source)}};
}
Json plain(const api::RuleParameter& of) {
  return {{"name", plain(of.name)}, {"value", plain(of.value)}, {"doc", plain(of.doc)}};
}
Json plain(const api::Rule& of) {
  return {{"code", plain(of.code)},
          {"name", plain(of.name)},
          {"since", plain(of.since)},
          {"status", plain(of.status)},
          {"severity", plain(of.severity)},
          {"confidence", plain(of.confidence)},
          {"scope", plain(of.scope)},
          {"effect", plain(of.effect)},
          {"summary", plain(of.summary)},
          {"mechanism", plain(of.mechanism)},
          {"page", plain(of.page)},
          {"sources", plain(of.sources)},
          {"parameters", plain(of.parameters)}};
}
Json plain(const api::Field& of) {
  return {{"name", plain(of.name)},       {"section", plain(of.section)}, {"type", plain(of.type)},
          {"minimum", plain(of.minimum)}, {"maximum", plain(of.maximum)}, {"choices", plain(of.choices)},
          {"unit", plain(of.unit)},       {"doc", plain(of.doc)}};
}
Json plain(const api::Performance& of) {
  return {{"time_us", plain(of.time_us)},           {"mfu", plain(of.mfu)},
          {"tokens_per_s", plain(of.tokens_per_s)}, {"dollars_per_m_tokens", plain(of.dollars_per_m_tokens)},
          {"memory_gb", plain(of.memory_gb)},       {"capacity_gb", plain(of.capacity_gb)}};
}
Json plain(const api::Cause& of) {
  return {{"operation", plain(of.operation)},
          {"effect", plain(of.effect)},
          {"description", plain(of.description)},
          {"share", plain(of.share)},
          {"sizes", plain(of.sizes)}};
}
Json plain(const api::SuggestionOnGpu& of) {
  return {{"gpu", plain(of.gpu)},           {"performance", plain(of.performance)},
          {"gain", plain(of.gain)},         {"gain_error", plain(of.gain_error)},
          {"measured", plain(of.measured)}, {"causes", plain(of.causes)},
          {"other", plain(of.other)}};
}
Json plain(const api::AloneChange& of) {
  return {{"change", plain(of.change)}, {"possible", plain(of.possible)}, {"gain", plain(of.gain)}};
}
Json plain(const api::Suggestion& of) {
  return {{"changes", plain(of.changes)},
          {"implied", plain(of.implied)},
          {"parameters", plain(of.parameters)},
          {"gain", plain(of.gain)},
          {"gain_error", plain(of.gain_error)},
          {"of_best", plain(of.of_best)},
          {"gpus", plain(of.gpus)},
          {"alone", plain(of.alone)}};
}
Json plain(const api::FrontPoint& of) {
  return {{"changes", plain(of.changes)},
          {"implied", plain(of.implied)},
          {"parameters", plain(of.parameters)},
          {"speed", plain(of.speed)}};
}
Json plain(const api::Exclusion& of) {
  return {{"condition", plain(of.condition)}, {"share", plain(of.share)}};
}
Json plain(const api::SuggestResult& of) {
  return {{"model", plain(of.model)},
          {"path", plain(of.path)},
          {"shape_note", plain(of.shape_note)},
          {"gpus", plain(of.gpus)},
          {"start", plain(of.start)},
          {"start_parameters", plain(of.start_parameters)},
          {"suggestions", plain(of.suggestions)},
          {"front", plain(of.front)},
          {"behind_front", plain(of.behind_front)},
          {"candidates", plain(of.candidates)},
          {"priced", plain(of.priced)},
          {"excluded", plain(of.excluded)},
          {"exclusions", plain(of.exclusions)},
          {"complete", plain(of.complete)},
          {"gap", plain(of.gap)}};
}
Json plain(const api::LintResult& of) {
  return {
      {"findings", plain(of.findings)}, {"models", plain(of.models)},         {"steps", plain(of.steps)},
      {"gpus", plain(of.gpus)},         {"suppressed", plain(of.suppressed)}, {"known", plain(of.known)},
      {"fails", plain(of.fails)},       {"notes", plain(of.notes)},           {"errors", plain(of.errors)}};
}
Json plain(const api::ReadResult& of) {
  return {{"recognised", plain(of.recognised)},
          {"models", plain(of.models)},
          {"notes", plain(of.notes)},
          {"errors", plain(of.errors)}};
}

template <class T>
Json plain(const std::optional<T>& value) {
  return value ? plain(*value) : Json();
}

template <class T>
Json plain(const std::vector<T>& values) {
  Json list = Json::array();
  for (const T& each : values) list.push_back(plain(each));
  return list;
}

}  // namespace

Json json_of(const std::vector<api::Error>& errors) {
  return plain(errors);
}
Json json_of(const api::LintResult& result) {
  return plain(result);
}
Json json_of(const api::ReadResult& result) {
  return plain(result);
}
Json json_of(const std::vector<api::Step>& steps) {
  return plain(steps);
}
Json json_of(const api::KernelCost& cost) {
  return plain(cost);
}
Json json_of(const api::SuggestResult& result) {
  return plain(result);
}
Json json_of(const std::vector<api::Gpu>& gpus) {
  return plain(gpus);
}
Json json_of(const std::vector<api::Rule>& rules) {
  return plain(rules);
}
Json json_of(const std::vector<api::Field>& fields) {
  return plain(fields);
}

}  // namespace shapelint::wasm
