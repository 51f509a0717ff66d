// `shapelint kernels`: the predicted times of a table of single kernels.
#pragma once

#include <string>
#include <vector>

#include "cli/exit_code.hpp"
#include "cli/io.hpp"
#include "cli/option.hpp"
#include "cli/project_options.hpp"

namespace shapelint::cli {

struct KernelsOptions {
  std::string kind;
  ProjectOptions project;
  std::string shapes;
  std::size_t format = 0;  // text, csv, json
  bool list = false;
};

std::vector<Option> kernels_options(KernelsOptions& options);
ExitCode kernels(const KernelsOptions& options, Io& io);

}  // namespace shapelint::cli
