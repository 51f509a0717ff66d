// Finding what a script sources.
#include "formats/sourced.hpp"

#include "formats/dialect/paths.hpp"
#include "text/limits.hpp"
#include "text/shell/shell.hpp"

namespace shapelint::formats {

namespace {

// The word at the beginning of a command, or behind assignments; `@file`, whose words are arguments; and
// another script that is run.
bool may_source(std::string_view text) {
  return text.find("source ") != std::string_view::npos || text.find("\n. ") != std::string_view::npos ||
         text.find(" @") != std::string_view::npos || text.starts_with(". ") ||
         text.find(".sh") != std::string_view::npos || text.find(".slurm") != std::string_view::npos ||
         text.find(".sbatch") != std::string_view::npos;
}

}  // namespace

std::optional<text::Source> with_sourced_scripts(const text::FileSystem& files, const text::Source& source) {
  if (source.syntax != text::Syntax::shell || !source.documents || !may_source(source.text))
    return std::nullopt;
  const std::vector<std::string> folders = ancestors(files, source.path);
  bool any_found = false;
  const auto find = [&](const std::string& path,
                        const std::string& from) -> std::optional<text::SourcedScript> {
    std::vector<std::string> places = {folder_of(from)};
    places.insert(places.end(), folders.begin(), folders.end());
    for (const std::string& folder : places) {
      const std::string candidate = join(folder, path);
      if (candidate == join("", source.path) || !is_inside(candidate, folders.back()) ||
          !files.exists(candidate) || files.is_directory(candidate))
        continue;
      Result<std::string> content = files.read(candidate, text::max_source_bytes);
      if (!content) continue;
      any_found = true;
      return text::SourcedScript{candidate, *std::move(content)};
    }
    return std::nullopt;
  };
  const auto load = [&](const std::string& path,
                        const std::string& from) -> std::optional<text::SourcedScript> {
    if (!path.starts_with('/')) return find(path, from);
    std::vector<std::string> places = {folder_of(from)};
    places.insert(places.end(), folders.begin(), folders.end());
    const std::string end = end_inside(files, places, path);
    return end.empty() ? std::nullopt : find(end, from);
  };
  text::Source followed = source;
  followed.documents = text::parse_shell(source.path, source.text, load);
  if (!any_found || !followed.documents) return std::nullopt;
  return followed;
}

}  // namespace shapelint::formats
