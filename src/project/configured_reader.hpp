// Reads configurations with the dialects that the linter's configuration adds, and the local model cache.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "cli/io.hpp"
#include "formats/read.hpp"
#include "project/setup.hpp"

namespace shapelint::cli {

// The hub folder of the local Hugging Face cache, as its own library finds it: HF_HUB_CACHE, HF_HOME/hub,
// ~/.cache/huggingface/hub. Empty when none of them can be known.
std::string hub_folder(const Io& io);

class ConfiguredReader {
 public:
  explicit ConfiguredReader(const Io& io) : io_(io) {}
  // Mistakes in the configuration are among the result's errors, each once.
  formats::ReadResult read(const std::string& path, const std::string& source, formats::ReadOptions options);

 private:
  const LintSetup& setup_for(const std::string& path, std::vector<Error>& errors);
  const Io& io_;
  std::map<std::string, std::string> config_of_folder_;
  std::map<std::string, std::unique_ptr<LintSetup>> setups_;  // by the configuration's path
};

}  // namespace shapelint::cli
