// Loads what is the same for all files under one configuration.
#include "project/project.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include "base/budget.hpp"
#include "catalog/catalog.hpp"
#include "catalog/known_models.hpp"
#include "contracts/stack.hpp"
#include "formats/dialect/dialects.hpp"
#include "formats/dialect/paths.hpp"
#include "gpu/registry.hpp"
#include "project/config.hpp"
#include "project/keys.hpp"
#include "project/named.hpp"
#include "rules/book/select.hpp"
#include "text/errors.hpp"

namespace shapelint::project {

namespace {

using Errors = std::vector<text::LocatedError>;

// What is read again for each configuration that adds to it, as measured: units of work, and bytes that are
// kept.
constexpr std::size_t work_of_configuration = 5'000;
constexpr std::size_t bytes_of_configuration = 4'000;
constexpr std::size_t work_of_rules = 300'000;
constexpr std::size_t bytes_of_rules = 900'000;
constexpr std::size_t work_of_contracts = 300'000;
constexpr std::size_t bytes_of_contracts = 300'000;
constexpr std::size_t work_of_dialects = 200'000;
constexpr std::size_t bytes_of_dialects = 200'000;

void charge_for(std::size_t work, std::size_t bytes) {
  charge(work);
  charge_bytes(bytes);
}

// The text of a file of a folder; one that could not be parsed is no document.
text::SharedText source_in(const std::vector<text::Document>& documents, const std::string& path,
                           const text::FileSystem& files) {
  for (const text::Document& document : documents) {
    if (document.path() == path) return document.shared_source();
  }
  auto text = files.read(path, text::max_source_bytes);
  return text ? text::SharedText(*std::move(text)) : text::SharedText();
}

void keep(const std::vector<Error>& found, const std::vector<text::Document>& documents,
          const text::FileSystem& files, Errors& errors) {
  for (const Error& error : found) {
    charge(1 + documents.size());
    errors.push_back({error, error.span ? source_in(documents, error.path, files) : text::SharedText()});
  }
}

std::vector<text::Document> load_folders(const std::vector<std::string>& folders,
                                         const text::FileSystem& files, Errors& errors) {
  std::vector<text::Document> documents;
  for (const std::string& folder : folders) {
    std::vector<Error> found;
    std::vector<text::Document> loaded = catalog::load(files, folder, found);
    std::move(loaded.begin(), loaded.end(), std::back_inserter(documents));
    keep(found, documents, files, errors);
  }
  return documents;
}

void load_rules(Configured& out, const text::FileSystem& files) {
  // Not owned: they live as long as the program.
  using Book = std::shared_ptr<const rules::RuleBook>;
  out.rules = Book(Book(), &rules::builtin_rules());
  if (out.config.rule_folders.empty()) return;
  const SpendingOn spending("rule-folders");
  charge_for(work_of_rules, bytes_of_rules);
  const std::vector<text::Document> own = load_folders(out.config.rule_folders, files, out.errors);
  const auto builtin = catalog::builtin("rules");
  std::vector<text::Document> all(builtin.begin(), builtin.end());
  all.insert(all.end(), own.begin(), own.end());
  std::vector<Error> found;
  out.rules = std::make_shared<const rules::RuleBook>(all, true, found, builtin.size());
  keep(found, own, files, out.errors);
}

void load_contracts(Configured& out, const text::FileSystem& files) {
  if (out.config.contract_folders.empty()) return;
  const SpendingOn spending("contract-folders");
  charge_for(work_of_contracts, bytes_of_contracts);
  const std::vector<text::Document> own = load_folders(out.config.contract_folders, files, out.errors);
  std::vector<text::Document> all = contracts::builtin_documents();
  const std::size_t known = all.size();
  all.insert(all.end(), own.begin(), own.end());
  std::vector<Error> found;
  out.own_contracts = std::make_shared<const contracts::Book>(all, true, found, known);
  keep(found, own, files, out.errors);
}

void load_dialects(Configured& out, const text::FileSystem& files) {
  if (out.config.format_folders.empty()) return;
  const SpendingOn spending("format-folders");
  charge_for(work_of_dialects, bytes_of_dialects);
  const std::vector<text::Document> own = load_folders(out.config.format_folders, files, out.errors);
  std::vector<Error> found;
  auto dialects = std::make_unique<formats::Dialects>(own, found);
  formats::check_expressions(own, *dialects, found);
  out.dialects = std::move(dialects);
  keep(found, own, files, out.errors);
}

void load_models(Configured& out, const text::FileSystem& files) {
  const SpendingOn spending("model-folders");
  const std::vector<text::Document> own = load_folders(out.config.model_folders, files, out.errors);
  std::vector<Error> found;
  for (const text::Document& document : own) catalog::load_known_models(document, out.models, found);
  for (const text::Document& document : own) catalog::load_aliases(document, out.models, found);
  keep(found, own, files, out.errors);
}

// Names of rules that the command line or the configuration gives.
class NameCheck {
 public:
  NameCheck(const Configured& out, const text::FileSystem& files, Errors& errors)
      : out_(out), files_(files), errors_(errors) {}

