// Options of the project and of its GPUs, and one for each field of a model and its plan.
#include "cli/project_options.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include <fmt/format.h>

#include "base/number.hpp"
#include "base/strings.hpp"
#include "cli/option.hpp"
#include "cli/output.hpp"
#include "formats/dialect/paths.hpp"
#include "model/fields.hpp"
#include "project/named.hpp"

namespace shapelint::cli {

namespace {

constexpr std::array<std::string_view, 2> booleans{"false", "true"};

// `moe_num_experts` is `--moe-num-experts`.
std::string flag_of(const model::FieldInfo& field) {
  return "--" + dashed(field.name);
}

constexpr auto fields_group = "Override the file";

// What other tools call fields.
struct Alias {
  std::string_view name;
  std::string_view field;
};
constexpr std::array aliases{
    Alias{"tp", "tensor"},
    Alias{"tensor_parallel_size", "tensor"},
    Alias{"tensor_model_parallel_size", "tensor"},
    Alias{"pp", "pipeline"},
    Alias{"pipeline_parallel_size", "pipeline"},
    Alias{"pipeline_model_parallel_size", "pipeline"},
    Alias{"vpp", "virtual_pipeline"},
    Alias{"dp", "data"},
    Alias{"data_parallel_size", "data"},
    Alias{"ep", "expert"},
    Alias{"expert_model_parallel_size", "expert"},
    Alias{"etp", "expert_tensor"},
    Alias{"cp", "context"},
    Alias{"context_parallel_size", "context"},
    Alias{"mbs", "micro_batch_size"},
    Alias{"seq", "sequence_length"},
    Alias{"ga", "gradient_accumulation"},
    Alias{"gradient_accumulation_steps", "gradient_accumulation"},
    Alias{"ffn_hidden_size", "intermediate_size"},
    Alias{"num_query_groups", "num_key_value_heads"},
};

const model::FieldInfo* named_field(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), '-', '_');
  const auto alias =
      std::find_if(aliases.begin(), aliases.end(), [&](const Alias& each) { return each.name == text; });
  const model::FieldId id = model::find_field(alias == aliases.end() ? std::string_view(text) : alias->field);
  return id == model::no_field ? nullptr : &model::info(id);
}

std::string_view value_name(model::FieldType type) {
  static constexpr std::array<std::string_view, 3> names{"N", "BOOL", "NAME"};
  return names.at(static_cast<std::size_t>(type));
}

Setter setter(const model::FieldInfo& field, const std::string& flag,
              std::vector<model::Override>& overrides) {
  return [&field, &overrides, flag](std::string_view text) -> std::optional<std::string> {
    std::int64_t value = 0;
    if (field.type == model::FieldType::integer) {
      const auto parsed = parse_integer(text);
      if (!parsed || *parsed < field.minimum || *parsed > field.maximum) {
        return fmt::format("a whole number from {} to {}", with_commas(field.minimum),
                           with_commas(field.maximum));
      }
      value = *parsed;
    } else {
      const std::span<const std::string_view> choices = field.type == model::FieldType::boolean
                                                            ? std::span<const std::string_view>(booleans)
                                                            : field.choices;
      std::size_t index = 0;
      if (auto expected = into_choice(index, choices)(text)) return expected;
      value = static_cast<std::int64_t>(index);
    }
    overrides.push_back({field.id, value, flag});
    return std::nullopt;
  };
}

// `tensor=8,dtype=fp8`: each as its own option would be.
std::optional<std::string> set_fields(std::string_view text, std::vector<model::Override>& overrides) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    const std::string_view one = text.substr(0, end);
    text.remove_prefix(std::min(text.size(), end + 1));
    const std::size_t equals = one.find('=');
    if (equals == std::string_view::npos || equals == 0) return "FIELD=VALUE";
    const std::string_view name = one.substr(0, equals);
    const model::FieldInfo* field = named_field(name);
    if (field == nullptr) {
      std::vector<std::string_view> known;
      for (const model::FieldInfo& each : model::fields()) known.push_back(each.name);
      const std::string hint = did_you_mean(name, known);
      return fmt::format("a field that `shapelint fields` lists in place of `{}`{}", name,
                         hint.empty() ? "" : "; " + hint);
    }
    if (const auto expected =
            setter(*field, fmt::format("--set {}", field->name), overrides)(one.substr(equals + 1)))
      return fmt::format("for {}: {}", field->name, *expected);
  }
  return std::nullopt;
}

}  // namespace

std::vector<Option> field_options(std::vector<model::Override>& overrides) {
  std::vector<Option> options;
  const auto fields = model::fields();
  options.reserve(fields.size() + 1);
  options.push_back(
      {.names = "--set",
       .value = "FIELD=VALUE,…",
       .doc =
           "values of fields, such as `mode=decode,tp=8,micro_batch_size=64`; `shapelint fields` lists them",
       .set = [&overrides](std::string_view text) { return set_fields(text, overrides); },
       .many = true,
       .group = fields_group});
  for (const model::FieldInfo& field : fields) {
    Option option;
    option.names = flag_of(field);
    option.doc = field.doc;
    option.group = fields_group;
    option.hidden = true;
    option.set = setter(field, option.names, overrides);
    option.value = std::string(value_name(field.type));
    if (field.type == model::FieldType::boolean) option.choices = strings(booleans);
    if (field.type == model::FieldType::choice) option.choices = strings(field.choices);
    options.push_back(std::move(option));
  }
  return options;
}

