// From options to a problem.
#include "cli/commands/suggest/setup.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/names.hpp"
#include "base/number.hpp"
#include "cli/messages.hpp"
#include "gpu/registry.hpp"
#include "rules/book/rule.hpp"
#include "rules/engine/conditions.hpp"

namespace shapelint::cli {

namespace {

constexpr std::size_t most_gpus = 16;  // Costing's arrays

Error usage(std::string message, std::string hint = {}) {
  return Error{std::move(message), std::move(hint), {}, std::nullopt};
}

// `a100=1.5` for one of the GPUs; `otherwise` for those that no text names.
std::vector<double> by_gpu(const std::vector<std::string>& texts, std::string_view flag,
                           const std::vector<gpu::Gpu>& gpus, double otherwise, std::vector<Error>& errors) {
  std::vector<double> out(gpus.size(), otherwise);
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    const auto value = equals == std::string::npos ? std::nullopt : parse_number(text.substr(equals + 1));
    if (!value || !(*value > 0)) {
      errors.push_back(usage(fmt::format("`{} {}` gives no positive number", flag, text),
                             fmt::format("such as `{} {}=1.5`", flag, gpus.front().id)));
      continue;
    }
    const auto found = gpu::find_gpu(text.substr(0, equals));
    const auto place = std::find_if(gpus.begin(), gpus.end(), [&](const gpu::Gpu& each) {
      return each.id == text.substr(0, equals) || (found && each.id == found->id);
    });
    if (place == gpus.end()) {
      errors.push_back(usage(fmt::format("`{} {}` names no GPU of this run", flag, text)));
      continue;
    }
    out[static_cast<std::size_t>(place - gpus.begin())] = *value;
  }
  return out;
}

void check_conditions(const std::vector<std::string>& where, std::vector<std::string>& conditions, Io& io,
                      bool& failed) {
  for (const std::string& text : where) {
    for (Error& error : rules::check_condition(text)) {
      error.path = "--where";
      print_error(io, error, text);
      failed = true;
    }
    for (std::string& each : rules::conjuncts(text)) conditions.push_back(std::move(each));
  }
}

// The number of the reading called `name`; the first one, with a note, when none is named and there are more.
std::size_t choose_model(const ModelFile& file, const std::string& name, Io& io, std::vector<Error>& errors) {
  std::vector<std::string_view> parts;
  for (const model::Reading& each : file.readings) parts.push_back(each.part.empty() ? each.name : each.part);
  if (name.empty()) {
    if (parts.size() > 1) {
      io.err << fmt::format("note: {}: {} models ({}); this is about `{}`, `--model` picks another\n",
                            file.path, parts.size(), fmt::join(parts, ", "), parts.front());
    }
    return 0;
  }
  const auto found = std::find(parts.begin(), parts.end(), name);
  if (found != parts.end()) return static_cast<std::size_t>(found - parts.begin());
  std::string hint = did_you_mean(name, parts);
  if (hint.empty()) hint = fmt::format("it holds {}", fmt::join(parts, ", "));
  errors.push_back({fmt::format("there is no model `{}`", name), std::move(hint), file.path, std::nullopt});
  return 0;
}

}  // namespace

std::vector<Error> missing_fields(const model::Reading& reading, const std::string& path, bool networks) {
  std::vector<Error> errors;
  if (!reading.setup.model.conv.empty()) {
    if (!networks) {
      errors.push_back({"this is a network of layers, and only transformers can be searched",
                        "`shapelint` lints it, `shapelint roofline` shows where its time goes", path,
                        std::nullopt});
    }
    return errors;
  }
  constexpr std::array<std::string_view, 5> needed{"hidden_size", "num_layers", "num_attention_heads",
                                                   "vocab_size", "sequence_length"};
  for (const std::string_view name : needed) {
    const auto index = static_cast<std::size_t>(model::find_field(name));
    if (name == "vocab_size" && !reading.setup.model.lm_head) continue;
    if (index < reading.origins.size() && reading.origins[index].kind != model::Origin::Kind::unknown)
      continue;
    std::string flag(name);
    std::replace(flag.begin(), flag.end(), '_', '-');
    errors.push_back(
        {fmt::format("`{}` is not known", name), fmt::format("give `--{} N`", flag), path, std::nullopt});
  }
  return errors;
}

