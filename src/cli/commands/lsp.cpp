// `shapelint lsp`: a language server over standard input and output.
#include "cli/commands/commands.hpp"

#include "api/files.hpp"
#include "cli/project_options.hpp"
#include "lsp/lsp.hpp"
#include "model/fields.hpp"

namespace shapelint::cli {

std::vector<Option> lsp_options(LspOptions& options) {
  // What editors give to every server; standard input and output are all that there is.
  std::vector<Option> all{{.names = "--stdio",
                           .doc = "use standard input and output (the default)",
                           .set = [](std::string_view) { return std::nullopt; }}};
  append(all, model_input_options(options.project));
  return all;
}

ExitCode lsp(const LspOptions& options, Io& io) {
  // Also reports what is wrong with the profiles before anything is served.
  const auto request = request_of(options.project, io);
  if (!request) return ExitCode::error;
  api::LintOptions lint;
  lint.gpus = {request->gpus.names, options.project.gpu_files, request->gpus.sm_count};
  lint.read.config = request->config;
  lint.read.isolated = request->isolated;
  lint.read.allow_outside = request->allow_outside;
  lint.read.model_cache = request->model_cache;
  for (const model::Override& each : request->overrides) {
    lint.read.settings.push_back(
        {std::string(model::info(each.field).name), model::value_text(each.field, each.value), each.flag});
  }
  return lsp::serve(io.in, io.raw(), lint, api::OuterFiles(io.files)) ? ExitCode::clean : ExitCode::findings;
}

}  // namespace shapelint::cli
