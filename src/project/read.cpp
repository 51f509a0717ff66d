// Reads configuration files and those that they extend.
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/budget.hpp"
#include "formats/dialect/paths.hpp"
#include "project/config.hpp"
#include "project/read_keys.hpp"
#include "text/toml/toml.hpp"

namespace shapelint::project {

namespace {

using text::NodeRef;

// Longest chain of files that extend one another.
constexpr std::size_t most_extended = 20;

// Of reading one, besides its bytes.
constexpr std::size_t units_per_file = 1000;

NodeRef table_of(const text::Document& document) {
  const bool is_pyproject = std::filesystem::path(document.path()).filename() == "pyproject.toml";
  return is_pyproject ? document.root()["tool"]["shapelint"] : document.root();
}

void read_chain(const text::FileSystem& files, const std::string& path, bool allow_outside, Config& config,
                std::vector<std::string>& chain, std::vector<text::LocatedError>& errors) {
  auto content = files.read(path, text::max_source_bytes);
  if (!content) {
    errors.push_back({content.error(), {}});
    return;
  }
  const text::SharedText source(*std::move(content));
  const SpendingOn spending(path);
  charge(units_per_file + source.size());
  charge_bytes(source.size());  // mistakes in it keep it
  const auto document = text::parse_toml(path, source);
  if (!document) {
    errors.push_back({document.error(), source});
    return;
  }
  chain.push_back(path);
  const NodeRef table = table_of(*document);
  const auto may_name = [&](const std::string& other) {
    return allow_outside || is_in_reach(files, path, other);
  };
  // `extend` first, so that what this file says wins wherever the key stands.
  if (const auto extended = table["extend"].as_string()) {
    const std::string next = beside(formats::folder_of(path), *extended);
    if (std::find(chain.begin(), chain.end(), next) != chain.end() || chain.size() > most_extended) {
      errors.push_back(
          {table["extend"].error("the file extends itself, by way of others or at once"), source});
    } else if (!may_name(next)) {
      errors.push_back({out_of_reach(table["extend"], "extend"), source});
    } else {
      const std::size_t before = errors.size();
      read_chain(files, next, allow_outside, config, chain, errors);
      const bool is_missing =
          errors.size() == before + 1 && errors.back().error.path == next && errors.back().source.empty();
      if (is_missing) {
        errors.back() = {table["extend"].error(fmt::format("`{}` {}", next, errors.back().error.message)),
                         source};
      }
    }
  }
  std::vector<Error> found;
  if (table) read_keys(table, path, config, found, may_name);
  for (Error& error : found) errors.push_back({std::move(error), source});
  config.sources.push_back(path);
}

}  // namespace

Config read_config(const text::FileSystem& files, const std::string& path,
                   std::vector<text::LocatedError>& errors, bool allow_outside) {
  Config config;
  std::vector<std::string> chain;
  read_chain(files, path, allow_outside, config, chain, errors);
  config.path = path;
  config.working_directory = files.working_directory();
  return config;
}

}  // namespace shapelint::project
