// A configuration file from its path to what it says.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/io.hpp"
#include "formats/native.hpp"
#include "model/reading.hpp"

namespace shapelint::cli {

struct ModelFile {
  std::string path;    // as messages call it
  std::string source;  // empty when it could not be read
  std::optional<formats::NativeFile> content;
  std::vector<Error> errors;  // not empty exactly when there is no content
};

// Reads one file, or standard input when `path` is `-` (called `stdin_name` then). `overrides` win over what
// the file says, before anything is derived from it.
ModelFile read_model_file(const std::string& path, const std::string& stdin_name,
                          const std::vector<model::Override>& overrides, Io& io);

}  // namespace shapelint::cli
