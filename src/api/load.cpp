// From a source and options to readings.
#include "api/load.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/number.hpp"
#include "base/strings.hpp"
#include "formats/dialect/known.hpp"
#include "gpu/registry.hpp"
#include "model/fields.hpp"
#include "model/reading.hpp"
#include "objects/convert.hpp"
#include "project/applied.hpp"
#include "project/named.hpp"
#include "text/errors.hpp"

namespace shapelint::api {

namespace {

// Settings that are not fields of a model or its plan: the packages that run it (`vllm==0.24,deep-ep`).
constexpr std::string_view stack_setting = "stack";

}  // namespace

std::optional<std::int64_t> parse_value(const model::FieldInfo& field, std::string_view text,
                                        std::string& expected) {
  if (field.type == model::FieldType::integer) {
    const auto parsed = parse_integer(text);
    if (parsed && *parsed >= field.minimum && *parsed <= field.maximum) return parsed;
    expected =
        fmt::format("a whole number from {} to {}", with_commas(field.minimum), with_commas(field.maximum));
    return std::nullopt;
  }
  constexpr std::array<std::string_view, 2> booleans{"false", "true"};
  const std::span<const std::string_view> choices =
      field.type == model::FieldType::boolean ? std::span<const std::string_view>(booleans) : field.choices;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (choices[i] == text) return static_cast<std::int64_t>(i);
  }
  expected = fmt::format("one of {}", fmt::join(choices, ", "));
  return std::nullopt;
}

namespace {

std::vector<model::Override> overrides_of(const std::vector<Setting>& settings, std::vector<Error>& errors) {
  std::vector<model::Override> overrides;
  for (const Setting& each : settings) {
    if (each.field == stack_setting) continue;
    const model::FieldId id = model::find_field(each.field);
    if (id == model::no_field) {
      errors.push_back(wrong(fmt::format("unknown field `{}`", each.field),
                             did_you_mean(each.field, model::field_names())));
      continue;
    }
    std::string expected;
    const auto value = parse_value(model::info(id), each.value, expected);
    if (value) {
      overrides.push_back({id, *value, each.label.empty() ? each.field : each.label});
    } else {
      errors.push_back(wrong(fmt::format("`{}` is `{}`", each.field, each.value), std::move(expected)));
    }
  }
  return overrides;
}

// Fields without which nothing can be predicted. A CNN's layers say all that there is to know.
void check_complete(const model::Reading& reading, std::vector<Error>& errors) {
  for (const model::Remark* each : model::unresolved(reading)) {
    errors.push_back({std::string(code::incomplete),
                      fmt::format("{} cannot be known from the files: {}", each->key, each->meaning),
                      "a setting can give it", reading.path});
  }
  if (!reading.setup.model.conv.empty()) return;
  if (reading.setup.plan.mode == model::Mode::decode && !model::decodes(reading.setup.model)) {
    errors.push_back({std::string(code::incomplete), std::string(model::no_decoding),
                      "`prefill` is one forward pass, of a sampler's many", reading.path});
    return;
  }
  std::string why = formats::why_unknown(reading);
  if (!why.empty()) why = fmt::format(" ({})", why);
  for (const model::FieldId field : model::missing_sizes(reading)) {
    const bool has_none = field == model::FieldId::num_attention_heads && reading.complete;
    errors.push_back({std::string(code::incomplete),
                      has_none
                          ? "no layer of this model has attention, and its other layer types are not modeled"
                          : fmt::format("`{}` is not known{}", model::info(field).name, why),
                      has_none ? "the rest is linted" : "a setting can give it", reading.path});
    why.clear();  // once is enough
  }
}

}  // namespace

project::Request request_of(const ReadOptions& read, const GpuSelection& gpus, const text::FileSystem& files,
                            std::vector<Error>& errors) {
  project::Request request;
  request.config = read.config;
  request.isolated = read.isolated;
  request.allow_outside = read.allow_outside;
  request.model_cache = read.model_cache;
  request.overrides = overrides_of(read.settings, errors);
  for (const Setting& each : read.settings) {
    if (each.field != stack_setting) continue;
    std::string_view names = each.value;
    while (!names.empty()) {
      const std::size_t end = std::min(names.find(','), names.size());
      if (end > 0) request.stack.emplace_back(names.substr(0, end));
      names.remove_prefix(std::min(names.size(), end + 1));
    }
  }
  for (const Dimension& each : read.dimensions) request.dimensions.push_back({each.name, each.size});
  request.gpus.names = gpus.names;
  request.gpus.sm_count = gpus.sm_count;
  std::vector<text::LocatedError> found;
  request.gpus.profiles = project::read_profiles(files, gpus.files, found);
  for (const text::LocatedError& each : found) {
    errors.push_back(error_of(each.error, code::invalid_config, each.source));
  }
  return request;
}

void limit_proposals(project::Request& request, std::optional<Shape> shape,
                     std::optional<std::int64_t> head_multiple, std::vector<Error>& errors) {
  if (shape) request.shape = static_cast<rules::Shape>(*shape);
  request.head_multiple = head_multiple;
  if (head_multiple && (*head_multiple < 1 || *head_multiple > rules::largest_head_multiple)) {
    errors.push_back(
        wrong(fmt::format("`head_multiple` is {}", *head_multiple),
              fmt::format("expected a whole number from 1 to {}", rules::largest_head_multiple)));
  }
}

