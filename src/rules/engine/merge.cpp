// Merging and ordering findings.
#include "rules/engine/merge.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "model/lower/lower.hpp"
#include "rules/engine/hits.hpp"
#include "rules/scope/compare.hpp"
#include "suggest/edit/candidate.hpp"
#include "suggest/edit/footprint.hpp"

namespace shapelint::rules {

namespace {

bool is_about_speed(const Finding& finding) {
  return !finding.certain_to_fail && !finding.gains.empty();
}

// The rule with the lowest code explains it if it explains at least this part of the largest gain: alignment
// before tiles before waves, from what is surest to what is least.
constexpr double enough_of_the_gain = 0.5;

bool same_changes(const Proposal& a, const Proposal& b) {
  return a.changes == b.changes && a.implied == b.implied;
}

// Those of both findings, in the order that people would take them.
void settle(std::vector<Proposal>& proposals, std::size_t most) {
  std::vector<suggest::Rank> ranks;
  for (const Proposal& each : proposals) {
    ranks.push_back({each.gain, each.changes, std::abs(each.parameters_after - each.parameters_before)});
  }
  std::vector<std::size_t> chosen = suggest::choose(
      ranks, [&](std::size_t i) { return proposals[i].gain_error; }, 0, most);
  if (chosen.empty())
    chosen = suggest::choose(
        ranks, [](std::size_t) { return 0.0; }, 0, most);
  std::vector<Proposal> kept;
  for (const std::size_t each : chosen) kept.push_back(proposals[each]);
  proposals = std::move(kept);
}

void absorb(Finding& into, Finding& other, std::size_t most) {
  const std::vector<Proposal> own = into.proposals;
  for (Proposal& proposal : other.proposals) {
    const bool known = std::any_of(into.proposals.begin(), into.proposals.end(),
                                   [&](const Proposal& p) { return same_changes(p, proposal); });
    if (!known) into.proposals.push_back(std::move(proposal));
  }
  settle(into.proposals, most);
  // What the message is about is settled by what comes first, whatever more the other rule's way out saves.
  const auto first = std::find_if(into.proposals.begin(), into.proposals.end(), [&](const Proposal& each) {
    return std::any_of(own.begin(), own.end(), [&](const Proposal& p) { return same_changes(p, each); });
  });
  if (first != into.proposals.end()) std::rotate(into.proposals.begin(), first, first + 1);
  set_gain_of_first_proposal(into);
  for (std::string& op : other.ops) {
    if (std::find(into.ops.begin(), into.ops.end(), op) == into.ops.end()) into.ops.push_back(std::move(op));
  }
  into.severity = std::max(into.severity, other.severity);
  into.aside += fmt::format("{}also {} ({})", into.aside.empty() ? "" : "; ", other.rule, other.code);
}

}  // namespace

void set_gain_of_first_proposal(Finding& finding) {
  const Proposal& first = finding.proposals.front();
  finding.gain = first.gain;
  finding.gain_error = first.gain_error;
  finding.gains = first.gains;
}

void merge_alternatives(std::vector<Finding>& findings, std::size_t proposals) {
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (!is_about_speed(findings[i])) continue;
    std::vector<std::size_t> same{i};
    double largest = findings[i].gain;
    for (std::size_t j = i + 1; j < findings.size(); ++j) {
      if (!is_about_speed(findings[j]) || findings[j].gpu != findings[i].gpu) continue;
      const bool same_way_out =
          findings[j].proposals.front().changes == findings[i].proposals.front().changes;
      const bool same_blame = findings[j].blamed == findings[i].blamed &&
                              findings[j].key_path == findings[i].key_path &&
                              findings[j].layer_value == findings[i].layer_value;
      if (!same_blame && !same_way_out) continue;
      same.push_back(j);
      largest = std::max(largest, findings[j].gain);
    }
    if (same.size() == 1) continue;
    const auto chosen = *std::find_if(same.begin(), same.end(), [&](std::size_t index) {
      return findings[index].gain >= enough_of_the_gain * largest;
    });
    for (const std::size_t index : same) {
      if (index != chosen) absorb(findings[chosen], findings[index], proposals);
    }
    if (chosen != i) std::swap(findings[i], findings[chosen]);
    for (auto index = same.rbegin(); index != same.rend(); ++index) {
      if (*index != i) findings.erase(findings.begin() + static_cast<std::ptrdiff_t>(*index));
    }
  }
}

