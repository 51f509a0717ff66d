// The machine's files, files in memory, and both as the rooms read them.
#include "api/files.hpp"

#include <filesystem>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "objects/convert.hpp"

namespace shapelint::api {

namespace fs = std::filesystem;

FileSystem::~FileSystem() = default;

Result<std::string> FileSystem::read_start(const std::string& path, std::int64_t max_bytes,
                                           std::int64_t& file_bytes) const {
  Result<std::string> content = read(path, std::numeric_limits<std::int64_t>::max());
  if (!content) return content;
  file_bytes = static_cast<std::int64_t>(content->size());
  if (file_bytes > max_bytes) content->resize(static_cast<std::size_t>(max_bytes));
  return content;
}

bool FileSystem::is_link(const std::string& path) const {
  (void)path;
  return false;
}

namespace {

template <class T>
Result<T> outer(shapelint::Result<T> result) {
  if (!result) return error_of(result.error(), code::unreadable);
  return *std::move(result);
}

template <class T>
shapelint::Result<T> inner(Result<T> result, const std::string& path) {
  if (result) return std::move(*result);
  if (result.errors().empty()) return shapelint::Error{"cannot be read", {}, path, {}};
  const Error& error = result.errors().front();
  const ErrorCode code = error.code == code::not_found   ? ErrorCode::not_found
                         : error.code == code::too_large ? ErrorCode::too_large
                                                         : ErrorCode::not_readable;
  return shapelint::Error{error.message, error.hint, error.path.empty() ? path : error.path, {}, code};
}

class MemoryFiles final : public FileSystem {
 public:
  MemoryFiles(const std::map<std::string, std::string>& contents, std::string here) : here_(std::move(here)) {
    for (const auto& [path, content] : contents) contents_.emplace(absolute(path), content);
  }
  std::string working_directory() const override { return here_; }
  Result<std::string> read(const std::string& path, std::int64_t max_bytes) const override {
    const auto found = contents_.find(absolute(path));
    if (found == contents_.end()) {
      if (is_folder(path)) return error(code::unreadable, path, "is a directory, not a file");
      return error(code::not_found, path, "cannot be read: No such file or directory");
    }
    if (static_cast<std::int64_t>(found->second.size()) > max_bytes) {
      return error(code::too_large, path, fmt::format("is larger than {} bytes", max_bytes));
    }
    return found->second;
  }
  bool exists(const std::string& path) const override {
    return contents_.contains(absolute(path)) || is_folder(path);
  }
  bool is_folder(const std::string& path) const override {
    const std::string prefix = prefix_of(path);
    const auto found = contents_.lower_bound(prefix);
    return found != contents_.end() && found->first.starts_with(prefix);
  }
  Result<std::vector<std::string>> list(const std::string& folder) const override {
    const std::string prefix = prefix_of(folder);
    std::set<std::string> names;
    for (auto at = contents_.lower_bound(prefix); at != contents_.end() && at->first.starts_with(prefix);
         ++at) {
      names.insert(at->first.substr(prefix.size(), at->first.find('/', prefix.size()) - prefix.size()));
    }
    if (names.empty()) return error(code::not_found, folder, "cannot be listed: No such file or directory");
    std::vector<std::string> paths;
    for (const std::string& each : names) paths.push_back((fs::path(folder) / each).generic_string());
    return paths;
  }

 private:
  static Error error(std::string_view code, const std::string& path, std::string message) {
    return {std::string(code), std::move(message), {}, path};
  }
  std::string absolute(const std::string& path) const {
    std::string whole = (fs::path(here_) / path).lexically_normal().generic_string();
    while (whole.size() > 1 && whole.ends_with('/')) whole.pop_back();
    return whole;
  }
  std::string prefix_of(const std::string& folder) const {
    const std::string whole = absolute(folder);
    return whole.ends_with('/') ? whole : whole + '/';
  }
  std::string here_;
  std::map<std::string, std::string> contents_;  // by absolute path
};

}  // namespace

std::unique_ptr<const FileSystem> local_files(std::string working_directory,
                                              const std::vector<std::string>& named) {
  return std::make_unique<OuterFiles>(
      std::make_shared<const text::RealFileSystem>(std::move(working_directory), named));
}

std::unique_ptr<const FileSystem> memory_files(const std::map<std::string, std::string>& contents,
                                               std::string working_directory) {
  return std::make_unique<MemoryFiles>(contents, std::move(working_directory));
}

Result<std::string> OuterFiles::read(const std::string& path, std::int64_t max_bytes) const {
  return outer(files_->read(path, max_bytes));
}

Result<std::string> OuterFiles::read_start(const std::string& path, std::int64_t max_bytes,
                                           std::int64_t& file_bytes) const {
  return outer(files_->read_start(path, max_bytes, file_bytes));
}

Result<std::vector<std::string>> OuterFiles::list(const std::string& folder) const {
  return outer(files_->list(folder));
}

shapelint::Result<std::string> InnerFiles::read(const std::string& path, std::int64_t max_bytes) const {
  return inner(files_.read(path, max_bytes), path);
}

shapelint::Result<std::string> InnerFiles::read_start(const std::string& path, std::int64_t max_bytes,
                                                      std::int64_t& file_bytes) const {
  return inner(files_.read_start(path, max_bytes, file_bytes), path);
}

shapelint::Result<bool> InnerFiles::write(const std::string& path, std::string_view content) const {
  (void)content;
  return shapelint::Error{"cannot be written: the library only reads", {}, path, {}};
}

shapelint::Result<std::vector<std::string>> InnerFiles::list(const std::string& folder) const {
  return inner(files_.list(folder), folder);
}

}  // namespace shapelint::api
