// Candidates and their order.
#include "suggest/edit/candidate.hpp"

#include <algorithm>
#include <cmath>

#include "model/lower/lower.hpp"
#include "suggest/edit/footprint.hpp"

namespace shapelint::suggest {

namespace {

// Gains in the same step of this size are the same: far below what the prediction can tell apart.
constexpr double gain_resolution = 5e-4;
// A power of two beyond which alignment does not care (128 bytes of a 16-bit type).
constexpr std::int64_t largest_pow2 = 64;

}  // namespace

int roundness(std::span<const Change> changes) {
  int sum = 0;
  for (const Change& change : changes) {
    for (std::int64_t power = 2; power <= largest_pow2 && change.to % power == 0; power *= 2) ++sum;
  }
  return sum;
}

bool ranks_before(const Rank& a, const Rank& b) {
  const auto step = [](double gain) { return std::llround(gain / gain_resolution); };
  if (step(a.gain) != step(b.gain)) return step(a.gain) > step(b.gain);
  if (a.changes.size() != b.changes.size()) return a.changes.size() < b.changes.size();
  if (a.changes.size() == 1 && roundness(a.changes) != roundness(b.changes)) {
    return roundness(a.changes) > roundness(b.changes);
  }
  if (a.parameter_change != b.parameter_change) return a.parameter_change < b.parameter_change;
  for (std::size_t i = 0; i < a.changes.size(); ++i) {
    const Change& x = a.changes[i];
    const Change& y = b.changes[i];
    if (x.field != y.field) return x.field < y.field;
    if (x.layer != y.layer) return x.layer < y.layer;
    if (x.to != y.to) return x.to < y.to;
  }
  return false;
}

bool ranks_before(const Candidate& a, const Candidate& b, std::int64_t parameters) {
  return ranks_before(Rank{a.gain, a.changes, std::abs(a.parameters - parameters)},
                      Rank{b.gain, b.changes, std::abs(b.parameters - parameters)});
}

std::optional<Candidate> make_candidate(const model::Reading& start, const Links& links,
                                        std::vector<Change> changes,
                                        std::span<const Constraint> constraints) {
  std::erase_if(changes, [](const Change& c) { return c.from == c.to; });
  if (changes.empty()) return std::nullopt;
  const auto setup = apply(start.setup, links, changes);
  if (!setup) return std::nullopt;
  for (const Constraint& constraint : constraints) {
    if (!constraint.holds(*setup)) return std::nullopt;
  }
  Candidate candidate;
  candidate.setup = *setup;
  candidate.changes = std::move(changes);
  for (const Change& change : differences(start.setup, *setup)) {
    if (is_copy(change.field, links, *setup) && !is_stated(start, change.field)) continue;
    const bool asked = std::any_of(candidate.changes.begin(), candidate.changes.end(),
                                   [&](const Change& c) { return c.field == change.field; });
    if (asked) continue;
    // A value that the file states does not follow by itself: it has to be edited too.
    const bool stated = is_stated(start, change.field);
    (stated ? candidate.changes : candidate.implied).push_back(change);
  }
  std::sort(candidate.changes.begin(), candidate.changes.end(),
            [](const Change& a, const Change& b) { return a.field < b.field; });
  return candidate;
}

void price(Candidate& candidate, const model::Setup& start, std::span<Evaluator* const> evaluators) {
  candidate.gains.clear();
  candidate.gain = 0;
  candidate.worst_gain = 1;
  for (Evaluator* evaluator : evaluators) {
    const Evaluation& before = evaluator->evaluate(start);
    const Evaluation& after = evaluator->evaluate(candidate.setup);
    const double share = gain(before, after);
    candidate.gains.push_back(share);
    candidate.gain += share / static_cast<double>(evaluators.size());
    candidate.worst_gain = std::min(candidate.worst_gain, share);
    candidate.parameters = after.parameters;
  }
}

bool fits(const model::Setup& candidate, const model::Setup& start, std::span<Evaluator* const> evaluators) {
  const double needed = memory_bytes(candidate);
  const double start_needs = memory_bytes(start);
  return std::all_of(evaluators.begin(), evaluators.end(), [&](const Evaluator* evaluator) {
    return may_need(candidate, needed, start, start_needs, usable_bytes(evaluator->gpu().dram_size_gb));
  });
}

std::vector<Constraint> binding(std::span<const Constraint> constraints, const model::Setup& start) {
  std::vector<Constraint> out;
  for (const Constraint& constraint : constraints) {
    if (constraint.holds(start)) out.push_back(constraint);
  }
  return out;
}

}  // namespace shapelint::suggest
