// The engine, where it is known what runs the model.
#pragma once

#include "rules/engine/lint.hpp"
#include "suggest/edit/on_stack.hpp"

namespace shapelint::rules {

// As lint(): steps are as the stack runs them, and what it refuses, of a file that it does not refuse for the
// same reason already, is not proposed.
LintResult lint(const RuleBook& rules, const model::Reading& reading, std::span<const gpu::Gpu> gpus,
                const Options& options, const suggest::OnStack& stack);

}  // namespace shapelint::rules
