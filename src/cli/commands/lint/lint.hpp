// `shapelint lint`: findings of files and folders.
#pragma once

#include <string>
#include <vector>

#include "cli/io.hpp"
#include "cli/option.hpp"
#include "cli/output.hpp"
#include "cli/project_options.hpp"
#include "lint/run.hpp"

namespace shapelint::cli {

struct LintOptions {
  std::vector<std::string> files;  // `-`: standard input
  std::string stdin_filename = "<stdin>";
  ProjectOptions project;
  lint::RunRequest run;  // without its paths and texts
  OutputOptions output;
  bool exit_zero = false;
  bool watch = false;  // again whenever a file changes, until somebody ends it
  bool fix = false;
  bool diff = false;          // what `fix` would change
  bool unsafe_fixes = false;  // with one of the two
};

std::vector<Option> lint_options(LintOptions& options);
ExitCode lint(const LintOptions& options, Io& io);

// What lint() and fix() do alike.
lint::RunRequest run_request(const LintOptions& options, Io& io);
// Errors, notes and the report, which goes to `out`.
ExitCode tell(lint::RunOutcome outcome, const LintOptions& options, Io& io);

// `shapelint lint --fix` and `--diff`.
ExitCode fix(const LintOptions& options, Io& io);

}  // namespace shapelint::cli
