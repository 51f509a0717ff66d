// From the options of `shapelint suggest` to the problem that is searched.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/commands/suggest/suggest.hpp"
#include "cli/io.hpp"
#include "cli/model_input.hpp"
#include "suggest/problem.hpp"

namespace shapelint::cli {

// `a100=1.5` for one of the GPUs; `otherwise` for those that no text names.
std::vector<double> by_gpu(const std::vector<std::string>& texts, std::string_view flag,
                           const std::vector<gpu::Gpu>& gpus, double otherwise, std::vector<Error>& errors);

// Prints what is wrong with the conditions of --where; true when nothing is.
bool check_conditions(const SuggestOptions& options, Io& io);

// The problem without its axes. `input` must outlive it. Errors are all reported.
suggest::Problem make_problem(const ModelInput& input, const SuggestOptions& options,
                              const text::FileSystem& files, std::vector<Error>& errors);

}  // namespace shapelint::cli
