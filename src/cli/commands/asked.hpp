// Whether a question about a stack is one.
#pragma once

#include "cli/io.hpp"
#include "cli/model_input.hpp"
#include "contracts/stack.hpp"
#include "project/project.hpp"

namespace shapelint::cli {

// False, with an error, where a stack only serves, and the model is taken to be trained since nobody says
// what is run: no contract would bind it, and what is priced is not what the stack runs.
bool says_what_is_run(const project::Configured& configured, const contracts::Stack& stack,
                      const ModelInput& input, Io& io);

}  // namespace shapelint::cli
