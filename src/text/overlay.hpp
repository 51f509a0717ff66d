// What would be if some files were written.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "text/files.hpp"

namespace shapelint::text {

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
