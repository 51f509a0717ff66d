// A finding from a rule and what it hit: message, place, operations; its proposals come later.
#pragma once

#include <span>

#include "gpu/gpu.hpp"
#include "rules/book/compiled.hpp"
#include "rules/engine/group.hpp"
#include "rules/finding.hpp"

namespace shapelint::rules {

// Worded for the worst of the group's hits. `gpus`: all that are linted for; the finding names those of the
// group when it does not hold on all.
Finding describe(CompiledRule& compiled, const Group& group, std::span<const gpu::Gpu> gpus);

}  // namespace shapelint::rules
