// The process: streams, environment, exit code.
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/io.hpp"
#include "text/files.hpp"

namespace {

std::atomic<bool> interrupted{false};

const std::atomic<bool>* catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = [](int) { interrupted = true; };
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // a second Ctrl-C ends the process
  sigaction(SIGINT, &action, nullptr);
  return &interrupted;
}

// A file that is opened later must not become standard output, and be written into. What is not there stays
// what cannot be used.
void fill_descriptors() {
  for (int each = 0; each <= 2; ++each) {
    if (fcntl(each, F_GETFD) < 0) open("/dev/null", each == 0 ? O_WRONLY : O_RDONLY);
  }
}

// What no command could deal with, in one sentence. Nothing here takes memory. `why` may name a file.
int give_up(const char* what, const char* why) {
  std::fputs(what, stderr);
  for (; *why != '\0'; ++why) {
    const auto byte = static_cast<unsigned char>(*why);
    std::fputc(byte < 0x20 || byte == 0x7F ? '?' : byte, stderr);
  }
  std::fputc('\n', stderr);
  return static_cast<int>(shapelint::cli::ExitCode::error);
}

int run(int argc, char** argv) {
  fill_descriptors();
  std::ios::sync_with_stdio(false);
  const std::vector<std::string> args(argv + (argc > 0 ? 1 : 0), argv + argc);
  const shapelint::text::RealFileSystem files({}, shapelint::text::paths_in(args));
  shapelint::cli::Io io{std::cin, std::cout, std::cerr, files, {}, isatty(1) != 0, isatty(2) != 0};
  io.on_interrupt = catch_interrupts;
  for (const char* name : {"NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TERM", "COLUMNS", "HOME",
                           "XDG_CACHE_HOME", "HF_HOME", "HF_HUB_CACHE"}) {
    if (const char* value = std::getenv(name)) io.environment[name] = value;
  }
  // Shells keep COLUMNS to themselves; who exports it means it.
  if (!io.environment.contains("COLUMNS")) {
    const int terminal = io.out_is_terminal ? STDOUT_FILENO : STDERR_FILENO;
    winsize window{};
    if (ioctl(terminal, TIOCGWINSZ, &window) == 0 && window.ws_col > 0)
      io.environment["COLUMNS"] = std::to_string(window.ws_col);
  }
  const int code = shapelint::cli::run(args, io);
  std::cout.flush();
  if (std::cout) return code;
  // A full disk; a pipe that was closed ends the process before this, by SIGPIPE.
  std::cerr << "error: the output could not be written\n";
  return static_cast<int>(shapelint::cli::ExitCode::error);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc&) {
    return give_up("error: out of memory", "");
  } catch (const std::system_error& problem) {
    return give_up("error: system call failed: ", problem.what());
  } catch (const std::exception& problem) {
    return give_up("error: internal error (please report): ", problem.what());
  }
}
