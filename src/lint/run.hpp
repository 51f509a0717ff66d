// Many files: found, linted by several threads, and what is known of them left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "lint/report.hpp"
#include "lint/suppression/known.hpp"
#include "project/project.hpp"

namespace shapelint::lint {

// A text that is linted without being a file: standard input.
struct GivenText {
  std::string path;  // as messages call it
  Result<std::string> source;
  bool assume_native = true;  // a text of no known dialect is read as a native file
};

struct RunRequest {
  std::vector<std::string> paths;  // files, and folders to search; their order makes no difference
  std::vector<GivenText> texts;
  std::vector<std::string>
      exclude;                 // patterns, relative to the working directory, on top of the configuration's
  bool force_exclude = false;  // `exclude` holds for what is named as well
  bool no_ignores = false;
  bool allow_unrecognised =
      false;  // a named file of which nothing can be checked is passed over, as a found one is
  bool keep_operations = false;  // each operation of each step: most of what is known of a file
  // For one file without a job: what it could be used for (lint/jobs.hpp).
  bool wants_jobs = false;
  BaselineRequest baseline;
  // Files that the caller is going to write: refused are those that were read, since what they held would be
  // gone.
  std::vector<std::string> outputs;
  // What files were before a change, by their paths: of these only what the change introduced is reported.
  std::map<std::string, std::string> bases;
  std::string diff_base;  // git revision: only what changed since, and what the change introduced
  // Called from all threads as files are done.
  std::function<void(std::size_t done, std::size_t total)> on_progress;
  std::optional<std::int64_t> jobs;  // threads; default: as many as there are processors
};

struct Note {
  std::string text;
  bool is_detail = false;  // of a file that was only found, or that something came of
};

struct RunOutcome {
  // Why nothing was looked at: no such revision, mistakes in configurations, files outside of the repository,
  // outputs and baselines that would replace something else.
  std::vector<text::LocatedError> refused;
  std::vector<std::string> choices;  // which configuration applies to which file, and what it excludes
  Report report;
  std::vector<std::string> refuted;  // findings that proofs leave out, each with its proof: always reported
  std::vector<Note> notes;           // why files are passed over, or what was not understood
  std::vector<BaselineNote> baselines;
  bool has_findings = false;  // at or above their files' fail levels
  bool is_empty = false;      // no file was a model's configuration, and no note that is no detail says why
  bool is_excluded = false;   // patterns left out some file
};

// The views of the report live as long as the project.
RunOutcome lint_files(const RunRequest& request, const project::Project& project);

// Work on many files by several threads.

// The index of the next item that no thread has taken; nothing when all are taken.
using IndexSource = std::function<std::optional<std::size_t>()>;

// Calls `work` once in each of as many threads as `jobs` says (default: as there are processors), never
// more than `count`; it takes numbers below `count` until there are no more.
void for_each_in_threads(std::size_t count, std::optional<std::int64_t> jobs,
                         const std::function<void(const IndexSource&)>& work);

}  // namespace shapelint::lint
