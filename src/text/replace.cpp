// Writing next to a file and renaming.
#include "text/replace.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <random>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
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

constexpr std::size_t digits_beside = 16;
constexpr std::string_view end_beside = ".tmp";

// Hidden, and no name that anything is linted under.
std::string name_beside(const std::string& name) {
  constexpr std::size_t most_bytes = 200;  // of the 255 that a name may have
  std::random_device random;
  const std::uint64_t number = std::uint64_t{random()} << 32U | random();
  return fmt::format(".{}.{:016x}{}", name.substr(0, most_bytes), number, end_beside);
}

bool is_name_beside(std::string_view name) {
  if (!name.starts_with('.') || !name.ends_with(end_beside)) return false;
  name.remove_suffix(end_beside.size());
  if (name.size() < digits_beside + 3 || name[name.size() - digits_beside - 1] != '.') return false;
  return name.find_first_not_of("0123456789abcdef", name.size() - digits_beside) == std::string_view::npos;
}

// Whether a file of the folder has this content.
bool holds(int folder, const std::string& name, std::string_view content) {
  const Descriptor file(open_again(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
  if (!file) return false;
  std::array<char, std::size_t{1} << 16U> chunk;
  while (true) {
    const ssize_t got = ::read(*file, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got == 0 && content.empty();
    const std::string_view part(chunk.data(), static_cast<std::size_t>(got));
    if (!content.starts_with(part)) return false;
    content.remove_prefix(part.size());
  }
}

// Whether somebody has the file open to write: what they write comes after whatever was looked at.
// Only where two files can be exchanged does anything ask.
[[maybe_unused]] bool is_being_written(int folder, const std::string& name) {
#if defined(F_SETLEASE)
  const Descriptor file(open_again(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
  // A read lease is granted while there is no writer. A later writer gets a signal, and not one
  // that ends the process.
  if (!file || ::fcntl(*file, F_SETSIG, SIGURG) != 0) return false;
  if (::fcntl(*file, F_SETLEASE, F_RDLCK) != 0) return errno == EAGAIN;
  ::fcntl(*file, F_SETLEASE, F_UNLCK);
#else
  (void)folder;
  (void)name;
#endif
  return false;
}

class Replacement {
 public:
  Replacement(int folder, std::string name, const struct stat* old, const std::string_view* before)
      : folder_(folder), name_(std::move(name)), old_(old), before_(before) {}

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
    if (before_ != nullptr) {
      if (!holds(folder_, name_, *before_)) {
        ::unlinkat(folder_, beside.c_str(), 0);
        return has_changed;
      }
#if defined(RENAME_EXCHANGE)
      if (::renameat2(folder_, beside.c_str(), folder_, name_.c_str(), RENAME_EXCHANGE) == 0) {
        // What had the name until then; somebody may have saved it after it was looked at.
        const bool is_same = !is_being_written(folder_, beside) && holds(folder_, beside, *before_);
        if (!is_same) ::renameat2(folder_, beside.c_str(), folder_, name_.c_str(), RENAME_EXCHANGE);
        ::unlinkat(folder_, beside.c_str(), 0);
        return is_same ? 0 : has_changed;
      }
#endif
    }
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
    const Descriptor lock = locked(*file);
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
    const Descriptor lock = locked(*file);
    int code = fill(*file, content);
    const int closed = file.close();
    if (code == 0) code = closed;
    if (code == 0) return rename(beside);
    ::unlinkat(folder_, beside.c_str(), 0);
    return code;
  }

  // While it is open, the file cannot be taken for one that was left behind.
  static Descriptor locked(int file) {
    ::flock(file, LOCK_EX | LOCK_NB);
    return Descriptor(::fcntl(file, F_DUPFD_CLOEXEC, 0));
  }

  int write_in_place(std::string_view content) const {
    if (before_ != nullptr && !holds(folder_, name_, *before_)) return has_changed;
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
  const std::string_view* before_;
};

}  // namespace

namespace {

thread_local std::optional<std::string_view> only_over;

}  // namespace

ReplaceGuard::ReplaceGuard(std::string_view before) {
  only_over = before;
}

ReplaceGuard::~ReplaceGuard() {
  only_over.reset();
}

int replace_file(const std::string& path, std::string_view content) {
  const std::string_view* const before = only_over ? &*only_over : nullptr;
  const std::filesystem::path whole(path);
  const std::string above = whole.has_parent_path() ? whole.parent_path().string() : ".";
  // Everything happens in this very folder, whatever becomes of its name.
  const Descriptor folder(open_again(AT_FDCWD, above.c_str(), O_RDONLY | O_DIRECTORY));
  if (!folder) return errno;
  remove_stale_temporaries(above);
  const std::string name = whole.filename().string();
  struct stat old {};
  const bool is_there = ::fstatat(*folder, name.c_str(), &old, AT_SYMLINK_NOFOLLOW) == 0;
  if (!is_there && errno != ENOENT) return errno;
  if (is_there && !S_ISREG(old.st_mode)) return S_ISLNK(old.st_mode) ? ELOOP : EINVAL;
  if (!is_there && before != nullptr) return has_changed;
  const int code = Replacement(*folder, name, is_there ? &old : nullptr, before)(content);
  if (code == 0) ::fsync(*folder);  // the name as well; where that cannot be, the content is on disk anyway
  return code;
}

void remove_stale_temporaries(const std::string& folder) {
  const Descriptor where(open_again(AT_FDCWD, folder.c_str(), O_RDONLY | O_DIRECTORY));
  if (!where) return;
  DIR* const listing = ::fdopendir(::fcntl(*where, F_DUPFD_CLOEXEC, 0));
  if (listing == nullptr) return;
  while (const dirent* const each = ::readdir(listing)) {
    if (!is_name_beside(each->d_name)) continue;
    const Descriptor file(open_again(*where, each->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
    struct stat about {};
    const bool is_ours =
        file && ::fstat(*file, &about) == 0 && S_ISREG(about.st_mode) && about.st_uid == ::geteuid();
    if (is_ours && ::flock(*file, LOCK_EX | LOCK_NB) == 0) ::unlinkat(*where, each->d_name, 0);
  }
  ::closedir(listing);
}

int write_into(const std::string& path, std::string_view content) {
  Descriptor file(open_again(AT_FDCWD, path.c_str(), O_WRONLY));
  if (!file) return errno;
  if (const int code = write_all(*file, content); code != 0) return code;
  return file.close();
}

}  // namespace shapelint::text
