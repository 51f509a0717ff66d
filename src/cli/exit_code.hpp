// The one place that knows what the process returns.
#pragma once

namespace shapelint::cli {

enum class ExitCode : int {
  clean = 0,     // nothing at or above the fail level
  findings = 1,  // something is worth changing
  error = 2,     // wrong usage or unreadable input
};

}  // namespace shapelint::cli
