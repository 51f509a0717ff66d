// From the options of `shapelint suggest` to the problem that is searched.
#include "cli/commands/suggest/suggest.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/number.hpp"
#include "cli/output.hpp"
#include "contracts/price.hpp"
#include "gpu/registry.hpp"
#include "project/applied.hpp"
#include "rules/engine/conditions.hpp"

namespace shapelint::cli {

namespace {

Error usage(std::string message, std::string hint = {}) {
  return Error{std::move(message), std::move(hint), {}, std::nullopt};
}

bool names_shape(const SuggestOptions& options) {
  return !options.family.empty() || suggest::names_shape(options.axes.vary) ||
         suggest::names_shape(options.ranges);
}

}  // namespace

std::vector<double> by_gpu(const std::vector<std::string>& texts, std::string_view flag,
                           const std::vector<gpu::Gpu>& gpus, double otherwise, std::vector<Error>& errors) {
  std::vector<double> out(gpus.size(), otherwise);
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    const auto value = equals == std::string::npos ? std::nullopt : parse_number(text.substr(equals + 1));
    if (!value || !(*value > 0)) {
      errors.push_back(usage(fmt::format("`{} {}` needs a positive number", flag, text),
                             fmt::format("write it as `{} {}=1.5`", flag, gpus.front().id)));
      continue;
    }
    const auto place = std::find_if(gpus.begin(), gpus.end(), [&](const gpu::Gpu& each) {
      return gpu::is_called(each, text.substr(0, equals));
    });
    if (place == gpus.end()) {
      errors.push_back(usage(fmt::format("`{} {}`: this GPU is not in `--gpu`", flag, text)));
      continue;
    }
    out[static_cast<std::size_t>(place - gpus.begin())] = *value;
  }
  return out;
}

bool check_conditions(const SuggestOptions& options, Io& io) {
  bool good = true;
  for (const std::string& text : options.where) {
    for (Error& error : rules::check_condition(text)) {
      error.path = "--where";
      print_error(io, error, text);
      good = false;
    }
  }
  return good;
}

suggest::Problem make_problem(const ModelInput& input, const SuggestOptions& options,
                              const text::FileSystem& files, std::vector<Error>& errors) {
  suggest::Problem problem;
  problem.reading = &input.reading();
  problem.start = suggest::in_mode_of(problem.reading->setup, options.objective);
  problem.links = suggest::links_of(*problem.reading);
  problem.objective = options.objective;
  problem.basket = options.basket;
  problem.budget = options.budget;
  problem.bounds = suggest::bounds_of(problem.start, options.budget);
  for (const gpu::Gpu& gpu : input.gpus()) problem.gpus.push_back(&gpu);
  problem.weights = by_gpu(options.weights, "--weight", input.gpus(), 1, errors);
  double sum = 0;
  for (const double weight : problem.weights) sum += weight;
  for (double& weight : problem.weights) weight /= sum;
  if (options.objective == suggest::Objective::cost || !options.prices.empty()) {
    problem.prices = by_gpu(options.prices, "--price", input.gpus(), 0, errors);
    for (std::size_t gpu = 0; gpu < input.gpus().size(); ++gpu) {
      if (options.objective == suggest::Objective::cost && problem.prices[gpu] <= 0 && errors.empty()) {
        errors.push_back(
            usage(fmt::format("the objective `cost` needs the price of an hour of {}", input.gpus()[gpu].id),
                  fmt::format("set it with `--price {}=1.5`", input.gpus()[gpu].id)));
      }
    }
  }
  rules::ShapePolicy policy = input.file.applied.rules.policy;
  // The small models of a ladder have few heads: an even number will do.
  constexpr std::int64_t family_multiple = 2;
  if (!options.family.empty() && !options.project.request.head_multiple)
    policy.head_multiple = std::min(policy.head_multiple, family_multiple);
  const project::ShapeChoice shape =
      project::shape_of(input.file.applied.shape, *problem.reading, files, names_shape(options));
  policy.shape = shape.shape;
  problem.shape_note = project::shape_note(shape);
  rules::constrain(problem, *input.file.configured->rules, policy, rules::conjuncts_of(options.where));
  const project::Configured& configured = *input.file.configured;
  const project::AskedStack asked =
      project::asked_stack(configured, input.file.applied.stack, *problem.reading, files);
  if (asked.stack.empty()) return problem;
  contracts::constrain(problem, *asked.book, asked.stack,
                       asked.is_implied ? contracts::Runs::as_written : contracts::Runs::as_stack);
  return problem;
}

}  // namespace shapelint::cli
