// Files on disk and in memory.
#include "text/files.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#if defined(__unix__) || defined(__APPLE__)
#include <fcntl.h>
#include <unistd.h>
#endif

namespace shapelint::text {

namespace fs = std::filesystem;

namespace {

Error file_error(const std::string& path, ErrorCode code, std::string message) {
  return Error{std::move(message), {}, path, {}, code};
}

Error is_a_directory(const std::string& path) {
  return file_error(path, ErrorCode::is_directory, "is a directory, not a file");
}

// `cause` is of errno.
Error not_readable(const std::string& path, int cause) {
  const bool is_absent = cause == ENOENT || cause == ENOTDIR;  // a folder of its path may be a file
  return file_error(path, is_absent ? ErrorCode::not_found : ErrorCode::not_readable,
                    fmt::format("cannot be read: {}", std::generic_category().message(cause)));
}

std::string reason(int code) {
  return std::generic_category().message(code);
}

Error too_large(const std::string& path, std::int64_t max_bytes) {
  return file_error(
      path, ErrorCode::too_large,
      fmt::format("the file is larger than {} MB, so it is no configuration", max_bytes / 1000000));
}

}  // namespace

RealFileSystem::RealFileSystem() {
  std::error_code problem;
  here_ = fs::current_path(problem).string();
}

std::string RealFileSystem::absolute(const std::string& path) const {
  return path.empty() ? path
                      : (fs::path(here_) / path).string();  // an absolute one replaces what it is put to
}

Result<std::string> RealFileSystem::read(const std::string& path, std::int64_t max_bytes) const {
  std::error_code problem;
  const std::string place = absolute(path);
  if (fs::is_directory(place, problem)) return is_a_directory(path);
  std::FILE* file = std::fopen(place.c_str(), "rb");
  if (file == nullptr) return not_readable(path, errno);
  std::string content;
  // Sizes are not asked for in advance: a pipe or /dev/stdin has none.
  std::string chunk(1U << 16U, '\0');
  std::size_t got = 0;
  while ((got = std::fread(chunk.data(), 1, chunk.size(), file)) > 0) {
    content.append(chunk, 0, got);
    if (static_cast<std::int64_t>(content.size()) > max_bytes) break;
  }
  const bool failed = std::ferror(file) != 0;
  const int code = errno;
  std::fclose(file);
  if (failed) return not_readable(path, code);
  if (static_cast<std::int64_t>(content.size()) > max_bytes) return too_large(path, max_bytes);
  return content;
}

// In memory, and where nothing else is done: all of it is read.
Result<std::string> FileSystem::read_start(const std::string& path, std::int64_t max_bytes,
                                           std::int64_t& file_bytes) const {
  constexpr std::int64_t all = std::int64_t{1} << 40U;
  Result<std::string> content = read(path, all);
  if (!content) return content;
  file_bytes = static_cast<std::int64_t>(content->size());
  if (file_bytes > max_bytes) content->resize(static_cast<std::size_t>(max_bytes));
  return content;
}

// A pipe cannot be read twice, so it has no start.
Result<std::string> RealFileSystem::read_start(const std::string& path, std::int64_t max_bytes,
                                               std::int64_t& file_bytes) const {
  std::error_code problem;
  const std::string place = absolute(path);
  if (!fs::is_regular_file(place, problem))
    return file_error(path, ErrorCode::not_readable, "is no regular file");
  const auto size = fs::file_size(place, problem);
  if (problem) return not_readable(path, problem.value());
  file_bytes = static_cast<std::int64_t>(size);
  std::FILE* file = std::fopen(place.c_str(), "rb");
  if (file == nullptr) return not_readable(path, errno);
  std::string content(static_cast<std::size_t>(std::min(max_bytes, file_bytes)), '\0');
  content.resize(std::fread(content.data(), 1, content.size(), file));
  const bool failed = std::ferror(file) != 0;
  const int code = errno;
  std::fclose(file);
  if (failed) return not_readable(path, code);
  return content;
}

namespace {

// What was wrong, or 0.
int write_to(const std::string& path, std::string_view content) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return errno;
  const bool written = std::fwrite(content.data(), 1, content.size(), file) == content.size();
  const int code = written ? 0 : errno;
  // A full disk may show only when the buffer is flushed.
  const bool closed = std::fclose(file) == 0;
  return written && !closed ? errno : code;
}

#if defined(O_TMPFILE)
int write_all(int file, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(file, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

// Writes a file without a name, which vanishes with the process, and names it `path` when it is whole.
// Nothing when the file system or the kernel has no such files (open(2), O_TMPFILE).
std::optional<int> write_unnamed(const std::string& path, std::string_view content) {
  constexpr mode_t all_may = 0666;  // less the umask
  const fs::path folder = fs::path(path).parent_path();
  const int file = ::open(folder.empty() ? "." : folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, all_may);
  if (file < 0) return std::nullopt;
  std::optional<int> code = write_all(file, content);
  if (*code == 0) {
    const std::string unnamed = fmt::format("/proc/self/fd/{}", file);
    if (::linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) != 0) code.reset();
  }
  // Some file systems tell of a full disk only now.
  if (::close(file) != 0 && code == 0) code = errno;
  return code;
}
#endif

int write_beside(const std::string& path, std::string_view content) {
#if defined(O_TMPFILE)
  if (const auto code = write_unnamed(path, content)) return *code;
#endif
  return write_to(path, content);
}

// Hidden, and no name that anything is linted under.
std::string name_beside(const fs::path& target) {
#if defined(__unix__) || defined(__APPLE__)
  const auto process = static_cast<long>(::getpid());
#else
  const long process = 0;
#endif
  return (target.parent_path() / fmt::format(".{}.{}.tmp", target.filename().string(), process)).string();
}

}  // namespace

Result<bool> RealFileSystem::write(const std::string& path, std::string_view content) const {
  std::error_code problem;
  // A link stays a link: what it points to is replaced.
  const std::string place = absolute(path);
  const fs::path real = fs::weakly_canonical(place, problem);
  const std::string target = problem ? place : real.string();
  // A device or a pipe must not be replaced by a file.
  const bool replaceable = !fs::exists(target, problem) || fs::is_regular_file(target, problem);
  const std::string beside = name_beside(target);
  const fs::file_status old = fs::status(target, problem);
  const bool is_known = replaceable && fs::is_regular_file(old);
  // A new file could take its place all the same; that is not what its owner wants.
  const bool is_read_only = is_known && (old.permissions() & fs::perms::owner_write) == fs::perms::none;
  if (is_read_only) return file_error(path, ErrorCode::not_writable, "cannot be written: it is read-only");
  const int code = replaceable ? write_beside(beside, content) : write_to(target, content);
  std::error_code moved;
  // A script stays one that can be run.
  if (code == 0 && is_known) fs::permissions(beside, old.permissions(), problem);
  if (code == 0 && replaceable) fs::rename(beside, target, moved);
  if (code == 0 && !moved) return true;
  if (replaceable) {
    std::error_code ignored;
    fs::remove(beside, ignored);
  }
  return file_error(path, ErrorCode::not_writable,
                    fmt::format("cannot be written: {}", moved ? moved.message() : reason(code)));
}

bool RealFileSystem::is_directory(const std::string& path) const {
  std::error_code problem;
  return fs::is_directory(absolute(path), problem);
}

bool RealFileSystem::exists(const std::string& path) const {
  std::error_code problem;
  return fs::exists(absolute(path), problem);
}

bool FileSystem::is_link(const std::string& path) const {
  (void)path;
  return false;
}

bool RealFileSystem::is_link(const std::string& path) const {
  std::error_code problem;
  return fs::is_symlink(absolute(path), problem);
}

Result<std::vector<std::string>> RealFileSystem::list(const std::string& folder) const {
  std::error_code problem;
  std::vector<std::string> paths;
  for (fs::directory_iterator it(absolute(folder), problem), end; !problem && it != end;
       it.increment(problem)) {
    paths.push_back((fs::path(folder) / it->path().filename()).string());
  }
  if (problem)
    return file_error(folder, ErrorCode::not_readable,
                      fmt::format("cannot be listed: {}", problem.message()));
  std::sort(paths.begin(), paths.end());
  return paths;
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

}  // namespace shapelint::text
