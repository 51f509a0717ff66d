// One way to change a model: what it makes of it, what it saves, and which of several comes first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/reading.hpp"
#include "suggest/constraints.hpp"
#include "suggest/edit/change.hpp"
#include "suggest/edit/evaluate.hpp"

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
std::optional<Candidate> make_candidate(const model::Reading& start, const FieldDependencies& links,
                                        std::vector<Change> changes, std::span<const Constraint> constraints);
// Fills in gains and parameters.
void price(Candidate& candidate, const model::Setup& start, std::span<Evaluator* const> evaluators);
// Whether it needs no more memory on each GPU than there is, or than the start needs.
bool fits(const model::Setup& candidate, const model::Setup& start, std::span<Evaluator* const> evaluators);

// Whether both change the same fields, or the same numbers of the same layers, in the same order.
bool same_fields(std::span<const Change> a, std::span<const Change> b);

// What people would sooner take: rows of a vocabulary or a longer sequence, which only pad, before what
// changes the model; what keeps the sequences of an optimizer step; fewer changed fields; widths that are
// multiples of 64; a shorter way, one down counting as several up where it takes width or rows away; then as
// ranks_before(). A total order.
bool is_less_disruptive(const Rank& a, const Rank& b);

// Least disruptive first: of those that gain as much as the best of what is left, as far
// as its error lets anyone tell, the easiest first. What another one of the same fields stands for is left
// out
// (`each_once`). Indices, `most` at most. `error_of` gives the error of a gain; what
// gains less than `least` or no more than its error is left out.
std::vector<std::size_t> choose(std::span<const Rank> ranks,
                                const std::function<double(std::size_t)>& error_of, double least,
                                std::size_t most, bool each_once = true);

// The constraints that the start satisfies: only those can be asked of its neighbours.
std::vector<Constraint> binding(std::span<const Constraint> constraints, const model::Setup& start);

}  // namespace shapelint::suggest
