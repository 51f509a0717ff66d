// A configuration file from its path to what it says; one model of it, and the GPUs that it is priced for:
// what `suggest`, `sweep` and `roofline` begin with.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/io.hpp"
#include "cli/option.hpp"
#include "lint/file.hpp"
#include "model/reading.hpp"
#include "project/applied.hpp"
#include "project/project.hpp"
#include "rules/finding.hpp"
#include "text/errors.hpp"

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

struct ModelChoice {
  std::string file;       // `-`: standard input
  std::string model{};    // which of the file's; the first unless named
  bool networks = false;  // convolutional networks can be priced, though not searched
};

struct ModelInput {
  ModelFile file;
  std::size_t model = 0;  // of the file's readings
  const model::Reading& reading() const { return file.readings[model]; }
  const std::vector<gpu::Gpu>& gpus() const { return file.applied.gpus; }
};

// The options that choose them: FILE and --model.
Option model_file_option(std::string& file);
Option model_option(std::string& model);

// Reads the file and prints everything that is wrong with it, missing fields and GPUs that cannot multiply
// its number format included. Nothing when something was. The project's configurations have no errors.
std::unique_ptr<ModelInput> read_model_input(const ModelChoice& choice, const project::Project& project,
                                             Io& io);

// What the linter says of the input's model. `no_proofs`: predict also what somebody measured.
lint::FileOutcome linted(const ModelInput& input, bool no_proofs, const text::FileSystem& files);
// The findings of it; nothing, and errors printed, where the file cannot be linted.
std::optional<std::vector<rules::Finding>> findings_of(const ModelInput& input, bool no_proofs, Io& io);

}  // namespace shapelint::cli
