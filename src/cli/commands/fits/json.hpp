// Ways of dividing a model, for programs.
#pragma once

#include <span>
#include <string>

#include "contracts/fits.hpp"

namespace shapelint::cli {

std::string fits_json_text(std::string_view gpu, std::span<const contracts::FitRow> rows);

}  // namespace shapelint::cli
