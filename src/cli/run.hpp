// The command line as a function.
#pragma once

#include <span>
#include <string>

#include "cli/io.hpp"

namespace shapelint::cli {

// `args` without the program's name. Returns an ExitCode's value; results go to io.out, messages to io.err.
int run(std::span<const std::string> args, Io& io);

}  // namespace shapelint::cli
