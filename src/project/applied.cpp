// What applies to one file.
#include "project/applied.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "base/budget.hpp"
#include "catalog/known_models.hpp"
#include "contracts/stack.hpp"
#include "formats/dialect/dialect.hpp"
#include "formats/dialect/paths.hpp"
#include "gpu/engines.hpp"
#include "gpu/in_path.hpp"
#include "gpu/registry.hpp"
#include "model/derive.hpp"
#include "model/fields.hpp"
#include "model/reading.hpp"
#include "project/named.hpp"
#include "rules/scope/compare.hpp"
#include "rules/scope/memory.hpp"
#include "text/errors.hpp"

namespace shapelint::project {

namespace {

// Headers of weights, and graphs that were exported with them.
constexpr std::array<std::string_view, 4> weight_dialects{"gguf", "safetensors", "safetensors-index", "onnx"};
// A model's own description, with its weights next to it; other files of these dialects may be anything.
constexpr std::array<std::string_view, 2> described_in{"config.json", "params.json"};

bool is_weights(std::string_view path) {
  const std::string_view name = formats::file_name(path);
  const auto ends = [&](std::string_view end) { return name.ends_with(end); };
  if (ends(".bin") || ends(".bin.index.json"))
    return name.starts_with("pytorch_model") || name.starts_with("model");
  return ends(".safetensors") || ends(".safetensors.index.json") || ends(".gguf") || ends(".pth");
}

std::string equal_model(const model::Reading& reading) {
  if (reading.runs_in_whole > 0) return {};  // half of an encoder-decoder, which the known models are not
  for (const catalog::KnownModel& known : catalog::known_models()) {
    if (rules::is_near(reading, known) && rules::compare(reading, known).differences.empty())
      return title_of(known);
  }
  return {};
}

// `org/name` of `org--name_config.json`, as tools keep the config.json files of published models.
std::string kept_name(std::string_view file) {
  constexpr std::string_view between = "--";
  constexpr std::string_view end = "_config.json";
  const std::size_t at = file.find(between);
  if (!file.ends_with(end) || at == 0 || at == std::string_view::npos) return {};
  file.remove_suffix(end.size());
  return fmt::format("{}/{}", file.substr(0, at), file.substr(std::min(file.size(), at + between.size())));
}

// A file with nothing but a model's shape, for those that name it.
bool is_preset(const model::Reading& reading) {
  return reading.dialect == "maxtext" && formats::file_name(formats::folder_of(reading.path)) == "models";
}

// Why the model is taken to be trained; empty: it is not.
std::string trained_because(const model::Reading& reading, const text::FileSystem& files) {
  const model::Mode mode = reading.setup.plan.mode;
  if (mode == model::Mode::decode || mode == model::Mode::prefill) return "the model is served, not trained";
  if (reading.setup.plan.frozen) return "the model is frozen";
  if (reading.setup.plan.adapters) return "the base model of LoRA adapters is fixed";
  if (model::extra(reading, "names_published") > 0) return "the file names a published model";
  if (model::extra(reading, "loads_weights") > 0) return "it starts from trained weights";
  if (std::find(weight_dialects.begin(), weight_dialects.end(), reading.dialect) != weight_dialects.end())
    return "the file holds trained weights";
  if (const std::string named = model::published_shape(reading); !named.empty())
    return fmt::format("the published shape of {}", named);
  const std::string_view name = formats::file_name(reading.path);
  const std::string kept = reading.dialect == "huggingface" ? kept_name(name) : std::string{};
  if (!kept.empty()) return fmt::format("the published shape of {}", kept);
  if (is_preset(reading)) {
    if (const std::string known = equal_model(reading); !known.empty())
      return fmt::format("the published shape of {}", known);
  }
  if (std::find(described_in.begin(), described_in.end(), name) == described_in.end()) return {};
  if (reading.dialect != "huggingface" && reading.dialect != "meta") return {};
  if (const std::string known = equal_model(reading); !known.empty())
    return fmt::format("the published shape of {}", known);
  return lies_beside_weights(reading.path, files) ? "weights are in the same folder" : "";
}

}  // namespace

bool lies_beside_weights(const std::string& path, const text::FileSystem& files) {
  const auto beside = files.list(formats::folder_of(path));
  return beside && std::any_of(beside->begin(), beside->end(),
                               [](const std::string& each) { return is_weights(each); });
}

ShapeChoice shape_of(std::optional<rules::Shape> asked, const model::Reading& reading,
                     const text::FileSystem& files, bool names_shape) {
  if (asked) return {*asked, {}};
  if (names_shape) return {};
  std::string because = trained_because(reading, files);
  if (because.empty()) return {};
  return {rules::Shape::fixed, std::move(because)};
}

std::string shape_note(const ShapeChoice& choice) {
  if (choice.because.empty()) return {};
  return fmt::format("shape {}: {} (`--shape free` proposes other sizes)",
                     rules::shape_names[static_cast<std::size_t>(choice.shape)], choice.because);
}

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
    // What fails a run is reported.
    out.rules.shows_savings = !out.min_severity_stated;
    out.rules.min_severity = std::min(least.value_or(default_min_severity), out.fail_level);
    out.rules.policy = policy();
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
    if (out.select.empty()) out.select.emplace_back("ALL");  // in addition to the defaults
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

