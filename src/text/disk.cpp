// Files on disk.
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text/errors.hpp"
#include "text/files.hpp"
#include "text/replace.hpp"

namespace shapelint::text {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view leaves_tree = "is a link out of its tree, which is not followed";
constexpr std::string_view no_file = "is not a regular file";

std::vector<std::string> absolute_ones(const std::string& here, const std::vector<std::string>& paths) {
  std::vector<std::string> out;
  for (const std::string& path : paths) out.push_back((fs::path(here) / path).string());
  return out;
}

std::string here_or(std::string folder) {
  if (!folder.empty()) return folder;
  std::error_code problem;
  return fs::current_path(problem).string();
}

// Of what was found, and may only be read when somebody means it.
Error not_followed(const std::string& path, std::string_view why) {
  Error error = file_error(path, ErrorCode::not_readable, std::string(why));
  error.hint = "name it on the command line to have it read";
  return error;
}

Error not_writable(const std::string& path, std::string message) {
  return file_error(path, ErrorCode::not_writable, std::move(message));
}

Error not_writable(const std::string& path, int cause) {
  return not_writable(path, fmt::format("cannot be written: {}", std::generic_category().message(cause)));
}

}  // namespace

// A file that may be read, until it is closed.
class RealFileSystem::Open {
 public:
  Open(int file, const struct stat& about) : file_(file), about_(about) {}
  Open(Open&& other) noexcept : file_(std::exchange(other.file_, -1)), about_(other.about_) {}
  Open(const Open&) = delete;
  Open& operator=(const Open&) = delete;
  Open& operator=(Open&&) = delete;
  ~Open() {
    if (file_ >= 0) ::close(file_);
  }
  bool is_regular() const { return S_ISREG(about_.st_mode); }
  std::int64_t bytes() const { return about_.st_size; }
  FileId id() const { return {about_.st_dev, about_.st_ino}; }