Option dimension_option(std::vector<formats::GraphDimension>& dimensions) {
  constexpr std::int64_t largest = 1'000'000'000;
  return {.names = "--dim",
          .value = "NAME=N",
          .doc = "size of a symbolic dimension of an ONNX graph; repeatable",
          .set = [&dimensions](std::string_view text) -> std::optional<std::string> {
            const std::size_t equals = text.rfind('=');
            if (equals == std::string_view::npos || equals == 0) return "NAME=N";
            const auto size = parse_integer(text.substr(equals + 1));
            if (!size || *size < 1 || *size > largest)
              return fmt::format("NAME=N with a whole number from 1 to {}", with_commas(largest));
            dimensions.push_back({std::string(text.substr(0, equals)), *size});
            return std::nullopt;
          },
          .many = true,
          .group = fields_group};
}

namespace {

// The hub folder of the local Hugging Face cache, as its own library finds it: HF_HUB_CACHE, HF_HOME/hub,
// ~/.cache/huggingface/hub (XDG_CACHE_HOME in place of ~/.cache). Empty when none of them can be known.
std::string hub_folder(const Io& io) {
  const auto variable = [&](const char* name) {
    const auto found = io.environment.find(name);
    return found == io.environment.end() ? std::string() : found->second;
  };
  if (std::string hub = variable("HF_HUB_CACHE"); !hub.empty()) return hub;
  if (const std::string home = variable("HF_HOME"); !home.empty()) return formats::join(home, "hub");
  if (const std::string cache = variable("XDG_CACHE_HOME"); !cache.empty())
    return formats::join(cache, "huggingface/hub");
  const std::string home = variable("HOME");
  return home.empty() ? std::string() : formats::join(home, ".cache/huggingface/hub");
}

}  // namespace

std::vector<Option> configuration_options(ProjectOptions& options, std::string_view group) {
  return {
      {.names = "--config",
       .value = "FILE",
       .doc = "use this configuration file (docs/reference/config-file.md)",
       .set = into(options.request.config),
       .group = std::string(group)},
      {.names = "--isolated",
       .doc = "read no configuration file and no local Hugging Face cache",
       .set = into(options.request.isolated),
       .group = std::string(group)},
      {.names = "--allow-outside",
       .doc = "allow paths of a configuration (`extend`, `baseline`, folders) outside its repository",
       .set = into(options.request.allow_outside),
       .group = std::string(group)},
  };
}

std::vector<Option> gpu_options(ProjectOptions& options) {
  constexpr auto group = "GPU";
  std::vector<Option> all{
      {.names = "--gpu",
       .value = "NAMES",
       .doc =
           "comma-separated GPUs (`shapelint gpus`) [default: that of file or configuration, else a100,h100]",
       .set = into_list(options.request.gpus.names),
       .many = true,
       .group = group,
       .words = gpu_words,
       .is_list = true},
      gpu_file_option(options, "custom GPU profile"),
      {.names = "--sm-count",
       .value = "N",
       .doc = "number of SMs of the GPU (compute units on AMD)",
       .set = into(options.request.gpus.sm_count),
       .group = group},
      {.names = "--clock",
       .value = "MHZ",
       .doc = "locked clock of the GPU, below its boost clock",
       .set = into(options.request.gpus.clock_mhz),
       .group = group},
      {.names = "--power-limit",
       .value = "WATTS",
       .doc = "power limit of the GPU in watts, below its board power",
       .set = into(options.request.gpus.power_limit_w),
       .group = group},
  };
  all[1].group = group;
  return all;
}

Option stack_option(ProjectOptions& options) {
  return {.names = "--stack",
          .value = "PACKAGES",
          .doc =
              "check the requirements of these packages, such as vllm==0.24,deep-ep (`shapelint contracts`); "
              "`auto`: detect them; `none`: skip [default: the file's framework]",
          .set = into_list(options.request.stack),
          .many = true,
          .group = "Configuration",
          .words = package_words,
          .is_list = true};
}

Option shape_option(ProjectOptions& options) {
  return {.names = "--shape",
          .value = "NAME",
          .doc =
              "what fixes may change of the model: free: all; padding: vocabulary and intermediate sizes; "
              "fixed: vocabulary only [default: by the kind of file, docs/how-to/find-better-shapes.md]",
          .set =
              [&options](std::string_view text) {
                return into_enum(options.request.shape.emplace(), rules::shape_names)(text);
              },
          .choices = strings(rules::shape_names)};
}

Option gpu_file_option(ProjectOptions& options, std::string doc) {
  return {.names = "--gpu-file",
          .value = "FILE",
          .doc = std::move(doc),
          .set = into(options.gpu_files),
          .many = true};
}

std::vector<Option> model_input_options(ProjectOptions& options) {
  std::vector<Option> all = configuration_options(options);
  append(all, gpu_options(options));
  append(all, field_options(options.request.overrides));
  return all;
}

std::optional<project::Request> request_of(const ProjectOptions& options, Io& io) {
  std::vector<text::LocatedError> errors;
  project::Request request = options.request;
  request.gpus.profiles = project::read_profiles(io.files, options.gpu_files, errors);
  request.model_cache = hub_folder(io);
  for (const text::LocatedError& each : errors) print_error(io, each.error, each.source);
  if (!errors.empty()) return std::nullopt;
  return request;
}

bool are_configured(const project::Project& project, std::span<const std::string> paths, Io& io) {
  if (paths.empty()) project.here();
  for (const std::string& path : paths) project.of(path);
  const std::vector<text::LocatedError> errors = project.errors();
  for (const text::LocatedError& each : errors) print_error(io, each.error, each.source);
  return errors.empty();
}

std::unique_ptr<const project::Project> open_project(const ProjectOptions& options,
                                                     std::span<const std::string> paths, Io& io) {
  auto request = request_of(options, io);
  if (!request) return nullptr;
  auto project = std::make_unique<const project::Project>(*std::move(request), io.files);
  return are_configured(*project, paths, io) ? std::move(project) : nullptr;
}

}  // namespace shapelint::cli
