// Files, folders, and the local cache.
#include "project/named.hpp"

#include <fmt/format.h>

#include "formats/dialect/paths.hpp"
#include "formats/neighbours.hpp"
#include "text/parse_any.hpp"

namespace shapelint::project {

Result<std::string> path_named(const Project& project, const std::string& name) {
  const text::FileSystem& files = project.files();
  if (name == "-" || files.exists(name)) return name;
  const auto cached = formats::cached_model(files, project.request().model_cache, name);
  if (!cached) return name;
  if (!cached->config.empty()) return cached->config;
  // `configs/7b.yaml` and a file beside others are no model's names.
  const auto slash = name.find('/');
  const bool is_path =
      slash == std::string::npos || text::syntax_by_name(name) || files.is_directory(name.substr(0, slash));
  if (is_path) return name;
  const std::string looked =
      files.is_directory(cached->folder)
          ? fmt::format("no revision in `{}/snapshots` has a config.json", cached->folder)
          : fmt::format("looked for `{}`; HF_HOME or HF_HUB_CACHE name another cache", cached->folder);
  return Error{"there is no such file, and no such model in the local Hugging Face cache",
               looked,
               name,
               {},
               ErrorCode::not_found};
}

Result<std::string> file_named(const Project& project, const std::string& name) {
  Result<std::string> path = path_named(project, name);
  if (!path || !project.files().is_directory(*path)) return path;
  std::string config = formats::join(*path, "config.json");
  if (!project.files().exists(config)) return path;
  return config;
}

}  // namespace shapelint::project
