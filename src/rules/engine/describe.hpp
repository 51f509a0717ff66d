// A finding from a rule and what it hit: message, place, operations; its proposals come later.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/gpu.hpp"
#include "rules/book/compiled.hpp"
#include "rules/engine/hits.hpp"
#include "rules/finding.hpp"

namespace shapelint::rules {

// What operations are called in a sentence.

// "the MLP's last projection" for `layer.mlp.down`; a name that is not known as it is.
std::string_view op_display_name(std::string_view op);

// "a, b, c and 2 more": each once.
std::string op_display_list(const std::vector<std::string>& ops);

// Worded for the worst of the group's hits. `gpus`: all that are linted for; the finding names those of the
// group when it does not hold on all.
Finding describe(CompiledRule& compiled, const Group& group, std::span<const gpu::Gpu> gpus);

}  // namespace shapelint::rules
