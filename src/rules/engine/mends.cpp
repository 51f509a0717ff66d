// Rules asked again, of the changed model.
#include "rules/engine/mends.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "model/lower/lower.hpp"
#include "rules/engine/hits.hpp"
#include "rules/engine/merge.hpp"
#include "rules/scope/compare.hpp"

namespace shapelint::rules {

namespace {

// The model after a change, on each GPU, as rules look at it.
class Changed {
 public:
  Changed(const MendRequest& request, const model::Setup& setup)
      : request_(request), reading_(request.reading) {
    reading_.setup = setup;
    if (!setup.model.conv.empty()) network_ = model::resolve(setup.model);
    for (const auto& evaluator : request.evaluators) steps_.push_back(evaluator->step(setup));
  }
  Changed(const Changed&) = delete;
  Changed& operator=(const Changed&) = delete;

  bool still_has(CompiledRule& rule, model::FieldId field) {
    // A model that is further from the published one is no longer near it, and none the better for that.
    if (rule.rule().scope == Scope::known && !is_published(reading_)) return true;
    std::vector<Error> errors;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const Baseline baseline{&request_.evaluators[i]->gpu(), &steps_[i].workload, &steps_[i].cost, &network_,
                              &blames_};
      const std::vector<Hit> hits = find_hits(rule, reading_, baseline, errors);
      const bool is_hit =
          std::any_of(hits.begin(), hits.end(), [&](const Hit& hit) { return hit.blame.field == field; });
      if (is_hit || !errors.empty()) return true;
    }
    return false;
  }

 private:
  const MendRequest& request_;
  model::Reading reading_;
  model::Network network_;  // of a CNN
  std::vector<suggest::Step> steps_;
  DimensionBlames blames_;
};

std::vector<std::int32_t> mended_by(const Proposal& proposal, const Finding& own,
                                    std::span<const Finding> findings, const MendRequest& request) {
  const auto setup = suggest::apply(request.reading.setup, request.links, proposal.changes);
  if (!setup) return {};
  Changed changed(request, *setup);
  std::vector<std::int32_t> out;
  for (const Finding& other : findings) {
    if (other.number == own.number) continue;
    const auto rule = std::find_if(request.rules.begin(), request.rules.end(),
                                   [&](const CompiledRule& each) { return each.rule().code == other.code; });
    if (rule != request.rules.end() && !changed.still_has(*rule, other.blamed)) out.push_back(other.number);
  }
  return out;
}

// Whether both change one value, and to different ones: nobody can do both.
bool contradict(const Proposal& a, const Proposal& b) {
  return std::any_of(a.changes.begin(), a.changes.end(), [&](const Change& one) {
    return std::any_of(b.changes.begin(), b.changes.end(), [&](const Change& other) {
      return one.field == other.field && one.layer == other.layer && one.key == other.key &&
             one.to != other.to;
    });
  });
}

// The proposal of `own` that mends another finding, too, to its front; whether there is one.
bool brings_to_front(Finding& own, const Finding& other, std::span<const Finding> findings,
                     const MendRequest& request) {
  constexpr double enough = 0.5;  // of what the best saves
  const double best = own.proposals.front().gain;
  for (auto each = own.proposals.begin(); each != own.proposals.end(); ++each) {
    if (each->gain < enough * best) continue;
    const std::vector<std::int32_t> mends = mended_by(*each, own, findings, request);
    if (std::find(mends.begin(), mends.end(), other.number) == mends.end()) continue;
    std::rotate(own.proposals.begin(), each, each + 1);
    if (!own.gains.empty() && !own.certain_to_fail) take_gain(own);
    return true;
  }
  return false;
}

void put_first(Finding& finding, const Proposal& proposal) {
  std::erase_if(finding.proposals, [&](const Proposal& each) {
    return each.changes == proposal.changes || contradict(each, proposal);
  });
  finding.proposals.insert(finding.proposals.begin(), proposal);
  // A way out of what cannot run has no gain.
  if (!finding.gains.empty() && !proposal.gains.empty() && !finding.certain_to_fail) take_gain(finding);
}

// One proposal for each value: of two findings that would set it differently a way out of both, or else that
// of the graver one.
void agree(std::vector<Finding>& findings, const MendRequest& request) {
  for (std::size_t i = 0; i < findings.size(); ++i) {
    for (std::size_t j = i + 1; j < findings.size() && !findings[i].proposals.empty(); ++j) {
      Finding& graver = findings[i];
      Finding& other = findings[j];
      if (other.proposals.empty() || !contradict(graver.proposals.front(), other.proposals.front())) continue;
      const bool is_comparable = graver.gpu == other.gpu;
      if (is_comparable && brings_to_front(graver, other, findings, request)) {
        put_first(other, graver.proposals.front());
      } else if (is_comparable && brings_to_front(other, graver, findings, request)) {
        put_first(graver, other.proposals.front());
      } else {
        std::erase_if(other.proposals,
                      [&](const Proposal& each) { return contradict(each, graver.proposals.front()); });
      }
    }
  }
}

}  // namespace

void find_mended(std::vector<Finding>& findings, const MendRequest& request) {
  std::int32_t number = 0;
  for (Finding& finding : findings) finding.number = number++;
  if (findings.size() < 2) return;
  agree(findings, request);
  for (Finding& finding : findings) {
    if (finding.proposals.empty()) continue;
    std::size_t best = 0;
    finding.mends = mended_by(finding.proposals.front(), finding, findings, request);
    if (!finding.certain_to_fail) continue;
    for (std::size_t i = 1; i < finding.proposals.size(); ++i) {
      std::vector<std::int32_t> mends = mended_by(finding.proposals[i], finding, findings, request);
      if (mends.size() <= finding.mends.size()) continue;
      finding.mends = std::move(mends);
      best = i;
    }
    const auto first = finding.proposals.begin();
    std::rotate(first, first + static_cast<std::ptrdiff_t>(best),
                first + static_cast<std::ptrdiff_t>(best) + 1);
  }
}

}  // namespace shapelint::rules
