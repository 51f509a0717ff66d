// The profile that a fit starts from, and the one that it writes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "calibrate/fit.hpp"
#include "cli/commands/calibrate/calibrate.hpp"
#include "gpu/gpu.hpp"

namespace shapelint::cli {

// The profile that the fit starts from, and the text that the new one has beside its constants.
struct Start {
  gpu::Gpu gpu;
  std::string text;
};

// Of --gpu or --gpu-file, among the GPUs of the project; nothing, and an error, where there is none.
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