  // All of it, or somewhat more than `most_bytes` where there is that much. Sizes are not relied on: a pipe
  // has none. What was wrong, or 0.
  int read(std::int64_t most_bytes, std::string& content) const {
    std::array<char, std::size_t{1} << 16U> chunk;
    while (static_cast<std::int64_t>(content.size()) <= most_bytes) {
      const ssize_t got = ::read(file_, chunk.data(), chunk.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return errno;
      if (got == 0) break;
      content.append(chunk.data(), static_cast<std::size_t>(got));
    }
    return 0;
  }

 private:
  int file_;
  struct stat about_;
};

RealFileSystem::RealFileSystem(std::string working_directory, const std::vector<std::string>& named)
    : here_(here_or(std::move(working_directory))), trees_(here_, absolute_ones(here_, named)) {}

std::string RealFileSystem::absolute(const std::string& path) const {
  if (path.empty() || path.front() == '/' || here_.empty()) return path;
  return here_.ends_with('/') ? here_ + path : here_ + '/' + path;
}

// All checks use the descriptor, so that the file cannot be swapped in between. Opening a pipe
// waits for who writes to it, unless that is not wanted.
Result<RealFileSystem::Open> RealFileSystem::open(const std::string& path) const {
  const std::string place = absolute(path);
  const bool is_named = trees_.is_named(place);
  struct stat now {};
  const bool is_other = ::stat(place.c_str(), &now) == 0 && !S_ISREG(now.st_mode) && !S_ISDIR(now.st_mode);
  // Some devices do something as soon as they are opened.
  if (!is_named && is_other) return not_followed(path, no_file);
  int file = -1;
  do {
    file = ::open(place.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | (is_named ? 0 : O_NONBLOCK));
  } while (file < 0 && errno == EINTR);
  struct stat about {};
  if (file < 0 || ::fstat(file, &about) != 0) {
    const int cause = errno;
    if (file >= 0) ::close(file);
    // A socket, or a device that nothing is behind.
    if (cause == ENXIO) return file_error(path, ErrorCode::not_readable, std::string(no_file));
    return not_readable(path, cause);
  }
  Open out(file, about);
  if (S_ISDIR(about.st_mode)) return is_a_directory(path);
  if (is_named) return out;
  if (!out.is_regular()) return not_followed(path, no_file);
  const std::string real = real_path(place);
  struct stat there {};
  const bool is_real = ::stat(real.c_str(), &there) == 0 && out.id() == FileId{there.st_dev, there.st_ino};
  if (!is_real || !trees_.allows(place, real)) return not_followed(path, leaves_tree);
  return out;
}

Result<std::string> RealFileSystem::read(const std::string& path, std::int64_t max_bytes) const {
  const Result<Open> file = open(path);
  if (!file) return file.error();
  std::string content;
  if (const int cause = file->read(max_bytes, content); cause != 0) return not_readable(path, cause);
  if (static_cast<std::int64_t>(content.size()) > max_bytes) {
    if (file->is_regular()) return too_large(path, max_bytes);
    return file_error(path, ErrorCode::too_large,
                      fmt::format("more than {} MB: not a configuration", max_bytes / 1000000));
  }
  if (file->is_regular()) {
    const std::lock_guard<std::mutex> lock(mutex_);
    read_.insert(file->id());
  }
  return content;
}

// A pipe cannot be read twice, so it has no start.
Result<std::string> RealFileSystem::read_start(const std::string& path, std::int64_t max_bytes,
                                               std::int64_t& file_bytes) const {
  std::error_code problem;
  if (!fs::is_regular_file(absolute(path), problem))  // opening a pipe would take it from who reads it next
    return file_error(path, ErrorCode::not_readable, std::string(no_file));
  const Result<Open> file = open(path);
  if (!file) return file.error();
  file_bytes = file->bytes();
  std::string content;
  if (const int cause = file->read(std::min(max_bytes, file_bytes) - 1, content); cause != 0)
    return not_readable(path, cause);
  if (static_cast<std::int64_t>(content.size()) > max_bytes)
    content.resize(static_cast<std::size_t>(max_bytes));
  const std::lock_guard<std::mutex> lock(mutex_);
  read_.insert(file->id());
  return content;
}

// False: a file that was to be replaced only as it was has changed (OnlyOver).
Result<bool> RealFileSystem::write(const std::string& path, std::string_view content) const {
  const std::string place = absolute(path);
  struct stat about {};
  const bool is_there = ::stat(place.c_str(), &about) == 0;
  std::error_code problem;
  if (!is_there && fs::is_symlink(place, problem)) {
    const fs::path to = fs::read_symlink(place, problem);
    return not_writable(
        path, fmt::format("cannot be written: it is a link to `{}`, which does not exist", to.string()));
  }
  const bool is_regular = !is_there || S_ISREG(about.st_mode);
  const fs::path whole(place);
  const std::string folder = real_path(whole.parent_path().string());
  const std::string real = is_there         ? real_path(place)
                           : folder.empty() ? std::string{}
                                            : (fs::path(folder) / whole.filename()).string();
  if (is_regular && real.empty()) return not_writable(path, ENOENT);
  if (!trees_.is_named(place)) {
    if (!is_regular) return not_writable(path, fmt::format("cannot be written: it {}", no_file));
    if (!trees_.allows(place, real))
      return not_writable(path, fmt::format("cannot be written: it {}", leaves_tree));
  }
  if (is_there && S_ISDIR(about.st_mode)) return not_writable(path, EISDIR);
  // A new file could take its place anyway; that is not what its owner wants.
  if (is_there && is_regular && (about.st_mode & S_IWUSR) == 0)
    return not_writable(path, "cannot be written: it is read-only");
  const int code = is_regular ? replace_file(real, content) : write_into(place, content);
  if (code == has_changed) return false;
  if (code != 0) return not_writable(path, code);
  return true;
}

bool RealFileSystem::is_directory(const std::string& path) const {
  struct stat about {};
  return ::stat(absolute(path).c_str(), &about) == 0 && S_ISDIR(about.st_mode);
}

bool RealFileSystem::exists(const std::string& path) const {
  struct stat about {};
  return ::stat(absolute(path).c_str(), &about) == 0;
}

bool RealFileSystem::is_link(const std::string& path) const {
  std::error_code problem;
  return fs::is_symlink(absolute(path), problem);
}

bool RealFileSystem::is_plain_file(const std::string& path) const {
  const std::string place = absolute(path);
  std::error_code problem;
  const fs::file_status about = fs::symlink_status(place, problem);
  if (fs::is_regular_file(about)) return true;
  return fs::is_symlink(about) && fs::is_regular_file(place, problem) &&
         trees_.allows(place, real_path(place));
}

std::string RealFileSystem::folder_around(const std::string& path) const {
  return trees_.folder_around(absolute(path));
}

bool RealFileSystem::was_read(const std::string& path) const {
  struct stat about {};
  if (::stat(absolute(path).c_str(), &about) != 0) return false;
  const std::lock_guard<std::mutex> lock(mutex_);
  return read_.contains({about.st_dev, about.st_ino});
}

// Of the folder, because the file itself is replaced. Where that cannot be, there is no lock.
Result<std::shared_ptr<void>> RealFileSystem::lock(const std::string& path) const {
  const fs::path folder = fs::path(absolute(path)).parent_path();
  const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return std::shared_ptr<void>();
  struct stat about {};
  const std::shared_ptr<Open> held = std::make_shared<Open>(file, about);  // closes it
  constexpr int max_tries = 1000;
  constexpr std::chrono::milliseconds between(20);
  for (int i = 0; i < max_tries; ++i) {
    if (::flock(file, LOCK_EX | LOCK_NB) == 0) return std::shared_ptr<void>(held);
    if (errno != EWOULDBLOCK && errno != EINTR) return std::shared_ptr<void>();
    std::this_thread::sleep_for(between);
  }
  return not_writable(path, "cannot be written: another process has locked its folder");
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

}  // namespace shapelint::text
