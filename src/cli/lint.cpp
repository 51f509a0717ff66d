// `shapelint lint`: findings of one or more files.
#include "cli/lint.hpp"

#include "cli/messages.hpp"

namespace shapelint::cli {

std::vector<Option> lint_options(LintOptions& options) {
  return {
      {.names = "FILE",
       .value = "FILE",
       .doc = "configuration to check; `-` reads standard input",
       .set = into(options.files),
       .many = true,
       .required = true},
      {.names = "--gpu",
       .value = "NAMES",
       .doc = "GPUs to lint for, with commas between them",
       .set = into_list(options.gpus),
       .many = true},
  };
}

ExitCode lint(const LintOptions& options, Io& io) {
  (void)options;
  print_error(io, "`lint` is not wired yet");
  return ExitCode::error;
}

}  // namespace shapelint::cli
