// Ways of dividing a model, for programs.
#pragma once

#include <span>
#include <string>

#include "cli/commands/fits/text.hpp"

namespace shapelint::cli {

std::string fits_json_text(std::span<const GpuFits> all);

}  // namespace shapelint::cli
