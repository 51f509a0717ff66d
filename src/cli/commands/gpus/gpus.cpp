// Lists GPUs, or shows some in full.
#include "cli/commands/gpus/gpus.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "cli/option.hpp"
#include "cli/output.hpp"
#include "gpu/registry.hpp"

namespace shapelint::cli {

using report::Style;
using text::Document;

std::vector<Option> gpus_options(GpusOptions& options) {
  std::vector<Option> all{
      {.names = "NAME",
       .value = "NAME",
       .doc = "GPU to show in full [default: table of all]",
       .set = into(options.names),
       .many = true,
       .words = gpu_words},
      gpu_file_option(options.project, "show a custom GPU profile (docs/contributing/gpu.md)"),
      format_option(options.format, text_or_json),
  };
  append(all, configuration_options(options.project));
  return all;
}

ExitCode gpus(const GpusOptions& options, Io& io) {
  const auto project = open_project(options.project, {}, io);
  if (!project) return ExitCode::error;
  const std::vector<Document>& profiles = project->here().profiles;
  const std::vector<Document>& asked_for = project->request().gpus.profiles;
  const bool in_full = !options.names.empty() || !asked_for.empty();
  std::vector<std::string> names = options.names;
  if (!in_full) {
    for (const std::string_view id : gpu::gpu_ids(profiles)) names.emplace_back(id);
    std::sort(names.begin(), names.end());
    // A user's own goes before a built-in one of the same name.
    names.erase(std::unique(names.begin(), names.end()), names.end());
  }
  std::vector<const Document*> documents;
  bool failed = false;
  for (const std::string& name : names) {
    if (const auto found = gpu::find_profile(name, profiles)) {
      documents.push_back(*found);
    } else {
      print_error(io, found.error());
      failed = true;
    }
  }
  if (failed) return ExitCode::error;
  for (const Document& document : asked_for) documents.push_back(&document);

  std::vector<Shown> all;
  for (const Document* document : documents) {
    std::vector<Error> errors;
    Shown shown{gpu::read_gpu(*document, errors, profiles), {}, {}};
    for (const Error& error : errors) print_error(io, error, document->shared_source());
    failed = failed || !errors.empty();
    if (in_full) {
      shown.facts = gpu::facts_of_gpu(*document, profiles);
      const Document* architecture = gpu::find_architecture_file(shown.gpu.architecture.id, profiles);
      if (architecture != nullptr) shown.architecture = gpu::facts_of_architecture(*architecture);
    }
    all.push_back(std::move(shown));
  }
  if (failed) return ExitCode::error;

  if (text_or_json[options.format] == "json") {
    print_gpus_json(all, in_full, io.out);
  } else if (!in_full) {
    io.out << gpus_table_text(all, out_style(io));
    const project::Config& config = project->here().config;
    if (config.gpus) {
      std::vector<std::string> chosen;
      for (const project::Name& name : *config.gpus) chosen.push_back(name.value);
      io.out << fmt::format("\n{} chooses {}\n", config.path, fmt::join(chosen, ", "));
    }
  } else {
    const Style style = out_style(io);
    for (std::size_t i = 0; i < all.size(); ++i)
      io.out << (i > 0 ? "\n" : "") << gpu_profile_text(all[i], style);
  }
  return ExitCode::clean;
}

}  // namespace shapelint::cli
