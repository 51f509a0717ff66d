// A repository's own settings and files, before git is asked anything: somebody else may have written them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "lint/process.hpp"

namespace shapelint::lint {

// Longest that one call of git may take, in milliseconds: what waits for a pipe waits for ever.
inline constexpr std::int64_t git_limit_ms = 20'000;

// An error where git would wait when it looks at the repository around the folder: for a pipe or a device in
// the place of one of its files, or of a file that its settings include. Git reads these before it does
// anything, and knows no option not to. Nothing where there is no repository.
std::optional<Error> check_git_files(const std::string& here);

// Options of git that put the user's own list of ignored files and of attributes, or none, in the place of
// those that a repository's settings name, which may be pipes as well.
std::vector<std::string> own_lists();

}  // namespace shapelint::lint
