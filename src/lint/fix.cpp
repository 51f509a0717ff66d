// Following proposals in the files themselves, one after the other.
#include "lint/fix.hpp"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <iterator>
#include <map>
#include <mutex>
#include <set>

#include "lint/edits.hpp"
#include "lint/fix_trial.hpp"
#include "lint/phrases.hpp"
#include "lint/run.hpp"
#include "model/arithmetic.hpp"
#include "model/fields.hpp"
#include "rules/scope/launch.hpp"
#include "text/errors.hpp"

namespace shapelint::lint {

namespace {

// Most changes in one file: each removes a finding, so this is never reached by a file that people wrote.
constexpr int most_changes = 50;

// One file has one name, however those who inherit from it spell its path.
std::string tidy(const std::string& path) {
  return std::filesystem::path(path).lexically_normal().string();
}

// Given texts as they are by now.
RunRequest with_current_texts(RunRequest run, const text::FileSystem& files) {
  for (GivenText& given : run.texts) {
    if (given.source) given.source = files.read(given.path, text::max_source_bytes);
  }
  return run;
}

// What came of one file.
struct FileFixes {
  std::vector<Fix> fixes;
  std::vector<RemainingFinding> left;
  std::size_t unsafe_left = 0;
  std::set<std::string> changed;  // paths
};

using ModelsByPath = std::map<std::string, std::vector<const ModelReport*>>;

// Fixes files one after the other, with texts of its own over those of the run.
class Fixer {
 public:
  Fixer(const FixRequest& request, const project::Project& project, const text::FileSystem& files)
      : request_(request),
        files_(files),
        project_(project.request(), files_),
        bench_(by_all_rules(project.request()), files_, trial_options(request)) {}

  // All files of the run have a say in what may be edited, and in what else is to be looked at.
  void know(const ModelsByPath& all) {
    for (const std::string& path : request_.run.paths) {
      if (!files_.is_directory(path)) bench_.allow(path);
    }
    for (const auto& [path, models] : all) {
      bench_.allow(path);
      for (const ModelReport* model : models) {
        for (const model::Origin& origin : model->reading.origins) {
          if (!origin.path.empty() && origin.path != path) bench_.inherits(path, origin.path);
        }
      }
    }
  }

  // What the run found in a file, whatever of it people are shown.
  void know_findings(const std::string& path, const std::vector<const ModelReport*>& models) {
    FileOutcome outcome;
    outcome.recognised = true;
    for (const ModelReport* model : models) {
      ModelReport slim;
      slim.path = model->path;
      slim.reading = model->reading;
      slim.result.findings = model->result.findings;
      slim.result.findings.insert(slim.result.findings.end(), model->hidden.begin(), model->hidden.end());
      outcome.models.push_back(std::move(slim));
    }
    bench_.know(path, std::move(outcome));
  }

  FileFixes fix_file(const std::string& path, std::vector<const ModelReport*> models) {
    out_ = {};
    unsafe_left_.clear();
    level_ = std::min(rules::Severity::warning, bench_.all_findings(path).applied.fail_level);
    std::vector<ModelReport> now;
    for (int i = 0; i < most_changes && make_one_change(models); ++i) {
      Fix& made = out_.fixes.back();
      std::vector<ModelReport> next = findings_of(path);
      std::vector<const ModelReport*> pointers;
      for (const ModelReport& each : next) pointers.push_back(&each);
      // A change may make a defect smaller, and another one the rest of it.
      if (std::vector<std::string> gone = removed(models, pointers); !gone.empty())
        made.codes = std::move(gone);
      now.swap(next);  // the pointers stay good: elements do not move
      models.swap(pointers);
    }
    for (const ModelReport* model : models) {
      for (const rules::Finding& finding : model->result.findings) {
        if (concerns(finding)) tell_why_left(finding, *model);
      }
    }
    return std::move(out_);
  }

