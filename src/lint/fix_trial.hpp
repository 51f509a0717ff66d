// Trying one proposal: the files with its changes made, linted again.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lint/edits.hpp"
#include "lint/file.hpp"
#include "text/files.hpp"

namespace shapelint::lint {

// What stays the same of a finding when other values change.
std::string stable_fingerprint(const rules::Finding& finding, const ModelReport& model);
// The same without whose of the file's models it is.
std::string key_in_file(const rules::Finding& finding);

// The files of a run as they are now, and what the linter says of them.
class FixTrial {
 public:
  FixTrial(project::Request request, text::OverlayFileSystem& files, TextOptions options)
      : project_(std::move(request), files), files_(files), options_(options) {}

  // Files that may be edited beside the model's own.
  void allow(const std::string& path) { allowed_.insert(files_.absolute(path)); }
  // `path` reads `base`, and is to be looked at when that changes.
  void inherits(const std::string& path, const std::string& base) { dependents_[base].insert(path); }

  // What the linter said of a file that has not changed since, under the same request.
  void know(const std::string& path, FileOutcome outcome) {
    known_.insert_or_assign(path, std::move(outcome));
  }

  // The reference holds until a change is made.
  const FileOutcome& all_findings(const std::string& path);

  // Makes the changes of a proposal and keeps them when they do what they should: then the plan has edits.
  // Otherwise it has an obstacle, and everything is as it was.
  EditPlan attempt(const rules::Proposal& proposal, const rules::Finding& finding, const ModelReport& model);
  // Takes back the last attempt.
  void undo();
  // What speaks against a file's having another text: it could not be read then, or has a finding of a
  // severity on that it had not. Nothing where nothing does. The file stays as it is.
  std::string objection(const std::string& path, const std::string& text, rules::Severity severity);

 private:
  // Why the plan cannot be kept, or nothing.
  std::string reject_reason(const EditPlan& plan, const rules::Proposal& proposal,
                            const rules::Finding& finding, const ModelReport& model);
  const text::SharedText* editable(const std::string& path, const ModelReport& model);
  FileOutcome lint(const std::string& path) const;
  std::string judge(const std::string& path, const FileOutcome& before, const FileOutcome& after) const;

  const project::Project project_;
  text::OverlayFileSystem& files_;
  TextOptions options_;
  std::set<std::string> allowed_;
  std::map<std::string, std::set<std::string>> dependents_;
  std::map<std::string, text::SharedText> texts_;  // of files that were asked for
  std::map<std::string, FileOutcome> known_;
  std::map<std::string, std::string> last_;        // what the last attempt's files were
  std::map<std::string, FileOutcome> last_known_;  // and what the linter said of them
};

}  // namespace shapelint::lint
