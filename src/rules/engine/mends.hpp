// Which findings one change mends at once.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "model/reading.hpp"
#include "rules/book/compiled.hpp"
#include "rules/finding.hpp"
#include "suggest/edit/evaluate.hpp"

namespace shapelint::rules {

struct MendRequest {
  const model::Reading& reading;
  const suggest::Links& links;
  std::span<CompiledRule> rules;
  std::span<const std::unique_ptr<suggest::Evaluator>> evaluators;  // one per GPU
};

// Numbers the findings, which are sorted, lets those that would set one value differently agree, and fills in
// what the first proposal of each mends besides: those whose rule finds nothing more at the same field once
// the change is made. Of what is certain to fail every way out does, so that the one that mends most goes
// first.
void find_mended(std::vector<Finding>& findings, const MendRequest& request);

}  // namespace shapelint::rules
