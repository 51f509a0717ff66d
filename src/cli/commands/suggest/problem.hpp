// From the options of `shapelint suggest` to the problem that is searched.
#pragma once

#include <vector>

#include "cli/commands/suggest/suggest.hpp"
#include "cli/io.hpp"
#include "cli/model_input.hpp"
#include "suggest/problem.hpp"

namespace shapelint::cli {

// Prints what is wrong with the conditions of --where; true when nothing is.
bool check_conditions(const SuggestOptions& options, Io& io);

// The problem without its axes. `input` must outlive it. Errors are all reported.
suggest::Problem make_problem(const ModelInput& input, const SuggestOptions& options,
                              const text::FileSystem& files, std::vector<Error>& errors);

}  // namespace shapelint::cli
