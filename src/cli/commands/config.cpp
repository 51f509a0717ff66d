// `shapelint config`: which configuration applies to a file, and what it says.
#include "cli/commands/commands.hpp"

#include <array>

#include "base/strings.hpp"
#include "cli/output.hpp"
#include "project/config.hpp"
#include "project/data_files.hpp"
#include "project/named.hpp"

namespace shapelint::cli {

namespace {

// What `--schema` prints: of these, and of each kind of data file.
constexpr std::array<std::string_view, 3> other_schemas{"none", "config", "native"};

std::span<const std::string_view> schemas() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> out(other_schemas.begin(), other_schemas.end());
    for (const project::DataFile& each : project::data_files()) out.push_back(each.name);
    return out;
  }();
  return names;
}

std::string schema_of(std::size_t index) {
  if (index >= other_schemas.size())
    return project::schema(project::data_files()[index - other_schemas.size()]);
  return other_schemas[index] == "native" ? project::native_schema() : project::schema();
}

}  // namespace

std::vector<Option> config_options(ConfigOptions& options) {
  std::vector<Option> all{
      {.names = "--show",
       .value = "FILE",
       .doc = "print the configuration of this file as TOML, with its sources",
       .set = into(options.show)},
      {.names = "--schema",
       .value = "WHICH",
       .doc = "print the JSON schema of the configuration, of the native format, or of a kind of data file",
       .set = into_choice(options.schema, schemas()),
       .choices = strings(schemas())},
  };
  append(all, configuration_options(options.project));
  return all;
}

ExitCode config(const ConfigOptions& options, Io& io) {
  if (options.schema != 0) {
    io.out << schema_of(options.schema);
    return ExitCode::clean;
  }
  if (options.show.empty()) {
    print_error(io, "nothing was asked for", "`--show FILE` or `--schema config`");
    return ExitCode::error;
  }
  auto request = request_of(options.project, io);
  if (!request) return ExitCode::error;
  const project::Project project(*std::move(request), io.files);
  const Result<std::string> file = project::path_named(project, options.show);
  if (!file) {
    print_error(io, file.error());
    return ExitCode::error;
  }
  if (!are_configured(project, {&*file, 1}, io)) return ExitCode::error;
  io.out << project::show(project.of(*file).config, *file);
  return ExitCode::clean;
}

}  // namespace shapelint::cli
