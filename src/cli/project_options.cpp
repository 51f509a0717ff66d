// What every command understands that asks what applies to a file.
#include "cli/project_options.hpp"

#include "cli/messages.hpp"
#include "cli/words.hpp"
#include "formats/dialect/paths.hpp"
#include "project/gpus.hpp"

namespace shapelint::cli {

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
              "`auto`: detect them; `none`: skip [default: what the file's framework rejects]",
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
              "what fixes may change of the model: free: all; padding: vocabulary, MLP and expert widths; "
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

}  // namespace shapelint::cli