bool comes_before(const Finding& a, const Finding& b) {
  if (a.certain_to_fail != b.certain_to_fail) return a.certain_to_fail;
  if (a.severity != b.severity) return a.severity > b.severity;
  if (a.gain != b.gain) return a.gain > b.gain;
  if (a.code != b.code) return a.code < b.code;
  return a.span.begin < b.span.begin;
}

void sort_findings(std::vector<Finding>& findings) {
  std::stable_sort(findings.begin(), findings.end(), comes_before);
}

namespace {

// The model after a change, on each GPU, as rules look at it.
class Changed {
 public:
  Changed(const FixedRequest& request, const model::Setup& setup)
      : request_(request), reading_(request.reading) {
    reading_.setup = setup;
    if (!setup.model.conv.empty()) network_ = model::resolve(setup.model);
    for (const auto& evaluator : request.evaluators) steps_.push_back(evaluator->step(setup));
    layers_ = readings_of_layers(reading_);
  }
  Changed(const Changed&) = delete;
  Changed& operator=(const Changed&) = delete;

  bool still_has(CompiledRule& rule, const Finding& finding) {
    // A model that is further from the published one is no longer near it, and none the better for that.
    if (rule.rule().scope == Scope::known && !is_published(reading_)) return true;
    std::vector<Error> errors;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const Baseline baseline{
          &request_.evaluators[i]->gpu(), &steps_[i].workload, &steps_[i].cost, &network_, &blames_, layers_};
      const std::vector<Hit> hits = find_hits(rule, reading_, baseline, errors);
      const bool is_hit = std::any_of(hits.begin(), hits.end(), [&](const Hit& hit) {
        return hit.blame.field == finding.blamed &&
               layer_value(hit.context, hit.blame.field) == finding.layer_value;
      });
      if (is_hit || !errors.empty()) return true;
    }
    return false;
  }

 private:
  const FixedRequest& request_;
  model::Reading reading_;
  model::Network network_;  // of a CNN
  std::vector<suggest::Step> steps_;
  DimensionBlames blames_;
  std::vector<LayerReading> layers_;
};

std::vector<std::int32_t> fixed_by(const Proposal& proposal, const Finding& own,
                                   std::span<const Finding> findings, const FixedRequest& request) {
  const auto setup = suggest::apply(request.reading.setup, request.links, proposal.changes);
  if (!setup) return {};
  Changed changed(request, *setup);
  std::vector<std::int32_t> out;
  for (const Finding& other : findings) {
    if (other.number == own.number) continue;
    const auto rule = std::find_if(request.rules.begin(), request.rules.end(),
                                   [&](const CompiledRule& each) { return each.rule().code == other.code; });
    if (rule != request.rules.end() && !changed.still_has(*rule, other)) out.push_back(other.number);
  }
  return out;
}

// Whether both change one value, and to different ones: they exclude each other.
bool contradict(const Proposal& a, const Proposal& b) {
  return std::any_of(a.changes.begin(), a.changes.end(), [&](const Change& one) {
    return std::any_of(b.changes.begin(), b.changes.end(),
                       [&](const Change& other) { return same_target(one, other) && one.to != other.to; });
  });
}

