// Files in memory, and what all file systems have in common.
#include "text/files.hpp"

#include <cerrno>
#include <filesystem>

#include <fmt/format.h>

#include "text/errors.hpp"

namespace shapelint::text {

// Where nothing else is done: all of it is read.
Result<std::string> FileSystem::read_start(const std::string& path, std::int64_t max_bytes,
                                           std::int64_t& file_bytes) const {
  constexpr std::int64_t all = std::int64_t{1} << 40U;
  Result<std::string> content = read(path, all);
  if (!content) return content;
  file_bytes = static_cast<std::int64_t>(content->size());
  if (file_bytes > max_bytes) content->resize(static_cast<std::size_t>(max_bytes));
  return content;
}

bool FileSystem::is_link(const std::string& path) const {
  (void)path;
  return false;
}

bool FileSystem::is_plain_file(const std::string& path) const {
  return exists(path) && !is_directory(path);
}

std::string FileSystem::folder_around(const std::string& path) const {
  const std::filesystem::path here(working_directory());
  const std::filesystem::path folder = (here / path).lexically_normal().parent_path();
  const std::filesystem::path inside = folder.lexically_relative(here);
  const bool is_here = here != "/" && !inside.empty() && *inside.begin() != "..";
  return (is_here ? here : folder).generic_string();
}

bool FileSystem::was_read(const std::string& path) const {
  (void)path;
  return false;
}

Result<std::shared_ptr<void>> FileSystem::lock(const std::string& path) const {
  (void)path;
  return std::shared_ptr<void>();
}

Result<std::string> MemoryFileSystem::read(const std::string& path, std::int64_t max_bytes) const {
  const auto found = files.find(path);
  if (found == files.end()) {
    return is_directory(path) ? is_a_directory(path) : not_readable(path, ENOENT);
  }
  if (static_cast<std::int64_t>(found->second.size()) > max_bytes) return too_large(path, max_bytes);
  return found->second;
}

Result<bool> MemoryFileSystem::write(const std::string& path, std::string_view content) const {
  files[path] = std::string(content);
  return true;
}

bool MemoryFileSystem::is_directory(const std::string& path) const {
  const auto found = files.lower_bound(path + "/");
  return found != files.end() && found->first.starts_with(path + "/");
}

bool MemoryFileSystem::exists(const std::string& path) const {
  return files.contains(path) || is_directory(path);
}

Result<std::vector<std::string>> MemoryFileSystem::list(const std::string& folder) const {
  std::vector<std::string> paths;
  const std::string prefix = folder + "/";
  for (const auto& [path, content] : files) {
    if (!path.starts_with(prefix)) continue;
    const std::string child = path.substr(0, path.find('/', prefix.size()));
    if (paths.empty() || paths.back() != child) paths.push_back(child);
  }
  return paths;
}

std::string OverlayFileSystem::absolute(const std::string& path) const {
  return (std::filesystem::path(below_.working_directory()) / path).lexically_normal().generic_string();
}

void OverlayFileSystem::put(const std::string& path, std::string content) {
  texts_[absolute(path)] = std::move(content);
}

void OverlayFileSystem::take_away(const std::string& path) {
  texts_.erase(absolute(path));
}

Result<std::string> OverlayFileSystem::read(const std::string& path, std::int64_t max_bytes) const {
  const auto found = texts_.find(absolute(path));
  return found == texts_.end() ? below_.read(path, max_bytes) : Result<std::string>(found->second);
}

Result<std::string> OverlayFileSystem::read_start(const std::string& path, std::int64_t max_bytes,
                                                  std::int64_t& file_bytes) const {
  const auto found = texts_.find(absolute(path));
  if (found == texts_.end()) return below_.read_start(path, max_bytes, file_bytes);
  file_bytes = static_cast<std::int64_t>(found->second.size());
  return found->second.substr(0, static_cast<std::size_t>(max_bytes));
}

Result<bool> OverlayFileSystem::write(const std::string& path, std::string_view) const {
  return Error{"read only", {}, path, std::nullopt};
}

bool OverlayFileSystem::exists(const std::string& path) const {
  return texts_.contains(absolute(path)) || below_.exists(path);
}

bool OverlayFileSystem::is_plain_file(const std::string& path) const {
  return texts_.contains(absolute(path)) || below_.is_plain_file(path);
}

}  // namespace shapelint::text
