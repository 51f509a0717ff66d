// A configuration file from its path to what it says.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/io.hpp"
#include "formats/native/native.hpp"
#include "formats/read.hpp"
#include "model/reading.hpp"

namespace shapelint::cli {

// All of a stream, as if it were a file called `name`. Error: more than a configuration can hold.
Result<std::string> read_all(std::istream& in, const std::string& name);

// A file that was named; the error for one that is not there proposes a similar name.
Result<std::string> read_named(const std::string& path, const text::FileSystem& files);

struct ModelFile {
  std::string path;    // as messages call it
  std::string source;  // empty when it could not be read
  // One per model of the file; none when there was an error, and for a file that is no model's configuration.
  std::vector<model::Reading> readings;
  formats::LintOptions lint;  // a native file's own settings
  std::vector<Error> errors;
  std::vector<model::Note> notes;  // why a file is passed over, and what in it was not understood
};

// Reads one file of any dialect, or standard input when `path` is `-` (called `stdin_name` then; native
// unless it is recognised as something else). `overrides` win over what the file says, before anything is
// derived from it.
ModelFile read_model_file(const std::string& path, const std::string& stdin_name,
                          const std::vector<model::Override>& overrides, Io& io,
                          const std::vector<formats::GraphDimension>& dimensions = {});

}  // namespace shapelint::cli