// The proposal of `own` that fixes another finding, too, to its front; whether there is one.
bool brings_to_front(Finding& own, const Finding& other, std::span<const Finding> findings,
                     const FixedRequest& request) {
  constexpr double enough = 0.5;  // of what the best saves
  const double best = own.proposals.front().gain;
  for (auto each = own.proposals.begin(); each != own.proposals.end(); ++each) {
    if (each->gain < enough * best) continue;
    const std::vector<std::int32_t> also_fixes = fixed_by(*each, own, findings, request);
    if (std::find(also_fixes.begin(), also_fixes.end(), other.number) == also_fixes.end()) continue;
    std::rotate(own.proposals.begin(), each, each + 1);
    if (!own.gains.empty() && !own.certain_to_fail) set_gain_of_first_proposal(own);
    return true;
  }
  return false;
}

// The proposal as one of this finding: by what it saves on the finding's GPUs. Nothing where it saves nothing
// on one of them.
std::optional<Proposal> as_proposal_of(const Finding& finding, const Proposal& proposal,
                                       const FixedRequest& request) {
  Proposal out = proposal;
  out.gain = 0;
  out.gain_error = 0;
  out.gains.clear();
  out.memory_bytes = 0;
  const auto setup = suggest::apply(request.reading.setup, request.links, proposal.changes);
  if (!setup) return std::nullopt;
  if (!finding.proposals.empty() && finding.proposals.front().memory_bytes > 0)
    out.memory_bytes = suggest::memory_bytes(*setup);
  if (!is_about_speed(finding)) {
    const bool cannot_run =
        finding.certain_to_fail || out.memory_bytes > 0;  // and has no time to compare with
    if (cannot_run) return out;
    out.gain = proposal.gain;
    out.gain_error = proposal.gain_error;
    out.gains = proposal.gains;
    return out;
  }
  for (const auto& evaluator : request.evaluators) {
    const std::string& gpu = evaluator->gpu().id;
    const bool holds_here = std::any_of(finding.gains.begin(), finding.gains.end(),
                                        [&](const GpuGain& each) { return each.gpu == gpu; });
    if (!holds_here) continue;
    const suggest::Evaluation before = evaluator->evaluate(request.reading.setup);
    const suggest::Evaluation after = evaluator->evaluate(*setup);
    const double gain = suggest::gain(before, after);
    if (gain <= 0) return std::nullopt;
    const double error = evaluator->uncertainty(request.reading.setup, *setup).half_width;
    out.gains.push_back({gpu, gain, error, before.time_us, after.time_us});
    const auto count = static_cast<double>(finding.gains.size());
    out.gain += gain / count;
    out.gain_error += error / count;
  }
  return out;
}

// A proposal that both have to the front of both; whether there is one that saves enough of what the graver
// could.
bool bring_common_to_front(Finding& graver, Finding& other) {
  for (auto each = graver.proposals.begin(); each != graver.proposals.end(); ++each) {
    if (each->gain < enough_of_the_gain * graver.proposals.front().gain) continue;
    const auto same = std::find_if(other.proposals.begin(), other.proposals.end(),
                                   [&](const Proposal& own) { return same_changes(own, *each); });
    if (same == other.proposals.end()) continue;
    std::rotate(graver.proposals.begin(), each, each + 1);
    std::rotate(other.proposals.begin(), same, same + 1);
    if (is_about_speed(graver)) set_gain_of_first_proposal(graver);
    if (is_about_speed(other)) set_gain_of_first_proposal(other);
    return true;
  }
  return false;
}

void put_first(Finding& finding, Proposal proposal) {
  std::erase_if(finding.proposals, [&](const Proposal& each) {
    return each.changes == proposal.changes || contradict(each, proposal);
  });
  finding.proposals.insert(finding.proposals.begin(), std::move(proposal));
  if (is_about_speed(finding)) set_gain_of_first_proposal(finding);
}

