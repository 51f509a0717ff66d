// Chooses the subcommand.
#include "cli/run.hpp"

#include "cli/exit_code.hpp"

namespace shapelint::cli {

int run(std::span<const std::string> args, Io& io) {
  (void)args;
  io.err << "shapelint: nothing is wired yet\n";
  return static_cast<int>(ExitCode::error);
}

}  // namespace shapelint::cli
