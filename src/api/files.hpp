// Internal to the public face: a caller's files as the rooms read them, and the other way around.
#pragma once

#include <memory>

#include <shapelint/files.hpp>
#include "text/files.hpp"

namespace shapelint::api {

// Must not outlive `files`.
class InnerFiles final : public text::FileSystem {
 public:
  explicit InnerFiles(const api::FileSystem& files) : files_(files) {}
  std::string working_directory() const override { return files_.working_directory(); }
  shapelint::Result<std::string> read(const std::string& path, std::int64_t max_bytes) const override;
  shapelint::Result<std::string> read_start(const std::string& path, std::int64_t max_bytes,
                                            std::int64_t& file_bytes) const override;
  shapelint::Result<bool> write(const std::string& path, std::string_view content) const override;
  bool exists(const std::string& path) const override { return files_.exists(path); }
  bool is_directory(const std::string& path) const override { return files_.is_folder(path); }
  bool is_link(const std::string& path) const override { return files_.is_link(path); }
  shapelint::Result<std::vector<std::string>> list(const std::string& folder) const override;

 private:
  const api::FileSystem& files_;  // the unqualified name is the base class
};

// Files of ours as a caller's.
class OuterFiles final : public FileSystem {
 public:
  explicit OuterFiles(std::shared_ptr<const text::FileSystem> files) : files_(std::move(files)) {}
  // Must not outlive `files`.
  explicit OuterFiles(const text::FileSystem& files)
      : files_(std::shared_ptr<const text::FileSystem>(), &files) {}
  std::string working_directory() const override { return files_->working_directory(); }
  Result<std::string> read(const std::string& path, std::int64_t max_bytes) const override;
  Result<std::string> read_start(const std::string& path, std::int64_t max_bytes,
                                 std::int64_t& file_bytes) const override;
  bool exists(const std::string& path) const override { return files_->exists(path); }
  bool is_folder(const std::string& path) const override { return files_->is_directory(path); }
  bool is_link(const std::string& path) const override { return files_->is_link(path); }
  Result<std::vector<std::string>> list(const std::string& folder) const override;

 private:
  std::shared_ptr<const text::FileSystem> files_;
};

}  // namespace shapelint::api