// Takes out what contradicts the other's proposal. A finding of which nothing is left saves nothing: what it
// is about stays, and the reason for no proposal is given.
void give_way(Finding& finding, const Finding& graver) {
  std::erase_if(finding.proposals,
                [&](const Proposal& each) { return contradict(each, graver.proposals.front()); });
  if (!is_about_speed(finding)) return;
  if (!finding.proposals.empty()) return set_gain_of_first_proposal(finding);
  finding.gain = 0;
  finding.gain_error = 0;
  finding.gains.clear();
  finding.note += fmt::format("{}any fix of this contradicts the fix of {} ({})",
                              finding.note.empty() ? "" : "; ", graver.rule, graver.code);
}

// One proposal for each value: of two findings that would set it differently a way out of both, or else that
// of the graver one.
void agree(std::vector<Finding>& findings, const FixedRequest& request) {
  for (std::size_t i = 0; i < findings.size(); ++i) {
    for (std::size_t j = i + 1; j < findings.size() && !findings[i].proposals.empty(); ++j) {
      Finding& graver = findings[i];
      Finding& other = findings[j];
      if (other.proposals.empty() || !contradict(graver.proposals.front(), other.proposals.front())) continue;
      std::optional<Proposal> shared;
      const bool fixes_both = brings_to_front(graver, other, findings, request);
      if (fixes_both) shared = as_proposal_of(other, graver.proposals.front(), request);
      if (shared) {
        put_first(other, *std::move(shared));
        continue;
      }
      // What makes a run start is not changed for what another fix would also save.
      if (fixes_both && graver.certain_to_fail) {
        give_way(other, graver);
        continue;
      }
      if (brings_to_front(other, graver, findings, request))
        shared = as_proposal_of(graver, other.proposals.front(), request);
      if (shared) {
        put_first(graver, *std::move(shared));
      } else if (!bring_common_to_front(graver, other)) {
        give_way(other, graver);
      }
    }
  }
}

}  // namespace

void find_fixed_findings(std::vector<Finding>& findings, const FixedRequest& request) {
  std::int32_t number = 0;
  for (Finding& finding : findings) finding.number = number++;
  if (findings.size() < 2) return;
  agree(findings, request);
  for (Finding& finding : findings) {
    if (finding.proposals.empty()) continue;
    std::size_t best = 0;
    finding.also_fixes = fixed_by(finding.proposals.front(), finding, findings, request);
    if (!finding.certain_to_fail) continue;
    for (std::size_t i = 1; i < finding.proposals.size(); ++i) {
      std::vector<std::int32_t> also_fixes = fixed_by(finding.proposals[i], finding, findings, request);
      if (also_fixes.size() <= finding.also_fixes.size()) continue;
      finding.also_fixes = std::move(also_fixes);
      best = i;
    }
    const auto first = finding.proposals.begin();
    std::rotate(first, first + static_cast<std::ptrdiff_t>(best),
                first + static_cast<std::ptrdiff_t>(best) + 1);
  }
}

