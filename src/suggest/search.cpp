// Exhaustive search and ranking.
#include "suggest/search.hpp"

#include <algorithm>
#include <cmath>

#include "model/lower.hpp"
#include "suggest/footprint.hpp"

namespace shapelint::suggest {

namespace {

// Gains in the same step of this size are the same: far below what the prediction can tell apart.
constexpr double gain_resolution = 5e-4;
// A power of two beyond which alignment does not care (128 bytes of a 16-bit type).
constexpr std::int64_t largest_pow2 = 64;
constexpr double bytes_per_gb = 1e9;
// Of the time per token: a candidate that saves less is not faster.
constexpr double least_gain = 1e-4;

bool is_stated(const model::Reading& reading, model::FieldId field) {
  const auto index = static_cast<std::size_t>(field);
  return index < reading.origins.size() && (reading.origins[index].kind == model::Origin::Kind::stated ||
                                            reading.origins[index].kind == model::Origin::Kind::command_line);
}

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
  const double allowed_anyway = memory_bytes(start) * (1 + memory_slack);
  if (needed <= allowed_anyway) return true;
  return std::all_of(evaluators.begin(), evaluators.end(), [&](const Evaluator* evaluator) {
    const double size_gb = evaluator->gpu().dram_size_gb;
    return size_gb <= 0 || needed <= size_gb * bytes_per_gb;
  });
}

std::vector<Constraint> binding(std::span<const Constraint> constraints, const model::Setup& start) {
  std::vector<Constraint> out;
  for (const Constraint& constraint : constraints) {
    if (constraint.holds(start)) out.push_back(constraint);
  }
  return out;
}

SearchResult search(const model::Reading& start, const Space& space, std::span<const Constraint> constraints,
                    std::span<Evaluator* const> evaluators, const Limits& limits) {
  SearchResult result;
  const Links links = links_of(start);
  std::vector<Constraint> bind = binding(constraints, start.setup);
  bind.insert(bind.end(), space.constraints.begin(), space.constraints.end());
  const std::int64_t parameters = model::parameter_count(start.setup);
  const model::FieldId heads = model::find_field("num_attention_heads");
  const model::FieldId groups = model::find_field("num_key_value_heads");
  const bool groups_searched =
      std::any_of(space.axes.begin(), space.axes.end(), [&](const Axis& a) { return a.field == groups; });

  const auto consider = [&](std::vector<Change> changes) {
    ++result.combinations;
    auto candidate = make_candidate(start, links, std::move(changes), bind);
    if (!candidate) return;
    const std::int64_t count = model::parameter_count(candidate->setup);
    const double change = std::fabs(static_cast<double>(count - parameters));
    if (limits.parameters >= 0 && change > limits.parameters * static_cast<double>(parameters)) return;
    if (limits.memory && !fits(candidate->setup, start.setup, evaluators)) return;
    if (result.priced >= limits.evaluations) {
      result.complete = false;
      return;
    }
    ++result.priced;
    price(*candidate, start.setup, evaluators);
    if (limits.faster_only && candidate->worst_gain <= least_gain) return;
    const auto before = [&](const Candidate& a, const Candidate& b) {
      return ranks_before(a, b, parameters);
    };
    const auto place = std::upper_bound(result.best.begin(), result.best.end(), *candidate, before);
    if (place == result.best.end() && result.best.size() >= limits.keep) return;
    result.best.insert(place, *std::move(candidate));
    if (result.best.size() > limits.keep) result.best.pop_back();
  };

  std::vector<std::size_t> position(space.axes.size(), 0);
  const bool empty =
      std::any_of(space.axes.begin(), space.axes.end(), [](const Axis& a) { return a.values.empty(); });
  while (!space.axes.empty() && !empty && result.complete) {
    std::vector<Change> changes;
    std::int64_t new_heads = 0;
    for (std::size_t i = 0; i < space.axes.size(); ++i) {
      const Axis& axis = space.axes[i];
      const std::int64_t from = model::fields()[static_cast<std::size_t>(axis.field)].get(start.setup);
      const std::int64_t to = axis.values[position[i]];
      if (from == to) continue;
      changes.push_back({axis.field, from, to});
      if (axis.field == heads) new_heads = to;
    }
    const auto matching = new_heads > 0 && !groups_searched
                              ? matching_key_value_heads(start.setup, links, new_heads)
                              : std::vector<std::int64_t>{};
    for (const std::int64_t number : matching) {
      std::vector<Change> both = changes;
      both.push_back({groups, start.setup.model.num_key_value_heads, number});
      consider(std::move(both));
    }
    if (matching.empty()) consider(std::move(changes));

    std::size_t i = 0;
    while (i < position.size() && ++position[i] == space.axes[i].values.size()) position[i++] = 0;
    if (i == position.size()) break;
  }
  return result;
}

}  // namespace shapelint::suggest
