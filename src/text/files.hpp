// Access to files behind one seam, so that tests run on files in memory.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace shapelint::text {

class FileSystem {
 public:
  virtual ~FileSystem() = default;
  // The absolute folder that relative paths start from.
  virtual std::string working_directory() const = 0;
  // The whole content. Errors: no such file, a directory, no permission, larger than `max_bytes`.
  virtual Result<std::string> read(const std::string& path, std::int64_t max_bytes) const = 0;
  // The first `max_bytes` of a regular file, or all of it when it is shorter; `file_bytes` becomes its size.
  virtual Result<std::string> read_start(const std::string& path, std::int64_t max_bytes,
                                         std::int64_t& file_bytes) const;
  // Writes beside the target and renames, so that a reader never sees half a file.
  virtual Result<bool> write(const std::string& path, std::string_view content) const = 0;
  virtual bool is_directory(const std::string& path) const = 0;
  virtual bool exists(const std::string& path) const = 0;
  // A symbolic link, which a search through folders does not follow.
  virtual bool is_link(const std::string& path) const;
  // Paths of the files and folders directly in `folder`, sorted.
  virtual Result<std::vector<std::string>> list(const std::string& folder) const = 0;
};

// Relative paths start from one folder for as long as it lives, whatever becomes of the process's own.
class RealFileSystem final : public FileSystem {
 public:
  // From the process's working directory of this moment.
  RealFileSystem();
  explicit RealFileSystem(std::string working_directory) : here_(std::move(working_directory)) {}
  std::string working_directory() const override { return here_; }
  Result<std::string> read_start(const std::string& path, std::int64_t max_bytes,
                                 std::int64_t& file_bytes) const override;
  Result<std::string> read(const std::string& path, std::int64_t max_bytes) const override;
  Result<bool> write(const std::string& path, std::string_view content) const override;
  bool is_directory(const std::string& path) const override;
  bool exists(const std::string& path) const override;
  bool is_link(const std::string& path) const override;
  Result<std::vector<std::string>> list(const std::string& folder) const override;

 private:
  std::string absolute(const std::string& path) const;
  std::string here_;  // empty: the process had none
};

// For tests: paths to contents; folders are implied by the paths.
class MemoryFileSystem final : public FileSystem {
 public:
  mutable std::map<std::string, std::string> files;
  std::string here = "/project";
  std::string working_directory() const override { return here; }
  Result<std::string> read(const std::string& path, std::int64_t max_bytes) const override;
  Result<bool> write(const std::string& path, std::string_view content) const override;
  bool is_directory(const std::string& path) const override;
  bool exists(const std::string& path) const override;
  Result<std::vector<std::string>> list(const std::string& folder) const override;
};

}  // namespace shapelint::text
