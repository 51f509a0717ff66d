// How far something is, on a terminal.
#include "cli/progress.hpp"

#include <sstream>

#include "tests/catch.hpp"

using namespace shapelint;

namespace {

std::string progress_shown(bool terminal, std::map<std::string, std::string> environment = {}) {
  const text::MemoryFileSystem files;
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  cli::Io io{in, out, err, files, std::move(environment), terminal, terminal, false, false};
  {
    cli::Progress progress(
        io,
        [](std::size_t done, std::size_t total) {
          return std::to_string(done) + " of " + std::to_string(total);
        },
        std::chrono::milliseconds(0));
    progress.at(3, 8);
  }
  CHECK(out.str().empty());
  return err.str();
}

}  // namespace

TEST_CASE("progress is written over itself and erased at the end", "[cli]") {
  const std::string erase = "\r\x1b[K";
  const std::string said = progress_shown(true);
  CHECK(said.starts_with(erase));
  CHECK(said.find(" of ") != std::string::npos);
  CHECK(said.ends_with(erase));
}

TEST_CASE("there is no progress where nobody could see it, or where it could not be erased", "[cli]") {
  CHECK(progress_shown(false).empty());
  CHECK(progress_shown(true, {{"TERM", "dumb"}}).empty());
}
