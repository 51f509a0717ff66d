// `shapelint gpus`: the catalogue as a table, or profiles with every figure and its source.
#pragma once

#include <string>
#include <vector>

#include "cli/exit_code.hpp"
#include "cli/io.hpp"
#include "cli/option.hpp"
#include "cli/project_options.hpp"

namespace shapelint::cli {

struct GpusOptions {
  std::vector<std::string> names;  // none: the table
  ProjectOptions project;          // profiles of --gpu-file are shown with the others
  std::size_t format = 0;          // text, json
};

std::vector<Option> gpus_options(GpusOptions& options);
ExitCode gpus(const GpusOptions& options, Io& io);

}  // namespace shapelint::cli
