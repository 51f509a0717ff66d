// A configuration file from its path to what it says.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/io.hpp"
#include "model/reading.hpp"
#include "project/applied.hpp"
#include "project/project.hpp"
#include "text/located_error.hpp"

namespace shapelint::cli {

// All of a stream, as if it were a file called `name`. Error: more than a configuration can hold.
Result<std::string> read_all(std::istream& in, const std::string& name);

struct ModelFile {
  std::string path;  // as messages call it
  bool is_stdin = false;
  text::Source source;  // its text is empty when it could not be read
  const project::Configured* configured = nullptr;
  project::Applied applied;
  // One per model of the file; none when there was an error, and for a file that is no model's configuration.
  std::vector<model::Reading> readings;
  std::vector<text::LocatedError> errors;
  std::vector<model::Note> notes;  // why a file is passed over, and what in it was not understood
};

// Reads one file of any dialect, or standard input when `path` is `-` (called `stdin_name` then; native
// unless it is recognised as something else).
ModelFile read_model_file(const std::string& path, const std::string& stdin_name,
                          const project::Project& project, Io& io);

}  // namespace shapelint::cli
