// Waiting until somebody saves a file.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace shapelint::cli {

// Changes below folders, and in the folders of files: what a file builds on usually lies next to it. Hidden
// files and folders, and those that editors write on the way, do not count.
class FolderWatch {
 public:
  // `left_out`: names of files that the waiting program writes itself.
  explicit FolderWatch(std::vector<std::string> paths, std::set<std::string> left_out = {});
  FolderWatch(const FolderWatch&) = delete;
  FolderWatch& operator=(const FolderWatch&) = delete;
  ~FolderWatch();

  // Looks from now on; folders that came since the last call are looked at, too. An error where the system
  // has no means for it, or no more.
  Result<bool> begin();
  // The name of a file that changed since begin(), once nothing more happens for a moment.
  Result<std::string> wait();

 private:
  Result<bool> add(const std::string& folder);
  // The pending events; empty: none that counts.
  std::string read_events();

  std::vector<std::string> paths_;
  std::set<std::string> left_out_;
  std::size_t folders_ = 0;
  int descriptor_ = -1;
};

}  // namespace shapelint::cli
