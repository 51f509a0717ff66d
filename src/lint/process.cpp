// Another program, run with an argument vector.
#include "lint/process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace shapelint::lint {

namespace {

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

// The process's own variables, except for those that others stand in for.
std::vector<std::string> environment_with(std::vector<std::string> variables) {
  const std::size_t given = variables.size();
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view own(*each);
    const std::string_view name = own.substr(0, own.find('='));
    const bool is_given = std::any_of(
        variables.begin(), variables.begin() + static_cast<std::ptrdiff_t>(given),
        [&](const std::string& other) { return std::string_view(other).substr(0, other.find('=')) == name; });
    if (!is_given) variables.emplace_back(own);
  }
  return variables;
}

}  // namespace

Result<ProcessResult> run_process(const std::vector<std::string>& arguments,
                                  const std::vector<std::string>& variables, std::int64_t most_bytes,
                                  bool shows_errors, std::int64_t limit_ms) {
  const auto failed = [&](int code) {
    return Error{
        fmt::format("`{}` cannot be run: {}", arguments.front(), std::generic_category().message(code)),
        {},
        {},
        {}};
  };
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return failed(errno);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  if (!shows_errors) ::posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  const std::vector<char*> raw = pointers(arguments);
  const std::vector<std::string> environment = environment_with(variables);
  const bool is_limited = limit_ms < std::numeric_limits<std::int64_t>::max();
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  if (is_limited) {  // a group of its own, which can be ended with all that belongs to it
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    ::posix_spawnattr_setpgroup(&attributes, 0);
  }
  pid_t child = 0;
  const int problem =
      ::posix_spawnp(&child, raw.front(), &actions, &attributes, raw.data(), pointers(environment).data());
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (problem != 0) {
    ::close(ends[0]);
    return failed(problem);
  }
  ProcessResult result;
  std::array<char, 1U << 16U> chunk{};
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  bool is_late = false;
  while (static_cast<std::int64_t>(result.out.size()) < most_bytes) {
    if (is_limited) {
      const auto passed = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start).count();
      pollfd end{ends[0], POLLIN, 0};
      const int ready = passed >= limit_ms ? 0 : ::poll(&end, 1, static_cast<int>(limit_ms - passed));
      if (ready < 0 && errno == EINTR) continue;
      is_late = ready == 0;
      if (is_late) break;
    }
    const ssize_t got = ::read(ends[0], chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    result.out.append(chunk.data(), static_cast<std::size_t>(got));
  }
  ::close(ends[0]);  // who writes on ends by SIGPIPE
  if (is_late) ::kill(-child, SIGKILL);
  int status = 0;
  while (true) {
    const pid_t ended = ::waitpid(child, &status, is_limited && !is_late ? WNOHANG : 0);
    if (ended == child || (ended < 0 && errno != EINTR)) break;
    if (ended != 0) continue;
    // It has closed its output, and has not ended yet.
    constexpr int pause_ms = 1;
    ::poll(nullptr, 0, pause_ms);
    is_late = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start).count() >= limit_ms;
    if (is_late) ::kill(-child, SIGKILL);
  }
  if (is_late) {
    return Error{fmt::format("`{}` took longer than {} s and was killed", arguments.front(), limit_ms / 1000),
                 {},
                 {},
                 {}};
  }
  constexpr int killed = 128;
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : killed + WTERMSIG(status);
  return result;
}

}  // namespace shapelint::lint