  rules::ShapePolicy policy() const {
    rules::ShapePolicy out;
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
    out.gpus_from = GpusFrom::assumption;
    if (auto named = gpu::gpu_in_path(path_)) {
      gpu::add(out.gpus, *std::move(named));
    } else {
      out.gpus = assumed_gpus();
    }
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
  model::Plan& plan = reading.setup.plan;
  const DType stored = plan.dtype;
  const auto unpacks = [&](const gpu::Gpu& gpu) {
    return !gpu::can_multiply(gpu, stored) && can_unpack(gpu);
  };
  if (gpus.empty() || !stores_packed(reading) || !std::all_of(gpus.begin(), gpus.end(), unpacks)) return;
  const auto set = [&](FieldId field, std::int64_t value, std::string note) {
    if (model::is_stated(reading, field) && field != FieldId::dtype) return;
    model::set_derived(reading, field, value, std::move(note));
  };
  constexpr double bits_per_byte = 8;
  set(FieldId::weight_bits, std::lround(bits_per_byte * bytes_of(stored)),
      fmt::format("weights are stored as {}", name(stored)));
  set(FieldId::dtype, static_cast<std::int64_t>(DType::bf16),
      fmt::format("weights of {} are dequantized: {} has no tensor cores for it", name(stored),
                  gpus.front().id));
}

// A busy server has as many sequences as it may, but no more than its cache has room for.
void cap_sequences(model::Reading& reading, std::span<const gpu::Gpu> gpus) {
  using model::FieldId;
  for (const gpu::Gpu& gpu : gpus) {
    const std::int64_t room = rules::resident_sequences(reading, gpu::memory_gib(gpu));
    if (room < 1 || room >= reading.setup.plan.micro_batch_size) continue;
    model::set(reading.setup, FieldId::micro_batch_size, room);
    std::string& note = reading.origins[FieldId::micro_batch_size].note;
    constexpr std::string_view capped = ", limited by the memory";
    note = fmt::format("{}{} of {}", note.substr(0, note.find(capped)), capped, gpu.id);
  }
}

// Whether no dialect names the engine that serves: then a stack may.
bool lacks_engine(const model::Reading& reading) {
  return reading.setup.plan.mode != model::Mode::train &&
         model::origin(reading, model::FieldId::engine).kind == model::Origin::Kind::defaulted;
}

// An engine of the stack, with its default share of the memory.
void run_on_engine(model::Reading& reading, std::span<const std::string> stack) {
  using model::FieldId;
  if (!lacks_engine(reading)) return;
  for (const std::string& text : stack) {
    const std::string package = text.substr(0, text.find_first_of("=<>!~ "));
    const gpu::EngineMemory* engine = gpu::engine_memory_of_package(package);
    if (engine == nullptr) continue;
    const auto set = [&](FieldId field, std::int64_t value, std::string note) {
      if (value <= 0 || model::is_stated(reading, field)) return;
      model::set_derived(reading, field, value, std::move(note));
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
  return Error{"the file takes too long to read",
               on.empty() ? "" : fmt::format("work limit reached at `{}`", on),
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
  rules::note_memory_beside(read.readings);
  return read;
}

Applied what_applies(const Configured& configured, const std::string& path,
                     const formats::LintOptions& stated, std::vector<Error>& errors) {
  return AppliedReader(configured, path, stated, errors).read();
}

std::vector<gpu::Gpu> remove_unsupported_gpus(Applied& applied, DType dtype) {
  std::vector<gpu::Gpu> able;
  std::vector<gpu::Gpu> unable;
  for (gpu::Gpu& gpu : applied.gpus) {
    (gpu::can_multiply(gpu, dtype) ? able : unable).push_back(std::move(gpu));
  }
  applied.gpus = std::move(able);
  if (applied.gpus_from == GpusFrom::assumption && !applied.gpus.empty()) unable.clear();
  return unable;
}

std::vector<gpu::Gpu> remove_unsupported_gpus(Applied& applied, const model::Reading& reading) {
  const model::Plan& plan = reading.setup.plan;
  // A recipe of another dtype is none of this plan's GEMMs (SL809).
  const Recipe recipe = plan.dtype == DType::fp8 ? plan.recipe : Recipe::none;
  if (applied.gpus_from == GpusFrom::assumption) assume_able_gpus(applied.gpus, plan.dtype, recipe);
  std::vector<gpu::Gpu> unable = remove_unsupported_gpus(applied, plan.dtype);
  if (!stores_packed(reading) || applied.gpus.empty()) return unable;
  for (const gpu::Gpu& gpu : unable) {
    if (can_unpack(gpu)) applied.left_out.push_back(gpu.id);
  }
  std::erase_if(unable, can_unpack);
  return unable;
}

namespace {

// A lock file has versions, requirements may have, a project says at most where they begin.
constexpr std::array<std::string_view, 3> stack_files{"uv.lock", "requirements.txt", "pyproject.toml"};

void add(contracts::Stack& stack, const contracts::Stack& more) {
  for (const contracts::StackPackage& each : more) {
    const auto same =
        std::find_if(stack.begin(), stack.end(), [&](const auto& other) { return other.name == each.name; });
    if (same == stack.end()) {
      stack.push_back(each);
    } else if (!same->version) {
      *same = each;
    }
  }
}

}  // namespace

const formats::Dialect* dialect_of(const Configured& configured, const model::Reading& reading) {
  if (reading.dialect == "native") return nullptr;  // for which the dialects are not even loaded
  return dialects_of(configured).find(reading.dialect);
}

AskedStack stack_of_format(const Configured& configured, const model::Reading& reading) {
  const formats::Dialect* dialect = dialect_of(configured, reading);
  if (dialect == nullptr || dialect->package.empty()) return {};
  const contracts::Book& book =
      configured.own_contracts ? contracts_of(configured) : contracts::builtin_contracts_of(dialect->package);
  const auto package = contracts::parse_package(book, dialect->package);
  return package ? AskedStack{{*package}, &book, true} : AskedStack{};
}

contracts::Stack stack_of(const Configured& configured, std::span<const std::string> applied,
                          const model::Reading& reading, const text::FileSystem& files) {
  const contracts::Book& book = contracts_of(configured);
  std::vector<std::string> named;
  bool is_automatic = false;
  for (const std::string& text : applied) {
    if (text == contracts::automatic) {
      is_automatic = true;
    } else if (text != contracts::nothing) {
      named.push_back(text);
    }
  }
  std::vector<Error> told;  // by those who check names
  contracts::Stack out = contracts::parse_stack(book, named, told);
  if (!is_automatic) return out;
  for (const std::string_view name : stack_files) {
    const auto text =
        files.read(formats::join(formats::folder_of(reading.path), name), text::max_source_bytes);
    if (text) add(out, contracts::stack_of_lock(book, name, *text));
  }
  add(out, stack_of_format(configured, reading).stack);
  return out;
}

AskedStack asked_stack(const Configured& configured, std::span<const std::string> applied,
                       const model::Reading& reading, const text::FileSystem& files) {
  if (applied.empty()) return stack_of_format(configured, reading);
  return {stack_of(configured, applied, reading, files), &contracts_of(configured), false};
}

}  // namespace shapelint::project
