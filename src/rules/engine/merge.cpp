// Merging and ordering findings.
#include "rules/engine/merge.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include <fmt/format.h>

#include "suggest/edit/candidate.hpp"

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
  take_gain(into);
  for (std::string& op : other.ops) {
    if (std::find(into.ops.begin(), into.ops.end(), op) == into.ops.end()) into.ops.push_back(std::move(op));
  }
  into.severity = std::max(into.severity, other.severity);
  into.aside += fmt::format("{}also {} ({})", into.aside.empty() ? "" : "; ", other.rule, other.code);
}

}  // namespace

void take_gain(Finding& finding) {
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
      const bool same_blame =
          findings[j].blamed == findings[i].blamed && findings[j].key_path == findings[i].key_path;
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

}  // namespace shapelint::rules