  // Findings of a file whose first proposal alone would be made.
  std::set<std::string> fixable(const ModelReport& model) {
    std::set<std::string> out;
    for (const rules::Finding& finding : model.result.findings) {
      if (!is_fixable(finding, model)) continue;
      if (bench_.attempt(finding.proposals.front(), finding, model).edits.empty()) continue;
      bench_.undo();
      out.insert(key_in_file(finding));
    }
    return out;
  }

  const text::FileSystem& files() const { return files_; }

 private:
  // A fix of what is selected must not break what is not.
  static project::Request by_all_rules(project::Request request) {
    request.select.clear();
    request.ignore.clear();
    return request;
  }

  static TextOptions trial_options(const FixRequest& request) {
    TextOptions options;
    options.no_ignores = request.run.no_ignores;
    options.assume_native = !request.run.texts.empty() && request.run.texts.front().assume_native;
    return options;
  }

  // What the run says of one file by now.
  std::vector<ModelReport> findings_of(const std::string& path) const {
    RunRequest one = with_current_texts(request_.run, files_);
    one.jobs = 1;
    one.on_progress = {};
    one.outputs.clear();  // what they are is looked at in the run
    one.paths.clear();
    if (one.texts.empty()) one.paths.push_back(path);
    return lint_files(one, project_).report.models;
  }

  bool concerns(const rules::Finding& finding) const {
    return finding.severity >= level_ && !finding.proposals.empty();
  }

  // The first change that does what it should, safe ones of all findings first.
  bool make_one_change(const std::vector<const ModelReport*>& models) {
    for (const bool is_unsafe : {false, true}) {
      if (is_unsafe && !request_.unsafe) break;
      for (const ModelReport* model : models) {
        for (const rules::Finding& finding : model->result.findings) {
          if (concerns(finding) && make_change(finding, *model, is_unsafe)) return true;
        }
      }
    }
    return false;
  }

  bool make_change(const rules::Finding& finding, const ModelReport& model, bool is_unsafe) {
    for (const rules::Proposal& proposal : finding.proposals) {
      if (is_safe(proposal, model.reading) == is_unsafe) continue;
      EditPlan plan = bench_.attempt(proposal, finding, model);
      if (plan.edits.empty()) continue;
      Fix fix;
      fix.path = plan.edits.front().path;
      fix.place = first_place(plan.edits);
      fix.changes = std::move(plan.summary);
      fix.codes.emplace_back(finding.code);
      out_.fixes.push_back(std::move(fix));
      for (const TextEdit& edit : plan.edits) out_.changed.insert(tidy(edit.path));
      return true;
    }
    return false;
  }

  // Of the edits in the first one's file; what stands before them all has not changed.
  text::Place first_place(const std::vector<TextEdit>& edits) const {
    std::int64_t begin = edits.front().span.begin;
    for (const TextEdit& each : edits) {
      if (each.path == edits.front().path) begin = std::min(begin, each.span.begin);
    }
    const auto now = files_.read(edits.front().path, text::max_source_bytes);
    return text::place_of(now ? *now : std::string(), begin);
  }

  std::vector<std::string> removed(const std::vector<const ModelReport*>& before,
                                   const std::vector<const ModelReport*>& after) const {
    std::map<std::string, int> left;
    for (const ModelReport* model : after) {
      for (const rules::Finding& finding : model->result.findings)
        ++left[stable_fingerprint(finding, *model)];
    }
    std::vector<std::string> codes;
    std::set<std::string> reported;  // a defect of several plans is one
    for (const ModelReport* model : before) {
      for (const rules::Finding& finding : model->result.findings) {
        if (finding.severity < level_) continue;
        int& count = left[stable_fingerprint(finding, *model)];
        if (count > 0) {
          --count;
        } else if (reported.insert(key_in_file(finding)).second) {
          codes.emplace_back(finding.code);
        }
      }
    }
    return codes;
  }

