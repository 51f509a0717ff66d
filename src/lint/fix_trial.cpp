// Trying one proposal: the files with its changes made, linted again.
#include "lint/fix_trial.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "formats/read.hpp"
#include "lint/phrases.hpp"
#include "lint/stack/findings.hpp"
#include "lint/suppression/suppress.hpp"
#include "model/fields.hpp"
#include "project/applied.hpp"
#include "suggest/edit/evaluate.hpp"
#include "text/errors.hpp"

namespace shapelint::lint {

namespace {

bool changes_weights(const rules::Proposal& proposal) {
  return std::any_of(proposal.changes.begin(), proposal.changes.end(), [](const rules::Change& change) {
    const model::FieldKind kind = model::kind_of(change.field);
    return kind == model::FieldKind::shape || kind == model::FieldKind::padding;
  });
}

const ModelReport* find_part(const FileOutcome& outcome, const std::string& part) {
  for (const ModelReport& each : outcome.models) {
    if (each.reading.part == part) return &each;
  }
  return nullptr;
}

// How often each finding of a file is there, from a severity on. What became of comments is no loss.
std::map<std::string, int> keys_from(const FileOutcome& outcome, rules::Severity severity) {
  std::map<std::string, int> keys;
  for (const ModelReport& model : outcome.models) {
    for (const rules::Finding& finding : model.result.findings) {
      if (finding.severity < severity || finding.code == unused_code) continue;
      ++keys[stable_fingerprint(finding, model)];
    }
  }
  return keys;
}

constexpr double least_progress = 1e-3;  // of the step

// What a finding could save; 0 where it is not there.
double gain_of(const FileOutcome& outcome, const std::string& key) {
  double gain = 0;
  for (const ModelReport& model : outcome.models) {
    for (const rules::Finding& finding : model.result.findings) {
      if (stable_fingerprint(finding, model) == key) gain = std::max(gain, finding.gain);
    }
  }
  return gain;
}

// A finding of a severity on that was not there: its code, or nothing. On which of the GPUs it holds is no
// matter.
std::string bred(const FileOutcome& before, const FileOutcome& after, rules::Severity severity) {
  const auto counts = [&](const FileOutcome& outcome) {
    std::map<std::string, int> out;
    for (const ModelReport& model : outcome.models) {
      for (const rules::Finding& finding : model.result.findings) {
        if (finding.severity >= severity && finding.code != unused_code)
          ++out[fmt::format("{}\n{}\n{}\n{}\n{}", finding.code, model.reading.part, finding.path,
                            finding.key_path, static_cast<int>(finding.blamed))];
      }
    }
    return out;
  };
  const std::map<std::string, int> then = counts(before);
  for (const auto& [key, count] : counts(after)) {
    const auto found = then.find(key);
    if (found == then.end() || found->second < count) return key.substr(0, key.find('\n'));
  }
  return {};
}

int sum(const std::map<std::string, int>& keys) {
  int all = 0;
  for (const auto& [key, count] : keys) all += count;
  return all;
}

// Of changes made for one model of a file, those of values that this one has from the same place.
rules::Proposal shared(const rules::Proposal& proposal, const ModelReport& of, const ModelReport& other) {
  rules::Proposal out;
  for (const suggest::Change& change : proposal.changes) {
    if (change.field == model::no_field) continue;
    const model::Origin& here = model::origin(of.reading, change.field);
    const model::Origin& there = model::origin(other.reading, change.field);
    const bool is_shared = here.kind == model::Origin::Kind::stated && there.kind == here.kind &&
                           here.path == there.path && here.span == there.span;
    if (is_shared && model::get(other.reading.setup, change.field) == change.from)
      out.changes.push_back(change);
  }
  return out;
}

// What the changed file says otherwise than the proposal; empty when it says the same.
std::string contradiction(const rules::Proposal& proposal, const ModelReport& before,
                          const ModelReport& after) {
  const suggest::FieldDependencies links = suggest::links_of_unstated(before.reading);
  std::vector<suggest::Change> all = proposal.changes;
  all.insert(all.end(), proposal.implied.begin(), proposal.implied.end());
  const auto expected = suggest::apply(before.reading.setup, links, all);
  if (!expected) return "it cannot be computed";
  auto wrong = suggest::differences(*expected, after.reading.setup);
  std::erase_if(wrong, [&](const suggest::Change& each) {
    return suggest::is_copy(each.field, suggest::links_of(before.reading), after.reading.setup);
  });
  return changes_text(wrong);
}

// The GPU that loses time, if one does.
std::string loser(const FileOutcome& outcome, const FileStack& stack, const ModelReport& before,
                  const ModelReport& after) {
  constexpr double noise = 1e-3;  // of the step
  if (suggest::differences(before.reading.setup, after.reading.setup).empty()) return {};
  for (const gpu::Gpu& gpu : outcome.gpus) {
    suggest::Evaluator evaluator(gpu, stack.on_stack.get());
    const suggest::Evaluation then = evaluator.evaluate(before.reading.setup);
    if (suggest::gain(then, evaluator.evaluate(after.reading.setup)) < -noise) return gpu.id;
  }
  return {};
}

}  // namespace

std::string key_in_file(const rules::Finding& finding) {
  return fmt::format("{}\n{}\n{}\n{}\n{}", finding.code, finding.gpu, finding.path, finding.key_path,
                     static_cast<int>(finding.blamed));
}

std::string stable_fingerprint(const rules::Finding& finding, const ModelReport& model) {
  return key_in_file(finding) + '\n' + model.reading.part;
}

const FileOutcome& FixTrial::all_findings(const std::string& path) {
  const auto known = known_.find(path);
  return known != known_.end() ? known->second : known_.emplace(path, lint(path)).first->second;
}

FileOutcome FixTrial::lint(const std::string& path) const {
  auto content = files_.read(path, text::max_source_bytes);
  if (!content) {
    FileOutcome out;
    out.errors.push_back({content.error(), {}});
    return out;
  }
  return lint_text(project_.of(path), formats::parse(path, *std::move(content), options_.assume_native),
                   files_, options_);
}

const text::SharedText* FixTrial::editable(const std::string& path, const ModelReport& model) {
  if (path != model.path && !allowed_.contains(files_.absolute(path))) return nullptr;
  auto found = texts_.find(path);
  if (found == texts_.end()) {
    auto content = files_.read(path, text::max_source_bytes);
    if (!content) return nullptr;
    found = texts_.emplace(path, *std::move(content)).first;
  }
  // A model file is linted by the listing of its header, which nobody could write back.
  if (path == model.path && found->second.str() != model.source.str()) return nullptr;
  return &found->second;
}

EditPlan FixTrial::attempt(const rules::Proposal& proposal, const rules::Finding& finding,
                           const ModelReport& model) {
  const EditableText texts = [&](const std::string& path) { return editable(path, model); };
  EditPlan first = plan_edits(proposal, model, texts, Computed::follow);
  if (first.is_elsewhere) first.obstacle += ", or name that file, too";
  if (first.obstacle.empty()) first.obstacle = reject_reason(first, proposal, finding, model);
  if (first.obstacle.empty()) return first;
  first.edits.clear();
  EditPlan second = plan_edits(proposal, model, texts, Computed::scale);
  if (!second.is_computed || !second.obstacle.empty()) return first;
  return reject_reason(second, proposal, finding, model).empty() ? second : first;
}

std::string FixTrial::reject_reason(const EditPlan& plan, const rules::Proposal& proposal,
                                    const rules::Finding& finding, const ModelReport& model) {
  std::set<std::string> paths{model.path};
  std::map<std::string, std::vector<TextEdit>> by_path;
  for (const TextEdit& edit : plan.edits) {
    by_path[edit.path].push_back(edit);
    const auto dependents = dependents_.find(edit.path);
    if (dependents != dependents_.end()) paths.insert(dependents->second.begin(), dependents->second.end());
  }
  if (changes_weights(proposal) && project::lies_beside_weights(model.path, files_)) {
    return "weights of this shape are in the same folder: change both, for example with "
           "`resize_token_embeddings(pad_to_multiple_of=64)`";
  }
  std::map<std::string, FileOutcome> before;
  for (const std::string& path : paths) before.emplace(path, all_findings(path));
  last_.clear();
  last_known_.clear();
  for (auto& [path, edits] : by_path) {
    last_[path] = texts_.at(path).str();
    files_.put(path, edited(last_[path], std::move(edits)));
  }
  std::map<std::string, FileOutcome> after;
  for (const std::string& path : paths) after.emplace(path, lint(path));

  std::string refusal;
  const FileOutcome& now = after.at(model.path);
  const ModelReport* fixed = find_part(now, model.reading.part);
  for (const std::string& path : paths) {
    if (refusal.empty()) refusal = judge(path, before.at(path), after.at(path));
  }
  if (refusal.empty() && fixed == nullptr) refusal = "the changed file could not be read";
  for (const ModelReport& each : now.models) {
    const ModelReport* then = find_part(before.at(model.path), each.reading.part);
    if (!refusal.empty() || then == nullptr) continue;
    const std::string wrong =
        contradiction(&each == fixed ? proposal : shared(proposal, model, *then), *then, each);
    if (!wrong.empty()) refusal = fmt::format("the file would also change {}", wrong);
  }
  if (refusal.empty()) {
    const auto then = keys_from(before.at(model.path), finding.severity);
    const auto left = keys_from(now, finding.severity);
    const std::string key = stable_fingerprint(finding, model);
    const bool is_removed = !left.contains(key) && sum(left) < sum(then);
    // A micro-batch that is doubled can still be small: that is less to find, and the next change goes on.
    const bool is_smaller = left.contains(key) && sum(left) <= sum(then) &&
                            gain_of(now, key) < gain_of(before.at(model.path), key) - least_progress;
    const std::string brought = bred(before.at(model.path), now, finding.severity);
    if (!is_removed && !is_smaller) {
      refusal = fmt::format("{} would not remove it, or brings another", changes_text(proposal.changes));
    } else if (!brought.empty()) {
      refusal = fmt::format("{} would bring {}", changes_text(proposal.changes), brought);
    }
  }
  // What does not run, or not in this memory, has no time to lose.
  const bool can_run = !finding.certain_to_fail && proposal.memory_bytes <= 0;
  if (refusal.empty() && can_run) {
    for (const ModelReport& each : now.models) {
      const ModelReport* then = &each == fixed ? &model : find_part(before.at(model.path), each.reading.part);
      if (then == nullptr || !refusal.empty()) continue;
      const std::string slower =
          loser(now, stack_of(project_.of(model.path), now.applied, then->reading, files_), *then, each);
      if (slower.empty()) continue;
      refusal = fmt::format("{} is slower on {}{}", changes_text(proposal.changes), slower,
                            &each == fixed ? "" : fmt::format(" in {}", each.reading.part));
    }
  }
  if (!refusal.empty()) {
    undo();
    for (auto& [path, outcome] : before) known_.insert_or_assign(path, std::move(outcome));
    return refusal;
  }
  for (auto& [path, outcome] : after) known_.insert_or_assign(path, std::move(outcome));
  last_known_ = std::move(before);
  for (const auto& [path, old] : last_) texts_.erase(path);
  return {};
}

void FixTrial::undo() {
  for (auto& [path, old] : last_) {
    files_.put(path, std::move(old));
    texts_.erase(path);
    known_.erase(path);
    const auto dependents = dependents_.find(path);
    if (dependents == dependents_.end()) continue;
    for (const std::string& heir : dependents->second) known_.erase(heir);
  }
  last_.clear();
  for (auto& [path, outcome] : last_known_) known_.insert_or_assign(path, std::move(outcome));
  last_known_.clear();
}

std::string FixTrial::objection(const std::string& path, const std::string& text, rules::Severity severity) {
  const FileOutcome before = all_findings(path);
  const auto old = files_.read(path, text::max_source_bytes);
  if (!old) return old.error().message;
  files_.put(path, text);
  const FileOutcome after = lint(path);
  files_.put(path, *old);
  if (std::string refusal = judge(path, before, after); !refusal.empty()) return refusal;
  const std::string code = bred(before, after, severity);
  for (const ModelReport& model : after.models) {
    for (const rules::Finding& finding : model.result.findings) {
      if (finding.code == code) return fmt::format("that would bring {}: {}", code, finding.message);
    }
  }
  return {};
}

// Why a file's findings speak against the change.
std::string FixTrial::judge(const std::string& path, const FileOutcome& before,
                            const FileOutcome& after) const {
  const bool is_lost = before.recognised && !after.recognised;
  if (before.errors.empty() && (is_lost || !after.errors.empty())) {
    const std::string why = !after.errors.empty() ? after.errors.front().error.message
                            : after.broken        ? after.broken->error.message
                                                  : "its format is unknown";
    return fmt::format("{} could then not be read: {}", path, why);
  }
  const auto then = keys_from(before, rules::Severity::error);
  for (const ModelReport& model : after.models) {
    for (const rules::Finding& finding : model.result.findings) {
      if (finding.severity != rules::Severity::error || then.contains(stable_fingerprint(finding, model)))
        continue;
      return fmt::format("that would bring an error, {}: {}", finding.code, finding.message);
    }
  }
  return {};
}

}  // namespace shapelint::lint
