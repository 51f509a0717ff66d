// From what was named on the command line to the files to read.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "text/files.hpp"

namespace shapelint::formats {

// git's rules for files that are not part of a project.

// The patterns of one .gitignore, for paths below the folder that it is in.
// Source: gitignore(5), "PATTERN FORMAT".
class Gitignore {
 public:
  explicit Gitignore(std::string_view text);

  enum class Verdict { silent, ignored, kept };
  // `path` is relative to the folder of the .gitignore, with `/` between its components. The last pattern
  // that matches decides.
  Verdict check(std::string_view path, bool is_folder) const;

 private:
  struct Pattern {
    std::string glob;
    bool negated = false;
    bool folders_only = false;
    bool anchored = false;  // matches from the .gitignore's folder, not at any depth
  };
  std::vector<Pattern> patterns_;
};

struct DiscoveredFile {
  std::string path;
  bool named = false;  // by the user, rather than found in a folder
};

struct Discovery {
  std::vector<DiscoveredFile> files;     // each once, folders' files sorted by path
  std::vector<std::string> passed_over;  // found, but no regular file, or a link out of the tree
  std::vector<Error> errors;
};

// A folder stands for the files below it that may be configurations (by their ending), without those that
// .gitignore files exclude, without the folders of tools (`.git`, `.venv`, `node_modules`, `build` and the
// like), and without following links to folders. A named file is taken
// whatever it is.
Discovery discover(const text::FileSystem& files, std::span<const std::string> paths);

// A file that was named; the error for one that is not there proposes a similar name.
Result<std::string> read_named(const std::string& path, const text::FileSystem& files);

// The error for a text without anything in it; nothing for any other.
std::optional<Error> check_is_filled(const std::string& path, std::string_view source);

}  // namespace shapelint::formats
