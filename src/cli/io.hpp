// The command line as a function, and everything it touches outside itself, so that a test can run it in
// memory.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include <shapelint/common.hpp>

#include "text/files.hpp"

namespace shapelint::cli {

enum class ExitCode : int {
  clean = 0,     // nothing at or above the fail level
  findings = 1,  // something is worth changing
  error = 2,     // wrong usage or unreadable input
};

struct Io {
  std::istream& in;
  std::ostream& out;  // results only
  std::ostream& err;  // messages
  const text::FileSystem& files;
  std::map<std::string, std::string>
      environment;  // the variables that matter: NO_COLOR, FORCE_COLOR, HF_HOME …
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  // Whether to colour, as --color, the environment and the terminal decide; set by run() before a subcommand.
  bool out_color = false;
  bool err_color = false;
  // Past the guard (guard.hpp), for what is data of a protocol and no text that somebody reads: messages of
  // the language server, workflow commands, a file on its way to another. Absent: `out`.
  std::ostream* raw_out = nullptr;
  std::ostream& raw() const { return raw_out == nullptr ? out : *raw_out; }
  // From the first call on, Ctrl-C sets the flag that it returns instead of ending the process (a second one
  // ends it). Absent in tests.
  std::function<const std::atomic<bool>*()> on_interrupt{};
  // All errors that were printed: what a program that asked for JSON gets (run()).
  std::vector<api::Error> problems{};
};

// `args` without the program's name. Returns an ExitCode's value; results go to io.out, messages to io.err.
int run(std::span<const std::string> args, Io& io);

}  // namespace shapelint::cli
