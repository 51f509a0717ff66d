// `shapelint suggest`: the best shapes near the given one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/io.hpp"
#include "cli/model_input.hpp"
#include "cli/option.hpp"
#include "cli/project_options.hpp"
#include "report/suggestions/suggestions.hpp"
#include "suggest/edit/axes.hpp"
#include "suggest/problem.hpp"
#include "suggest/search/optimize.hpp"

namespace shapelint::cli {

struct SuggestOptions {
  std::string file;
  std::string model;  // which of the file's
  ProjectOptions project;
  suggest::AxesRequest axes;  // without its ranges
  std::vector<std::string> ranges;
  std::vector<std::string> where;
  suggest::Budget budget;
  suggest::Objective objective = suggest::Objective::tokens;
  suggest::GpuAggregate basket = suggest::GpuAggregate::worst;
  std::vector<std::string> weights;  // a100=2
  std::vector<std::string> prices;   // a100=1.5
  std::vector<std::string> family;   // 125m, 1.3b
  std::int64_t top = 10;
  bool every = false;
  std::size_t format = 0;
  std::optional<std::int64_t> apply;
  std::string output;
  bool write = false;
  bool diff = false;
  std::optional<std::int64_t> threads;
  std::optional<double> time_limit_s;
};

std::vector<Option> suggest_options(SuggestOptions& options);
ExitCode suggest_shapes(const SuggestOptions& options, Io& io);

// From the options to the problem that is searched.

// `a100=1.5` for one of the GPUs; `otherwise` for those that no text names.
std::vector<double> by_gpu(const std::vector<std::string>& texts, std::string_view flag,
                           const std::vector<gpu::Gpu>& gpus, double otherwise, std::vector<Error>& errors);

// Prints what is wrong with the conditions of --where; true when nothing is.
bool check_conditions(const SuggestOptions& options, Io& io);

// The problem without its axes. `input` must outlive it. Errors are all reported.
suggest::Problem make_problem(const ModelInput& input, const SuggestOptions& options,
                              const text::FileSystem& files, std::vector<Error>& errors);

// A suggestion made in the file: `--apply` and `--diff`.

// `project` is what the file was read by: by its rules the changed text is linted before it is written. Null:
// it is not.
ExitCode apply_suggestion(const report::SuggestReport& report, const SuggestOptions& options,
                          const ModelFile& file, const project::Project* project, Io& io);

// `--family`: a ladder of models that share what a family shares.

ExitCode suggest_family(const suggest::Problem& problem, const SuggestOptions& options, Io& io);

}  // namespace shapelint::cli
