// `shapelint sweep`: predictions over a grid of dimensions, as CSV.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/exit_code.hpp"
#include "cli/gpu_options.hpp"
#include "cli/io.hpp"
#include "cli/option.hpp"
#include "model/reading.hpp"

namespace shapelint::cli {

struct SweepOptions {
  std::string file;
  std::string model;  // which of the file's
  GpuOptions gpu;
  std::vector<std::string> over;
  std::string shard = "1/1";
  std::string plot;  // SVG; empty: none
  std::vector<model::Override> overrides;
};

std::vector<Option> sweep_options(SweepOptions& options);
ExitCode sweep(const SweepOptions& options, Io& io);

}  // namespace shapelint::cli
