// The search: every combination of a space's values that satisfies the constraints, priced and ranked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/reading.hpp"
#include "suggest/change.hpp"
#include "suggest/evaluate.hpp"
#include "suggest/space.hpp"

namespace shapelint::suggest {

// One way to change the start.
struct Candidate {
  std::vector<Change> changes;  // of the searched fields
  std::vector<Change> implied;  // of fields that follow from them
  model::Setup setup;
  double gain = 0;            // the mean over the GPUs
  double worst_gain = 0;      // the smallest over the GPUs
  std::vector<double> gains;  // by GPU, in the order of the evaluators
  std::int64_t parameters = 0;
  std::size_t origin = 0;  // which of several ways of searching found it; the caller's number
};

struct Limits {
  double parameters = 0.02;          // largest change of the parameter count, as a share; negative: any
  std::size_t keep = 10;             // best candidates kept
  std::size_t evaluations = 20'000;  // combinations priced at most, in the order of the space
  bool faster_only = true;           // drop candidates that are not faster than the start on every GPU
  bool memory = true;                // candidates must fit where the start fits, or need no more than it
};

struct SearchResult {
  std::vector<Candidate> best;  // those faster than the start, best first
  std::size_t combinations = 0;
  std::size_t priced = 0;
  bool complete = true;  // false: the evaluation limit was reached
};

// What candidates are ordered by.
struct Rank {
  double gain = 0;
  std::span<const Change> changes;
  std::int64_t parameter_change = 0;  // without its sign
};

// Better gain first; among equals (to 0.05 % of the step) fewer changes, then the rounder value (more factors
// of two, up to 64), then the smaller change of parameters, then the smaller values: a total order, so
// results do not depend on the order of the search.
bool ranks_before(const Rank& a, const Rank& b);
bool ranks_before(const Candidate& a, const Candidate& b, std::int64_t parameters);

// A candidate from changes, or nothing when they cannot be applied, change nothing or break a constraint.
// Not yet priced.
std::optional<Candidate> make_candidate(const model::Reading& start, const Links& links,
                                        std::vector<Change> changes, std::span<const Constraint> constraints);
// Fills in gains and parameters.
void price(Candidate& candidate, const model::Setup& start, std::span<Evaluator* const> evaluators);
// Whether it needs no more memory on each GPU than there is, or than the start needs.
bool fits(const model::Setup& candidate, const model::Setup& start, std::span<Evaluator* const> evaluators);

// Exhaustive over `space`. A change of the number of heads also tries the numbers of key-value heads that
// match it. A constraint that the start breaks does not bind.
SearchResult search(const model::Reading& start, const Space& space, std::span<const Constraint> constraints,
                    std::span<Evaluator* const> evaluators, const Limits& limits);

// The constraints that the start satisfies: only those can be asked of its neighbours.
std::vector<Constraint> binding(std::span<const Constraint> constraints, const model::Setup& start);

}  // namespace shapelint::suggest
