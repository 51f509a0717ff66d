// The options that say which GPUs a subcommand is about, and what they amount to: the same everywhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/io.hpp"
#include "cli/option.hpp"
#include "gpu/gpu.hpp"
#include "report/report.hpp"
#include "text/document.hpp"

namespace shapelint::cli {

struct GpuChoice {
  std::vector<std::string> names;        // --gpu a100,h100
  std::vector<std::string> files;        // --gpu-file my.toml
  std::optional<std::int64_t> sm_count;  // --sm-count 152
};

// --gpu, --gpu-file and --sm-count.
std::vector<Option> gpu_options(GpuChoice& choice);

struct ChosenGpus {
  std::vector<gpu::Gpu> gpus;               // in the order they were named, then the files'; none twice
  std::vector<report::ReportError> errors;  // unknown names, unreadable files, bad figures: all of them
};

// The GPUs of `choice`; `otherwise` when it names none (those of a configuration file, or the default two).
// `own` are further profiles that may be named.
ChosenGpus choose_gpus(const GpuChoice& choice, std::span<const std::string> otherwise, const Io& io,
                       std::vector<text::Document> own = {});

// A user's profiles from files. Errors are appended.
std::vector<text::Document> read_gpu_files(std::span<const std::string> paths, const Io& io,
                                           std::vector<report::ReportError>& errors);

}  // namespace shapelint::cli
