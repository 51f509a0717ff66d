// Runs a whole command line in memory.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "cli/run.hpp"
#include "text/files.hpp"

namespace shapelint::tests {

struct Ran {
  int code = 0;
  std::string out;
  std::string err;
};

inline Ran run(const std::vector<std::string>& args, const text::FileSystem& files = text::MemoryFileSystem{},
               std::map<std::string, std::string> environment = {}, bool terminal = false,
               const std::string& input = {}) {
  std::istringstream in(input);
  std::ostringstream out;
  std::ostringstream err;
  cli::Io io{in, out, err, files, std::move(environment), terminal, terminal, false, false};
  Ran ran;
  ran.code = cli::run(args, io);
  ran.out = out.str();
  ran.err = err.str();
  return ran;
}

}  // namespace shapelint::tests
