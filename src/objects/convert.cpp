// From the structs of the rooms to the public ones.
#include "objects/convert.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "base/dtype.hpp"
#include "base/hash.hpp"
#include "base/strings.hpp"
#include "base/units.hpp"
#include "lint/phrases.hpp"
#include "model/fields.hpp"
#include "model/lower/lower.hpp"
#include "rules/book/docs.hpp"
#include "rules/book/rule.hpp"
#include "text/errors.hpp"
#include "text/printable.hpp"
#include "text/source.hpp"

namespace shapelint::api {

namespace {

Place place_of(std::string_view source, std::int64_t offset) {
  const text::Place place = text::place_of(source, offset);
  return {place.line, place.column, offset};
}

std::string with_place(const std::string& path, const std::optional<Range>& range) {
  if (path.empty()) return {};
  if (!range) return path + ": ";
  return fmt::format("{}:{}:{}: ", path, range->start.line, range->start.column);
}

// The code of a file that could not be read, whatever it was read for; else `otherwise`.
std::string_view code_of(ErrorCode code, std::string_view otherwise) {
  switch (code) {
    case ErrorCode::not_found:
      return code::not_found;
    case ErrorCode::too_large:
      return code::too_large;
    case ErrorCode::is_directory:
    case ErrorCode::not_readable:
    case ErrorCode::not_writable:
      return code::unreadable;
    case ErrorCode::other:
    case ErrorCode::syntax:
    case ErrorCode::unknown_name:
      break;
  }
  return otherwise;
}

Range range_in(const text::SharedText& source, Span span) {
  const text::Place start = source.places().place(span.begin);
  const text::Place end = source.places().place(span.end);
  return {{start.line, start.column, span.begin}, {end.line, end.column, span.end}};
}

}  // namespace

std::int64_t whole_bytes(double bytes) {
  return std::isfinite(bytes) ? std::llround(bytes) : 0;
}

Range range_of(std::string_view source, Span span) {
  return {place_of(source, span.begin), place_of(source, span.end)};
}

Error error_of(const shapelint::Error& error, std::string_view code, std::string_view source) {
  Error out{std::string(code_of(error.code, code)), text::one_line(error.message), text::one_line(error.hint),
            error.path};
  if (error.span && !source.empty()) out.range = range_of(source, *error.span);
  return out;
}

Error wrong(std::string message, std::string hint) {
  return {std::string(code::invalid_option), std::move(message), std::move(hint), {}};
}

std::string to_string(const Error& error) {
  return fmt::format("{}error: {}{}{}", with_place(error.path, error.range), error.message,
                     error.hint.empty() ? "" : "; ", error.hint);
}

Gpu gpu_of(const gpu::Gpu& gpu) {
  Gpu out;
  out.id = gpu.id;
  out.name = gpu.name;
  out.vendor = gpu.vendor;
  out.aliases = gpu.aliases;
  out.architecture = gpu.architecture.id;
  out.compute_capability = gpu.compute_capability;
  out.sm_count = gpu.sm_count;
  for (const DTypeInfo& each : dtypes) {
    const double peak = peak_tflops(gpu, each.dtype);
    if (peak <= 0) continue;
    out.peaks_tflops[std::string(each.name)] = peak;
    if (on_tensor_cores(gpu, each.dtype)) out.tensor_core_dtypes.emplace_back(each.name);
  }
  out.dram_gb_s = gpu.dram_bandwidth_gb_s;
  out.dram_bytes = whole_bytes(gpu::memory_bytes(gpu));
  out.l2_bytes = whole_bytes(gpu.l2_size_mib * bytes_per_mib);
  out.link_gb_s = gpu.link_gb_s;
  out.boost_clock_mhz = gpu.boost_clock_mhz;
  out.tdp_w = gpu.tdp_w;
  out.calibration = gpu.calibration.status;
  out.calibration_source = gpu.calibration.source;
  return out;
}

Rule rule_of(const rules::Rule& rule) {
  Rule out;
  out.code = rule.code;
  out.name = rule.name;
  out.since = rule.since;
  out.status = rules::name(rule.status);
  out.severity = severity_of(rules::severity_of(rule));
  out.confidence = confidence_of(rule.confidence);
  out.scope = rules::name(rule.scope);
  out.effect = rules::name(rule.effect);
  out.summary = rule.summary;
  out.mechanism = rule.mechanism;
  out.page = rules::rule_markdown(rule);
  out.sources = strings(rule.sources);
  for (const rules::Parameter& each : rule.parameters) {
    out.parameters.push_back({std::string(each.name), each.value, std::string(each.doc)});
  }
  return out;
}

KernelCost kernel_of(const cost::OpCost& cost) {
  KernelCost out;
  out.run_us = cost.time_us;
  out.ideal_us = cost.ideal_us;
  out.bound = bound_of(cost.bound);
  out.compute_us = cost.compute_us;
  out.memory_us = cost.memory_us;
  out.overhead_us = cost.overhead_us;
  out.efficiency = {cost.efficiency.alignment, cost.efficiency.tile, cost.efficiency.wave,
                    cost.efficiency.rest};
  if (cost.tile_m > 0) out.tile = Tile{cost.tile_m, cost.tile_n, cost.split_k, cost.waves};
  return out;
}

// Both sides list them in the same order; a new one inside fails to compile here (-Wswitch).
Severity severity_of(rules::Severity severity) {
  switch (severity) {
    case rules::Severity::info:
      return Severity::info;
    case rules::Severity::warning:
      return Severity::warning;
    case rules::Severity::error:
      break;
  }
  return Severity::error;
}

Confidence confidence_of(rules::Confidence confidence) {
  switch (confidence) {
    case rules::Confidence::estimated:
      return Confidence::estimated;
    case rules::Confidence::measured:
      return Confidence::measured;
    case rules::Confidence::certain:
      break;
  }
  return Confidence::certain;
}

Bound bound_of(cost::Bound bound) {
  switch (bound) {
    case cost::Bound::compute:
      return Bound::compute;
    case cost::Bound::memory:
      return Bound::memory;
    case cost::Bound::communication:
      return Bound::communication;
    case cost::Bound::overhead:
      break;
  }
  return Bound::overhead;
}

Origin origin_of(model::Origin::Kind kind) {
  switch (kind) {
    case model::Origin::Kind::unknown:
      return Origin::unknown;
    case model::Origin::Kind::stated:
      return Origin::stated;
    case model::Origin::Kind::command_line:
      return Origin::given;
    case model::Origin::Kind::derived:
      return Origin::derived;
    case model::Origin::Kind::defaulted:
      break;
  }
  return Origin::defaulted;
}

Scalar scalar_of(model::FieldId field, std::int64_t value) {
  if (field == model::no_field) return value;
  switch (model::info(field).type) {
    case model::FieldType::boolean:
      return value != 0;
    case model::FieldType::choice:
      return std::string(model::value_text(field, value));
    case model::FieldType::integer:
      break;
  }
  return value;
}

std::vector<Change> changes_of(const std::vector<suggest::Change>& changes) {
  std::vector<Change> out;
  for (const suggest::Change& each : changes) {
    out.push_back(
        {lint::changed_name(each), scalar_of(each.field, each.from), scalar_of(each.field, each.to)});
  }
  return out;
}

std::string tidy_path(std::string_view path) {
  if (path.empty()) return {};
  return text::one_line(std::filesystem::path(path).lexically_normal().generic_string());
}

std::string fingerprint_of(std::initializer_list<std::string_view> parts) {
  Checksum hash;
  for (const std::string_view part : parts) {
    hash.add(part);
    hash.add('\0');  // parts are separated by a byte that no text of ours holds
  }
  return hash.hex();
}

const text::SharedText& Sources::text_of(const std::string& path) {
  auto found = texts_.find(path);
  if (found == texts_.end()) {
    auto content = files_ == nullptr ? shapelint::Result<std::string>(std::string())
                                     : files_->read(path, text::max_source_bytes);
    found = texts_.emplace(path, text::SharedText(content ? *std::move(content) : std::string())).first;
  }
  return found->second;
}

std::optional<Range> Sources::range(const std::string& path, Span span) {
  if (span.end <= span.begin) return std::nullopt;
  const text::SharedText& text = text_of(path);
  if (text.empty()) return std::nullopt;
  return range_in(text, span);
}

std::string_view Sources::bytes(const std::string& path, Span span) {
  if (span.end <= span.begin) return {};
  const std::string_view text = text_of(path);
  if (span.begin < 0 || span.end > static_cast<std::int64_t>(text.size())) return {};
  return text.substr(static_cast<std::size_t>(span.begin), static_cast<std::size_t>(span.end - span.begin));
}

namespace {

Value value_of(const model::Reading& reading, const model::FieldInfo& field, Sources& sources) {
  const model::Origin& origin = model::origin(reading, field.id);
  Value out;
  out.field = field.name;
  out.origin = origin_of(origin.kind);
  out.note = origin.note;
  if (origin.kind == model::Origin::Kind::unknown) return out;
  out.value = scalar_of(field.id, field.get(reading.setup));
  if (origin.kind != model::Origin::Kind::stated) return out;
  out.path = origin.path;
  out.key_path = origin.key_path;
  out.range = sources.range(origin.path, origin.span);
  out.key_range = sources.range(origin.path, origin.key_span);
  return out;
}

}  // namespace

std::vector<Note> notes_of(const std::vector<model::Note>& notes, Sources& sources) {
  std::vector<Note> out;
  for (const model::Note& note : notes) {
    out.push_back(
        {text::one_line(note.message), note.path, note.key_path, sources.range(note.path, note.span)});
  }
  return out;
}

Model model_of(const model::Reading& reading, Sources& sources, bool with_fields) {
  Model out;
  out.id = reading.part.empty() ? reading.path : reading.path + '#' + reading.part;
  out.name = reading.name;
  out.path = reading.path;
  out.dialect = reading.dialect;
  out.type = reading.model_type;
  out.part = reading.part;
  out.complete = reading.complete;
  if (with_fields) {
    for (const model::FieldInfo& field : model::fields())
      out.values.push_back(value_of(reading, field, sources));
  }
  if (reading.complete) {
    out.parameters = model::parameter_count(reading.setup);
    out.active_parameters = model::active_parameter_count(reading.setup);
  }
  out.notes = notes_of(reading.notes, sources);
  return out;
}

std::string to_string(const Scalar& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  return std::to_string(std::get<std::int64_t>(value));
}

std::string_view name(Severity severity) {
  return rules::name(static_cast<rules::Severity>(severity));
}

std::string_view name(Confidence confidence) {
  return rules::name(static_cast<rules::Confidence>(confidence));
}

std::string_view name(Shape shape) {
  return model::shape_names.at(static_cast<std::size_t>(shape));
}

std::string_view name(Bound bound) {
  if (bound == Bound::bubble) return "bubble";
  return cost::name(static_cast<cost::Bound>(bound));
}

std::string_view name(Origin origin) {
  constexpr std::array<std::string_view, 5> names{"unknown", "stated", "given", "derived", "default"};
  return names.at(static_cast<std::size_t>(origin));
}

std::string_view name(FieldType type) {
  constexpr std::array<std::string_view, 3> names{"integer", "boolean", "choice"};
  return names.at(static_cast<std::size_t>(type));
}

std::string_view name(Applicability applicability) {
  constexpr std::array<std::string_view, 3> names{"safe", "unsafe", "manual"};
  return names.at(static_cast<std::size_t>(applicability));
}

std::string version() {
  return SHAPELINT_VERSION;
}

}  // namespace shapelint::api
