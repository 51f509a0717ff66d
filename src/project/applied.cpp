// What applies to one file.
#include "project/applied.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/budget.hpp"
#include "contracts/stack.hpp"
#include "gpu/engine_memory.hpp"
#include "gpu/registry.hpp"
#include "model/derive.hpp"
#include "model/fields.hpp"
#include "project/gpus.hpp"
#include "rules/scope/memory.hpp"

namespace shapelint::project {

namespace {

constexpr double default_min_gain = 0.01;
constexpr rules::Severity default_fail_level = rules::Severity::warning;
constexpr rules::Severity default_min_severity = rules::Severity::warning;

std::vector<std::string> values_of(const std::vector<Name>& names) {
  std::vector<std::string> values;
  for (const Name& name : names) values.push_back(name.value);
  return values;
}

void append(std::vector<std::string>& to, const std::vector<std::string>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

class AppliedReader {
 public:
  AppliedReader(const Configured& configured, const std::string& path, const formats::LintOptions& stated,
                std::vector<Error>& errors)
      : configured_(configured),
        request_(*configured.request),
        file_(settings_for(configured.config, path)),
        stated_(stated),
        path_(path),
        errors_(errors) {}

  Applied read() {
    Applied out;
    select(out.rules);
    append(out.rules.ignore, values_of(file_.ignore));
    append(out.rules.ignore, checked(stated_.ignore));
    append(out.rules.ignore, request_.ignore);
    for (const SeveritySetting& each : configured_.config.severities) {
      if (!each.severity) out.rules.ignore.push_back(each.rule.value);
    }
    parameters(out.rules);
    out.rules.min_gain = request_.min_gain  ? *request_.min_gain
                         : stated_.min_gain ? stated_.min_gain->value
                                            : configured_.config.min_gain.value_or(default_min_gain);
    out.fail_level = level(request_.fail_level, stated_.fail_level, configured_.config.fail_level)
                         .value_or(default_fail_level);
    const auto least = level(request_.min_severity, stated_.min_severity, configured_.config.min_severity);
    out.min_severity_stated = least.has_value();
    // What fails a run is told.
    out.rules.shows_savings = !out.min_severity_stated;
    out.rules.min_severity = std::min(least.value_or(default_min_severity), out.fail_level);
    out.rules.doable = doable();
    out.shape = shape();
    out.stack = stack();
    gpus(out);
    return out;
  }

 private:
  std::vector<std::string> checked(const std::vector<formats::Stated<std::string>>& stated) {
    std::vector<std::string> values;
    for (const auto& each : stated) {
      values.push_back(each.value);
      if (const auto error = rules::check_selector(*configured_.rules, each.value)) {
        errors_.push_back({error->message, error->hint, path_, each.span});
      }
    }
    return values;
  }

  void select(rules::Options& out) {
    const std::vector<std::string> own = checked(stated_.select);
    std::vector<std::string> more = request_.extend_select;
    if (!request_.select.empty()) {
      out.select = request_.select;
    } else if (!own.empty()) {
      out.select = own;
    } else {
      if (configured_.config.select) out.select = values_of(*configured_.config.select);
      append(more, values_of(configured_.config.extend_select));
    }
    if (more.empty()) return;
    if (out.select.empty()) out.select.emplace_back("ALL");  // besides all the usual ones
    append(out.select, more);
  }

  // The engine takes the last of several.
  void parameters(rules::Options& out) {
    for (const ParameterSetting& each : configured_.config.parameters) {
      out.parameters.push_back({each.rule.value, each.parameter.value, each.value});
    }
    for (const formats::LintParam& each : stated_.params) {
      out.parameters.push_back({each.rule, each.name, each.value});
      if (const auto error = rules::check_parameter(*configured_.rules, each.rule, each.name)) {
        errors_.push_back({error->message, error->hint, path_, each.name_span});
      }
    }
  }

  static std::optional<rules::Severity> level(std::optional<rules::Severity> requested,
                                              const std::optional<formats::Stated<std::string>>& stated,
                                              std::optional<rules::Severity> configured) {
    if (requested) return requested;
    if (!stated) return configured;
    const auto found = std::find(levels.begin(), levels.end(), stated->value);
    return static_cast<rules::Severity>(found - levels.begin());
  }

  std::optional<rules::Shape> shape() const {
    if (request_.shape) return request_.shape;
    if (!stated_.shape) return configured_.config.shape;
    const auto found = std::find(rules::shape_names.begin(), rules::shape_names.end(), stated_.shape->value);
    return static_cast<rules::Shape>(found - rules::shape_names.begin());
  }

  std::vector<std::string> stack() {
    if (!request_.stack.empty()) return request_.stack;
    std::vector<std::string> values;
    for (const auto& each : stated_.stack) {
      values.push_back(each.value);
      if (!contracts::is_package(each.value)) continue;
      const auto found = contracts::parse_package(contracts_of(configured_), each.value);
      if (!found) errors_.push_back({found.error().message, found.error().hint, path_, each.span});
    }
    if (!stated_.stack.empty() || !configured_.config.stack) return values;
    return values_of(*configured_.config.stack);
  }

  rules::Doable doable() const {
    rules::Doable out;
    const Config& config = configured_.config;
    out.head_multiple = request_.head_multiple  ? *request_.head_multiple
                        : stated_.head_multiple ? stated_.head_multiple->value
                                                : config.head_multiple.value_or(out.head_multiple);
    return out;
  }

  void gpus(Applied& out) {
    out.gpus = configured_.named;
    out.gpus_from = GpusFrom::request;
    if (!out.gpus.empty()) return;
    out.gpus_from = GpusFrom::file;
    for (const auto& name : stated_.gpus) {
      auto found = gpu::find_gpu(name.value, configured_.profiles);
      if (found) {
        gpu::add(out.gpus, *std::move(found));
      } else {
        errors_.push_back({found.error().message, found.error().hint, path_, name.span});
      }
    }
    if (!stated_.gpus.empty()) return;
    out.gpus_from = GpusFrom::configuration;
    for (const Name& name : file_.gpus) {
      auto found = gpu::find_gpu(name.value, configured_.profiles);
      if (found) gpu::add(out.gpus, *std::move(found));
    }
    if (!out.gpus.empty()) return;
    out.gpus = assumed_gpus();
    out.gpus_from = GpusFrom::assumption;
  }

  const Configured& configured_;
  const Request& request_;
  FileSettings file_;
  const formats::LintOptions& stated_;
  const std::string& path_;
  std::vector<Error>& errors_;
};

// Inference engines unpack weights of 8 and 4 bits to bf16 where the GPU has no units for their format
// (Marlin, which vLLM and SGLang use from Ampere on).
bool can_unpack(const gpu::Gpu& gpu) {
  return gpu::on_tensor_cores(gpu, DType::bf16);
}

// Where no GPU multiplies what a checkpoint's weights are stored in, they are unpacked.
void compute_unpacked(model::Reading& reading, std::span<const gpu::Gpu> gpus) {
  using model::FieldId;
  using model::Origin;
  model::Plan& plan = reading.setup.plan;
  const DType stored = plan.dtype;
  const auto unpacks = [&](const gpu::Gpu& gpu) {
    return !gpu::can_multiply(gpu, stored) && can_unpack(gpu);
  };
  if (gpus.empty() || !stores_packed(reading) || !std::all_of(gpus.begin(), gpus.end(), unpacks)) return;
  const auto set = [&](FieldId field, std::int64_t value, std::string note) {
    if (model::is_stated(reading, field) && field != FieldId::dtype) return;
    model::set(reading.setup, field, value);
    reading.origins[field] = {};
    reading.origins[field].kind = Origin::Kind::derived;
    reading.origins[field].note = std::move(note);
  };
  constexpr double bits_per_byte = 8;
  set(FieldId::weight_bits, std::lround(bits_per_byte * bytes_of(stored)),
      fmt::format("weights are stored as {}", name(stored)));
  set(FieldId::dtype, static_cast<std::int64_t>(DType::bf16),
      fmt::format("weights of {} are unpacked: {} does not multiply it", name(stored), gpus.front().id));
}

// A busy server has as many sequences as it may, but no more than its cache has room for.
void cap_sequences(model::Reading& reading, std::span<const gpu::Gpu> gpus) {
  using model::FieldId;
  for (const gpu::Gpu& gpu : gpus) {
    const std::int64_t room = rules::resident_sequences(reading, gpu::memory_gib(gpu));
    if (room < 1 || room >= reading.setup.plan.micro_batch_size) continue;
    model::set(reading.setup, FieldId::micro_batch_size, room);
    std::string& note = reading.origins[FieldId::micro_batch_size].note;
    constexpr std::string_view capped = ", and as have room";
    note = fmt::format("{}{} in the memory of {}", note.substr(0, note.find(capped)), capped, gpu.id);
  }
}

// Whether no dialect names the engine that serves: then a stack may.
bool lacks_engine(const model::Reading& reading) {
  return reading.setup.plan.mode != model::Mode::train &&
         model::origin(reading, model::FieldId::engine).kind == model::Origin::Kind::defaulted;
}

// An engine of the stack, with the share of the memory that it takes where nobody says.
void run_on_engine(model::Reading& reading, std::span<const std::string> stack) {
  using model::FieldId;
  using model::Origin;
  if (!lacks_engine(reading)) return;
  for (const std::string& text : stack) {
    const std::string package = text.substr(0, text.find_first_of("=<>!~ "));
    const gpu::EngineMemory* engine = gpu::engine_memory_of_package(package);
    if (engine == nullptr) continue;
    const auto set = [&](FieldId field, std::int64_t value, std::string note) {
      if (value <= 0 || model::is_stated(reading, field)) return;
      model::set(reading.setup, field, value);
      reading.origins[field] = {};
      reading.origins[field].kind = Origin::Kind::derived;
      reading.origins[field].note = std::move(note);
    };
    const auto choices = model::info(FieldId::engine).choices;
    const auto found = std::find(choices.begin(), choices.end(), engine->engine);
    set(FieldId::engine, found == choices.end() ? 0 : found - choices.begin(),
        fmt::format("the stack has {}", package));
    set(FieldId::memory_percent, engine->memory_percent, fmt::format("default of {}", package));
    set(FieldId::cache_percent, engine->cache_percent, fmt::format("default of {}", package));
    return;
  }
}

}  // namespace

bool stores_packed(const model::Reading& reading) {
  return bytes_of(reading.setup.plan.dtype) < 2 && model::extra(reading, "packs_weights") > 0 &&
         model::origin(reading, model::FieldId::dtype).kind != model::Origin::Kind::command_line;
}

Error too_costly(const Budget& budget, const text::Source& source) {
  if (!source.documents) return source.documents.error();
  const std::string on = budget.spent_on();
  return Error{"it takes more to read than any configuration",
               on.empty() ? "" : fmt::format("nothing was left at `{}`", on),
               source.path,
               {},
               ErrorCode::too_large};
}

formats::ReadResult read_model(const Configured& configured, const text::Source& source,
                               const text::FileSystem& files, bool assume_native) {
  formats::ReadOptions how;
  how.overrides = settings_for(configured.config, source.path).overrides;
  for (const model::Override& value : configured.request->overrides) {
    std::erase_if(how.overrides, [&](const model::Override& other) { return other.field == value.field; });
    how.overrides.push_back(value);
  }
  how.dimensions = configured.request->dimensions;
  how.assume_native = assume_native;
  // What a caller wants to be the same everywhere does not depend on a machine's cache.
  if (!configured.request->isolated) how.model_cache = configured.request->model_cache;
  how.models = configured.models;
  // The built-in dialects are not even loaded for a file that is plainly native.
  const Budget budget;
  formats::ReadResult read;
  try {
    read = configured.dialects != nullptr ? formats::read(files, source, how, *configured.dialects)
                                          : formats::read(files, source, how);
  } catch (const Spent&) {
    read = {};
  }
  if (budget.is_spent()) {
    // What was made of the file is not all that it says.
    read.readings.clear();
    read.errors.push_back(too_costly(budget, source));
    return read;
  }
  const auto depends_on_gpu = [](const model::Reading& reading) {
    return stores_packed(reading) || rules::takes_what_fits(reading) || lacks_engine(reading);
  };
  if (std::any_of(read.readings.begin(), read.readings.end(), depends_on_gpu)) {
    std::vector<Error> told_later;
    const Applied applied = what_applies(configured, source.path, read.lint, told_later);
    for (model::Reading& reading : read.readings) {
      compute_unpacked(reading, applied.gpus);
      run_on_engine(reading, applied.stack);
      if (reading.complete) cap_sequences(reading, applied.gpus);
    }
  }
  return read;
}

Applied what_applies(const Configured& configured, const std::string& path,
                     const formats::LintOptions& stated, std::vector<Error>& errors) {
  return AppliedReader(configured, path, stated, errors).read();
}

std::vector<gpu::Gpu> take_unable(Applied& applied, DType dtype) {
  std::vector<gpu::Gpu> able;
  std::vector<gpu::Gpu> unable;
  for (gpu::Gpu& gpu : applied.gpus) {
    (gpu::can_multiply(gpu, dtype) ? able : unable).push_back(std::move(gpu));
  }
  applied.gpus = std::move(able);
  if (applied.gpus_from == GpusFrom::assumption && !applied.gpus.empty()) unable.clear();
  return unable;
}

std::vector<gpu::Gpu> take_unable(Applied& applied, const model::Reading& reading) {
  std::vector<gpu::Gpu> unable = take_unable(applied, reading.setup.plan.dtype);
  if (!stores_packed(reading) || applied.gpus.empty()) return unable;
  for (const gpu::Gpu& gpu : unable) {
    if (can_unpack(gpu)) applied.left_out.push_back(gpu.id);
  }
  std::erase_if(unable, can_unpack);
  return unable;
}

}  // namespace shapelint::project
