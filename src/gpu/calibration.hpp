// Constants of the cost model that were fitted to measurements, or carried over from a GPU where they were.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "text/document.hpp"

namespace shapelint::gpu {

struct Calibration {
  // "calibrated", "architecture" (another GPU's constants) or "uncalibrated"
  std::string status = "uncalibrated";
  std::string source;  // what data fitted it
};

// Reads a `[calibration]` table of a profile or an architecture over `into`, all but the status. Errors are
// appended.
void read_calibration(text::NodeRef table, Calibration& into, std::vector<Error>& errors);

}  // namespace shapelint::gpu
