// What several commands check of their input: one GPU, a table's text, and whether a stack can be asked
// about.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/io.hpp"
#include "cli/model_input.hpp"
#include "cli/project_options.hpp"
#include "contracts/stack.hpp"
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

// False, with an error, where a stack only serves, and the model counts as training since it is not stated
// what is run: no contract would bind it, and what is priced is not what the stack runs.
bool requires_stated_mode(const project::Configured& configured, const contracts::Stack& stack,
                          const ModelInput& input, Io& io);

}  // namespace shapelint::cli