namespace {

constexpr double min_added = 1e-4;  // of the step: less is not worth a further change

// The setup with the changes applied so far.
struct Applied {
  std::vector<Change> changes;
  model::Setup setup;
};

bool clash(const std::vector<Change>& applied, const Proposal& proposal) {
  return std::any_of(proposal.changes.begin(), proposal.changes.end(), [&](const Change& change) {
    return std::any_of(applied.begin(), applied.end(),
                       [&](const Change& each) { return same_target(each, change); });
  });
}

// Adds the proposal's changes where all of them together are possible, fit into memory and are faster; else
// says why not.
std::string_view add(Applied& applied, const Proposal& proposal, const model::Reading& reading,
                     const suggest::FieldDependencies& links,
                     std::span<const suggest::Constraint> constraints, suggest::Evaluator& evaluator) {
  if (clash(applied.changes, proposal)) return "a larger fix changes the same value";
  std::vector<Change> together = applied.changes;
  together.insert(together.end(), proposal.changes.begin(), proposal.changes.end());
  const auto candidate = suggest::make_candidate(reading, links, together, constraints);
  if (!candidate) return "it is not possible together with the others";
  suggest::Evaluator* const one[] = {&evaluator};
  if (!suggest::fits(candidate->setup, reading.setup, one))
    return "it does not fit in memory together with the others";
  if (suggest::gain(evaluator.evaluate(applied.setup), evaluator.evaluate(candidate->setup)) < min_added)
    return "it saves nothing more with the others";
  applied = {candidate->changes, candidate->setup};
  return {};
}

// Whether a replica of the model takes as many GPUs as before: a step of fewer is longer, though each of them
// does more.
bool keeps_gpus(const Proposal& proposal) {
  using model::FieldId;
  double times = 1;
  for (const Change& change : proposal.changes) {
    if (change.field != FieldId::tensor && change.field != FieldId::pipeline &&
        change.field != FieldId::context)
      continue;
    times *= static_cast<double>(change.to) / static_cast<double>(std::max<std::int64_t>(1, change.from));
  }
  return times == 1;
}

double gain_on(const Finding& finding, const std::string& gpu) {
  for (const GpuGain& each : finding.gains) {
    if (each.gpu == gpu) return each.gain;
  }
  return 0;
}

}  // namespace

void combine_proposals(std::span<const Finding> findings, const model::Reading& reading,
                       const suggest::FieldDependencies& links,
                       std::span<const suggest::Constraint> constraints, suggest::Evaluator& evaluator,
                       GpuReport& report) {
  Applied applied{{}, reading.setup};
  double largest = 0;
  for (const Finding& finding : findings) {
    const double gain = gain_on(finding, report.gpu);
    if (finding.certain_to_fail || gain <= 0 || finding.proposals.empty()) continue;
    std::string_view why = "infos are not combined with the fixes";
    if (finding.severity != Severity::info) {
      for (const Proposal& proposal : finding.proposals) {
        why = keeps_gpus(proposal) ? add(applied, proposal, reading, links, constraints, evaluator)
                                   : "it changes the number of GPUs per replica";
        if (why.empty() || !keeps_gpus(proposal)) break;
      }
    }
    if (gain <= largest) continue;
    largest = gain;
    report.left_out = why.empty() ? std::vector<Change>{} : finding.proposals.front().changes;
    report.left_out_because = why;
  }
  if (applied.changes.empty()) return;
  report.gain = suggest::gain(evaluator.evaluate(reading.setup), evaluator.evaluate(applied.setup));
  if (report.gain <= 0) return;
  report.applied = std::move(applied.changes);
  report.after = evaluator.step(applied.setup).cost;
}

void keep_combined_apart(LintResult& result) {
  for (Finding& finding : result.findings) {
    if (finding.proposals.empty()) continue;
    const std::vector<Change>& own = finding.proposals.front().changes;
    std::erase_if(finding.also_fixes, [&](std::int32_t number) {
      const Finding& other = result.findings.at(static_cast<std::size_t>(number));
      if (other.proposals.empty()) return false;
      const std::vector<Change>& changes = other.proposals.front().changes;
      return !suggest::sets_all(own, changes) &&
             std::any_of(result.gpus.begin(), result.gpus.end(), [&](const GpuReport& gpu) {
               return suggest::sets_all(gpu.applied, own) && suggest::sets_all(gpu.applied, changes);
             });
    });
  }
}

void drop_combined_of_errors(LintResult& result) {
  const bool stops = std::any_of(result.findings.begin(), result.findings.end(), [](const Finding& each) {
    return each.certain_to_fail || each.severity == Severity::error;
  });
  if (!stops) return;
  for (GpuReport& gpu : result.gpus) {
    gpu.applied.clear();
    gpu.left_out.clear();
    gpu.left_out_because = {};
    gpu.after = gpu.before;
    gpu.gain = 0;
  }
}

}  // namespace shapelint::rules
