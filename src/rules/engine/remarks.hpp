// Rules about how the file is written (scope `remark`).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "gpu/gpu.hpp"
#include "model/reading.hpp"
#include "rules/book/rule.hpp"
#include "rules/engine/lint.hpp"
#include "rules/finding.hpp"

namespace shapelint::rules {

// One finding for each remark and selected rule whose condition holds for it. Needs no GPU and no whole
// model.
std::vector<Finding> look_at(const RuleBook& rules, std::span<const model::Remark> remarks,
                             const Options& options);

// That these GPUs have no units for the number format that the file states. Nothing when there are none, or
// when the command line asked for the format: that is for its error.
std::optional<model::Remark> remark_on_format(const model::Reading& reading,
                                              std::span<const gpu::Gpu> unable);

}  // namespace shapelint::rules
