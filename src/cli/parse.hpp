// Command-line arguments to options.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/option.hpp"

namespace shapelint::cli {

struct UsageError {
  std::string message;
  std::string hint;
};

// Fills in `options` from `args`. Options and positionals may be mixed; `--` ends the options; an option that
// may be given only once takes its last value. All errors found are returned.
std::vector<UsageError> parse(std::span<const Option> options, std::span<const std::string> args);

}  // namespace shapelint::cli
