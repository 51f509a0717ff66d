// `shapelint lsp`: a language server over standard input and output.
#include "cli/commands/lsp.hpp"

#include "cli/field_options.hpp"
#include "lsp/lsp.hpp"

namespace shapelint::cli {

std::vector<Option> lsp_options(LspOptions& options) {
  // What editors give to every server; standard input and output are all that there is.
  std::vector<Option> all{{.names = "--stdio",
                           .doc = "speak over standard input and output, as it does anyway",
                           .set = [](std::string_view) { return std::nullopt; }}};
  for (Option& option : configuration_options(options.project)) all.push_back(std::move(option));
  for (Option& option : gpu_options(options.project)) all.push_back(std::move(option));
  for (Option& option : field_options(options.project.request.overrides)) all.push_back(std::move(option));
  return all;
}

ExitCode lsp(const LspOptions& options, Io& io) {
  const auto request = request_of(options.project, io);
  if (!request) return ExitCode::error;
  return lsp::serve(io.in, io.out, *request, io.files) ? ExitCode::clean : ExitCode::findings;
}

}  // namespace shapelint::cli
