// Runs a whole command line in memory.
#pragma once

#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cli/io.hpp"
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

inline text::MemoryFileSystem with(std::map<std::string, std::string> files) {
  text::MemoryFileSystem out;
  out.files = std::move(files);
  return out;
}

inline std::vector<std::string> plus(std::vector<std::string> args, const std::vector<std::string>& more) {
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

// GPT-2's vocabulary is odd: SL101 on an A100.
inline const std::string odd =
    "[model]\nhidden_size = 768\nnum_layers = 12\nnum_attention_heads = 12\nvocab_size = 50257\n"
    "[run]\nmicro_batch_size = 8\nsequence_length = 1024\n";

}  // namespace shapelint::tests
