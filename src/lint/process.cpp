// Another program, run with an argument vector.
#include "lint/process.hpp"

#include <algorithm>
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

namespace {

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

// The process's own variables, but for those that others stand in for.
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
                                  bool shows_errors) {
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
  pid_t child = 0;
  const int problem =
      ::posix_spawnp(&child, raw.front(), &actions, nullptr, raw.data(), pointers(environment).data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (problem != 0) {
    ::close(ends[0]);
    return failed(problem);
  }
  ProcessResult result;
  std::array<char, 1U << 16U> chunk{};
  while (static_cast<std::int64_t>(result.out.size()) < most_bytes) {
    const ssize_t got = ::read(ends[0], chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    result.out.append(chunk.data(), static_cast<std::size_t>(got));
  }
  ::close(ends[0]);  // who writes on ends by SIGPIPE
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  constexpr int killed = 128;
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : killed + WTERMSIG(status);
  return result;
}

}  // namespace shapelint::lint
