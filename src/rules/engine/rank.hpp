// Which of a finding's proposals are worth showing, and in what order.
#pragma once

#include <cstdint>
#include <vector>

#include "rules/book/rule.hpp"
#include "rules/engine/group.hpp"
#include "suggest/edit/candidate.hpp"

namespace shapelint::rules {

// Keeps the GPUs on which some candidate saves at least `min_gain` (of the step), and the candidates that are
// faster on all of these. When no candidate is good for all, the GPUs that the best one is good for remain.
void narrow_to_gaining(Group& group, std::vector<suggest::Candidate>& candidates, double min_gain);

// For what cannot run, and for advice: a choice of each fix in turn, and of one fix the nearest values first,
// after dropping those that are much slower than its fastest. Groups of tensor-parallel ranks that
// `link_gpus` GPUs of a node do not hold whole come last.
void rank(std::vector<suggest::Candidate>& candidates, std::int64_t parameters_before,
          std::int64_t link_gpus);

}  // namespace shapelint::rules
