// Writing beside a file and renaming.
#include "text/replace.hpp"

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <random>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace shapelint::text {

namespace {

// A descriptor that is closed when it goes.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  explicit operator bool() const { return number_ >= 0; }
  int operator*() const { return number_; }
  // Some file systems tell of a full disk only now.
  int close() {
    const int number = number_;
    number_ = -1;
    return ::close(number) == 0 || errno == EINTR ? 0 : errno;
  }

 private:
  int number_;
};

int open_again(int folder, const char* path, int flags, mode_t mode = 0) {
  int file = -1;
  do {
    file = ::openat(folder, path, flags | O_CLOEXEC | O_NOCTTY, mode);
  } while (file < 0 && errno == EINTR);
  return file;
}

int write_all(int file, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(file, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

// Pipes and some file systems cannot be synced, which is no failure.
int sync(int file) {
  return ::fsync(file) == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : errno;
}

// Hidden, and no name that anything is linted under.
std::string name_beside(const std::string& name) {
  constexpr std::size_t most_bytes = 200;  // of the 255 that a name may have
  std::random_device random;
  const std::uint64_t number = std::uint64_t{random()} << 32U | random();
  return fmt::format(".{}.{:016x}.tmp", name.substr(0, most_bytes), number);
}

class Replacement {
 public:
  Replacement(int folder, std::string name, const struct stat* old)
      : folder_(folder), name_(std::move(name)), old_(old) {}

  int operator()(std::string_view content) {
    int code = write_unnamed(content);
    if (code == not_possible) code = write_named(content);
    if (code == not_owner) code = write_in_place(content);
    return code;
  }

 private:
  static constexpr int not_possible = -1;  // in this way, on this file system
  static constexpr int not_owner = -2;  // of the old file, and not able to make its owner that of the new one
  static constexpr mode_t all_may = 0666;  // less the umask
  static constexpr mode_t owner_may = 0600;
  static constexpr mode_t permissions = 07777;

  mode_t first_mode() const { return old_ != nullptr ? owner_may : all_may; }

  int fill(int file, std::string_view content) const {
    if (old_ != nullptr) {
      struct stat now {};
      if (::fstat(file, &now) != 0) return errno;
      const bool is_same = now.st_uid == old_->st_uid && now.st_gid == old_->st_gid;
      if (!is_same && ::fchown(file, old_->st_uid, old_->st_gid) != 0) return not_owner;
    }
    if (const int code = write_all(file, content); code != 0) return code;
    if (old_ != nullptr && ::fchmod(file, old_->st_mode & permissions) != 0) return errno;
    return sync(file);
  }

  int rename(const std::string& beside) const {
    if (::renameat(folder_, beside.c_str(), folder_, name_.c_str()) == 0) return 0;
    const int code = errno;
    ::unlinkat(folder_, beside.c_str(), 0);
    return code;
  }

  // A file without a name, which vanishes with the process (open(2), O_TMPFILE), and is named when it is
  // whole.
  int write_unnamed(std::string_view content) const {
#if defined(O_TMPFILE)
    Descriptor file(open_again(folder_, ".", O_TMPFILE | O_WRONLY, first_mode()));
    if (!file) return not_possible;
    if (const int code = fill(*file, content); code != 0) return code;
    const std::string unnamed = fmt::format("/proc/self/fd/{}", *file);
    const auto link = [&](const std::string& name) {
      return ::linkat(AT_FDCWD, unnamed.c_str(), folder_, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
    };
    if (old_ == nullptr && link(name_)) return file.close();
    const std::string beside = name_beside(name_);
    if (!link(beside)) return not_possible;
    if (const int code = file.close(); code != 0) {
      ::unlinkat(folder_, beside.c_str(), 0);
      return code;
    }
    return rename(beside);
#else
    (void)content;
    return not_possible;
#endif
  }

  int write_named(std::string_view content) const {
    const std::string beside = name_beside(name_);
    Descriptor file(
        open_again(folder_, beside.c_str(), O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, first_mode()));
    if (!file) return errno;
    int code = fill(*file, content);
    const int closed = file.close();
    if (code == 0) code = closed;
    if (code == 0) return rename(beside);
    ::unlinkat(folder_, beside.c_str(), 0);
    return code;
  }

  int write_in_place(std::string_view content) const {
    Descriptor file(open_again(folder_, name_.c_str(), O_NOFOLLOW | O_WRONLY));
    if (!file) return errno;
    if (const int code = write_all(*file, content); code != 0) return code;
    if (::ftruncate(*file, static_cast<off_t>(content.size())) != 0) return errno;
    if (const int code = sync(*file); code != 0) return code;
    return file.close();
  }

  int folder_;
  std::string name_;
  const struct stat* old_;  // absent: there is no file of this name
};

}  // namespace

int replace_file(const std::string& path, std::string_view content) {
  const std::filesystem::path whole(path);
  const std::string above = whole.has_parent_path() ? whole.parent_path().string() : ".";
  // Everything happens in this very folder, whatever becomes of its name.
  const Descriptor folder(open_again(AT_FDCWD, above.c_str(), O_RDONLY | O_DIRECTORY));
  if (!folder) return errno;
  const std::string name = whole.filename().string();
  struct stat old {};
  const bool is_there = ::fstatat(*folder, name.c_str(), &old, AT_SYMLINK_NOFOLLOW) == 0;
  if (!is_there && errno != ENOENT) return errno;
  if (is_there && !S_ISREG(old.st_mode)) return S_ISLNK(old.st_mode) ? ELOOP : EINVAL;
  const int code = Replacement(*folder, name, is_there ? &old : nullptr)(content);
  if (code == 0)
    ::fsync(*folder);  // the name as well; where that cannot be, the content is on disk all the same
  return code;
}

int write_into(const std::string& path, std::string_view content) {
  Descriptor file(open_again(AT_FDCWD, path.c_str(), O_WRONLY));
  if (!file) return errno;
  if (const int code = write_all(*file, content); code != 0) return code;
  return file.close();
}

}  // namespace shapelint::text
