// What every command understands that asks what applies to a file: configuration and GPUs.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/io.hpp"
#include "cli/option.hpp"
#include "formats/read.hpp"
#include "model/reading.hpp"
#include "project/project.hpp"
#include "project/request.hpp"

namespace shapelint::cli {

// `--set FIELD=VALUE,…`, and an option for each field, which help and completion leave out. Values are
// appended to `overrides` in the order given.
std::vector<Option> field_options(std::vector<model::Override>& overrides);

// `--dim NAME=N`: sizes of symbolic dimensions of ONNX graphs, in the order given.
Option dimension_option(std::vector<formats::GraphDimension>& dimensions);

struct ProjectOptions {
  project::Request request;            // what the options say; the rest is filled in by request_of()
  std::vector<std::string> gpu_files;  // profiles of the user's own
};

// --config and --isolated.
std::vector<Option> configuration_options(ProjectOptions& options, std::string_view group = "Configuration");
// --gpu, --gpu-file, --sm-count and --power-limit.
std::vector<Option> gpu_options(ProjectOptions& options);
// --stack.
Option stack_option(ProjectOptions& options);
// --shape.
Option shape_option(ProjectOptions& options);
// What commands about one model share: configuration_options(), gpu_options() and field_options().
std::vector<Option> model_input_options(ProjectOptions& options);
// --gpu-file alone.
Option gpu_file_option(ProjectOptions& options, std::string doc);

// The whole request, with the profiles of --gpu-file and the local model cache. Errors are printed; nothing
// when there was one.
std::optional<project::Request> request_of(const ProjectOptions& options, Io& io);

// Prints the mistakes in the configurations of these files, or in that of the working directory when there is
// none, each once. True when there were none.
bool are_configured(const project::Project& project, std::span<const std::string> paths, Io& io);

// The project that the options describe, with the configurations of these files. Errors are printed; null
// when there was one.
std::unique_ptr<const project::Project> open_project(const ProjectOptions& options,
                                                     std::span<const std::string> paths, Io& io);

}  // namespace shapelint::cli
