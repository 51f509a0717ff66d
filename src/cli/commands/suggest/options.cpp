// The options of `shapelint suggest`.
#include <array>

#include "base/number.hpp"
#include "base/strings.hpp"
#include "cli/commands/suggest/suggest.hpp"
#include "cli/model_input.hpp"
#include "cli/option.hpp"
#include "cli/project_options.hpp"

namespace shapelint::cli {

namespace {

constexpr std::array<std::string_view, 4> suggestion_formats{"text", "json", "csv", "toml"};

// `2%`, `±2%`, `0.02`, `any`; a share or -1.
Setter into_tolerance(double& target) {
  return [&target](std::string_view text) -> std::optional<std::string> {
    for (const std::string_view sign : {"±", "+-", "+/-"}) {
      if (text.starts_with(sign)) text.remove_prefix(sign.size());
    }
    if (text == "any") {
      target = -1;
      return std::nullopt;
    }
    return into_share(target)(text);
  };
}

Setter into_positive(std::optional<double>& target) {
  return [&target](std::string_view text) -> std::optional<std::string> {
    const auto value = parse_number(text);
    if (!value || !(*value > 0)) return "a number above 0";
    target = *value;
    return std::nullopt;
  };
}

}  // namespace

std::vector<Option> suggest_options(SuggestOptions& options) {
  constexpr auto space = "Where to search";
  constexpr auto goal = "Goal";
  constexpr auto output = "Output";
  std::vector<Option> all{
      model_file_option(options.file),
      model_option(options.model),
      {.names = "--vary",
       .value = "FIELDS",
       .doc = "comma-separated fields to vary [default: the model's dimensions]",
       .set = into_list(options.axes.vary),
       .many = true,
       .group = space,
       .words = field_words,
       .is_list = true},
      {.names = "--fix",
       .value = "FIELDS",
       .doc = "fields to keep",
       .set = into_list(options.axes.fix),
       .many = true,
       .group = space,
       .words = field_words,
       .is_list = true},
      {.names = "--range",
       .value = "FIELD=LOW:HIGH:STEP",
       .doc = "vary a field over these values; also FIELD=A,B,C",
       .set = into(options.ranges),
       .many = true,
       .group = space},
      {.names = "--where",
       .value = "CONDITION",
       .doc = "condition on candidates, such as 'params <= 2.9e9 && head_dim >= 64'",
       .set = into(options.where),
       .many = true,
       .group = space},
      {.names = "--params",
       .value = "SHARE",
       .doc = "allowed change of parameters, or `any` [default: 2%]",
       .set = into_tolerance(options.budget.parameters),
       .group = space},
      {.names = "--tokens",
       .value = "SHARE",
       .doc = "allowed change of tokens per step, or `any` [default: any]",
       .set = into_tolerance(options.budget.tokens),
       .group = space},
      {.names = "--flops",
       .value = "SHARE",
       .doc = "allowed change of FLOPs per token, or `any` [default: any]",
       .set = into_tolerance(options.budget.flops),
       .group = space},
      {.names = "--aspect",
       .value = "SHARE",
       .doc = "allowed change of hidden_size / num_layers, or `any` [default: 20%]",
       .set = into_tolerance(options.budget.aspect),
       .group = space},
      {.names = "--any-memory",
       .doc = "allow candidates that do not fit in memory",
       .set = [&options](std::string_view) -> std::optional<std::string> {
         options.budget.memory = false;
         return std::nullopt;
       },
       .group = space},
      {.names = "--head-multiple",
       .value = "N",
       .doc = "proposed numbers of heads and KV heads are multiples of this, or divide it, so that TP can "
              "shard them [default: 4; 1: any]",
       .set = into(options.project.request.head_multiple),
       .group = space},
      {.names = "--family",
       .value = "SIZES",
       .doc = "propose a ladder of models of these sizes, such as 125m,350m,1.3b, with one head_dim, "
              "vocabulary and aspect",
       .set = into_list(options.family),
       .many = true,
       .group = space},
      {.names = "--objective",
       .value = "NAME",
       .doc = "what to optimize: tokens (training tokens/s per GPU at equal work), mfu, step or prefill "
              "(time), decode (tokens/s), cost (per token, with --price) [default: tokens]",
       .set = into_enum(options.objective, suggest::objective_names()),
       .group = goal,
       .choices = strings(suggest::objective_names())},
      {.names = "--basket",
       .value = "NAME",
       .doc = "rank several GPUs by the worst, relative to its own best, or by the mean [default: worst]",
       .set = into_enum(options.basket, suggest::basket_names()),
       .group = goal,
       .choices = strings(suggest::basket_names())},
      {.names = "--weight",
       .value = "GPU=WEIGHT",
       .doc = "weight of a GPU in the mean [default: 1]",
       .set = into_list(options.weights),
       .many = true,
       .group = goal},
      {.names = "--price",
       .value = "GPU=PRICE",
       .doc = "price of a GPU hour",
       .set = into_list(options.prices),
       .many = true,
       .group = goal},
      {.names = "--top",
       .value = "N",
       .doc = "number of suggestions [default: 10]",
       .set = into(options.top),
       .group = output},
      {.names = "--every",
       .doc = "list every candidate, not only the best of each set of fields",
       .set = into(options.every),
       .group = output},
      format_option(options.format, suggestion_formats, "output format"),
      {.names = "--apply",
       .value = "N",
       .doc = "print the file with suggestion N (see --output); only values change",
       .set = into(options.apply),
       .group = output},
      {.names = "-o,--output",
       .value = "FILE",
       .doc = "write the copy of --apply here [default: standard output]",
       .set = into(options.output),
       .group = output},
      {.names = "--write", .doc = "let --apply change the file", .set = into(options.write), .group = output},
      {.names = "--diff",
       .doc = "print the diff of --apply, or of the first suggestion",
       .set = into(options.diff),
       .group = output},
      {.names = "--threads",
       .value = "N",
       .doc = "threads of the search [default: number of cores]; the answer does not depend on it",
       .set = into(options.threads)},
      {.names = "--time-limit",
       .value = "SECONDS",
       .doc = "stop the search after this time, and print a bound on what is left",
       .set = into_positive(options.time_limit_s)},
  };
  for (Option& option : all) {
    if (option.names == "--format") option.group = output;
  }
  all.push_back(stack_option(options.project));
  all.push_back(shape_option(options.project));
  all.back().group = space;
  append(all, model_input_options(options.project));
  return all;
}

}  // namespace shapelint::cli
