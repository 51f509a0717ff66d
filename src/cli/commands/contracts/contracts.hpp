// `shapelint contracts`: what kernels and frameworks demand of shapes, in general and of one file.
#pragma once

#include <string>
#include <vector>

#include "cli/exit_code.hpp"
#include "cli/io.hpp"
#include "cli/option.hpp"
#include "cli/project_options.hpp"

namespace shapelint::cli {

struct ContractsOptions {
  ProjectOptions project;
  std::vector<std::string> names;  // of contracts and packages, or one file
  std::string model;
  std::size_t format = 0;
  bool all = false;
};
std::vector<Option> contracts_options(ContractsOptions& options);
ExitCode contracts(const ContractsOptions& options, Io& io);

}  // namespace shapelint::cli
