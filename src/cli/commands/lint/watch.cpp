// Waiting until somebody saves a file: inotify, which Linux alone has.
#include "cli/commands/lint/watch.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#if defined(__linux__)
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>
#endif

namespace shapelint::cli {

namespace {

Error watch_error(const std::string& path, std::string message, std::string hint = {}) {
  return {std::move(message), std::move(hint), path, std::nullopt};
}

}  // namespace

FolderWatch::FolderWatch(std::vector<std::string> paths, std::set<std::string> left_out)
    : paths_(std::move(paths)), left_out_(std::move(left_out)) {}

#if defined(__linux__)

namespace {

namespace fs = std::filesystem;

// More are a data set, or a root folder by mistake.
constexpr std::size_t max_folders = 10'000;

// Hidden ones, those that editors write on the way, and files that the system knows by a number alone
// (`#10994946`).
bool is_passed_over(std::string_view name) {
  return name.empty() || name.front() == '.' || name.front() == '#' || name.back() == '~';
}

}  // namespace

FolderWatch::~FolderWatch() {
  if (descriptor_ >= 0) close(descriptor_);
}

Result<bool> FolderWatch::add(const std::string& folder) {
  if (++folders_ > max_folders)
    return watch_error(folder, fmt::format("more than {} folders to watch", max_folders), "name fewer");
  constexpr std::uint32_t saves =
      IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_ONLYDIR;
  if (inotify_add_watch(descriptor_, folder.c_str(), saves) >= 0) return true;
  if (errno == ENOSPC)
    return watch_error(folder, "the system's limit of watched folders is reached",
                       "raise fs.inotify.max_user_watches");
  return watch_error(folder, fmt::format("cannot be watched: {}", std::strerror(errno)));
}

Result<bool> FolderWatch::begin() {
  if (descriptor_ < 0) descriptor_ = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (descriptor_ < 0)
    return watch_error({}, fmt::format("nothing can be watched: {}", std::strerror(errno)));
  folders_ = 0;
  for (const std::string& path : paths_) {
    std::error_code failed;
    if (!fs::is_directory(path, failed)) {
      const std::string folder = fs::path(path).parent_path().string();
      if (auto added = add(folder.empty() ? "." : folder); !added) return added;
      continue;
    }
    if (auto added = add(path); !added) return added;
    const auto skipping = fs::directory_options::skip_permission_denied;
    for (auto each = fs::recursive_directory_iterator(path, skipping, failed);
         !failed && each != fs::recursive_directory_iterator(); each.increment(failed)) {
      std::error_code gone;
      if (!each->is_directory(gone) || each->is_symlink(gone)) continue;
      if (is_passed_over(each->path().filename().string())) {
        each.disable_recursion_pending();
      } else if (auto added = add(each->path().string()); !added) {
        return added;
      }
    }
  }
  return true;
}

std::string FolderWatch::read_events() {
  constexpr std::size_t room = 65'536;
  alignas(inotify_event) std::array<char, room> buffer{};
  std::string changed;
  for (;;) {
    const ssize_t got = read(descriptor_, buffer.data(), buffer.size());
    if (got <= 0) return changed;
    for (std::size_t at = 0; at + sizeof(inotify_event) <= static_cast<std::size_t>(got);) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + at, sizeof event);
      // Padded with zeros up to `len`.
      const std::string name = event.len > 0 ? std::string(buffer.data() + at + sizeof event) : std::string{};
      at += sizeof event + event.len;
      if (!is_passed_over(name) && !left_out_.contains(name)) changed = name;
    }
  }
}

Result<std::string> FolderWatch::wait() {
  // An editor writes, renames and removes within milliseconds.
  constexpr int moment_ms = 50;
  std::string changed;
  for (;;) {
    pollfd waiting{descriptor_, POLLIN, 0};
    const int ready = poll(&waiting, 1, changed.empty() ? -1 : moment_ms);
    if (ready == 0) return changed;
    if (ready < 0 && errno != EINTR)
      return watch_error({}, fmt::format("waiting for changes: {}", std::strerror(errno)));
    if (ready < 0) continue;
    const std::string next = read_events();
    if (!next.empty()) changed = next;
  }
}

#else

FolderWatch::~FolderWatch() = default;

Result<bool> FolderWatch::begin() {
  descriptor_ = -1;
  folders_ = 0;
  left_out_.clear();
  return watch_error(paths_.empty() ? std::string{} : paths_.front(),
                     "`--watch` needs inotify, which this system lacks",
                     "an editor that speaks to `shapelint lsp` shows findings while typing");
}

Result<bool> FolderWatch::add(const std::string&) {
  return begin();
}
Result<std::string> FolderWatch::wait() {
  return begin().error();
}
std::string FolderWatch::read_events() {
  return {};
}

#endif

}  // namespace shapelint::cli
