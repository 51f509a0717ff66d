// `shapelint contracts`: what kernels and frameworks demand of shapes, in general and of one file.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/io.hpp"
#include "cli/option.hpp"
#include "cli/project_options.hpp"
#include "contracts/check.hpp"

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

// For programs.

struct GpuVerdicts {
  std::string gpu;
  std::vector<contracts::Verdict> verdicts;
};

void print_contracts_json(std::span<const contracts::Contract* const> list, std::ostream& out);
void print_verdicts_json(const contracts::Book& book, const contracts::Stack& stack,
                         std::span<const GpuVerdicts> all, std::ostream& out);

}  // namespace shapelint::cli
