// `shapelint gpus`: the catalogue as a table, or profiles with every figure and its source.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/io.hpp"
#include "cli/option.hpp"
#include "cli/project_options.hpp"
#include "gpu/figures.hpp"
#include "gpu/gpu.hpp"
#include "report/style.hpp"

namespace shapelint::cli {

struct GpusOptions {
  std::vector<std::string> names;  // none: the table
  ProjectOptions project;          // profiles of --gpu-file are shown with the others
  std::size_t format = 0;          // text, json
};

std::vector<Option> gpus_options(GpusOptions& options);
ExitCode gpus(const GpusOptions& options, Io& io);

// One GPU to show: what the model reads, and what people do.
struct Shown {
  gpu::Gpu gpu;
  gpu::Facts facts;
  gpu::Facts architecture;
};

// All GPUs, a line each.
std::string gpus_table_text(std::span<const Shown> all, const report::Style& style);
// One GPU with every figure, note and source.
std::string gpu_profile_text(const Shown& shown, const report::Style& style);
// All GPUs as one JSON object; `in_full` with every figure, note and source.
void print_gpus_json(std::span<const Shown> all, bool in_full, std::ostream& out);

}  // namespace shapelint::cli