  // Of what would not be safe, and is not asked for, only whether it would do.
  void tell_why_left(const rules::Finding& finding, const ModelReport& model) {
    std::string reason;
    bool could_do = false;
    for (const bool is_unsafe : {false, true}) {
      for (const rules::Proposal& proposal : finding.proposals) {
        if (is_safe(proposal, model.reading) == is_unsafe) continue;
        EditPlan plan = bench_.attempt(proposal, finding, model);
        const bool would_do = !plan.edits.empty();
        if (would_do) bench_.undo();
        if (is_unsafe && !request_.unsafe) {
          if (!would_do) continue;
          if (unsafe_left_.insert(key_in_file(finding)).second) ++out_.unsafe_left;
          return;
        }
        could_do = could_do || would_do;
        if (reason.empty()) reason = std::move(plan.obstacle);
      }
    }
    if (could_do) reason = "more changes than one run makes: run it again";
    if (reason.empty()) return;
    const text::SharedText* source = source_of(model, finding.path.empty() ? model.path : finding.path);
    RemainingFinding left;
    left.path = finding.path.empty() ? model.path : finding.path;
    if (source != nullptr) left.place = source->places().place(finding.span.begin);
    left.code = finding.code;
    left.reason = std::move(reason);
    const bool is_told = std::any_of(out_.left.begin(), out_.left.end(), [&](const RemainingFinding& each) {
      return each.path == left.path && each.place.line == left.place.line &&
             each.place.column == left.place.column && each.code == left.code && each.reason == left.reason;
    });
    if (!is_told) out_.left.push_back(std::move(left));
  }

  const FixRequest& request_;
  text::OverlayFileSystem files_;
  const project::Project project_;
  FixTrial bench_;
  rules::Severity level_ = rules::Severity::warning;
  FileFixes out_;
  std::set<std::string> unsafe_left_;  // of the file, by key
};

// Files that share what they inherit, or that inherit from each other, in one group: the change of one is
// seen by the others. In the order of the paths.
std::vector<std::vector<std::string>> groups_of(const ModelsByPath& all) {
  std::map<std::string, std::string> leaders;
  const auto leader_of = [&](const std::string& path) {
    std::string at = tidy(path);
    for (auto up = leaders.find(at); up != leaders.end() && up->second != at; up = leaders.find(at))
      at = up->second;
    return at;
  };
  for (const auto& [path, models] : all) {
    leaders.try_emplace(tidy(path), tidy(path));
    for (const ModelReport* model : models) {
      for (const model::Origin& origin : model->reading.origins) {
        if (origin.path.empty()) continue;
        const std::string one = leader_of(path);
        const std::string other = leader_of(origin.path);
        if (one != other) leaders[other] = one;
      }
    }
  }
  std::vector<std::vector<std::string>> groups;
  std::map<std::string, std::size_t> places;
  for (const auto& [path, models] : all) {
    const auto [place, is_new] = places.try_emplace(leader_of(path), groups.size());
    if (is_new) groups.emplace_back();
    groups[place->second].push_back(path);
  }
  return groups;
}

class Fixing {
 public:
  Fixing(const FixRequest& request, const project::Project& project, text::OverlayFileSystem& files)
      : request_(request), project_(project), files_(files) {}

  FixOutcome operator()() {
    for (const GivenText& given : request_.run.texts) {
      if (given.source) files_.put(given.path, *given.source);
    }
    RunOutcome first = lint_files(request_.run, project_);
    std::set<std::string> changed;
    if (first.refused.empty()) {
      ModelsByPath all;
      for (const ModelReport& model : first.report.models) {
        all[model.path].push_back(&model);
        before_.try_emplace(tidy(model.path), model.source);
        for (const auto& [path, text] : model.other_sources) before_.try_emplace(tidy(path), text);
      }
      for (auto& [path, file] : fix_all(all)) {
        std::move(file.fixes.begin(), file.fixes.end(), std::back_inserter(out_.fixes));
        std::move(file.left.begin(), file.left.end(), std::back_inserter(out_.left));
        out_.unsafe_left += file.unsafe_left;
        changed.merge(file.changed);
      }
    }
    out_.run = out_.fixes.empty() ? std::move(first)
                                  : lint_files(with_current_texts(request_.run, files_), project_);
    list_files(changed);
    return std::move(out_);
  }

