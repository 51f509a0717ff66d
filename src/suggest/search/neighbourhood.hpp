// Where a search looks: fields with the values to try.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/reading.hpp"
#include "suggest/edit/candidate.hpp"

namespace shapelint::suggest {

// One field and the values worth trying, ascending, the present one among them.
struct Axis {
  model::FieldId field = model::no_field;
  std::vector<std::int64_t> values;
};

// Values of `field` near the present one that hardware likes, in both directions; `reach` is how far as a
// share of the value (0.02: 2 %) where the field is a width, and at least the nearest aligned value each way
// is included. A vocabulary only grows: its tokens exist. Fields that are no dimension get the values that
// make sense for them (powers of two for degrees and batches). Alone the present value when nothing does.
Axis neighbourhood(const model::Reading& reading, model::FieldId field, double reach);

// The neighbourhoods of several fields, each field once. Together with hidden_size, the numbers of heads that
// suit each of its values are looked at as well.
std::vector<Axis> neighbourhoods(const model::Reading& reading, std::span<const model::FieldId> fields,
                                 double reach);

// Head dimensions worth a look where `present` is what there is: those that kernels are built for, neither
// narrower than usual nor wider, unless it is. How few heads a model can do with is no question of speed.
std::vector<std::int64_t> usual_head_dims(std::int64_t present);
bool is_usual_head_dim(std::int64_t head_dim, std::int64_t present);

// The search with a field or two free and the rest of the model as it is: ways out of a finding.

struct NearLimits {
  double reach = 0.02;       // how far widths may move, as a share
  double parameters = 0.05;  // largest change of the parameter count, as a share; negative: any
  std::size_t keep = 400;    // best candidates kept
  bool faster_only = true;   // drop those that are not faster than the start on every GPU
};

// The best combinations of values near the present ones, best first, priced on the evaluators' GPUs. They
// meet the constraints, and fit into memory unless the start does not. A change of the number of heads also
// tries the numbers of key-value heads that match it.
std::vector<Candidate> search_near(const model::Reading& reading, const FieldDependencies& links,
                                   std::span<const model::FieldId> fields,
                                   std::span<const Constraint> constraints,
                                   std::span<Evaluator* const> evaluators, const NearLimits& limits);

}  // namespace shapelint::suggest
