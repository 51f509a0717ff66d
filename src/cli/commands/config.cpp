// `shapelint config`: which configuration applies to a file, and what it says.
#include "cli/commands/config.hpp"

#include <array>

#include "cli/commands/lint/lint.hpp"
#include "cli/messages.hpp"
#include "project/config.hpp"
#include "project/setup.hpp"

namespace shapelint::cli {

namespace {

constexpr std::array<std::string_view, 3> schemas{"none", "config", "native"};

}  // namespace

std::vector<Option> config_options(ConfigOptions& options) {
  return {
      {.names = "--show",
       .value = "FILE",
       .doc = "print what applies to this file, as TOML, and which configuration files it comes from",
       .set = into(options.show)},
      {.names = "--config",
       .value = "FILE",
       .doc = "this configuration instead of the closest to the file",
       .set = into(options.config)},
      {.names = "--schema",
       .value = "WHICH",
       .doc = "print a JSON schema: of the configuration, or of a model in the native format",
       .set = into_choice(options.schema, schemas),
       .choices = strings(schemas)},
  };
}

ExitCode config(const ConfigOptions& options, Io& io) {
  if (options.schema != 0) {
    io.out << (schemas[options.schema] == "native" ? config::native_schema() : config::schema());
    return ExitCode::clean;
  }
  if (options.show.empty()) {
    print_error(io, "nothing was asked for", "`--show FILE` or `--schema config`");
    return ExitCode::error;
  }
  const std::string path =
      options.config.empty() ? config::find_config(io.files, options.show) : options.config;
  // Loaded as for linting, so that names of rules and GPUs are checked, too.
  std::vector<report::ReportError> errors;
  const auto setup = load_setup(LintOptions{}, path, {}, io.files, errors);
  for (const report::ReportError& each : errors) print_error(io, each.error, each.source);
  if (!errors.empty()) return ExitCode::error;
  io.out << config::show(setup->config, options.show);
  return ExitCode::clean;
}

}  // namespace shapelint::cli
