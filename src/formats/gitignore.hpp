// git's rules for files that are not part of a project.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shapelint::formats {

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

}  // namespace shapelint::formats
