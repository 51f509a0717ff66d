// Following proposals in the files themselves: which, and what becomes of the findings. Nothing is written.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "lint/run.hpp"
#include "text/files.hpp"
#include "text/source.hpp"

namespace shapelint::lint {

struct FixRequest {
  RunRequest run;       // which writes no baseline
  bool unsafe = false;  // also what changes the model that is trained, or its task
  // As `run.on_progress` of linting: called from all threads as files are fixed.
  std::function<void(std::size_t done, std::size_t total)> on_fix{};
};

// A change that was made.
struct Fix {
  std::string path;  // of the file that it was made in
  text::Place place;
  std::string changes;             // "vocab_size 50257 → 50304"
  std::vector<std::string> codes;  // of the findings that it removed
};

// A finding that has a way out which was not gone.
struct RemainingFinding {
  std::string path;
  text::Place place;  // of the finding; the file's beginning when nothing in it states the value
  std::string code;
  std::string reason;
};

struct FixedFile {
  std::string path;
  std::string before;
  std::string after;
};

struct FixOutcome {
  RunOutcome run;  // of the texts as they are after fixing
  std::vector<FixedFile> files;
  std::vector<Fix> fixes;
  std::vector<RemainingFinding> left;
  std::size_t unsafe_left = 0;  // findings that `unsafe` would remove
};

// Whether a proposal leaves what is trained as it is: it changes the plan, or adds rows that no token uses.
// It must also leave the GPUs that are stated: other degrees beside a stated number of replicas ask for more
// or fewer.
bool is_safe(const rules::Proposal& proposal, const model::Reading& reading);

// Changes values in the files of the run until nothing more can be changed. Fixed are the findings from the
// fail level on, and warnings in any case; each change is kept only if the files linted again, whatever rules
// the request selects, say what the proposal said, have no new error and fewer findings, and no GPU loses
// time by it. A file that others inherit from is changed when it is named. `files` are those of `project`,
// and hold the changed texts afterwards.
// Tries for each finding of a run whether `--fix` would make its first proposal (ModelReport::fixable).
void mark_fixable(const RunRequest& run, const project::Project& project, const text::FileSystem& files,
                  Report& report);

FixOutcome fix_files(const FixRequest& request, const project::Project& project,
                     text::OverlayFileSystem& files);

}  // namespace shapelint::lint
