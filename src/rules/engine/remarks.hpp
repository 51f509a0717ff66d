// Rules about how the file is written (scope `remark`).
#pragma once

#include <span>
#include <vector>

#include "model/reading.hpp"
#include "rules/book/rule.hpp"
#include "rules/engine/lint.hpp"
#include "rules/finding.hpp"

namespace shapelint::rules {

// One finding for each remark and selected rule whose condition holds for it. Needs no GPU and no whole
// model.
std::vector<Finding> look_at(const RuleBook& rules, std::span<const model::Remark> remarks,
                             const Options& options);

}  // namespace shapelint::rules
