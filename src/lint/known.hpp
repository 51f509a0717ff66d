// Leaves out what is not new: findings of a baseline, and those that a file had at another revision.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lint/baseline.hpp"
#include "lint/file.hpp"
#include "lint/git.hpp"

namespace shapelint::cli {

// The baselines of a run: one, or as many as its configurations name.
class Baselines {
 public:
  Baselines(const LintOptions& options, const text::FileSystem& files) : options_(options), files_(files) {}

  // Takes the known findings of a file away and returns how many that were. Errors: an unreadable baseline,
  // once.
  std::size_t apply(const LintSetup& setup, const std::string& path, FileOutcome& outcome,
                    std::vector<report::ReportError>& errors);

  // Writes what --write-baseline and --prune-baseline ask for, and says so in `notes`.
  void write(std::vector<std::string>& notes, std::vector<report::ReportError>& errors);

 private:
  struct One {
    config::Baseline known;  // what is left of it
    config::Baseline original;
    config::Baseline seen;           // of the files linted
    std::vector<std::string> paths;  // of the files linted, as the baseline calls them
  };
  One* open(const LintSetup& setup, std::string& path, std::vector<report::ReportError>& errors);

  const LintOptions& options_;
  const text::FileSystem& files_;
  std::map<std::string, std::unique_ptr<One>> all_;
};

// Takes the findings away that the file, with what it inherited then, already had at the revision, and
// returns how many that were. The configuration is today's for both.
std::size_t leave_introduced(const LintOptions& options, const LintSetup& setup, const GitBase& base,
                             const std::string& path, const std::string& path_in_root, FileOutcome& outcome,
                             const text::FileSystem& files);

}  // namespace shapelint::cli
