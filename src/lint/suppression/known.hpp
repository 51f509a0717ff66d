// Leaves out what is not new: findings of a baseline, and those that a file had at another revision.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lint/file.hpp"
#include "lint/suppression/baseline.hpp"
#include "lint/suppression/git.hpp"

namespace shapelint::lint {

struct BaselineRequest {
  std::string path;    // of the baseline; empty: as the configuration says
  bool write = false;  // all findings, which then fail nothing
  bool prune = false;  // take out what is no longer found
  bool off = false;    // no baseline counts
};

// What became of a baseline, or should.
struct BaselineNote {
  enum class Kind : std::uint8_t { written, pruned, is_stale };
  Kind kind = Kind::written;
  std::string path;
  std::size_t findings = 0;  // written, taken out, or no longer found
};

// The baselines of a run: one, or as many as its configurations name.
class Baselines {
 public:
  Baselines(const BaselineRequest& request, const text::FileSystem& files)
      : request_(request), files_(files) {}

  // Whether the baseline of a configuration may be written, where that was asked for. Error: the file that it
  // would replace is no baseline.
  void check(const project::Config& config, std::vector<text::LocatedError>& errors) const;

  // Takes the known findings of a file away, unless they are to be written, and returns how many that were.
  // Errors: an unreadable baseline, once.
  std::size_t apply(const project::Config& config, const std::string& path, FileOutcome& outcome,
                    std::vector<text::LocatedError>& errors);

  // Writes what is asked for, and says so in `notes`.
  void write(std::vector<BaselineNote>& notes, std::vector<text::LocatedError>& errors);

 private:
  struct One {
    Baseline known;  // what is left of it
    Baseline original;
    Baseline seen;                   // of the files linted
    std::vector<std::string> paths;  // of the files linted, as the baseline calls them
  };
  std::string path_of(const project::Config& config) const;
  One* open(const project::Config& config, std::string& path, std::vector<text::LocatedError>& errors);
  std::optional<Error> write_one(const std::string& path, One& one, std::size_t& stale,
                                 std::size_t& left) const;

  const BaselineRequest& request_;
  const text::FileSystem& files_;
  std::map<std::string, std::unique_ptr<One>> all_;
};

// Takes the findings away that the file `path` already had as `then`, with what it inherited from
// `files_then`, and returns how many that were. The configuration is today's for both.
std::size_t keep_only_new_findings(const project::Configured& configured, const text::Source& then,
                                   const std::string& path, FileOutcome& outcome,
                                   const text::FileSystem& files_then, const TextOptions& options);

// The same for a git revision.
std::size_t keep_only_new_findings(const project::Configured& configured, const GitBase& base,
                                   const std::string& path, const std::string& path_in_root,
                                   FileOutcome& outcome, const text::FileSystem& files,
                                   const TextOptions& options);

}  // namespace shapelint::lint
