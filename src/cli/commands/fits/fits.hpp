// `shapelint fits`: which ways of dividing a model over GPUs run, pad, fall back or are refused.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/io.hpp"
#include "cli/option.hpp"
#include "cli/project_options.hpp"
#include "contracts/fits.hpp"
#include "report/style.hpp"

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

// The rows of one GPU: for each count those that run first, the fastest of them first.
struct GpuFits {
  std::string gpu;  // id
  std::vector<contracts::FitRow> rows;
};

// The way that is fastest of those that run on this many GPUs; null where none runs.
const contracts::FitRow* best_of(const GpuFits& fits, std::int64_t count);

// One GPU: a table for each count, with the reason of each row. Several: a column for each, and the best of
// all.
std::string fits_text(std::span<const GpuFits> all, bool every, const report::Style& style);
std::string fits_csv(std::span<const GpuFits> all);

std::string fits_json_text(std::span<const GpuFits> all);

}  // namespace shapelint::cli
