// Constants of the cost model that were fitted to measurements, or carried over from a GPU where they were.
#pragma once

#include <string>

namespace shapelint::gpu {

struct Calibration {
  std::string status;  // "calibrated", "architecture" (another GPU's constants) or "uncalibrated"
  std::string source;  // what data fitted it
};

}  // namespace shapelint::gpu
