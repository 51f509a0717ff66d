// `shapelint suggest`: the best shapes near the given one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/exit_code.hpp"
#include "cli/io.hpp"
#include "cli/option.hpp"
#include "cli/project_options.hpp"
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
  suggest::Basket basket = suggest::Basket::worst;
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

}  // namespace shapelint::cli
