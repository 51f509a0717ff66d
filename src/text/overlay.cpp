// What would be if some files were written.
#include "text/overlay.hpp"

#include <filesystem>

namespace shapelint::text {

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
