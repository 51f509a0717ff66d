// One file from its text to its findings: a pure function of the text and of what applies to it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "lint/report.hpp"
#include "project/applied.hpp"
#include "project/project.hpp"
#include "text/files.hpp"

namespace shapelint::lint {

struct FileOutcome {
  std::vector<ModelReport> models;
  std::vector<text::LocatedError> errors;
  std::vector<std::string> notes;  // "PATH: why it is passed over, or what was not understood"
  std::vector<gpu::Gpu> gpus;
  std::vector<std::string> refuted;  // findings that proofs next to the file leave out, each with its proof
  std::size_t suppressed = 0;
  bool recognised = false;                   // as a configuration of some dialect
  std::optional<text::LocatedError> broken;  // why one that is of none could not even be parsed
  project::Applied applied;
};

struct TextOptions {
  bool assume_native = false;  // a text of no known dialect is read as a native file
  bool no_ignores = false;     // report also what comments, `ignore-keys` and proofs silence
  bool no_proofs = false;      // predict also what somebody measured
};

// `configured` has no errors. `files` has what the text inherits from. Several texts may be linted at once.
FileOutcome lint_text(const project::Configured& configured, const text::Source& source,
                      const text::FileSystem& files, const TextOptions& options = {});

// Errors for named files that could not be checked: a clean exit would say that they were.

// Why nothing in the file was checked, and where its syntax is broken.
text::LocatedError not_understood(const std::string& path, const FileOutcome& outcome);

// Whether a file that was not named is a model's by its name (Hugging Face's config.json), and broken. Other
// files of a folder may be anything.
bool is_broken_model(const std::string& path, const FileOutcome& outcome);

}  // namespace shapelint::lint
