// One file from its text to its findings.
#include "lint/file.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "gpu/registry.hpp"
#include "lint/ignore_keys.hpp"
#include "lint/suppress.hpp"
#include "rules/book/select.hpp"
#include "rules/engine/lint.hpp"
#include "rules/engine/merge.hpp"
#include "rules/engine/remarks.hpp"
#include "text/limits.hpp"

namespace shapelint::cli {

namespace {

constexpr double default_min_gain = 0.01;
constexpr rules::Severity default_fail_level = rules::Severity::warning;

// What applies to one file: the command line, then the file's [lint] table, then the configuration, then the
// defaults.
struct Settings {
  rules::Options rules;
  rules::Severity fail_level = default_fail_level;
  std::vector<gpu::Gpu> gpus;
  bool gpus_assumed = false;
};

std::vector<std::string> values_of(const std::vector<config::Name>& names) {
  std::vector<std::string> values;
  for (const config::Name& name : names) values.push_back(name.value);
  return values;
}

void append(std::vector<std::string>& to, const std::vector<std::string>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

class SettingsReader {
 public:
  SettingsReader(const LintOptions& options, const LintSetup& setup, const config::FileSettings& file,
                 const formats::LintOptions& stated, const std::string& path, std::vector<Error>& errors)
      : options_(options), setup_(setup), file_(file), stated_(stated), path_(path), errors_(errors) {}

  Settings read() {
    Settings out;
    select(out.rules);
    append(out.rules.ignore, values_of(file_.ignore));
    append(out.rules.ignore, checked(stated_.ignore));
    append(out.rules.ignore, options_.ignore);
    for (const config::SeveritySetting& each : setup_.config.severities) {
      if (!each.severity) out.rules.ignore.push_back(each.rule.value);
    }
    parameters(out.rules);
    out.rules.min_gain = options_.min_gain  ? *options_.min_gain
                         : stated_.min_gain ? stated_.min_gain->value
                                            : setup_.config.min_gain.value_or(default_min_gain);
    out.fail_level = fail_level();
    gpus(out);
    return out;
  }

 private:
  std::vector<std::string> checked(const std::vector<formats::Stated<std::string>>& stated) {
    std::vector<std::string> values;
    for (const auto& each : stated) {
      values.push_back(each.value);
      if (const auto error = rules::check_selector(*setup_.rules, each.value)) {
        errors_.push_back({error->message, error->hint, path_, each.span});
      }
    }
    return values;
  }

  void select(rules::Options& out) {
    const std::vector<std::string> own = checked(stated_.select);
    std::vector<std::string> more = options_.extend_select;
    if (!options_.select.empty()) {
      out.select = options_.select;
    } else if (!own.empty()) {
      out.select = own;
    } else {
      if (setup_.config.select) out.select = values_of(*setup_.config.select);
      append(more, values_of(setup_.config.extend_select));
    }
    if (more.empty()) return;
    if (out.select.empty()) out.select.emplace_back("ALL");  // besides all the usual ones
    append(out.select, more);
  }

  // The engine takes the last of several.
  void parameters(rules::Options& out) {
    for (const config::ParameterSetting& each : setup_.config.parameters) {
      out.parameters.push_back({each.rule.value, each.parameter.value, each.value});
    }
    for (const formats::LintParam& each : stated_.params) {
      out.parameters.push_back({each.rule, each.name, each.value});
      if (const auto error = rules::check_parameter(*setup_.rules, each.rule, each.name)) {
        errors_.push_back({error->message, error->hint, path_, each.name_span});
      }
    }
  }

  rules::Severity fail_level() const {
    if (options_.fail_level) return static_cast<rules::Severity>(*options_.fail_level);
    if (stated_.fail_level) {
      const auto found = std::find(fail_levels.begin(), fail_levels.end(), stated_.fail_level->value);
      return static_cast<rules::Severity>(found - fail_levels.begin());
    }
    return setup_.config.fail_level.value_or(default_fail_level);
  }

  void gpus(Settings& out) {
    out.gpus = setup_.named;
    if (!out.gpus.empty()) return;
    for (const auto& name : stated_.gpus) {
      auto found = gpu::find_gpu(name.value, setup_.profiles);
      if (found) {
        out.gpus.push_back(*std::move(found));
      } else {
        errors_.push_back({found.error().message, found.error().hint, path_, name.span});
      }
    }
    if (!stated_.gpus.empty()) return;
    for (const config::Name& name : file_.gpus) {
      auto found = gpu::find_gpu(name.value, setup_.profiles);
      if (found) out.gpus.push_back(*std::move(found));
    }
    if (!out.gpus.empty()) return;
    out.gpus = setup_.assumed;
    out.gpus_assumed = true;
  }

  const LintOptions& options_;
  const LintSetup& setup_;
  const config::FileSettings& file_;
  const formats::LintOptions& stated_;
  const std::string& path_;
  std::vector<Error>& errors_;
};

// GPUs that have no unit for the number format are an error where they were named, and left out where they
// were only assumed.
void check_dtype(Settings& settings, const model::Reading& reading, const std::string& path,
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
    const bool is_stated = origin.kind == model::Origin::Kind::stated && origin.path == path;
    errors.push_back({fmt::format("`dtype` is `{}`, which {} cannot multiply", name(dtype), unable),
                      "name another GPU, or another number format with `--dtype`", path,
                      is_stated ? std::optional<Span>(origin.span) : std::nullopt});
  }
  settings.gpus = std::move(able);
}

void set_severities(const config::Config& config, std::vector<rules::Finding>& findings) {
  for (rules::Finding& finding : findings) {
    for (const config::SeveritySetting& each : config.severities) {
      if (each.severity && config::answers(each.rule.value, finding)) finding.severity = *each.severity;
    }
  }
}

// What comments silence, and those that silence nothing.
void suppress(const LintOptions& options, const LintSetup& setup, const rules::Options& selected,
              const std::string& path, const std::string& source, std::vector<rules::Finding> unused,
              FileOutcome& out) {
  if (options.no_ignores || out.models.empty()) return;
  std::vector<std::vector<rules::Finding>*> lists;
  for (report::ModelReport& model : out.models) lists.push_back(&model.result.findings);
  out.suppressed += config::apply_suppressions(config::read_suppressions(path, source), path, lists,
                                               *setup.rules, selected, unused);
  const rules::Rule* rule = setup.rules->find(config::unused_code);
  if (rule != nullptr && !rules::is_selected(*rule, selected)) return;
  set_severities(setup.config, unused);
  std::vector<rules::Finding>& findings = out.models.front().result.findings;
  findings.insert(findings.end(), unused.begin(), unused.end());
}

// What is likely a mistake in the file whatever it costs. It stands with the file's first model; where there
// is none that can be costed, with one that has nothing else.
void look_at_remarks(const LintOptions& options, const LintSetup& setup, const config::FileSettings& file,
                     const rules::Options& selected, const std::string& path, const std::string& source,
                     const formats::ReadResult& read, config::UsedKeys& used, FileOutcome& out) {
  std::vector<rules::Finding> found = rules::look_at(*setup.rules, read.remarks, selected);
  set_severities(setup.config, found);
  if (!options.no_ignores) out.suppressed += config::ignore_keys(file, found, used);
  if (found.empty()) return;
  if (out.models.empty()) {
    report::ModelReport model;
    model.path = path;
    model.source = source;
    model.rule_url = setup.config.rule_url.value_or("");
    model.reading.path = path;
    model.reading.name = path;
    model.reading.dialect = read.dialect;
    out.models.push_back(std::move(model));
  }
  std::vector<rules::Finding>& findings = out.models.front().result.findings;
  findings.insert(findings.end(), found.begin(), found.end());
  rules::sort_findings(findings);
}

std::vector<model::Override> overrides_for(const LintOptions& options, const config::FileSettings& file) {
  std::vector<model::Override> all = file.overrides;
  for (const model::Override& value : options.overrides) {
    std::erase_if(all, [&](const model::Override& other) { return other.field == value.field; });
    all.push_back(value);
  }
  return all;
}

std::vector<std::string> notes_of(const formats::ReadResult& read, const std::string& path) {
  std::vector<std::string> notes;
  const auto add = [&](const std::vector<model::Note>& list) {
    for (const model::Note& each : list) {
      notes.push_back(fmt::format("{}: {}", each.path.empty() ? path : each.path, each.message));
    }
  };
  add(read.notes);
  for (const model::Reading& reading : read.readings) {
    add(reading.notes);
    if (!reading.complete) {
      notes.push_back(fmt::format("{}: too little is known of the model to predict a step", path));
    }
  }
  return notes;
}

// The texts of files that this one inherits from, where a finding points into them.
void add_sources(report::ModelReport& model, const text::FileSystem& files) {
  for (const rules::Finding& finding : model.result.findings) {
    if (finding.path.empty() || report::source_of(model, finding.path) != nullptr) continue;
    auto inherited = files.read(finding.path, text::max_source_bytes);
    if (inherited) model.other_sources.emplace(finding.path, *std::move(inherited));
  }
}

void remember(std::vector<gpu::Gpu>& all, const std::vector<gpu::Gpu>& gpus) {
  for (const gpu::Gpu& gpu : gpus) {
    const auto same = [&](const gpu::Gpu& each) { return each.id == gpu.id; };
    if (std::none_of(all.begin(), all.end(), same)) all.push_back(gpu);
  }
}

}  // namespace

FileOutcome lint_text(const LintOptions& options, const LintSetup& setup, const std::string& path,
                      const std::string& source, bool assume_native, const text::FileSystem& files) {
  FileOutcome out;
  const config::FileSettings file = config::settings_for(setup.config, path);
  formats::ReadOptions how;
  how.overrides = overrides_for(options, file);
  how.dimensions = options.dimensions;
  how.assume_native = assume_native;
  how.model_cache = setup.model_cache;
  // The built-in dialects are not even loaded for a file that is plainly native.
  formats::ReadResult read = setup.own_dialects != nullptr
                                 ? formats::read_text(files, path, source, how, *setup.own_dialects)
                                 : formats::read_text(files, path, source, how);
  std::vector<Error> errors = std::move(read.errors);
  out.notes = notes_of(read, path);
  const Settings settings = SettingsReader(options, setup, file, read.lint, path, errors).read();
  out.fail_level = settings.fail_level;
  config::UsedKeys used_keys;
  for (model::Reading& reading : read.readings) {
    if (!reading.complete || !errors.empty()) continue;
    Settings own = settings;
    check_dtype(own, reading, path, errors);
    if (!errors.empty()) continue;
    report::ModelReport model;
    model.path = path;
    model.source = source;
    model.gpus_assumed = own.gpus_assumed;
    model.min_gain = own.rules.min_gain;
    model.rule_url = setup.config.rule_url.value_or("");
    model.result = rules::lint(*setup.rules, reading, own.gpus, own.rules);
    model.reading = std::move(reading);
    errors = model.result.errors;
    set_severities(setup.config, model.result.findings);
    if (!options.no_ignores) out.suppressed += config::ignore_keys(file, model.result.findings, used_keys);
    add_sources(model, files);
    remember(out.gpus, own.gpus);
    out.models.push_back(std::move(model));
  }
  if (errors.empty())
    look_at_remarks(options, setup, file, settings.rules, path, source, read, used_keys, out);
  suppress(options, setup, settings.rules, path, source,
           config::unused_keys(file, *setup.rules, settings.rules, path, used_keys), out);
  if (!out.models.empty()) add_sources(out.models.front(), files);
  for (Error& error : errors) {
    const bool is_here = error.path == path;
    out.errors.push_back({std::move(error), is_here ? source : std::string{}});
  }
  return out;
}

}  // namespace shapelint::cli
