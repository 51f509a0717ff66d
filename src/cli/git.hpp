// What changed in a git repository since a revision; git does the work, as a process.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "base/error.hpp"

namespace shapelint::cli {

struct GitBase {
  std::string root;               // of the working tree
  std::string commit;             // of the revision
  std::set<std::string> changed;  // paths from the root: changed, added, or not tracked yet
};

// Compares the working tree around the current folder with `revision`. Errors: no git, no repository, no such
// revision.
Result<GitBase> compare_with(const std::string& revision);

// The path as git knows it; nothing when the file is outside of the working tree.
std::optional<std::string> path_in(const GitBase& base, const std::string& path);

// The file as it was then; nothing when it did not exist.
std::optional<std::string> text_at(const GitBase& base, const std::string& path_in_root);

}  // namespace shapelint::cli
