// `shapelint calibrate`: fits a profile's constants to measured times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/exit_code.hpp"
#include "cli/io.hpp"
#include "cli/option.hpp"
#include "cli/project_options.hpp"
#include "project/project.hpp"

namespace shapelint::cli {

struct CalibrateOptions {
  ProjectOptions project;  // whose GPUs are known, too
  std::string gpu_file;
  std::string gpu;                  // instead of a file
  std::vector<std::string> shapes;  // tables; with `proofs` where those are
  bool proofs = false;
  std::string output;
  std::string source;
  std::string start_from;
  std::int64_t evaluations = 8000;
  std::int64_t sample = 2000;
  std::int64_t folds = 5;
  bool rotated = false;
  std::size_t format = 0;  // text, json
};
constexpr std::size_t fit_as_json = 1;

std::vector<Option> calibrate_options(CalibrateOptions& options);
ExitCode calibrate(const CalibrateOptions& options, Io& io);
// Of --proofs.
ExitCode adjust_to_proofs(const CalibrateOptions& options, const project::Project& project, Io& io);

}  // namespace shapelint::cli
