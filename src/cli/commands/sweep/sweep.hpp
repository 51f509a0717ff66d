// `shapelint sweep`: predictions over a grid of dimensions, as CSV.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/exit_code.hpp"
#include "cli/io.hpp"
#include "cli/option.hpp"
#include "cli/project_options.hpp"

namespace shapelint::cli {

struct SweepOptions {
  std::string file;
  std::string model;  // which of the file's
  ProjectOptions project;
  std::vector<std::string> over;
  std::string shard = "1/1";
  std::string plot;  // SVG; empty: none
};

std::vector<Option> sweep_options(SweepOptions& options);
ExitCode sweep(const SweepOptions& options, Io& io);

}  // namespace shapelint::cli
