// Built-in and users' data files.
#include "catalog/catalog.hpp"

#include <string>

#include "catalog/embedded.hpp"
#include "text/toml/toml.hpp"

namespace shapelint::catalog {

std::span<const text::Document> builtin(std::string_view folder) {
  for (const EmbeddedFolder& each : embedded_folders()) {
    if (each.path == folder) return each.documents();
  }
  return {};
}

std::vector<text::Document> load(const text::FileSystem& files, const std::string& folder,
                                 std::vector<Error>& errors) {
  std::vector<text::Document> documents;
  const Result<std::vector<std::string>> paths = files.list(folder);
  if (!paths) {
    errors.push_back(paths.error());
    return documents;
  }
  for (const std::string& path : *paths) {
    if (!path.ends_with(".toml")) continue;
    Result<std::string> content = files.read(path, text::max_source_bytes);
    if (!content) {
      errors.push_back(content.error());
      continue;
    }
    Result<text::Document> document = text::parse_toml(path, *std::move(content));
    if (document) {
      documents.push_back(*std::move(document));
    } else {
      errors.push_back(document.error());
    }
  }
  return documents;
}

}  // namespace shapelint::catalog
