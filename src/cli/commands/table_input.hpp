// What commands that answer tables need: one GPU, and the table's text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/io.hpp"
#include "cli/project_options.hpp"
#include "gpu/gpu.hpp"
#include "project/project.hpp"

namespace shapelint::cli {

// gpu_options() of a command that takes one GPU alone, and assumes none.
std::vector<Option> one_gpu_options(ProjectOptions& options);

// The one GPU that the options, or else the configuration, name. Nothing, after an error, when it is not one.
std::optional<gpu::Gpu> one_gpu(const ProjectOptions& options, Io& io);
std::optional<gpu::Gpu> one_gpu(const project::Project& project, Io& io);

// The text of a table; `-` is standard input. Nothing, after an error, when it cannot be read.
std::optional<std::string> table_text(const std::string& path, Io& io);

}  // namespace shapelint::cli