  void rule(const std::string& selector) {
    if (auto error = rules::check_selector(*out_.rules, selector)) errors_.push_back({*error, {}});
  }
  void rule(const Name& name) {
    // The guess of an error takes long: those that are counted and not printed get none.
    if (errors_.size() > text::max_reported_errors) {
      if (!rules::is_selector(*out_.rules, name.value)) place({"unknown rule", {}, {}, {}}, name);
      return;
    }
    if (auto error = rules::check_selector(*out_.rules, name.value)) place(*error, name);
  }
  template <class Names>
  void all(const Names& names) {
    for (const auto& name : names) rule(name);
  }
  void parameter(const ParameterSetting& setting) {
    const auto error = rules::check_parameter(*out_.rules, setting.rule.value, setting.parameter.value);
    if (error) place(*error, setting.parameter);
  }
  void package(const std::string& text) {
    if (!contracts::is_package(text)) return;
    const auto found = contracts::parse_package(contracts_of(out_), text);
    if (!found) errors_.push_back({found.error(), {}});
  }
  void package(const Name& name) {
    if (!contracts::is_package(name.value)) return;
    const auto found = contracts::parse_package(contracts_of(out_), name.value);
    if (!found) place(found.error(), name);
  }
  void gpu(const Name& name) {
    const auto found = gpu::find_gpu(name.value, out_.profiles);
    if (!found) place(found.error(), name);
  }

 private:
  void place(const Error& error, const Name& name) {
    const auto [source, is_new] = sources_.try_emplace(name.path);
    if (is_new) {
      if (auto content = files_.read(name.path, text::max_source_bytes)) source->second = *std::move(content);
    }
    errors_.push_back({{error.message, error.hint, name.path, name.span}, source->second});
  }
  const Configured& out_;
  const text::FileSystem& files_;
  Errors& errors_;
  std::map<std::string, text::SharedText> sources_;  // by path
};

void check_names(const Configured& out, const text::FileSystem& files, Errors& errors) {
  NameCheck check(out, files, errors);
  check.all(out.request->select);
  check.all(out.request->extend_select);
  check.all(out.request->ignore);
  for (const std::string& text : out.request->stack) check.package(text);
  const Config& config = out.config;
  if (config.stack) {
    for (const Name& name : *config.stack) check.package(name);
  }
  if (config.select) check.all(*config.select);
  check.all(config.extend_select);
  check.all(config.ignore);
  for (const auto& each : config.per_file_ignores) check.all(each.rules);
  for (const auto& each : config.ignore_keys) check.all(each.rules);
  for (const auto& each : config.severities) check.rule(each.rule);
  for (const auto& each : config.parameters) check.parameter(each);
  if (config.gpus) {
    for (const Name& name : *config.gpus) check.gpu(name);
  }
  for (const auto& each : config.files) {
    for (const Name& name : each.gpus) check.gpu(name);
  }
}

void load_all(const std::string& path, const text::FileSystem& files, Configured& out) {
  charge_for(work_of_configuration, bytes_of_configuration);
  if (!path.empty()) out.config = read_config(files, path, out.errors, out.request->allow_outside);
  load_rules(out, files);
  load_contracts(out, files);
  load_dialects(out, files);
  load_models(out, files);
  out.profiles = out.request->gpus.profiles;
  {
    const SpendingOn spending("gpu-folders");
    for (text::Document& document : load_folders(out.config.gpu_folders, files, out.errors)) {
      out.profiles.push_back(std::move(document));
    }
  }
  std::vector<Error> usage;
  out.named = named_gpus(out.request->gpus, out.profiles, usage);
  for (Error& error : usage) out.errors.push_back({std::move(error), {}});
  check_names(out, files, out.errors);
}

std::unique_ptr<const Configured> load(std::shared_ptr<const Request> request, const std::string& path,
                                       const text::FileSystem& files) {
  auto out = std::make_unique<Configured>();
  out->request = std::move(request);
  // Of its own, or that of a run with all of its configurations.
  const Budget budget;
  try {
    load_all(path, files, *out);
  } catch (const Spent& spent) {
    const std::string on = budget.spent_on();
    out->errors.push_back({Error{fmt::format("with the files that it extends, {}", spent.what()),
                                 on.empty() ? "" : fmt::format("work limit reached at `{}`", on),
                                 path,
                                 {},
                                 ErrorCode::too_large},
                           {}});
  }
  // Whoever asks for anything of it gets the errors first.
  if (!out->rules)
    out->rules = std::shared_ptr<const rules::RuleBook>(std::shared_ptr<void>(), &rules::builtin_rules());
  text::summarize_rest(out->errors);
  return out;
}

bool same(const Error& a, const Error& b) {
  return a.message == b.message && a.path == b.path && a.span == b.span;
}

}  // namespace

const formats::Dialects& dialects_of(const Configured& configured) {
  return configured.dialects ? *configured.dialects : formats::Dialects::builtin();
}

const contracts::Book& contracts_of(const Configured& configured) {
  return configured.own_contracts ? *configured.own_contracts : contracts::builtin_contracts();
}

std::string Project::config_for(const std::string& path) const {
  if (!request_->config.empty()) return request_->config;
  if (request_->isolated) return {};
  const std::string folder = formats::folder_of(path);
  if (const auto known = config_of_folder_.find(folder); known != config_of_folder_.end())
    return known->second;
  return config_of_folder_[folder] = find_config(files_, path, config_of_folder_);
}

const Configured& Project::of(const std::string& path) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto [found, is_new] = configured_.try_emplace(config_for(path));
  if (is_new) found->second = load(request_, found->first, files_);
  return *found->second;
}

std::vector<const Configured*> Project::all() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<const Configured*> out;
  for (const auto& [path, each] : configured_) out.push_back(each.get());
  return out;
}

std::vector<text::LocatedError> Project::errors() const {
  std::vector<text::LocatedError> out;
  for (const Configured* each : all()) {
    for (const text::LocatedError& error : each->errors) {
      const auto known = [&](const text::LocatedError& other) { return same(other.error, error.error); };
      if (std::none_of(out.begin(), out.end(), known)) out.push_back(error);
    }
  }
  return out;
}

}  // namespace shapelint::project