std::unique_ptr<Loaded> load(const FileSystem& files, const Source& source, const ReadOptions& read,
                             const GpuSelection& gpus, std::optional<Shape> shape,
                             std::optional<std::int64_t> head_multiple) {
  auto out = std::make_unique<Loaded>(files);
  out->path = source.path;
  project::Request request = request_of(read, gpus, out->files, out->errors);
  limit_proposals(request, shape, head_multiple, out->errors);
  out->project = std::make_unique<const project::Project>(std::move(request), out->files);
  auto content = source.text ? shapelint::Result<std::string>(*source.text)
                             : project::text_named(*out->project, source.path);
  if (!content) out->errors.push_back(error_of(content.error(), code::unreadable));
  if (!out->errors.empty()) return out;
  out->text = *std::move(content);
  out->sources.remember(out->path, out->text);
  out->configured = &out->project->of(out->path);
  for (const text::LocatedError& each : out->configured->errors) {
    out->errors.push_back(error_of(
        each.error, each.error.path.empty() ? code::invalid_option : code::invalid_config, each.source));
  }
  if (!out->errors.empty()) return out;
  out->result =
      project::read_model(*out->configured, formats::parse(out->path, out->text, read.assume_native),
                          out->files, read.assume_native);
  for (const shapelint::Error& error : out->result.errors) {
    out->errors.push_back(error_of(error, code::invalid_file, error.path == out->path ? out->text : ""));
  }
  return out;
}

Priceable priceable_models(const Loaded& loaded) {
  Priceable out;
  out.errors = loaded.errors;
  if (!out.errors.empty()) return out;
  for (const model::Reading& reading : loaded.result.readings) {
    if (reading.complete) out.readings.push_back(&reading);
  }
  if (loaded.result.readings.empty()) {
    const std::string why =
        loaded.result.notes.empty() ? "it is not a known config format" : loaded.result.notes.front().message;
    out.errors.push_back(
        {std::string(code::no_model), fmt::format("no model was found: {}", why), {}, loaded.path});
    return out;
  }
  // What is missing is said of the first model; others of a file are often parts that are not of interest.
  if (out.readings.empty()) check_complete(loaded.result.readings.front(), out.errors);
  for (const model::Reading* reading : out.readings) check_complete(*reading, out.errors);
  std::vector<shapelint::Error> found;
  project::Applied applied =
      project::what_applies(*loaded.configured, loaded.path, loaded.result.lint, found);
  for (const shapelint::Error& error : found) {
    out.errors.push_back(error_of(error, code::invalid_file, loaded.text));
  }
  for (const model::Reading* reading : out.readings) {
    const std::vector<gpu::Gpu> unable = project::remove_unsupported_gpus(applied, *reading);
    if (unable.empty()) continue;
    shapelint::Error wrong = gpu::cannot_multiply(unable, reading->setup.plan.dtype);
    wrong.path = loaded.path;
    out.errors.push_back(error_of(wrong, code::unable));
  }
  out.gpus = std::move(applied.gpus);
  out.policy = applied.rules.policy;
  out.shape = applied.shape;
  if (applied.stack.empty()) return out;
  for (const model::Reading* reading : out.readings) {
    out.stacks.push_back(project::stack_of(*loaded.configured, applied.stack, *reading, loaded.files));
  }
  return out;
}

const model::Reading* choose_model(const Priceable& priceable, std::string_view name, const std::string& path,
                                   std::vector<Error>& errors) {
  std::vector<std::string_view> names;
  for (const model::Reading* each : priceable.readings) {
    names.push_back(each->part.empty() ? each->name : each->part);
  }
  if (name.empty()) return priceable.readings.front();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return priceable.readings[static_cast<std::size_t>(found - names.begin())];
  std::string hint = did_you_mean(name, names);
  if (hint.empty()) hint = fmt::format("it holds {}", fmt::join(names, ", "));
  errors.push_back(
      {std::string(code::invalid_option), fmt::format("unknown model `{}`", name), std::move(hint), path});
  return nullptr;
}

std::vector<double> by_gpu(const std::map<std::string, double>& numbers, std::string_view what,
                           const std::vector<gpu::Gpu>& gpus, double otherwise, std::vector<Error>& errors) {
  std::vector<double> out(gpus.size(), otherwise);
  for (const auto& entry : numbers) {  // no structured binding: clang 14 lets no lambda capture one
    const std::string& name = entry.first;
    const double number = entry.second;
    if (errors.size() >= text::max_reported_errors) break;
    const auto found = gpu::find_gpu(name);
    const auto place = std::find_if(gpus.begin(), gpus.end(), [&](const gpu::Gpu& each) {
      return each.id == name || (found && each.id == found->id);
    });
    if (!(number > 0) || !std::isfinite(number)) {
      errors.push_back(wrong(fmt::format("the {} of `{}` is not a positive number", what, name)));
    } else if (place == gpus.end()) {
      errors.push_back(wrong(fmt::format("the {} of `{}` belongs to no GPU of this search", what, name)));
    } else {
      out[static_cast<std::size_t>(place - gpus.begin())] = number;
    }
  }
  return out;
}

ReadResult read(const FileSystem& files, const Source& source, const ReadOptions& options) {
  const auto loaded = load(files, source, options, {});
  ReadResult out;
  out.recognised = loaded->result.recognised;
  for (const model::Reading& reading : loaded->result.readings) {
    out.models.push_back(model_of(reading, loaded->sources, true));
  }
  out.notes = notes_of(loaded->result.notes, loaded->sources);
  out.errors = loaded->errors;
  return out;
}

}  // namespace shapelint::api
