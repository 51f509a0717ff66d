// `shapelint suggest --family`: a ladder of models that share what a family shares.
#pragma once

#include "cli/commands/suggest/suggest.hpp"
#include "cli/exit_code.hpp"
#include "cli/io.hpp"
#include "suggest/problem.hpp"

namespace shapelint::cli {

ExitCode suggest_family(const suggest::Problem& problem, const SuggestOptions& options, Io& io);

}  // namespace shapelint::cli
