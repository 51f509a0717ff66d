// From the structs of the rooms to plain ones.
#include "api/convert.hpp"

#include <fmt/format.h>

#include "base/dtype.hpp"
#include "model/shape.hpp"
#include "text/printable.hpp"
#include "text/source.hpp"

namespace shapelint::api {

namespace {

Place place_of(std::string_view source, std::int64_t offset) {
  const text::Place place = text::place_of(source, offset);
  return {place.line, place.column};
}

std::string with_place(const std::string& path, const std::optional<Range>& range) {
  if (path.empty()) return {};
  if (!range) return path + ": ";
  return fmt::format("{}:{}:{}: ", path, range->begin.line, range->begin.column);
}

// Of a file that could not be read, whatever it was read for; else `otherwise`.
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

}  // namespace

Range range_of(std::string_view source, Span span) {
  return {span.begin, span.end, place_of(source, span.begin), place_of(source, span.end)};
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
    out.peaks.push_back(
        {std::string(each.name), peak_tflops(gpu, each.dtype), on_tensor_cores(gpu, each.dtype)});
  }
  out.dram_bandwidth_gb_s = gpu.dram_bandwidth_gb_s;
  out.dram_gb = gpu.dram_size_gb;
  out.l2_mib = gpu.l2_size_mib;
  out.link_gb_s = gpu.link_gb_s;
  out.boost_clock_mhz = gpu.boost_clock_mhz;
  out.tdp_w = gpu.tdp_w;
  out.calibration = gpu.calibration.status;
  out.calibration_source = gpu.calibration.source;
  return out;
}

KernelCost kernel_of(const cost::OpCost& cost) {
  KernelCost out;
  out.time_us = cost.time_us;
  out.ideal_us = cost.ideal_us;
  out.bound = bound_of(cost.bound);
  out.compute_us = cost.compute_us;
  out.memory_us = cost.memory_us;
  out.overhead_us = cost.overhead_us;
  out.efficiency = {cost.efficiency.alignment, cost.efficiency.tile, cost.efficiency.wave,
                    cost.efficiency.rest};
  out.tile_m = cost.tile_m;
  out.tile_n = cost.tile_n;
  out.split_k = cost.split_k;
  out.waves = cost.waves;
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
  return cost::name(static_cast<cost::Bound>(bound));
}

std::string version() {
  return SHAPELINT_VERSION;
}

}  // namespace shapelint::api
