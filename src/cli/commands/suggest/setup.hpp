// From the options of `shapelint suggest` to the problem that is searched. Errors are all reported.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands/suggest/suggest.hpp"
#include "cli/io.hpp"
#include "cli/model_file.hpp"
#include "suggest/problem.hpp"

namespace shapelint::cli {

// What a problem refers to; must outlive it.
struct SuggestInput {
  ModelFile file;
  std::size_t model = 0;  // of the file's readings
  const model::Reading& reading() const { return file.readings[model]; }
  std::vector<gpu::Gpu> gpus;
  std::vector<std::string> conditions;
};

// Reads the file and everything that the options name; prints what is wrong. Nothing when something was.
std::unique_ptr<SuggestInput> read_suggest_input(const SuggestOptions& options, Io& io);

// Fields without which nothing can be predicted and that nobody gave. Without `networks` a CNN is refused.
std::vector<Error> missing_fields(const model::Reading& reading, const std::string& path,
                                  bool networks = false);

// The problem without its axes.
suggest::Problem make_problem(const SuggestInput& input, const SuggestOptions& options,
                              std::vector<Error>& errors);

}  // namespace shapelint::cli
