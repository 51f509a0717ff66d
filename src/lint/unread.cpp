// Files of which nothing was checked.
#include "lint/unread.hpp"

#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "formats/discover.hpp"
#include "formats/read.hpp"
#include "text/parse_any.hpp"

namespace shapelint::lint {

namespace {

// The text and where it is broken, where it is.
std::optional<text::Source> broken(const std::string& path, const Result<std::string>* given,
                                   const text::FileSystem& files) {
  Result<std::string> content = given != nullptr ? *given : formats::read_named(path, files);
  if (!content) return std::nullopt;
  text::Source source = formats::parse(path, *std::move(content), false);
  if (source.documents) return std::nullopt;
  return source;
}

}  // namespace

text::LocatedError not_understood(const std::string& path, const FileOutcome& outcome,
                                  const Result<std::string>* given, const text::FileSystem& files) {
  std::string_view why = "too little is known of the model to predict a step";
  const std::string about_it = path + ": ";
  for (const std::string_view note : outcome.notes) {
    if (note.starts_with(about_it)) why = note.substr(about_it.size());
  }
  constexpr std::string_view passes_over = "`--allow-unrecognised` passes over such files";
  Error error{
      fmt::format("{}, so nothing in it was checked", why),
      fmt::format("{}, and {}",
                  outcome.recognised ? "`shapelint show --verbose` tells what was understood"
                                     : "`shapelint show --why` tells what the nearest formats miss in it",
                  passes_over),
      path,
      {}};
  if (outcome.recognised) return {std::move(error), {}};
  std::optional<text::Source> source = broken(path, given, files);
  if (!source) return {std::move(error), {}};
  // Of a text that is broken nobody looked for keys.
  error.hint = passes_over;
  error.span = source->documents.error().span;
  return {std::move(error), std::move(source->text)};
}

bool is_broken_model(const std::string& path, const FileOutcome& outcome, const Result<std::string>* given,
                     const text::FileSystem& files) {
  constexpr std::string_view file = "config.json";
  const bool is_so_called =
      path.ends_with(file) && (path.size() == file.size() || path[path.size() - file.size() - 1] == '/');
  return is_so_called && !outcome.recognised && broken(path, given, files);
}

}  // namespace shapelint::lint
