// Order of proposals.
#include "rules/engine/rank.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace shapelint::rules {

namespace {

double mean(const suggest::Candidate& candidate, const std::vector<std::size_t>& gpus) {
  double sum = 0;
  for (const std::size_t g : gpus) sum += candidate.gains[g];
  return gpus.empty() ? 0 : sum / static_cast<double>(gpus.size());
}

// How far the edited values are from the present ones, in powers of e.
double distance(const suggest::Candidate& candidate) {
  double sum = 0;
  for (const Change& change : candidate.changes) {
    sum += std::fabs(std::log(static_cast<double>(std::max<std::int64_t>(1, change.to)) /
                              static_cast<double>(std::max<std::int64_t>(1, change.from))));
  }
  return sum;
}

// Over how many ranks a model lies is for its memory and the launch to say: the time per token of one GPU is
// no measure of that, and at one sequence it is best on one.
bool changes_ranks(const suggest::Candidate& candidate) {
  return std::any_of(candidate.changes.begin(), candidate.changes.end(), [](const Change& change) {
    return change.field != model::no_field && model::info(change.field).section == "parallel";
  });
}

// Three ranks or five leave GPUs of a node of eight over, or lie on two nodes.
bool cuts_nodes(const suggest::Candidate& candidate, std::int64_t link_gpus) {
  return std::any_of(candidate.changes.begin(), candidate.changes.end(), [&](const Change& change) {
    return change.field == model::FieldId::tensor && change.to > 0 && link_gpus % change.to != 0 &&
           change.to % link_gpus != 0;
  });
}

}  // namespace

void narrow_to_gaining(Group& group, std::vector<suggest::Candidate>& candidates, double min_gain) {
  std::vector<std::size_t> keep;
  for (std::size_t g = 0; g < group.gpus.size(); ++g) {
    const bool gains = std::any_of(candidates.begin(), candidates.end(),
                                   [&](const suggest::Candidate& c) { return c.gains[g] >= min_gain; });
    if (gains) keep.push_back(g);
  }
  const auto good_for = [&](const suggest::Candidate& candidate, const std::vector<std::size_t>& gpus) {
    return std::all_of(gpus.begin(), gpus.end(), [&](std::size_t g) { return candidate.gains[g] > 0; });
  };
  const bool common = std::any_of(candidates.begin(), candidates.end(), [&](const suggest::Candidate& c) {
    return good_for(c, keep) && mean(c, keep) >= min_gain;
  });
  if (!common && !keep.empty()) {
    const auto best = std::max_element(candidates.begin(), candidates.end(),
                                       [&](const suggest::Candidate& a, const suggest::Candidate& b) {
                                         return *std::max_element(a.gains.begin(), a.gains.end()) <
                                                *std::max_element(b.gains.begin(), b.gains.end());
                                       });
    std::erase_if(keep, [&](std::size_t g) { return best->gains[g] < min_gain; });
  }
  std::erase_if(candidates, [&](const suggest::Candidate& c) {
    return keep.empty() || !good_for(c, keep) || mean(c, keep) < min_gain / 2;
  });
  Group narrowed{group.field, {}, {}};
  for (const std::size_t g : keep) {
    narrowed.hits.push_back(std::move(group.hits[g]));
    narrowed.gpus.push_back(group.gpus[g]);
  }
  for (suggest::Candidate& candidate : candidates) {
    std::vector<double> gains;
    for (const std::size_t g : keep) gains.push_back(candidate.gains[g]);
    candidate.gain = mean(candidate, keep);
    candidate.gains = std::move(gains);
  }
  group = std::move(narrowed);
}

void rank(std::vector<suggest::Candidate>& candidates, std::int64_t parameters_before,
          std::int64_t link_gpus) {
  const auto faster = [&](const suggest::Candidate& a, const suggest::Candidate& b) {
    return suggest::ranks_before(a, b, parameters_before);
  };
  constexpr double much_slower = 0.05;  // of the time per token
  // What several fixes make of the same fields is one choice of values, the nearest first.
  std::vector<std::vector<suggest::Candidate>> by_fields;
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const auto& a, const auto& b) { return a.origin < b.origin; });
  for (suggest::Candidate& candidate : candidates) {
    auto group = std::find_if(by_fields.begin(), by_fields.end(), [&](const auto& each) {
      return suggest::same_fields(each.front().changes, candidate.changes);
    });
    if (group == by_fields.end())
      group = by_fields.insert(by_fields.end(), std::vector<suggest::Candidate>{});
    group->push_back(std::move(candidate));
  }
  std::size_t longest = 0;
  for (auto& group : by_fields) {
    double best = group.front().gain;
    for (const suggest::Candidate& each : group) best = std::max(best, each.gain);
    std::erase_if(group, [&](const suggest::Candidate& each) {
      return each.gain < best - much_slower && !changes_ranks(each);
    });
    std::sort(group.begin(), group.end(), [&](const suggest::Candidate& a, const suggest::Candidate& b) {
      const bool cut_a = cuts_nodes(a, link_gpus);
      const bool cut_b = cuts_nodes(b, link_gpus);
      if (cut_a != cut_b) return cut_b;
      const double difference = distance(a) - distance(b);
      constexpr double same = 1e-9;
      return std::fabs(difference) > same ? difference < 0 : faster(a, b);
    });
    longest = std::max(longest, group.size());
  }
  candidates.clear();
  for (std::size_t turn = 0; turn < longest; ++turn) {
    for (auto& group : by_fields) {
      if (turn < group.size()) candidates.push_back(std::move(group[turn]));
    }
  }
}

}  // namespace shapelint::rules
