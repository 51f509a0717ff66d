// Files of which nothing was checked.
#include "lint/unread.hpp"

#include <string_view>

#include <fmt/format.h>

#include "formats/dialect/paths.hpp"

namespace shapelint::lint {

text::LocatedError not_understood(const std::string& path, const FileOutcome& outcome) {
  std::string_view why = "too little is known of the model to predict a step";
  const std::string about_it = path + ": ";
  for (const std::string_view note : outcome.notes) {
    if (note.starts_with(about_it)) why = note.substr(about_it.size());
  }
  const std::string message = fmt::format("{}, so nothing in it was checked", why);
  const std::string passes_over = "`--allow-unrecognised` passes over such files";
  // Of a text that is broken nobody looked for keys.
  if (outcome.broken)
    return {{message, passes_over, path, outcome.broken->error.span}, outcome.broken->source};
  const std::string_view tells = outcome.recognised
                                     ? "`shapelint show --verbose` prints what was understood"
                                     : "`shapelint show --why` prints what the nearest formats miss";
  return {{message, fmt::format("{}, and {}", tells, passes_over), path, {}}, {}};
}

bool is_broken_model(const std::string& path, const FileOutcome& outcome) {
  return outcome.broken && formats::file_name(path) == "config.json";
}

}  // namespace shapelint::lint
