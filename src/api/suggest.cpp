// A search for better shapes.
#include <algorithm>
#include <atomic>
#include <cmath>

#include <fmt/format.h>

#include "api/load.hpp"
#include "base/number.hpp"
#include "base/strings.hpp"
#include "contracts/price.hpp"
#include "objects/convert.hpp"
#include "project/applied.hpp"
#include "rules/engine/conditions.hpp"
#include "suggest/answer.hpp"
#include "suggest/edit/axes.hpp"

namespace shapelint::api {

namespace {

constexpr std::size_t most_gpus = 16;  // the search's arrays

class Search {
 public:
  Search(const FileSystem& files, const Source& source, const SuggestOptions& options)
      : options_(options),
        loaded_(load(files, source, options.read, options.gpus, options.shape, options.head_multiple)),
        priceable_(priceable_models(*loaded_)),
        errors_(priceable_.errors) {}

  Result<SuggestResult> operator()() {
    if (errors_.empty()) set_up();
    if (!errors_.empty()) return errors_;
    suggest::SearchOptions search;
    search.keep = options_.top;
    search.distinct = !options_.every;
    search.better_only = problem_.broken.empty();  // else anything that runs is better
    search.threads = options_.threads;
    std::atomic<bool> stop{false};
    search.stop = &stop;
    if (options_.progress) {
      search.progress = [&](const suggest::Progress& progress) {
        if (!options_.progress({progress.done, progress.best})) stop = true;
      };
      search.progress({0, 1});
    }
    search.references = suggest::per_gpu_best_costs(problem_, search);
    const suggest::SearchOutcome outcome = suggest::optimize(problem_, search);
    // Nothing found and no front: no combination meets the constraints.
    if (outcome.best.empty() && outcome.front.empty() && outcome.complete) {
      const std::vector<std::string> culprits = suggest::unsatisfiable(problem_);
      if (!culprits.empty()) {
        return Error{std::string(code::no_candidates),
                     fmt::format("no allowed combination among {}",
                                 with_commas(static_cast<std::int64_t>(outcome.candidates))),
                     culprits.size() == 1
                         ? fmt::format("all of them break {}", culprits.front())
                         : fmt::format("each breaks one of {}", fmt::join(culprits, " and ")),
                     loaded_->path};
      }
    }
    return suggestions_of(problem_, suggest::explain(problem_, outcome, search), loaded_->path);
  }

 private:
  void set_up() {
    const model::Reading* reading = choose_model(priceable_, options_.model, loaded_->path, errors_);
    if (reading == nullptr) return;
    if (!reading->setup.model.conv.empty()) {
      errors_.push_back(
          {std::string(code::unable), "a CNN; only transformers can be searched", {}, loaded_->path});
      return;
    }
    if (priceable_.gpus.size() > most_gpus) {
      errors_.push_back(wrong(fmt::format("{} GPUs are named", priceable_.gpus.size()),
                              fmt::format("{} at most", most_gpus)));
      return;
    }
    problem_.reading = reading;
    problem_.objective = static_cast<suggest::Objective>(options_.objective);
    problem_.basket = static_cast<suggest::GpuAggregate>(options_.basket);
    problem_.start = suggest::in_mode_of(reading->setup, problem_.objective);
    problem_.links = suggest::links_of(*reading);
    const Budget& budget = options_.budget;
    for (const double share : {budget.parameters, budget.tokens, budget.flops, budget.aspect}) {
      if (std::isnan(share)) errors_.push_back(wrong("a share of the budget is not a number"));
    }
    problem_.budget = {budget.parameters, budget.tokens, budget.flops, budget.aspect, budget.memory, 0};
    problem_.bounds = suggest::bounds_of(problem_.start, problem_.budget);
    for (const gpu::Gpu& gpu : priceable_.gpus) problem_.gpus.push_back(&gpu);
    set_weights();
    for (const std::string& text : options_.where) {
      for (const shapelint::Error& error : rules::check_condition(text)) {
        Error out = error_of(error, code::invalid_option, text);
        out.path = text;
        errors_.push_back(std::move(out));
      }
    }
    rules::ShapePolicy policy = priceable_.policy;
    const bool names_shape = suggest::names_shape(options_.vary) || suggest::names_shape(options_.ranges);
    const project::ShapeChoice shape =
        project::shape_of(priceable_.shape, *reading, loaded_->files, names_shape);
    policy.shape = shape.shape;
    problem_.shape_note = project::shape_note(shape);
    rules::constrain(problem_, *loaded_->configured->rules, policy, rules::conjuncts_of(options_.where));
    ask_stack(*reading);
    set_axes(shape.shape);
  }

  // Where none is named, what the framework of the file's format refuses is no suggestion.
  void ask_stack(const model::Reading& reading) {
    const project::Configured& configured = *loaded_->configured;
    project::AskedStack asked;
    if (priceable_.stacks.empty()) {
      asked = project::stack_of_format(configured, reading);
    } else {
      const auto place = std::find(priceable_.readings.begin(), priceable_.readings.end(), &reading);
      asked.stack = priceable_.stacks[static_cast<std::size_t>(place - priceable_.readings.begin())];
      asked.book = &project::contracts_of(configured);
    }
    if (asked.stack.empty()) return;
    contracts::constrain(problem_, *asked.book, asked.stack,
                         asked.is_implied ? contracts::Runs::as_written : contracts::Runs::as_stack);
  }

  void set_weights() {
    problem_.weights = by_gpu(options_.weights, "weight", priceable_.gpus, 1, errors_);
    double sum = 0;
    for (const double weight : problem_.weights) sum += weight;
    for (double& weight : problem_.weights) weight /= sum;
    const bool needs_prices = options_.objective == Objective::cost;
    if (!needs_prices && options_.prices.empty()) return;
    problem_.prices = by_gpu(options_.prices, "price", priceable_.gpus, 0, errors_);
    for (std::size_t gpu = 0; needs_prices && gpu < problem_.prices.size(); ++gpu) {
      if (problem_.prices[gpu] > 0) continue;
      errors_.push_back(
          wrong(fmt::format("the objective `cost` needs the price of {}", priceable_.gpus[gpu].id)));
    }
  }

  void set_axes(suggest::Shape shape) {
    suggest::AxesRequest axes{options_.vary, options_.fix, {}, shape};
    std::vector<shapelint::Error> found;
    for (const std::string& text : options_.ranges) {
      auto range = suggest::parse_range(text, true);
      if (range) {
        axes.ranges.push_back(*std::move(range));
      } else {
        found.push_back(range.error());
      }
    }
    suggest::set_axes(problem_, axes, found);
    for (const shapelint::Error& error : found) errors_.push_back(error_of(error, code::invalid_option));
  }

  const SuggestOptions& options_;
  std::unique_ptr<Loaded> loaded_;
  Priceable priceable_;
  std::vector<Error> errors_;
  suggest::Problem problem_;
};

}  // namespace

Result<SuggestResult> suggest(const FileSystem& files, const Source& source, const SuggestOptions& options) {
  return Search(files, source, options)();
}

}  // namespace shapelint::api
