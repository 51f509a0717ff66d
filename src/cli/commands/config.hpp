// `shapelint config`: which configuration applies to a file, and what it says; the schemas for editors.
#pragma once

#include <string>
#include <vector>

#include "cli/exit_code.hpp"
#include "cli/io.hpp"
#include "cli/option.hpp"
#include "cli/project_options.hpp"

namespace shapelint::cli {

struct ConfigOptions {
  std::string show;  // --show FILE
  ProjectOptions project;
  std::size_t schema = 0;  // index into the choices of --schema
};

std::vector<Option> config_options(ConfigOptions& options);
ExitCode config(const ConfigOptions& options, Io& io);

}  // namespace shapelint::cli
