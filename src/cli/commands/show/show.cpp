// `shapelint show`: what was understood of a file: dialect, each field with its value and where it came from.
#include "cli/commands/show/show.hpp"

#include <fmt/format.h>

#include "cli/model_input.hpp"
#include "cli/output.hpp"
#include "cli/project_options.hpp"
#include "formats/discover.hpp"
#include "project/applied.hpp"
#include "project/named.hpp"
#include "text/printable.hpp"

namespace shapelint::cli {

namespace {

constexpr std::string_view stdin_name = "<stdin>";

// The GPUs that somebody chose for the file.
std::vector<std::string> chosen_gpus(const project::Applied& applied) {
  std::vector<std::string> ids;
  if (applied.gpus_from == project::GpusFrom::assumption) return ids;
  for (const gpu::Gpu& gpu : applied.gpus) ids.push_back(gpu.id);
  return ids;
}

// What is to be shown; standard input is called `stdin_name`.
formats::Discovery find(const std::vector<std::string>& names, const project::Project& project, Io& io,
                        ExitCode& code) {
  formats::Discovery found;
  const auto fail = [&](const Error& error) {
    print_error(io, error);
    code = ExitCode::error;
  };
  std::vector<std::string> paths;
  for (const std::string& name : names) {
    const Result<std::string> path = project::path_named(project, name);
    if (!path) {
      fail(path.error());
    } else if (*path == "-") {
      found.files.push_back({std::string(stdin_name), true});
    } else {
      paths.push_back(*path);
    }
  }
  formats::Discovery in_files = formats::discover(io.files, paths);
  for (const Error& error : in_files.errors) fail(error);
  for (formats::DiscoveredFile& each : in_files.files) found.files.push_back(std::move(each));
  return found;
}

}  // namespace

std::vector<Option> show_options(ShowOptions& options) {
  std::vector<Option> all{
      {.names = "FILE",
       .value = "FILE",
       .doc = "configurations, folders, published models, or `-`",
       .set = into(options.files),
       .many = true,
       .required = true},
      format_option(options.format, text_or_json, "output format"),
      {.names = "--ops",
       .doc = "also print the operations of one rank (JSON always has them)",
       .set = into(options.ops)},
      {.names = "--fields-only",
       .doc = "fields only in JSON: no dimensions per rank, parameters or operations",
       .set = into(options.fields_only)},
      {.names = "-v,--verbose",
       .doc = "also list fields at their default, and unknown keys",
       .set = into(options.verbose)},
      {.names = "--why",
       .doc = "first print the keys that identify the format, or what the nearest formats miss",
       .set = into(options.why)},
  };
  append(all, configuration_options(options.project));
  append(all, field_options(options.project.request.overrides));
  all.push_back(dimension_option(options.project.request.dimensions));
  return all;
}

ExitCode show(const ShowOptions& options, Io& io) {
  const bool is_json = text_or_json[options.format] == "json";
  auto request = request_of(options.project, io);
  if (!request) return ExitCode::error;
  const project::Project project(*std::move(request), io.files);
  ExitCode code = ExitCode::clean;
  const formats::Discovery found = find(options.files, project, io, code);
  std::vector<std::string> paths;
  for (const formats::DiscoveredFile& file : found.files) paths.push_back(file.path);
  if (!are_configured(project, paths, io)) return ExitCode::error;
  Places places(io.files);
  std::vector<ShownFile> files;
  for (const formats::DiscoveredFile& file : found.files) {
    const bool is_stdin = file.path == stdin_name;
    auto content = is_stdin ? read_all(io.in, file.path) : project::text_named(project, file.path);
    if (!content) {
      print_error(io, content.error());
      code = ExitCode::error;
      continue;
    }
    const text::Source source = formats::parse(file.path, *std::move(content), is_stdin);
    places.remember(file.path, source.text);
    const project::Configured& configured = project.of(file.path);
    formats::ReadResult result = project::read_model(configured, source, io.files, is_stdin);
    const project::Applied applied = project::what_applies(configured, file.path, result.lint, result.errors);
    for (const Error& error : result.errors) {
      print_error(io, error, error.path == file.path ? source.text : text::SharedText{});
      code = ExitCode::error;
    }
    if (options.why && !is_json && (file.named || result.recognised)) {
      const formats::Dialects& dialects = project::dialects_of(configured);
      io.out << (result.dialect == "native"
                     ? fmt::format("{} is a file of shapelint's own format\n", text::one_line(file.path))
                     : why_text(source, dialects, options.verbose, out_style(io)));
    }
    if (!result.recognised && !file.named) continue;
    std::vector<std::string> gpus = chosen_gpus(applied);
    std::string gpus_from =
        applied.gpus_from == project::GpusFrom::file ? "its [lint] table" : configured.config.path;
    if (!is_json) {
      for (const model::Reading& reading : result.readings)
        io.out << show_text(reading, options, places, out_style(io));
      if (!gpus.empty() && !result.readings.empty()) {
        io.out << fmt::format("gpus {}, from {}\n", fmt::join(gpus, ", "), gpus_from);
      }
      const bool nothing = result.readings.empty() && result.errors.empty();
      if (options.verbose || (file.named && nothing)) {
        for (const model::Note& note : result.notes) print_note(io, file.path, note);
        for (const model::Reading& reading : result.readings) {
          for (const model::Note& note : reading.notes) print_note(io, file.path, note);
        }
      }
    }
    files.push_back({file.path, source.text, std::move(result), std::move(gpus), std::move(gpus_from)});
  }
  if (is_json) io.out << show_json(files, options.fields_only, io);
  return code;
}

}  // namespace shapelint::cli
