// `shapelint calibrate`: fits a profile's constants to measured times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/fit.hpp"
#include "cli/io.hpp"
#include "cli/option.hpp"
#include "cli/project_options.hpp"
#include "gpu/gpu.hpp"
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
// Results of --proofs.
ExitCode adjust_to_proofs(const CalibrateOptions& options, const project::Project& project, Io& io);

// The profile that a fit starts from, and the one that it writes.

// The profile that the fit starts from, and the text of the new one apart from its constants.
struct Start {
  gpu::Gpu gpu;
  std::string text;
};

// The GPU of --gpu or --gpu-file among those of the project; nothing, after an error, if there is none.
std::optional<Start> start_of(const CalibrateOptions& options, const project::Configured& here, Io& io);

// Where the profile goes: -o, or else the GPU's name with `ending`, which must not be there yet.
std::optional<std::string> output_of(const CalibrateOptions& options, const gpu::Gpu& gpu,
                                     std::string_view ending, Io& io);

// Those of the options, within what makes sense, and with progress on a terminal.
calibrate::FitOptions fit_options(const CalibrateOptions& options, Io& io);

// Errors before and after by slice, as a table.
std::string scores_text(std::string_view set, const calibrate::Fit& fit);

// The new profile's text. `borrowed`: the constants are another GPU's, and no more than adjusted.
std::string profile_text(const Start& start, bool borrowed = false);

// False, and an error, when it cannot be written.
bool write_profile(const std::string& path, const std::string& text, Io& io);

}  // namespace shapelint::cli
