// Which GPUs a command is about.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/io.hpp"
#include "cli/option.hpp"
#include "gpu/gpu.hpp"
#include "text/document.hpp"

namespace shapelint::cli {

struct GpuOptions {
  std::vector<std::string> names;
  std::vector<std::string> files;  // profiles of the user's own
  std::optional<std::int64_t> sm_count;
};

std::vector<Option> gpu_options(GpuOptions& options);

// The profiles of --gpu-file, parsed; errors are printed. Nothing when there was one.
std::optional<std::vector<text::Document>> read_own_profiles(const GpuOptions& options, Io& io);

// The GPUs that the command line names, those of --gpu-file after them, each once. Empty when it names none.
// Errors (unknown name, unusable profile, --sm-count without exactly one GPU) are appended.
std::vector<gpu::Gpu> named_gpus(const GpuOptions& options, const std::vector<text::Document>& own,
                                 std::vector<Error>& errors);
// The same where more profiles than those of --gpu-file may be named: `all` holds `own` and the others.
std::vector<gpu::Gpu> named_gpus(const GpuOptions& options, const std::vector<text::Document>& own,
                                 const std::vector<text::Document>& all, std::vector<Error>& errors);

// What is assumed when nobody names one.
std::vector<gpu::Gpu> assumed_gpus();

}  // namespace shapelint::cli
