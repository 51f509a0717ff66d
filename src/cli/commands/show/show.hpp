// `shapelint show`: what was understood of a file.
#pragma once

#include <string>
#include <vector>

#include "cli/exit_code.hpp"
#include "cli/io.hpp"
#include "cli/option.hpp"
#include "cli/project_options.hpp"

namespace shapelint::cli {

struct ShowOptions {
  std::vector<std::string> files;
  std::size_t format = 0;
  bool ops = false;
  bool fields_only = false;
  bool verbose = false;
  bool why = false;
  ProjectOptions project;
};

std::vector<Option> show_options(ShowOptions& options);
ExitCode show(const ShowOptions& options, Io& io);

}  // namespace shapelint::cli
