// `shapelint fits`: which ways of dividing a model over GPUs run, pad, fall back or are refused.
#pragma once

#include <string>
#include <vector>

#include "cli/exit_code.hpp"
#include "cli/io.hpp"
#include "cli/option.hpp"
#include "cli/project_options.hpp"

namespace shapelint::cli {

struct FitsOptions {
  ProjectOptions project;
  std::string file;
  std::string model;
  std::vector<std::string> counts;
  std::vector<std::string> formats;
  std::size_t format = 0;
  bool all = false;
};
std::vector<Option> fits_options(FitsOptions& options);
ExitCode fits(const FitsOptions& options, Io& io);

}  // namespace shapelint::cli