 private:
  std::map<std::string, FileFixes> fix_all(const ModelsByPath& all) {
    const std::vector<std::vector<std::string>> groups = groups_of(all);
    std::map<std::string, FileFixes> fixed;
    std::map<std::string, std::string> texts;  // as they are then, by path
    for (const auto& [path, models] : all) fixed[path];
    std::mutex merging;
    std::atomic<std::size_t> done{0};
    for_each_in_threads(groups.size(), request_.run.jobs, [&](const IndexSource& next) {
      Fixer fixer(request_, project_, files_);
      fixer.know(all);
      for (auto i = next(); i; i = next()) {
        for (const std::string& path : groups[*i]) {
          FileFixes& mine = fixed.at(path);
          mine = fixer.fix_file(path, all.at(path));
          for (const std::string& each : mine.changed) {
            auto text = fixer.files().read(each, text::max_source_bytes);
            const std::lock_guard lock(merging);
            if (text) texts[each] = *std::move(text);
          }
          if (request_.on_fix) request_.on_fix(++done, all.size());
        }
      }
    });
    for (auto& [path, text] : texts) files_.put(path, std::move(text));
    return fixed;
  }

  void list_files(const std::set<std::string>& changed) {
    for (const std::string& path : changed) {
      FixedFile file;
      file.path = path;
      const auto given = std::find_if(request_.run.texts.begin(), request_.run.texts.end(),
                                      [&](const GivenText& each) { return tidy(each.path) == path; });
      // As it was linted: what is there by now may have been saved since.
      const auto linted = before_.find(path);
      const auto before = given != request_.run.texts.end() ? given->source
                          : linted != before_.end()         ? Result<std::string>(linted->second.str())
                                                    : files_.below().read(path, text::max_source_bytes);
      const auto after = files_.read(path, text::max_source_bytes);
      if (!before || !after || *before == *after) continue;
      file.before = *before;
      file.after = *after;
      out_.files.push_back(std::move(file));
    }
  }

