// `shapelint lint`: findings of one or more files.
#pragma once

#include <string>
#include <vector>

#include "cli/exit_code.hpp"
#include "cli/io.hpp"
#include "cli/option.hpp"

namespace shapelint::cli {

struct LintOptions {
  std::vector<std::string> files;
  std::vector<std::string> gpus;
};

std::vector<Option> lint_options(LintOptions& options);
ExitCode lint(const LintOptions& options, Io& io);

}  // namespace shapelint::cli
