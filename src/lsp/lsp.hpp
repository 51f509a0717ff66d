// `shapelint lsp`: a language server over standard input and output.
#pragma once

#include <vector>

#include "cli/commands/lint/lint.hpp"
#include "cli/exit_code.hpp"
#include "cli/io.hpp"
#include "cli/option.hpp"

namespace shapelint::cli {

// GPUs and fields as for linting; everything else comes from the configuration closest to each file.
std::vector<Option> lsp_options(LintOptions& options);
ExitCode lsp(const LintOptions& options, Io& io);

}  // namespace shapelint::cli
