// What is the same for all files under one configuration.
#include "project/setup.hpp"

#include <algorithm>
#include <iterator>

#include "catalog/catalog.hpp"
#include "gpu/registry.hpp"
#include "rules/engine/lint.hpp"
#include "text/limits.hpp"

namespace shapelint::cli {

namespace {

using Errors = std::vector<report::ReportError>;

std::string source_in(const std::vector<text::Document>& documents, const std::string& path) {
  for (const text::Document& document : documents) {
    if (document.path() == path) return std::string(document.source());
  }
  return {};
}

void keep(const std::vector<Error>& found, const std::vector<text::Document>& documents, Errors& errors) {
  for (const Error& error : found) errors.push_back({error, source_in(documents, error.path)});
}

std::vector<text::Document> load_folders(const std::vector<std::string>& folders,
                                         const text::FileSystem& files, Errors& errors) {
  std::vector<text::Document> documents;
  for (const std::string& folder : folders) {
    std::vector<Error> found;
    std::vector<text::Document> loaded = catalog::load(files, folder, found);
    std::move(loaded.begin(), loaded.end(), std::back_inserter(documents));
    keep(found, documents, errors);
  }
  return documents;
}

void load_rules(LintSetup& setup, const text::FileSystem& files, Errors& errors) {
  setup.rules = &rules::builtin_rules();
  if (setup.config.rule_folders.empty()) return;
  const std::vector<text::Document> own = load_folders(setup.config.rule_folders, files, errors);
  const auto builtin = catalog::builtin("rules");
  std::vector<text::Document> all(builtin.begin(), builtin.end());
  all.insert(all.end(), own.begin(), own.end());
  std::vector<Error> found;
  setup.own_rules = std::make_unique<rules::RuleBook>(all, true, found);
  keep(found, own, errors);
  setup.rules = setup.own_rules.get();
}

void load_dialects(LintSetup& setup, const text::FileSystem& files, Errors& errors) {
  if (setup.config.format_folders.empty()) return;
  const std::vector<text::Document> own = load_folders(setup.config.format_folders, files, errors);
  std::vector<Error> found;
  setup.own_dialects = std::make_unique<formats::Dialects>(own, found);
  formats::check_expressions(*setup.own_dialects, found);
  keep(found, own, errors);
}

// Names of rules that the command line or the configuration gives.
class NameCheck {
 public:
  NameCheck(const LintSetup& setup, const text::FileSystem& files, Errors& errors)
      : setup_(setup), files_(files), errors_(errors) {}

  void rule(const std::string& selector) {
    if (auto error = rules::check_selector(*setup_.rules, selector)) errors_.push_back({*error, {}});
  }
  void rule(const config::Name& name) {
    if (auto error = rules::check_selector(*setup_.rules, name.value)) place(*error, name);
  }
  template <class Names>
  void all(const Names& names) {
    for (const auto& name : names) rule(name);
  }
  void parameter(const config::ParameterSetting& setting) {
    const auto error = rules::check_parameter(*setup_.rules, setting.rule.value, setting.parameter.value);
    if (error) place(*error, setting.parameter);
  }
  void gpu(const config::Name& name) {
    const auto found = gpu::find_gpu(name.value, setup_.profiles);
    if (!found) place(found.error(), name);
  }

 private:
  void place(const Error& error, const config::Name& name) {
    auto source = files_.read(name.path, text::max_source_bytes);
    errors_.push_back({{error.message, error.hint, name.path, name.span}, source ? *source : std::string{}});
  }
  const LintSetup& setup_;
  const text::FileSystem& files_;
  Errors& errors_;
};

void check_names(const LintSetup& setup, const LintOptions& options, const text::FileSystem& files,
                 Errors& errors) {
  NameCheck check(setup, files, errors);
  check.all(options.select);
  check.all(options.extend_select);
  check.all(options.ignore);
  const config::Config& config = setup.config;
  if (config.select) check.all(*config.select);
  check.all(config.extend_select);
  check.all(config.ignore);
  for (const auto& each : config.per_file_ignores) check.all(each.rules);
  for (const auto& each : config.ignore_keys) check.all(each.rules);
  for (const auto& each : config.severities) check.rule(each.rule);
  for (const auto& each : config.parameters) check.parameter(each);
  if (config.gpus) {
    for (const config::Name& name : *config.gpus) check.gpu(name);
  }
  for (const auto& each : config.files) {
    for (const config::Name& name : each.gpus) check.gpu(name);
  }
}

}  // namespace

std::unique_ptr<LintSetup> load_setup(const LintOptions& options, const std::string& path,
                                      const std::vector<text::Document>& own, const text::FileSystem& files,
                                      std::vector<report::ReportError>& errors) {
  auto setup = std::make_unique<LintSetup>();
  if (!path.empty()) {
    std::vector<config::ConfigError> found;
    setup->config = config::read_config(files, path, found);
    for (config::ConfigError& each : found) errors.push_back({std::move(each.error), std::move(each.source)});
  }
  load_rules(*setup, files, errors);
  load_dialects(*setup, files, errors);
  setup->profiles = own;
  for (text::Document& document : load_folders(setup->config.gpu_folders, files, errors)) {
    setup->profiles.push_back(std::move(document));
  }
  std::vector<Error> usage;
  setup->named = named_gpus(options.gpu, own, setup->profiles, usage);
  for (Error& error : usage) errors.push_back({std::move(error), {}});
  setup->assumed = assumed_gpus();
  check_names(*setup, options, files, errors);
  return setup;
}

}  // namespace shapelint::cli
