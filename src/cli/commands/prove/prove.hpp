// `shapelint prove`: writes the script that measures findings, and reads what it measured.
#pragma once

#include <string>
#include <vector>

#include "cli/exit_code.hpp"
#include "cli/io.hpp"
#include "cli/option.hpp"
#include "cli/project_options.hpp"

namespace shapelint::cli {

struct ProveOptions {
  std::string file;
  std::string model;
  std::vector<std::string> findings;  // codes or names; empty: all that gain something
  double budget_s = 120;
  std::string output = "-";
  std::string read;  // a result of the script instead
  ProjectOptions project;
};

std::vector<Option> prove_options(ProveOptions& options);
ExitCode prove(const ProveOptions& options, Io& io);
// Of `--read`.
ExitCode read_result(const ProveOptions& options, Io& io);

}  // namespace shapelint::cli
