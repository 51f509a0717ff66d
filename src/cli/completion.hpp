// `shapelint completion`: scripts that complete commands and options, from the tables of both.
#pragma once

#include <string>
#include <vector>

#include "cli/exit_code.hpp"
#include "cli/io.hpp"
#include "cli/option.hpp"

namespace shapelint::cli {

struct CompletionOptions {
  std::vector<std::string> shells;  // one
};

std::vector<Option> completion_options(CompletionOptions& options);
ExitCode completion(const CompletionOptions& options, Io& io);

}  // namespace shapelint::cli
