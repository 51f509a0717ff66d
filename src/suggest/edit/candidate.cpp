// Candidates and their order.
#include "suggest/edit/candidate.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/lower/lower.hpp"
#include "suggest/edit/axes.hpp"
#include "suggest/edit/footprint.hpp"

namespace shapelint::suggest {

namespace {

// Gains in the same step of this size are the same: far below what the prediction can tell apart.
constexpr double gain_resolution = 5e-4;
// A power of two beyond which alignment does not care (128 bytes of a 16-bit type).
constexpr std::int64_t largest_pow2 = 64;

// A width or a vocabulary that gets smaller counts as so many times as far: what was there goes away.
constexpr double down_is_farther = 4;

bool is_width(const Change& change) {
  using model::FieldId;
  return change.key.empty() &&
         (change.field == FieldId::hidden_size || change.field == FieldId::intermediate_size ||
          change.field == FieldId::moe_intermediate_size ||
          change.field == FieldId::moe_shared_intermediate_size || change.field == FieldId::vocab_size);
}

bool pads(std::span<const Change> changes) {
  return std::all_of(changes.begin(), changes.end(), [](const Change& change) {
    return change.key.empty() && only_grows(change.field) && change.to > change.from;
  });
}

// Whether an optimizer step takes as many sequences as before.
bool keeps_batch(std::span<const Change> changes) {
  using model::FieldId;
  double before = 1;
  double after = 1;
  for (const Change& change : changes) {
    const bool is_factor = change.field == FieldId::micro_batch_size ||
                           change.field == FieldId::gradient_accumulation || change.field == FieldId::data;
    if (!is_factor) continue;
    before *= static_cast<double>(std::max<std::int64_t>(1, change.from));
    after *= static_cast<double>(std::max<std::int64_t>(1, change.to));
  }
  return before == after;
}

// In powers of e.
double distance(std::span<const Change> changes) {
  const auto size = [](std::int64_t value) { return static_cast<double>(std::max<std::int64_t>(1, value)); };
  double sum = 0;
  for (const Change& change : changes) {
    const double way = std::log(size(change.to) / size(change.from));
    sum += way < 0 && is_width(change) ? -way * down_is_farther : std::fabs(way);
  }
  return sum;
}

// Widths that nobody would choose.
std::size_t odd_widths(std::span<const Change> changes) {
  return static_cast<std::size_t>(std::count_if(changes.begin(), changes.end(), [](const Change& change) {
    return is_width(change) && change.to % largest_pow2 != 0;
  }));
}

}  // namespace

bool same_fields(std::span<const Change> a, std::span<const Change> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_target);
}

bool is_less_disruptive(const Rank& a, const Rank& b) {
  if (pads(a.changes) != pads(b.changes)) return pads(a.changes);
  if (keeps_batch(a.changes) != keeps_batch(b.changes)) return keeps_batch(a.changes);
  if (a.changes.size() != b.changes.size()) return a.changes.size() < b.changes.size();
  if (odd_widths(a.changes) != odd_widths(b.changes)) return odd_widths(a.changes) < odd_widths(b.changes);
  const double difference = distance(a.changes) - distance(b.changes);
  constexpr double same = 1e-9;
  if (std::fabs(difference) > same) return difference < 0;
  return ranks_before(a, b);
}

std::vector<std::size_t> choose(std::span<const Rank> ranks,
                                const std::function<double(std::size_t)>& error_of, double least,
                                std::size_t most, bool each_once) {
  std::vector<std::size_t> left(ranks.size());
  std::iota(left.begin(), left.end(), std::size_t{0});
  std::sort(left.begin(), left.end(),
            [&](std::size_t a, std::size_t b) { return ranks_before(ranks[a], ranks[b]); });
  const auto is_gain = [&](std::size_t i) { return ranks[i].gain >= least && ranks[i].gain > error_of(i); };
  std::vector<std::size_t> chosen;
  while (!left.empty() && chosen.size() < most) {
    const std::size_t best = left.front();
    if (!is_gain(best)) {
      left.erase(left.begin());
      continue;
    }
    // Most of what is not known of two proposals is the same: half of it differs.
    const double enough = ranks[best].gain - error_of(best) / 2;
    std::size_t taken = best;
    for (const std::size_t each : left) {
      if (ranks[each].gain >= enough && is_less_disruptive(ranks[each], ranks[taken]) && is_gain(each))
        taken = each;
    }
    chosen.push_back(taken);
    std::erase_if(left, [&](std::size_t each) {
      return each == taken || (each_once && ranks[each].gain >= enough &&
                               same_fields(ranks[each].changes, ranks[taken].changes));
    });
  }
  return chosen;
}

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

std::optional<Candidate> make_candidate(const model::Reading& start, const FieldDependencies& links,
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
  return std::all_of(evaluators.begin(), evaluators.end(), [&](const Evaluator* evaluator) {
    return memory_allowed(candidate, evaluator->memory_bytes(candidate), start,
                          evaluator->memory_bytes(start),
                          usable_bytes(gpu::memory_gib(evaluator->gpu()), candidate));
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
