// Messages to standard error.
#pragma once

#include <string_view>

#include "base/error.hpp"
#include "cli/io.hpp"

namespace shapelint::cli {

// "error: what was seen; hint".
void print_error(Io& io, std::string_view message, std::string_view hint = {});

// With the place, when the error has one; `source` is the text of its file.
void print_error(Io& io, const Error& error, std::string_view source = {});

}  // namespace shapelint::cli
