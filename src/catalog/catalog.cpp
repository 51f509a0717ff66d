// Built-in and users' data files.
#include "catalog/catalog.hpp"

#include <string>

#include "base/budget.hpp"
#include "text/toml/toml.hpp"

namespace shapelint::catalog {

namespace {

// Cost of reading one in addition to its bytes. A byte of TOML takes about a unit.
constexpr std::size_t units_per_file = 1000;

// Whether the path goes through a link: what lies behind it may be another's, and is not called by its name.
bool is_behind_link(const text::FileSystem& files, const std::string& path) {
  for (std::size_t end = path.find('/', 1); end != std::string::npos; end = path.find('/', end + 1)) {
    if (files.is_link(path.substr(0, end))) return true;
  }
  return files.is_link(path);
}

}  // namespace

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
    if (!content && is_behind_link(files, folder)) {
      Error error = content.error();
      error.path = folder;
      errors.push_back(std::move(error));
      break;
    }
    if (!content) {
      errors.push_back(content.error());
      continue;
    }
    charge(units_per_file + content->size());
    charge_bytes(content->size());
    Result<text::Document> document = text::parse_toml(path, *std::move(content));
    if (document) {
      charge_bytes(document->nodes().size() * sizeof(text::Node));
      documents.push_back(*std::move(document));
    } else {
      errors.push_back(document.error());
    }
  }
  return documents;
}

}  // namespace shapelint::catalog
