// A suggestion made in the file: `--apply` and `--diff`.
#pragma once

#include "cli/exit_code.hpp"
#include "cli/io.hpp"
#include "cli/model_file.hpp"
#include "cli/suggest.hpp"
#include "report/suggestions.hpp"

namespace shapelint::cli {

ExitCode apply_suggestion(const report::SuggestReport& report, const SuggestOptions& options,
                          const ModelFile& file, Io& io);

}  // namespace shapelint::cli
