// Messages to standard error.
#pragma once

#include <string_view>

#include "cli/io.hpp"

namespace shapelint::cli {

// "error: what was seen; hint".
void print_error(Io& io, std::string_view message, std::string_view hint = {});

}  // namespace shapelint::cli
