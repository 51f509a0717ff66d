// Another program, run with an argument vector: no shell sees the arguments.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace shapelint::lint {

struct ProcessResult {
  int exit_code = 0;  // 128 + the signal's number when a signal ended it
  std::string out;    // its standard output; what it writes to standard error is dropped
};

// Runs `arguments[0]`, found as the shell would, and waits. `variables` ("NAME=value") stand in its
// environment in addition to this process's. Its output ends behind `most_bytes`. `shows_errors`: what it
// writes to standard error goes where this process's goes. Where it, or what it started, takes longer than
// `limit_ms`, all of that is ended. Errors: it cannot be started; it took too long.
Result<ProcessResult> run_process(const std::vector<std::string>& arguments,
                                  const std::vector<std::string>& variables = {},
                                  std::int64_t most_bytes = std::numeric_limits<std::int64_t>::max(),
                                  bool shows_errors = false,
                                  std::int64_t limit_ms = std::numeric_limits<std::int64_t>::max());

}  // namespace shapelint::lint
