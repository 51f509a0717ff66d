// The search with a field or two free and the rest of the model as it is: ways out of a finding.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "model/reading.hpp"
#include "suggest/edit/candidate.hpp"

namespace shapelint::suggest {

struct NearLimits {
  double reach = 0.02;       // how far widths may move, as a share
  double parameters = 0.05;  // largest change of the parameter count, as a share; negative: any
  std::size_t keep = 400;    // best candidates kept
  bool faster_only = true;   // drop those that are not faster than the start on every GPU
};

// The best combinations of values near the present ones, best first, priced on the evaluators' GPUs. They
// meet the constraints, and fit into memory unless the start does not. A change of the number of heads also
// tries the numbers of key-value heads that match it.
std::vector<Candidate> search_near(const model::Reading& reading, const Links& links,
                                   std::span<const model::FieldId> fields,
                                   std::span<const Constraint> constraints,
                                   std::span<Evaluator* const> evaluators, const NearLimits& limits);

}  // namespace shapelint::suggest
