// Dialects of a user, and the cache.
#include "project/configured_reader.hpp"

#include <utility>

#include "formats/dialect/paths.hpp"
#include "project/config.hpp"

namespace shapelint::cli {

std::string hub_folder(const Io& io) {
  const auto variable = [&](const char* name) {
    const auto found = io.environment.find(name);
    return found == io.environment.end() ? std::string() : found->second;
  };
  if (std::string hub = variable("HF_HUB_CACHE"); !hub.empty()) return hub;
  if (const std::string home = variable("HF_HOME"); !home.empty()) return formats::join(home, "hub");
  const std::string home = variable("HOME");
  return home.empty() ? std::string() : formats::join(home, ".cache/huggingface/hub");
}

const LintSetup& ConfiguredReader::setup_for(const std::string& path, std::vector<Error>& errors) {
  const auto [folder, is_new_folder] = config_of_folder_.try_emplace(formats::folder_of(path));
  if (is_new_folder) folder->second = config::find_config(io_.files, path);
  const auto [setup, is_new] = setups_.try_emplace(folder->second);
  if (is_new) {
    std::vector<report::ReportError> found;
    setup->second = load_setup(LintOptions{}, folder->second, {}, io_.files, found);
    for (report::ReportError& each : found) errors.push_back(std::move(each.error));
  }
  return *setup->second;
}

formats::ReadResult ConfiguredReader::read(const std::string& path, const std::string& source,
                                           formats::ReadOptions options) {
  std::vector<Error> errors;
  const LintSetup& setup = setup_for(path, errors);
  options.model_cache = hub_folder(io_);
  formats::ReadResult result = setup.own_dialects != nullptr
                                   ? formats::read_text(io_.files, path, source, options, *setup.own_dialects)
                                   : formats::read_text(io_.files, path, source, options);
  result.errors.insert(result.errors.begin(), errors.begin(), errors.end());
  return result;
}

}  // namespace shapelint::cli
