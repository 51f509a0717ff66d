// Configuration files: found, and read with those that they extend.
#include "project/config.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/budget.hpp"
#include "base/strings.hpp"
#include "formats/dialect/paths.hpp"
#include "project/keys.hpp"
#include "text/toml/toml.hpp"

namespace shapelint::project {

namespace fs = std::filesystem;

namespace {

bool has_table(const text::FileSystem& files, const std::string& path) {
  auto content = files.read(path, text::max_source_bytes);
  if (!content || content->find("shapelint") == std::string::npos) return false;
  const auto document = text::parse_toml(path, *std::move(content));
  return document && static_cast<bool>(document->root()["tool"]["shapelint"]);
}

// The folders from that of `path` up to the root of the file system, nearest first; relative ones stay
// relative, so that messages name files as the user would.
std::vector<std::string> folders_above(std::string_view path, const fs::path& here) {
  // Longer than any path that a system opens: nothing lies there. Its folders would take its length squared.
  constexpr std::size_t longest_path = 4096;
  if (path.size() > longest_path) return {"."};
  std::vector<std::string> folders;
  fs::path folder = fs::path(path).lexically_normal().parent_path();
  if (folder.is_absolute()) {
    for (std::string each = folder.generic_string();;
         each.resize(std::max<std::size_t>(each.rfind('/'), 1))) {
      folders.push_back(each);
      if (each.size() <= 1) return folders;
    }
  }
  const auto depth = static_cast<std::size_t>(std::distance(here.begin(), here.end()));
  while (!folder.empty() && folder != "." && folder.filename() != "..") {
    folders.push_back(folder.generic_string());
    folder = folder.parent_path();
  }
  std::string up = folder.empty() || folder == "." ? std::string{} : folder.generic_string();
  for (std::size_t i = 0; i < depth; ++i) {
    folders.push_back(up.empty() ? "." : up);
    up += up.empty() ? ".." : "/..";
  }
  return folders;
}

std::string below(const std::string& folder, const char* name) {
  if (folder == ".") return name;
  return folder.ends_with('/') ? folder + name : folder + '/' + name;
}

// The one in this very folder; empty where there is none.
std::string config_in(const text::FileSystem& files, const std::string& folder) {
  for (const char* name : {".shapelint.toml", "shapelint.toml"}) {
    std::string candidate = below(folder, name);
    if (files.exists(candidate) && !files.is_directory(candidate)) return candidate;
  }
  std::string project = below(folder, "pyproject.toml");
  return files.exists(project) && has_table(files, project) ? project : std::string{};
}

}  // namespace

std::string find_config(const text::FileSystem& files, std::string_view path, ConfigOfFolder& known) {
  std::string out;
  std::vector<std::string> folders;  // that were asked
  for (std::string& folder : folders_above(path, files.working_directory())) {
    if (const auto found = known.find(folder); found != known.end()) {
      out = found->second;
      break;
    }
    out = config_in(files, folder);
    folders.push_back(std::move(folder));
    if (!out.empty()) break;
  }
  for (std::string& folder : folders) known.emplace(std::move(folder), out);
  return out;
}

std::string find_config(const text::FileSystem& files, std::string_view path) {
  ConfigOfFolder none;
  return find_config(files, path, none);
}

bool is_in_repository(const text::FileSystem& files, const std::string& config, const std::string& path) {
  const fs::path here(files.working_directory());
  const std::vector<std::string> folders = folders_above(config, here);
  const auto root = std::find_if(folders.begin(), folders.end(), [&](const std::string& folder) {
    return files.exists(below(folder, ".git"));
  });
  const fs::path reach = (here / (root == folders.end() ? folders.front() : *root) / "").lexically_normal();
  const fs::path relative = (here / path).lexically_normal().lexically_relative(reach);
  return !relative.empty() && *relative.begin() != "..";
}

bool matches(const Pattern& pattern, std::string_view path, std::string_view working_directory) {
  if (pattern.glob.find('/') == std::string::npos)
    return glob_matches(pattern.glob, path.substr(path.rfind('/') + 1), Glob::path);  // npos + 1: all of it
  constexpr std::size_t units_per_paths = 20;
  charge(units_per_paths);
  const fs::path file = fs::path(path).lexically_normal();
  const fs::path here(working_directory);
  const fs::path whole = (here / file).lexically_normal();
  const fs::path folder = (here / pattern.folder / "").lexically_normal();
  const std::string relative = whole.lexically_relative(folder).generic_string();
  std::string_view glob = pattern.glob;
  if (glob.starts_with("./")) glob.remove_prefix(2);
  if (glob.starts_with('/')) return glob_matches(glob, whole.generic_string(), Glob::path);
  return glob_matches(glob, relative, Glob::path);
}

FileSettings settings_for(const Config& config, std::string_view path) {
  FileSettings settings;
  const auto applies = [&](const Pattern& pattern) {
    return matches(pattern, path, config.working_directory);
  };
  if (config.gpus) settings.gpus = *config.gpus;
  settings.ignore = config.ignore;
  for (const FileIgnores& each : config.per_file_ignores) {
    if (!applies(each.match)) continue;
    settings.ignore.insert(settings.ignore.end(), each.rules.begin(), each.rules.end());
  }
  for (const FileOverrides& each : config.files) {
    if (!applies(each.match)) continue;
    if (!each.gpus.empty()) settings.gpus = each.gpus;
    for (const model::Override& value : each.overrides) {
      std::erase_if(settings.overrides, [&](const auto& other) { return other.field == value.field; });
      settings.overrides.push_back(value);
    }
  }
  for (const KeyIgnore& each : config.ignore_keys) {
    if (applies(each.match)) settings.ignore_keys.push_back(&each);
  }
  return settings;
}

namespace {

using text::NodeRef;

// Longest chain of files that extend one another.
constexpr std::size_t max_extended = 20;

// Cost of reading one in addition to its bytes.
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
    return allow_outside || is_in_repository(files, path, other);
  };
  // `extend` first, so that what this file says wins wherever the key stands.
  if (const auto extended = table["extend"].as_string()) {
    const std::string next = beside(formats::folder_of(path), *extended);
    if (std::find(chain.begin(), chain.end(), next) != chain.end() || chain.size() > max_extended) {
      errors.push_back(
          {table["extend"].error("the file extends itself, directly or through other files"), source});
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
