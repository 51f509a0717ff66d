// Files, folders, and the local cache.
#include "project/named.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/strings.hpp"
#include "catalog/known_models.hpp"
#include "formats/dialect/known.hpp"
#include "formats/dialect/paths.hpp"
#include "formats/discover.hpp"
#include "formats/native/native.hpp"
#include "formats/neighbours.hpp"
#include "gpu/registry.hpp"
#include "text/errors.hpp"
#include "text/parse_any.hpp"
#include "text/toml/toml.hpp"

namespace shapelint::project {

namespace {

// The two that most public training runs of the last years used.
constexpr std::array<std::string_view, 2> assumed_names{"a100", "h100"};
// For dtypes and recipes that none of these runs: FP4 and MXFP8.
constexpr std::array<std::string_view, 1> assumed_for_new_dtypes{"b200"};

// What an option changes of the one GPU that is named.
template <class Change>
void change_one(std::vector<gpu::Gpu>& gpus, std::string_view what, std::vector<Error>& errors,
                const Change& change) {
  if (gpus.size() != 1) {
    errors.push_back(
        {fmt::format("{}, and {}", what,
                     gpus.empty() ? "`--gpu` names none" : fmt::format("{} GPUs are named", gpus.size())),
         {},
         {},
         {}});
    return;
  }
  auto changed = change(gpus.front());
  if (changed) {
    gpus.front() = *std::move(changed);
  } else {
    errors.push_back(changed.error());
  }
}

}  // namespace

std::vector<text::Document> read_profiles(const text::FileSystem& files, std::span<const std::string> paths,
                                          std::vector<text::LocatedError>& errors) {
  const std::size_t errors_before = errors.size();
  std::vector<text::Document> profiles;
  for (const std::string& path : paths) {
    auto source = files.read(path, text::max_source_bytes);
    if (!source) {
      errors.push_back({source.error(), {}});
      continue;
    }
    const text::SharedText content(*std::move(source));
    auto document = text::parse_toml(path, content);
    if (!document) {
      errors.push_back({document.error(), content});
      continue;
    }
    profiles.push_back(*std::move(document));
  }
  // Only now, because one may be based on another.
  for (const text::Document& document : profiles) {
    std::vector<Error> found;
    gpu::read_gpu(document, found, profiles);
    for (Error& error : found) {
      // What it is based on has its own errors reported in its own turn.
      if (error.path == document.path()) errors.push_back({std::move(error), document.shared_source()});
    }
  }
  if (errors.size() > errors_before) profiles.clear();
  text::summarize_rest(errors);
  return profiles;
}

std::vector<gpu::Gpu> named_gpus(const GpuRequest& request, std::span<const text::Document> profiles,
                                 std::vector<Error>& errors) {
  std::vector<gpu::Gpu> gpus;
  const std::size_t errors_before = errors.size();
  if (request.names.size() > formats::max_names) {
    errors.push_back({fmt::format("{} GPUs are named", request.names.size()),
                      fmt::format("{} at most", formats::max_names),
                      {},
                      {}});
    return gpus;
  }
  for (const std::string& name : request.names) {
    auto found = gpu::find_gpu(name, profiles);
    if (found) {
      gpu::add(gpus, *std::move(found));
    } else {
      errors.push_back(found.error());
    }
  }
  for (const text::Document& document : request.profiles) {
    auto found = gpu::find_gpu(gpu::id_of(document), profiles);
    if (found) gpu::add(gpus, *std::move(found));
  }
  if (errors.size() > errors_before) return gpus;
  if (request.sm_count) {
    change_one(gpus, "`--sm-count` sets the SMs of one GPU", errors,
               [&](gpu::Gpu gpu) { return gpu::with_sm_count(std::move(gpu), *request.sm_count); });
  }
  if (request.clock_mhz && errors.size() == errors_before) {
    change_one(gpus, "`--clock` sets the locked clock of one GPU", errors, [&](gpu::Gpu gpu) {
      return gpu::with_clock(std::move(gpu), static_cast<double>(*request.clock_mhz));
    });
  }
  if (request.power_limit_w && errors.size() == errors_before) {
    change_one(gpus, "`--power-limit` sets the power limit of one GPU", errors, [&](gpu::Gpu gpu) {
      return gpu::with_power_limit(std::move(gpu), static_cast<double>(*request.power_limit_w));
    });
  }
  return gpus;
}

namespace {

std::vector<gpu::Gpu> found_gpus(std::span<const std::string_view> names) {
  std::vector<gpu::Gpu> gpus;
  for (const std::string_view name : names) {
    auto found = gpu::find_gpu(name);
    if (found) gpus.push_back(*std::move(found));
  }
  return gpus;
}

}  // namespace

std::vector<gpu::Gpu> assumed_gpus() {
  // Asked for with every file that names none.
  static const std::vector<gpu::Gpu> assumed = found_gpus(assumed_names);
  return assumed;
}

void assume_able_gpus(std::vector<gpu::Gpu>& assumed, DType dtype, Recipe recipe) {
  const auto is_unable = [&](const gpu::Gpu& gpu) {
    return !gpu::can_multiply(gpu, dtype) || !gpu::can_scale(gpu, recipe);
  };
  for (std::vector<gpu::Gpu> gpus : {assumed, found_gpus(assumed_for_new_dtypes)}) {
    std::erase_if(gpus, is_unable);
    if (gpus.empty()) continue;
    assumed = std::move(gpus);
    return;
  }
}

namespace {

// `configs/7b.yaml`, `./7b` and a file next to others are not names of models.
bool is_path(const text::FileSystem& files, std::string_view name) {
  if (text::syntax_by_name(name) || name.starts_with('.') || name.starts_with('/')) return true;
  const auto slash = name.find('/');
  if (slash == std::string_view::npos) return false;
  return name.find('/', slash + 1) != std::string_view::npos ||
         files.is_directory(std::string(name.substr(0, slash)));
}

// The published model that `name` stands for, the user's own before the built-in ones; nullptr: none.
const catalog::KnownModel* published(const Project& project, const std::string& name) {
  if (is_path(project.files(), name)) return nullptr;
  if (const auto* own = formats::find_known_model(name, project.of(name).models)) return own;
  return formats::find_known_model(name);
}

// The config.json of a published model of several parts, by its name or an alias: such names have no variants
// (`t5-base` is none of `t5`). nullptr: none.
const catalog::KnownConfig* published_config(const Project& project, std::string_view name) {
  if (is_path(project.files(), name)) return nullptr;
  const std::string_view asked = name.substr(name.find('/') + 1);  // npos + 1: all of it
  for (const catalog::KnownConfig& each : catalog::known_configs()) {
    const std::string_view own = each.name;
    if (asked == own.substr(own.find('/') + 1)) return &each;
    if (std::find(each.aliases.begin(), each.aliases.end(), asked) != each.aliases.end()) return &each;
  }
  return nullptr;
}

bool is_published(const Project& project, const std::string& name) {
  return published(project, name) != nullptr || published_config(project, name) != nullptr;
}

// `hf://org/Name`: a model of the Hub, of which only what the local cache has is read.
constexpr std::string_view hub_scheme = "hf://";

// One answer to a name that is neither a file nor a known model, whoever asks. `looked`: where else it may
// be.
Error unknown_name(const std::string& name, const std::string& looked) {
  return Error{
      "no such file, and no model of this name in the local Hugging Face cache or in the table of published "
      "models",
      fmt::format("{}: its path, or `-` for standard input{}", formats::instead_of_unknown(name), looked),
      name,
      {},
      ErrorCode::not_found};
}

}  // namespace

Result<std::string> path_named(const Project& project, const std::string& asked) {
  const text::FileSystem& files = project.files();
  const bool is_of_hub = asked.starts_with(hub_scheme);
  const std::string name = is_of_hub ? asked.substr(hub_scheme.size()) : asked;
  if (!is_of_hub && (name == "-" || files.exists(name))) return name;
  const auto cached = formats::cached_model(files, project.request().model_cache, name);
  if (!cached && is_of_hub) {
    return Error{"`hf://org/Name` reads the local Hugging Face cache only",
                 project.request().model_cache.empty() ? "set HF_HOME or HF_HUB_CACHE to the cache" : "",
                 asked,
                 {},
                 ErrorCode::not_found};
  }
  if (!cached) return name;
  if (!cached->config.empty()) return cached->config;
  if (is_published(project, name)) return name;
  if (!is_of_hub && (name.find('/') == std::string::npos || is_path(files, name))) return name;
  const std::string looked =
      files.is_directory(cached->folder)
          ? fmt::format("; no revision in `{}/snapshots` has a config.json", cached->folder)
          : fmt::format("; looked for `{}`; HF_HOME or HF_HUB_CACHE set another cache", cached->folder);
  return unknown_name(asked, looked);
}

Result<std::string> file_named(const Project& project, const std::string& name) {
  Result<std::string> path = path_named(project, name);
  if (!path || !project.files().is_directory(*path)) return path;
  std::string config = formats::join(*path, "config.json");
  if (!project.files().exists(config)) return path;
  return config;
}

Result<std::string> text_named(const Project& project, const std::string& path) {
  Result<std::string> text = formats::read_named(path, project.files());
  if (text || text.error().code != ErrorCode::not_found) return text;
  if (published(project, path) == nullptr) {
    if (const auto* known = published_config(project, path)) return known->config;
    return is_path(project.files(), path) ? text.error() : unknown_name(path, {});
  }
  return fmt::format("published = \"{}\"\n", path);  // formats/published.toml
}

}  // namespace shapelint::project