std::unique_ptr<SuggestInput> read_suggest_input(const SuggestOptions& options, Io& io) {
  auto input = std::make_unique<SuggestInput>();
  bool failed = false;
  std::vector<Error> errors;
  const auto own = read_own_profiles(options.gpu, io);
  if (!own) return nullptr;
  input->gpus = named_gpus(options.gpu, *own, errors);
  check_conditions(options.where, input->conditions, io, failed);
  input->file = read_model_file(options.file, "<stdin>", options.overrides, io, options.dimensions);
  for (const Error& error : input->file.errors) errors.push_back(error);
  if (errors.empty() && input->file.readings.empty()) {
    const std::string why = input->file.notes.empty() ? "it is no configuration that is known"
                                                      : input->file.notes.front().message;
    errors.push_back({fmt::format("no model was found: {}", why), {}, input->file.path, std::nullopt});
  }
  if (!input->file.readings.empty()) {
    if (input->gpus.empty() && errors.empty()) {
      for (const auto& name : input->file.lint.gpus) {
        auto found = gpu::find_gpu(name.value, *own);
        if (found) {
          input->gpus.push_back(*std::move(found));
        } else {
          errors.push_back({found.error().message, found.error().hint, input->file.path, name.span});
        }
      }
      if (input->file.lint.gpus.empty()) input->gpus = assumed_gpus();
    }
    input->model = choose_model(input->file, options.model, io, errors);
    for (Error& error : missing_fields(input->reading(), input->file.path, options.networks)) {
      errors.push_back(std::move(error));
    }
    const DType dtype = input->reading().setup.plan.dtype;
    for (const gpu::Gpu& gpu : input->gpus) {
      if (!can_multiply(gpu, dtype)) {
        errors.push_back(usage(fmt::format("{} does not multiply {}", gpu.name, name(dtype))));
      }
    }
  }
  if (input->gpus.size() > most_gpus) {
    errors.push_back(
        usage(fmt::format("{} GPUs are named", input->gpus.size()), fmt::format("{} at most", most_gpus)));
  }
  for (const Error& error : errors) {
    print_error(io, error, error.path == input->file.path ? input->file.source : std::string{});
  }
  return failed || !errors.empty() ? nullptr : std::move(input);
}

suggest::Problem make_problem(const SuggestInput& input, const SuggestOptions& options,
                              std::vector<Error>& errors) {
  suggest::Problem problem;
  problem.reading = &input.reading();
  problem.start = suggest::in_mode_of(problem.reading->setup, options.objective);
  problem.links = suggest::links_of(*problem.reading);
  problem.objective = options.objective;
  problem.basket = options.basket;
  problem.budget = options.budget;
  problem.bounds = suggest::bounds_of(problem.start, options.budget);
  for (const gpu::Gpu& gpu : input.gpus) problem.gpus.push_back(&gpu);
  problem.weights = by_gpu(options.weights, "--weight", input.gpus, 1, errors);
  double sum = 0;
  for (const double weight : problem.weights) sum += weight;
  for (double& weight : problem.weights) weight /= sum;
  if (options.objective == suggest::Objective::cost || !options.prices.empty()) {
    problem.prices = by_gpu(options.prices, "--price", input.gpus, 0, errors);
    for (std::size_t gpu = 0; gpu < input.gpus.size(); ++gpu) {
      if (options.objective == suggest::Objective::cost && problem.prices[gpu] <= 0 && errors.empty()) {
        errors.push_back(
            usage(fmt::format("the objective `cost` needs the price of an hour of {}", input.gpus[gpu].id),
                  fmt::format("such as `--price {}=1.5`", input.gpus[gpu].id)));
      }
    }
  }
  problem.constraints =
      rules::constraint_factory(rules::builtin_rules(), *problem.reading, problem.start, input.conditions);
  return problem;
}

}  // namespace shapelint::cli
