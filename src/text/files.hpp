// Access to files behind one seam, so that tests run on files in memory.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "text/read_sandbox.hpp"

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
  // Writes next to the target and renames: a reader never sees half a file. A link stays one, and what
  // it leads to is replaced.
  virtual Result<bool> write(const std::string& path, std::string_view content) const = 0;
  virtual bool is_directory(const std::string& path) const = 0;
  virtual bool exists(const std::string& path) const = 0;
  // A symbolic link, which a search through folders does not follow.
  virtual bool is_link(const std::string& path) const;
  // A regular file, to which no link out of its tree leads: what is read without having been named.
  virtual bool is_plain_file(const std::string& path) const;
  // The folder that a file's references stay in where there is no repository: the working directory or a
  // named folder, when the file lies there, else its own.
  virtual std::string folder_around(const std::string& path) const;
  // Whether the file at this path was read before, whatever it was called then.
  virtual bool was_read(const std::string& path) const;
  // Until what is returned is gone, others that lock a file in the same folder wait. Error: one of them holds
  // it for too long.
  virtual Result<std::shared_ptr<void>> lock(const std::string& path) const;
  // Paths of the files and folders directly in `folder`, sorted.
  virtual Result<std::vector<std::string>> list(const std::string& folder) const = 0;
};

// Relative paths start from one folder for as long as it lives, whatever becomes of the process's own. Of
// what was not named only regular files are read, and no link out of their tree is followed
// (text/read_sandbox.hpp): a stranger's tree holds whatever a stranger put there.
class RealFileSystem final : public FileSystem {
 public:
  // Without a working directory: the process's of this moment. `named`: the paths that a person wrote down,
  // which may be pipes, devices, and links to anywhere.
  explicit RealFileSystem(std::string working_directory = {}, const std::vector<std::string>& named = {});
  std::string working_directory() const override { return here_; }
  Result<std::string> read_start(const std::string& path, std::int64_t max_bytes,
                                 std::int64_t& file_bytes) const override;
  Result<std::string> read(const std::string& path, std::int64_t max_bytes) const override;
  Result<bool> write(const std::string& path, std::string_view content) const override;
  bool is_directory(const std::string& path) const override;
  bool exists(const std::string& path) const override;
  bool is_link(const std::string& path) const override;
  bool is_plain_file(const std::string& path) const override;
  std::string folder_around(const std::string& path) const override;
  bool was_read(const std::string& path) const override;
  Result<std::shared_ptr<void>> lock(const std::string& path) const override;
  Result<std::vector<std::string>> list(const std::string& folder) const override;

 private:
  using FileId = std::pair<std::uint64_t, std::uint64_t>;  // device and inode
  class Open;
  Result<Open> open(const std::string& path) const;
  std::string absolute(const std::string& path) const;

  std::string here_;  // empty: the process had none
  ReadSandbox trees_;
  mutable std::mutex mutex_;
  mutable std::set<FileId> read_;
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

// What would be if some files were written.

// Texts in memory over the files of another file system, which outlives it. A path is the same file however
// it is spelled. Not for changing while others read.
class OverlayFileSystem final : public FileSystem {
 public:
  explicit OverlayFileSystem(const FileSystem& below) : below_(below) {}
  void put(const std::string& path, std::string content);
  // From now on it is what lies below.
  void take_away(const std::string& path);
  const FileSystem& below() const { return below_; }
  // What two spellings of a path have in common.
  std::string absolute(const std::string& path) const;

  std::string working_directory() const override { return below_.working_directory(); }
  Result<std::string> read(const std::string& path, std::int64_t max_bytes) const override;
  Result<std::string> read_start(const std::string& path, std::int64_t max_bytes,
                                 std::int64_t& file_bytes) const override;
  // Refused: nothing goes through.
  Result<bool> write(const std::string& path, std::string_view content) const override;
  bool is_directory(const std::string& path) const override { return below_.is_directory(path); }
  bool exists(const std::string& path) const override;
  bool is_link(const std::string& path) const override { return below_.is_link(path); }
  bool is_plain_file(const std::string& path) const override;
  std::string folder_around(const std::string& path) const override { return below_.folder_around(path); }
  bool was_read(const std::string& path) const override { return below_.was_read(path); }
  Result<std::shared_ptr<void>> lock(const std::string& path) const override { return below_.lock(path); }
  Result<std::vector<std::string>> list(const std::string& folder) const override {
    return below_.list(folder);
  }

 private:
  const FileSystem& below_;
  std::map<std::string, std::string> texts_;
};

}  // namespace shapelint::text