  const FixRequest& request_;
  const project::Project& project_;
  text::OverlayFileSystem& files_;
  std::map<std::string, text::SharedText> before_;  // texts as they were linted, by path
  FixOutcome out_;
};

}  // namespace

namespace {

// A sequence that is padded up to the next 128 bytes of 16-bit elements; positions that are learned have to
// be there.
bool pads_sequence(const rules::Change& change, const model::Setup& setup) {
  constexpr std::int64_t longest_padding = 63;
  const std::int64_t positions = setup.model.learned_positions;
  return change.field == model::FieldId::sequence_length && change.to > change.from &&
         change.to - change.from <= longest_padding && (positions <= 0 || change.to <= positions);
}

// Values of fewer bits round otherwise, and so do those of as many (bf16 and fp16).
bool narrows(const rules::Change& change) {
  return change.field == model::FieldId::dtype &&
         bytes_of(static_cast<DType>(change.to)) <= bytes_of(static_cast<DType>(change.from));
}

// Another attention kernel rounds otherwise, may not be installed, and may not support the model's mask.
bool replaces_kernel(const rules::Change& change) {
  return change.field == model::FieldId::attention;
}

// Whether a step takes as many sequences: on as many replicas or, where the launch says how many there are,
// on as many GPUs, of which a smaller plan makes more replicas.
bool keeps_batch(const model::Plan& before, const model::Plan& after, const model::Reading& reading) {
  const std::int64_t then = rules::global_batch(before);
  const std::int64_t now = rules::global_batch(after);
  const bool is_left_to_launch =
      !model::is_stated(reading, model::FieldId::data) && model::extra_named(reading, "fixes_batch") <= 0;
  return then == now || (is_left_to_launch && model::times(then, rules::gpus_of_plan(after)) ==
                                                  model::times(now, rules::gpus_of_plan(before)));
}

// What recomputes less keeps more of each sequence: whether that fits is a guess where their number or length
// is.
bool rests_on_assumed_size(const rules::Proposal& proposal, const model::Reading& reading) {
  const bool is_assumed = model::is_assumed(reading, model::FieldId::micro_batch_size) ||
                          model::is_assumed(reading, model::FieldId::sequence_length);
  return is_assumed &&
         std::any_of(proposal.changes.begin(), proposal.changes.end(), [](const rules::Change& change) {
           return change.field == model::FieldId::recompute ||
                  change.field == model::FieldId::recompute_layers;
         });
}

}  // namespace

bool is_safe(const rules::Proposal& proposal, const model::Reading& reading) {
  const model::Setup after = with_changes(proposal, reading);
  model::Setup before = reading.setup;
  for (const rules::Change& change : proposal.changes) {
    if (change.field != model::no_field) model::set(before, change.field, change.from);
  }
  // A server on other GPUs has room for other requests.
  const bool is_training = reading.setup.plan.mode == model::Mode::train;
  if ((!is_training || model::is_stated(reading, model::FieldId::data)) &&
      rules::gpus_of_plan(after.plan) != rules::gpus_of_plan(before.plan))
    return false;
  if (is_training && !keeps_batch(before.plan, after.plan, reading)) return false;
  if (rests_on_ranks(proposal, reading) || rests_on_assumed_size(proposal, reading)) return false;
  return std::all_of(proposal.changes.begin(), proposal.changes.end(), [&](const rules::Change& change) {
    const model::FieldKind kind = model::kind_of(change.field);
    return (kind == model::FieldKind::plan && !narrows(change) && !replaces_kernel(change)) ||
           (kind == model::FieldKind::padding && change.to > change.from) ||
           pads_sequence(change, reading.setup);
  });
}

void mark_fixable(const RunRequest& run, const project::Project& project, const text::FileSystem& files,
                  Report& report) {
  FixRequest request;
  request.run = run;
  text::OverlayFileSystem given(files);
  for (const GivenText& each : run.texts) {
    if (each.source) given.put(each.path, *each.source);
  }
  ModelsByPath all;
  std::vector<ModelReport*> models;
  for (ModelReport& model : report.models) {
    all[model.path].push_back(&model);
    const std::vector<rules::Finding>& findings = model.result.findings;
    const auto may_be = [&](const rules::Finding& each) { return is_fixable(each, model); };
    // What is no file, such as a pipe, is not written, and cannot be read twice.
    if (given.is_plain_file(model.path) && std::any_of(findings.begin(), findings.end(), may_be))
      models.push_back(&model);
  }
  // A run of all rules that nothing was taken out of need not be made again.
  const project::Request& asked = project.request();
  const bool has_all =
      asked.select.empty() && asked.ignore.empty() && report.baselined == 0 && report.errors.empty();
  std::vector<std::set<std::string>> marks(models.size());
  for_each_in_threads(models.size(), run.jobs, [&](const IndexSource& next) {
    Fixer fixer(request, project, given);
    fixer.know(all);
    for (auto i = next(); i; i = next()) {
      if (has_all) fixer.know_findings(models[*i]->path, all.at(models[*i]->path));
      marks[*i] = fixer.fixable(*models[*i]);
    }
  });
  for (ModelReport& model : report.models) model.fixable.emplace();
  for (std::size_t i = 0; i < models.size(); ++i) models[i]->fixable = std::move(marks[i]);
}

FixOutcome fix_files(const FixRequest& request, const project::Project& project,
                     text::OverlayFileSystem& files) {
  return Fixing(request, project, files)();
}

}  // namespace shapelint::lint
