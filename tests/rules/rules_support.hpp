// Configurations and GPUs for tests of rules and searches.
#pragma once

#include <string>
#include <vector>

#include "gpu/gpu.hpp"
#include "model/reading.hpp"
#include "rules/engine/lint.hpp"

namespace shapelint::tests {

// A native file's reading; fails the test when there is an error in it.
model::Reading read(const std::string& config);
std::vector<gpu::Gpu> gpus(const std::vector<std::string>& names);

// Findings as "SL101 vocab_size (gain 5.7 %)" lines, for messages of failed checks.
std::string listing(const std::vector<rules::Finding>& findings);
// The finding of a rule, or null.
const rules::Finding* find(const rules::LintResult& result, std::string_view code);
std::string changes_text(const std::vector<rules::Change>& changes);

// A configuration at random: sizes aligned and not, all ways of attention and parallelism.
std::string random_config();

}  // namespace shapelint::tests
