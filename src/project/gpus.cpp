// Which GPUs a caller asks for.
#include "project/gpus.hpp"

#include <array>

#include <fmt/format.h>

#include "gpu/registry.hpp"
#include "text/limits.hpp"
#include "text/told.hpp"
#include "text/toml/toml.hpp"

namespace shapelint::project {

namespace {

// The two that most public training runs of the last years used.
constexpr std::array<std::string_view, 2> assumed_names{"a100", "h100"};

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
  text::count_rest(errors);
  return profiles;
}

std::vector<gpu::Gpu> named_gpus(const GpuRequest& request, std::span<const text::Document> profiles,
                                 std::vector<Error>& errors) {
  std::vector<gpu::Gpu> gpus;
  const std::size_t errors_before = errors.size();
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
    change_one(gpus, "`--sm-count` says how many SMs one GPU has", errors,
               [&](gpu::Gpu gpu) { return gpu::with_sm_count(std::move(gpu), *request.sm_count); });
  }
  if (request.clock_mhz && errors.size() == errors_before) {
    change_one(gpus, "`--clock` says what clock one GPU is locked at", errors, [&](gpu::Gpu gpu) {
      return gpu::with_clock(std::move(gpu), static_cast<double>(*request.clock_mhz));
    });
  }
  if (request.power_limit_w && errors.size() == errors_before) {
    change_one(gpus, "`--power-limit` says what one GPU may draw", errors, [&](gpu::Gpu gpu) {
      return gpu::with_power_limit(std::move(gpu), static_cast<double>(*request.power_limit_w));
    });
  }
  return gpus;
}

std::vector<gpu::Gpu> assumed_gpus() {
  // Asked for with every file that names none.
  static const std::vector<gpu::Gpu> assumed = [] {
    std::vector<gpu::Gpu> gpus;
    for (const std::string_view name : assumed_names) {
      auto found = gpu::find_gpu(name);
      if (found) gpus.push_back(*std::move(found));
    }
    return gpus;
  }();
  return assumed;
}

}  // namespace shapelint::project
