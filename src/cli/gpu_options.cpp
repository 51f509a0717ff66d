// Which GPUs a command is about.
#include "cli/gpu_options.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "cli/messages.hpp"
#include "cli/words.hpp"
#include "gpu/registry.hpp"
#include "text/toml/toml.hpp"

namespace shapelint::cli {

namespace {

// The two that most public training runs of the last years used.
constexpr std::array<std::string_view, 2> assumed_names{"a100", "h100"};

void add(std::vector<gpu::Gpu>& gpus, gpu::Gpu gpu) {
  const auto same = [&](const gpu::Gpu& each) { return each.id == gpu.id; };
  if (std::none_of(gpus.begin(), gpus.end(), same)) gpus.push_back(std::move(gpu));
}

}  // namespace

std::vector<Option> gpu_options(GpuOptions& options) {
  constexpr auto group = "GPU";
  return {
      {.names = "--gpu",
       .value = "NAMES",
       .doc = "GPUs to predict for, with commas between them (`shapelint gpus` lists them); a100,h100 unless "
              "named "
              "here or in the file",
       .set = into_list(options.names),
       .many = true,
       .group = group,
       .words = gpu_words,
       .is_list = true},
      {.names = "--gpu-file",
       .value = "FILE",
       .doc = "profile of a GPU of your own",
       .set = into(options.files),
       .many = true,
       .group = group},
      {.names = "--sm-count",
       .value = "N",
       .doc = "the GPU has this many SMs (compute units on AMD)",
       .set = into(options.sm_count),
       .group = group},
  };
}

std::optional<std::vector<text::Document>> read_own_profiles(const GpuOptions& options, Io& io) {
  std::vector<text::Document> own;
  bool failed = false;
  for (const std::string& path : options.files) {
    auto source = io.files.read(path, text::max_source_bytes);
    if (!source) {
      print_error(io, source.error());
      failed = true;
      continue;
    }
    auto document = text::parse_toml(path, *source);
    if (!document) {
      print_error(io, document.error(), *source);
      failed = true;
      continue;
    }
    own.push_back(*std::move(document));
  }
  // Only now, because one may be based on another.
  for (const text::Document& document : own) {
    std::vector<Error> errors;
    gpu::read_gpu(document, errors, own);
    for (const Error& error : errors) {
      // What it is based on has its own errors reported in its own turn.
      if (error.path == document.path()) print_error(io, error, document.source());
    }
    failed = failed || !errors.empty();
  }
  if (failed) return std::nullopt;
  return own;
}

std::vector<gpu::Gpu> named_gpus(const GpuOptions& options, const std::vector<text::Document>& own,
                                 std::vector<Error>& errors) {
  return named_gpus(options, own, own, errors);
}

std::vector<gpu::Gpu> named_gpus(const GpuOptions& options, const std::vector<text::Document>& own,
                                 const std::vector<text::Document>& all, std::vector<Error>& errors) {
  std::vector<gpu::Gpu> gpus;
  const std::size_t errors_before = errors.size();
  for (const std::string& name : options.names) {
    auto found = gpu::find_gpu(name, all);
    if (found) {
      add(gpus, *std::move(found));
    } else {
      errors.push_back(found.error());
    }
  }
  for (const text::Document& document : own) {
    auto found = gpu::find_gpu(gpu::id_of(document), all);
    if (found) add(gpus, *std::move(found));
  }
  if (!options.sm_count || errors.size() > errors_before) return gpus;
  if (gpus.size() != 1) {
    errors.push_back(
        {fmt::format("`--sm-count` says how many SMs one GPU has, and {}",
                     gpus.empty() ? "`--gpu` names none" : fmt::format("{} GPUs are named", gpus.size())),
         {},
         {},
         {}});
    return gpus;
  }
  auto changed = gpu::with_sm_count(gpus.front(), *options.sm_count);
  if (changed) {
    gpus.front() = *std::move(changed);
  } else {
    errors.push_back(changed.error());
  }
  return gpus;
}

std::vector<gpu::Gpu> assumed_gpus() {
  std::vector<gpu::Gpu> gpus;
  for (const std::string_view name : assumed_names) {
    auto found = gpu::find_gpu(name);
    if (found) gpus.push_back(*std::move(found));
  }
  return gpus;
}

}  // namespace shapelint::cli
