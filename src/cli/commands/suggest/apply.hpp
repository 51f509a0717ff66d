// A suggestion made in the file: `--apply` and `--diff`.
#pragma once

#include "cli/commands/suggest/suggest.hpp"
#include "cli/exit_code.hpp"
#include "cli/io.hpp"
#include "cli/model_file.hpp"
#include "report/suggestions/suggestions.hpp"

namespace shapelint::cli {

// `project` is what the file was read by: by its rules the changed text is linted before it is written. Null:
// it is not.
ExitCode apply_suggestion(const report::SuggestReport& report, const SuggestOptions& options,
                          const ModelFile& file, const project::Project* project, Io& io);

}  // namespace shapelint::cli
