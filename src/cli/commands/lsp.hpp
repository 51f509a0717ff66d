// `shapelint lsp`: a language server over standard input and output.
#pragma once

#include <vector>

#include "cli/exit_code.hpp"
#include "cli/io.hpp"
#include "cli/option.hpp"
#include "cli/project_options.hpp"

namespace shapelint::cli {

struct LspOptions {
  ProjectOptions project;
};

std::vector<Option> lsp_options(LspOptions& options);
ExitCode lsp(const LspOptions& options, Io& io);

}  // namespace shapelint::cli
