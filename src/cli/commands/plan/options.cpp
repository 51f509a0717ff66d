// The options of `shapelint plan`.
#include <fmt/format.h>

#include "base/number.hpp"
#include "cli/commands/plan/plan.hpp"
#include "cli/model_input.hpp"
#include "cli/project_options.hpp"

namespace shapelint::cli {

namespace {

// `15T`, `300B`, `2e12`.
Setter into_count(double& target) {
  return [&target](std::string_view text) -> std::optional<std::string> {
    struct Suffix {
      char letter;
      double factor;
    };
    constexpr Suffix suffixes[] = {{'K', 1e3}, {'M', 1e6}, {'B', 1e9}, {'T', 1e12}};
    double factor = 1;
    for (const Suffix& each : suffixes) {
      if (!text.ends_with(each.letter)) continue;
      factor = each.factor;
      text.remove_suffix(1);
      break;
    }
    const auto value = parse_number(text);
    if (!value || !(*value > 0)) return "a number above 0, such as 15T";
    target = *value * factor;
    return std::nullopt;
  };
}

Setter into_positive(double& target, std::string_view what) {
  return [&target, what](std::string_view text) -> std::optional<std::string> {
    const auto value = parse_number(text);
    if (!value || !(*value > 0)) return fmt::format("{} above 0", what);
    target = *value;
    return std::nullopt;
  };
}

Setter into_requests(std::int64_t& target) {
  return [&target](std::string_view text) -> std::optional<std::string> {
    const auto value = parse_integer(text);
    if (!value || *value < 1) return "a number of requests above 0";
    target = *value;
    return std::nullopt;
  };
}

}  // namespace

std::vector<Option> plan_options(PlanOptions& options) {
  constexpr auto training = "Training";
  constexpr auto serving = "Serving";
  constexpr auto output = "Output";
  std::vector<Option> all{
      model_file_option(options.file),
      model_option(options.model),
      {.names = "--gpus",
       .value = "N",
       .doc = "number of GPUs: `8`, a range `8..64` (above 8: whole nodes of 8), or `auto`: the fewest that "
              "train it, 1..64 to serve it [default: auto]",
       .set = into(options.asked.num_gpus)},
      {.names = "--price",
       .value = "GPU=PRICE",
       .doc = "price of a GPU hour",
       .set = into_list(options.prices),
       .many = true},
      {.names = "--global-batch",
       .value = "N",
       .doc = "sequences of an optimizer step, over all GPUs [default: the file's, or 4 M tokens]",
       .set = into(options.asked.global_batch),
       .group = training},
      {.names = "--tokens",
       .value = "COUNT",
       .doc = "training tokens, such as 15T, to print the time of the run",
       .set = into_count(options.asked.tokens),
       .group = training},
      {.names = "--measured",
       .value = "STEP",
       .doc =
           "measured time of the file's own step, `step=20.3s`, or a file with one (`profile --format json`, "
           "results of `prove`): predictions are scaled by it",
       .set = into(options.measured),
       .group = training},
      {.names = "--over",
       .value = "FIELD=A,B",
       .doc =
           "also try these values of a field, such as `optimizer_bits=32,8`; several make all combinations",
       .set = into(options.asked.over),
       .many = true,
       .group = training},
      {.names = "--input-tokens",
       .value = "N",
       .doc = "input tokens of each request; with --output-tokens, plan serving",
       .set = into(options.asked.input_tokens),
       .group = serving},
      {.names = "--output-tokens",
       .value = "N",
       .doc = "output tokens of each request",
       .set = into(options.asked.output_tokens),
       .group = serving},
      {.names = "--ttft",
       .value = "MS",
       .doc = "longest time to the first token, in ms",
       .set = into_positive(options.asked.ttft_ms, "milliseconds"),
       .group = serving},
      {.names = "--tpot",
       .value = "MS",
       .doc = "longest time per token after the first, in ms",
       .set = into_positive(options.asked.tpot_ms, "milliseconds"),
       .group = serving},
      {.names = "--e2e",
       .value = "MS",
       .doc = "longest time of a request to its last token, in ms",
       .set = into_positive(options.asked.e2e_ms, "milliseconds"),
       .group = serving},
      {.names = "--rate",
       .value = "N",
       .doc = "requests per second of the whole service: the fewest GPUs that serve them, at most --gpus",
       .set = into_positive(options.asked.rate, "requests per second"),
       .group = serving},
      {.names = "--concurrency",
       .value = "N",
       .doc = "concurrent requests of the whole service [default: the best number]",
       .set = into_requests(options.asked.concurrency),
       .group = serving},
      {.names = "--formats",
       .value = "NAMES",
       .doc = "dtypes to try, with recipes: `bf16,fp8:block128` [default: the file's]",
       .set = into_list(options.asked.formats),
       .many = true},
      {.names = "--top",
       .value = "N",
       .doc = "plans listed per number of GPUs [default: 5]",
       .set = into(options.top),
       .group = output},
      format_option(options.format, text_or_json),
      {.names = "--plot",
       .value = "FILE",
       .doc = "write a picture, SVG or PNG: the Pareto front of serving; memory and pipeline of training",
       .set = into(options.plot),
       .group = output},
      {.names = "--report",
       .value = "FILE",
       .doc = "write a page (.html) with the picture and the plans",
       .set = into(options.page),
       .group = output},
      {.names = "--diff",
       .doc = "print the diff of the fastest training plan",
       .set = into(options.diff),
       .group = output},
      {.names = "--apply",
       .doc = "write the fastest training plan into a copy of FILE",
       .set = into(options.apply),
       .group = output},
      {.names = "-o,--output",
       .value = "FILE",
       .doc = "write the copy of --apply here [default: standard output]",
       .set = into(options.output),
       .group = output},
  };
  for (Option& option : all)
    if (option.names == "--format") option.group = output;
  all.push_back(stack_option(options.project));
  append(all, model_input_options(options.project));
  return all;
}

}  // namespace shapelint::cli
