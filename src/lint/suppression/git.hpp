// What changed in a git repository since a revision; git does the work, as a process.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "lint/process.hpp"
#include "text/files.hpp"

namespace shapelint::lint {

// A repository's own settings and files, before git is asked anything: somebody else may have written them.

// Longest that one call of git may take, in milliseconds: what waits for a pipe waits for ever.
inline constexpr std::int64_t git_limit_ms = 20'000;

// An error where git would wait when it looks at the repository around the folder: for a pipe or a device in
// the place of one of its files, or of a file that its settings include. Git reads these before it does
// anything, and knows no option not to. Nothing where there is no repository.
std::optional<Error> check_git_files(const std::string& here);

// Options of git that put the user's own list of ignored files and of attributes, or none, in the place of
// those that a repository's settings name, which may be pipes as well.
std::vector<std::string> user_ignore_options();

struct GitBase {
  std::string here;    // absolute: that relative paths start from
  std::string root;    // of the working tree
  std::string commit;  // of the revision
  // Paths from the root: changed, added, deleted, both names of what was renamed, and what is not tracked
  // yet.
  std::set<std::string> changed;
  std::map<std::string, std::string> renamed;  // new path to old path, as git sees it
};

// Takes in what `git diff --name-status -z` prints: a letter and a path each; R and its score are followed by
// the old path and the new one.
void add_changes(const std::string& listing, GitBase& base);

// Compares the working tree around the folder `here` with `revision`. Errors: no git, no repository, no such
// revision.
Result<GitBase> compare_with(const std::string& revision, const std::string& here);

// The path as git knows it; nothing when the file is outside of the working tree.
std::optional<std::string> path_in(const GitBase& base, const std::string& path);

// The other way: how messages call a path from the root.
std::string path_from_here(const GitBase& base, const std::string& path_in_root);

// The file as it was then; nothing when it did not exist.
std::optional<std::string> text_at(const GitBase& base, const std::string& path_in_root);

// Whether the file belongs to another repository below this one: a submodule, or a clone.
bool is_in_inner_repository(const GitBase& base, const std::string& path_in_root);

// Files as they were at the revision. What did not change since, and what git leaves alone, is read from the
// working tree.
class RevisionFileSystem final : public text::FileSystem {
 public:
  RevisionFileSystem(const GitBase& base, const text::FileSystem& now) : base_(base), now_(now) {}
  std::string working_directory() const override { return now_.working_directory(); }
  Result<std::string> read(const std::string& path, std::int64_t max_bytes) const override;
  Result<bool> write(const std::string& path, std::string_view content) const override;
  bool is_directory(const std::string& path) const override { return now_.is_directory(path); }
  bool exists(const std::string& path) const override;
  std::string folder_around(const std::string& path) const override { return now_.folder_around(path); }
  Result<std::vector<std::string>> list(const std::string& folder) const override {
    return now_.list(folder);
  }

 private:
  // The path from the root when the file changed.
  std::optional<std::string> changed(const std::string& path) const;
  const GitBase& base_;
  const text::FileSystem& now_;
};

// Notes which files are asked for, whether they are there or not.
class RecordingFileSystem final : public text::FileSystem {
 public:
  explicit RecordingFileSystem(const text::FileSystem& files) : files_(files) {}
  const std::set<std::string>& asked() const { return asked_; }
  std::string working_directory() const override { return files_.working_directory(); }
  Result<std::string> read(const std::string& path, std::int64_t max_bytes) const override {
    asked_.insert(path);
    return files_.read(path, max_bytes);
  }
  Result<bool> write(const std::string& path, std::string_view content) const override {
    return files_.write(path, content);
  }
  bool is_directory(const std::string& path) const override { return files_.is_directory(path); }
  bool exists(const std::string& path) const override {
    asked_.insert(path);
    return files_.exists(path);
  }
  std::string folder_around(const std::string& path) const override { return files_.folder_around(path); }
  Result<std::vector<std::string>> list(const std::string& folder) const override {
    return files_.list(folder);
  }

 private:
  const text::FileSystem& files_;
  mutable std::set<std::string> asked_;
};

}  // namespace shapelint::lint
