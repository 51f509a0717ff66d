// Sandbox for files that are read implicitly (includes, base configurations): those in the tree that was
// given to be looked at.
#pragma once

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace shapelint::text {

// What one of the paths of a command line was, and where links may lead. A tree is the repository around a
// folder that was named or worked in; without a repository the working directory, or the named folder outside
// of it.
class ReadSandbox {
 public:
  // Both absolute; `named` are the paths that a person wrote down.
  ReadSandbox(const std::string& working_directory, const std::vector<std::string>& named);
  bool is_named(const std::string& absolute_path) const;
  // Whether a file found at one path may be read although its real path is the other: it does not leave its
  // tree, or is of a model in the Hugging Face cache and stays within that model's folder. What lies in no
  // tree (a configuration above the repository, the cache) is the user's own.
  bool allows(const std::string& absolute_path, const std::string& real_path) const;
  // The widest folder, as it is spelled, that was named or worked in and holds the file; else the file's own.
  std::string folder_around(const std::string& absolute_path) const;

 private:
  void add(const std::string& folder, const std::string& within);
  std::string tree_of(const std::string& folder) const;

  std::set<std::string> named_;
  std::map<std::string, std::string> trees_;  // a folder as it is spelled, and the real path of its tree
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::string> tree_of_;  // by folder; empty: none
};

// The real path of something that is there; empty when it is not.
std::string real_path(const std::string& path);

// The paths among the arguments of a command line: each, and what follows a `=` in one (`--config=FILE`,
// `json=FILE`).
std::vector<std::string> paths_in(const std::vector<std::string>& arguments);

}  // namespace shapelint::text
