// Another program, run with an argument vector.
#include "lint/process.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace shapelint::lint {

Result<ProcessResult> run_process(const std::vector<std::string>& arguments) {
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
  ::posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  std::vector<char*> raw;
  for (const std::string& argument : arguments) raw.push_back(const_cast<char*>(argument.c_str()));
  raw.push_back(nullptr);
  pid_t child = 0;
  const int problem = ::posix_spawnp(&child, raw.front(), &actions, nullptr, raw.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (problem != 0) {
    ::close(ends[0]);
    return failed(problem);
  }
  ProcessResult result;
  std::array<char, 1U << 16U> chunk{};
  for (;;) {
    const ssize_t got = ::read(ends[0], chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    result.out.append(chunk.data(), static_cast<std::size_t>(got));
  }
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  constexpr int killed = 128;
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : killed + WTERMSIG(status);
  return result;
}

}  // namespace shapelint::lint
