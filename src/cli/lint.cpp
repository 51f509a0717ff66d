// `shapelint lint`: findings of one or more files.
#include "cli/lint.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "cli/field_options.hpp"
#include "cli/messages.hpp"
#include "cli/model_file.hpp"
#include "formats/discover.hpp"
#include "gpu/registry.hpp"
#include "report/json.hpp"
#include "report/text.hpp"
#include "rules/lint.hpp"
#include "rules/rule.hpp"
#include "text/limits.hpp"

namespace shapelint::cli {

namespace {

constexpr std::array<std::string_view, 2> format_names{"text", "json"};
// In the order of rules::Severity.
constexpr std::array<std::string_view, 3> fail_levels{"info", "warning", "error"};
constexpr double default_min_gain = 0.01;
constexpr rules::Severity default_fail_level = rules::Severity::warning;

void check_selectors(const std::vector<std::string>& selectors, std::vector<Error>& errors) {
  for (const std::string& selector : selectors) {
    if (auto error = rules::check_selector(rules::builtin_rules(), selector)) errors.push_back(*error);
  }
}

// What applies to one file: the command line, then the file's [lint] table, then the defaults.
struct Settings {
  rules::Options rules;
  rules::Severity fail_level = default_fail_level;
  std::vector<gpu::Gpu> gpus;
  bool gpus_assumed = false;
};

std::vector<std::string> values_of(const std::vector<formats::Stated<std::string>>& stated,
                                   const std::string& path, std::vector<Error>& errors) {
  std::vector<std::string> values;
  for (const auto& each : stated) {
    values.push_back(each.value);
    if (const auto error = rules::check_selector(rules::builtin_rules(), each.value)) {
      errors.push_back({error->message, error->hint, path, each.span});
    }
  }
  return values;
}

Settings settings_for(const LintOptions& options, const std::vector<gpu::Gpu>& named,
                      const std::vector<text::Document>& own, const ModelFile& file,
                      std::vector<Error>& errors) {
  const formats::LintOptions& stated = file.lint;
  Settings settings;
  settings.rules.select =
      options.select.empty() ? values_of(stated.select, file.path, errors) : options.select;
  settings.rules.ignore = values_of(stated.ignore, file.path, errors);
  settings.rules.ignore.insert(settings.rules.ignore.end(), options.ignore.begin(), options.ignore.end());
  for (const formats::LintParam& param : stated.params) {
    settings.rules.parameters.push_back({param.rule, param.name, param.value});
    if (const auto error = rules::check_parameter(rules::builtin_rules(), param.rule, param.name)) {
      errors.push_back({error->message, error->hint, file.path, param.name_span});
    }
  }
  settings.rules.min_gain =
      options.min_gain.value_or(stated.min_gain ? stated.min_gain->value : default_min_gain);
  if (options.fail_level) {
    settings.fail_level = static_cast<rules::Severity>(*options.fail_level);
  } else if (stated.fail_level) {
    const auto found = std::find(fail_levels.begin(), fail_levels.end(), stated.fail_level->value);
    settings.fail_level = static_cast<rules::Severity>(found - fail_levels.begin());
  }
  settings.gpus = named;
  if (!settings.gpus.empty()) return settings;
  for (const auto& name : stated.gpus) {
    auto found = gpu::find_gpu(name.value, own);
    if (found) {
      settings.gpus.push_back(*std::move(found));
    } else {
      errors.push_back({found.error().message, found.error().hint, file.path, name.span});
    }
  }
  if (stated.gpus.empty()) {
    settings.gpus = assumed_gpus();
    settings.gpus_assumed = true;
  }
  return settings;
}

// GPUs that have no unit for the number format are an error where they were named, and left out where they
// were only assumed.
void check_dtype(Settings& settings, const ModelFile& file, const model::Reading& reading,
                 std::vector<Error>& errors) {
  const DType dtype = reading.setup.plan.dtype;
  std::string unable;
  std::vector<gpu::Gpu> able;
  for (const gpu::Gpu& gpu : settings.gpus) {
    if (gpu::can_multiply(gpu, dtype)) {
      able.push_back(gpu);
    } else {
      unable += (unable.empty() ? "" : " and ") + gpu.id;
    }
  }
  if (!unable.empty() && (!settings.gpus_assumed || able.empty())) {
    const model::Origin& origin = reading.origins[static_cast<std::size_t>(model::find_field("dtype"))];
    const bool is_stated = origin.kind == model::Origin::Kind::stated;
    errors.push_back({fmt::format("`dtype` is `{}`, which {} cannot multiply", name(dtype), unable),
                      "name another GPU, or another number format with `--dtype`", file.path,
                      is_stated ? std::optional<Span>(origin.span) : std::nullopt});
  }
  settings.gpus = std::move(able);
}

void remember(std::vector<gpu::Gpu>& all, const std::vector<gpu::Gpu>& gpus) {
  for (const gpu::Gpu& gpu : gpus) {
    const auto same = [&](const gpu::Gpu& each) { return each.id == gpu.id; };
    if (std::none_of(all.begin(), all.end(), same)) all.push_back(gpu);
  }
}

struct Outcome {
  report::Report report;
  bool failed = false;    // an error of any file
  bool findings = false;  // at or above the fail level
  bool noted = false;     // it was said why nothing came of a file
};

void lint_reading(const ModelFile& file, const model::Reading& reading, Settings settings,
                  std::vector<Error>& errors, Io& io, Outcome& outcome) {
  check_dtype(settings, file, reading, errors);
  if (!errors.empty()) return;
  report::ModelReport model;
  model.path = file.path;
  model.source = file.source;
  model.reading = reading;
  model.gpus_assumed = settings.gpus_assumed;
  model.min_gain = settings.rules.min_gain;
  model.result = rules::lint(rules::builtin_rules(), reading, settings.gpus, settings.rules);
  errors = model.result.errors;
  for (const rules::Finding& finding : model.result.findings) {
    outcome.findings = outcome.findings || finding.severity >= settings.fail_level;
    if (report::source_of(model, finding.path) != nullptr || finding.path.empty()) continue;
    auto inherited = io.files.read(finding.path, text::max_source_bytes);
    if (inherited) model.other_sources.emplace(finding.path, *std::move(inherited));
  }
  remember(outcome.report.gpus, settings.gpus);
  outcome.report.models.push_back(std::move(model));
}

void lint_file(const LintOptions& options, const std::vector<gpu::Gpu>& named,
               const std::vector<text::Document>& own, const formats::Found& found, Io& io,
               Outcome& outcome) {
  ModelFile file = read_model_file(found.path, options.stdin_filename, options.overrides, io);
  std::vector<Error> errors = std::move(file.errors);
  std::size_t complete = 0;
  if (errors.empty() && !file.readings.empty()) {
    const Settings settings = settings_for(options, named, own, file, errors);
    for (const model::Reading& reading : file.readings) {
      if (!reading.complete) continue;
      ++complete;
      if (errors.empty()) lint_reading(file, reading, settings, errors, io, outcome);
    }
  }
  // Of what was only found, nothing is said unless it is asked for; of what was named, why nothing came of
  // it.
  if (errors.empty() && (options.verbose || (found.named && complete == 0))) {
    outcome.noted = true;
    for (const model::Note& each : file.notes) print_note(io, file.path, each);
    for (const model::Reading& reading : file.readings) {
      for (const model::Note& each : reading.notes) print_note(io, file.path, each);
      if (!reading.complete) {
        print_note(io, file.path, {"too little is known of the model to predict a step", {}, {}, {}});
      }
    }
  }
  for (const Error& error : errors) {
    const std::string source = error.path == file.path ? file.source : std::string{};
    print_error(io, error, source);
    outcome.report.errors.push_back({error, source});
    outcome.failed = true;
  }
}

}  // namespace

std::vector<Option> lint_options(LintOptions& options) {
  std::vector<Option> all{
      {.names = "FILE",
       .value = "FILE",
       .doc =
           "configuration to check, or a folder to search (`docs/formats.md` lists what is understood); `-` "
           "reads standard input",
       .set = into(options.files),
       .many = true,
       .required = true},
      {.names = "--format",
       .value = "NAME",
       .doc = "what to print",
       .set = into_enum(options.format, format_names),
       .choices = strings(format_names)},
      {.names = "--min-gain",
       .value = "SHARE",
       .doc = "leave out what saves less than this share of the step; 1% unless given",
       .set = [&options](std::string_view text) { return into_share(options.min_gain.emplace())(text); }},
      {.names = "--fail-level",
       .value = "LEVEL",
       .doc = "exit with 1 for findings from this severity on; warning unless given",
       .set =
           [&options](std::string_view text) {
             return into_choice(options.fail_level.emplace(), fail_levels)(text);
           },
       .choices = strings(fail_levels)},
      {.names = "--select",
       .value = "RULES",
       .doc = "only these rules: codes, names, or beginnings of codes such as SL1",
       .set = into_list(options.select),
       .many = true},
      {.names = "--ignore",
       .value = "RULES",
       .doc = "not these rules",
       .set = into_list(options.ignore),
       .many = true},
      {.names = "--stdin-filename",
       .value = "NAME",
       .doc = "what to call standard input in messages",
       .set = into(options.stdin_filename)},
      {.names = "--verbose",
       .doc = "also say which files are passed over, and what was not understood",
       .set = into(options.verbose)},
      {.names = "--exit-zero",
       .doc = "exit with 0 even when something is found",
       .set = into(options.exit_zero)},
  };
  for (Option& option : gpu_options(options.gpu)) all.push_back(std::move(option));
  for (Option& option : field_options(options.overrides)) all.push_back(std::move(option));
  return all;
}

ExitCode lint(const LintOptions& options, Io& io) {
  std::vector<Error> usage;
  const auto own = read_own_profiles(options.gpu, io);
  if (!own) return ExitCode::error;
  const std::vector<gpu::Gpu> named = named_gpus(options.gpu, *own, usage);
  check_selectors(options.select, usage);
  check_selectors(options.ignore, usage);
  for (const Error& error : usage) print_error(io, error);
  if (!usage.empty()) return ExitCode::error;

  Outcome outcome;
  const formats::Discovery found = formats::discover(io.files, options.files);
  for (const Error& error : found.errors) {
    print_error(io, error);
    outcome.report.errors.push_back({error, {}});
    outcome.failed = true;
  }
  for (const formats::Found& file : found.files) lint_file(options, named, *own, file, io, outcome);
  if (found.errors.empty() && outcome.report.models.empty() && !outcome.failed && !outcome.noted) {
    print_note(io, options.files.front(), {"no configuration of a known dialect is in it", {}, {}, {}});
  }
  io.out << (options.format == Format::json ? report::json(outcome.report)
                                            : report::text(outcome.report, report::Style{io.out_color}));
  if (outcome.failed) return ExitCode::error;
  return outcome.findings && !options.exit_zero ? ExitCode::findings : ExitCode::clean;
}

}  // namespace shapelint::cli
