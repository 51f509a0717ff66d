// `shapelint plan`: plans of a training step or of a service.
#include "cli/commands/plan/plan.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <thread>

#include <fmt/format.h>

#include "base/number.hpp"
#include "base/threads.hpp"
#include "cli/commands/suggest/suggest.hpp"
#include "cli/commands/table_input.hpp"
#include "cli/model_input.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "contracts/stack.hpp"
#include "formats/dialect/edit_instructions.hpp"
#include "project/applied.hpp"
#include "report/style.hpp"

namespace shapelint::cli {

namespace {

using model::FieldId;
using report::Role;

constexpr std::int64_t most_gpus = 131'072;
constexpr std::int64_t node_gpus = 8;
constexpr std::int64_t usual_step_tokens = 4'194'304;
constexpr std::string_view automatic_count = "auto";

struct Counts {
  std::vector<std::int64_t> values;
  bool is_auto = false;
};

// Every number up to a node's, then whole nodes.
std::vector<std::int64_t> counts_between(std::int64_t low, std::int64_t high) {
  std::vector<std::int64_t> out;
  for (std::int64_t n = low; n <= high; n += n < node_gpus ? 1 : node_gpus - n % node_gpus) out.push_back(n);
  return out;
}

// Numbers that are tried for the fewest: powers of two within a node, then nodes, and steps of an eighth.
constexpr std::int64_t most_searched = 16'384;
std::int64_t next_count(std::int64_t n) {
  if (n < node_gpus) return 2 * n;
  constexpr std::int64_t parts = 8;
  return n + std::max<std::int64_t>(1, n / parts / node_gpus) * node_gpus;
}

std::optional<Counts> counts_asked(const PlanOptions& options, bool serves, Io& io) {
  if (options.gpus == automatic_count) {
    constexpr std::int64_t most_served = 64;
    if (!serves) return Counts{{}, true};
    Counts out{{}, true};
    for (std::int64_t n = 1; n <= most_served; n *= 2) out.values.push_back(n);
    return out;
  }
  const std::size_t dots = options.gpus.find("..");
  const auto low = parse_integer(std::string_view(options.gpus).substr(0, dots));
  const auto high =
      dots == std::string::npos ? low : parse_integer(std::string_view(options.gpus).substr(dots + 2));
  if (!low || !high || *low < 1 || *high < *low || *high > most_gpus) {
    print_error(
        io, fmt::format("`--gpus {}` is not a number of GPUs", options.gpus),
        fmt::format("a whole number up to {}, a range such as 8..64, or auto", with_commas(most_gpus)));
    return std::nullopt;
  }
  return Counts{counts_between(*low, *high), false};
}

// What both kinds of plan are made from.
struct Planned {
  const PlanOptions& options;
  const ModelInput& input;
  model::Reading reading;
  contracts::PlanStack stack;
  std::vector<contracts::Pin> pins;
  std::vector<double> prices;  // by GPU
};

// Degrees and the like that the command line gives are no choice of the plan's.
std::vector<contracts::Pin> pins_of(const model::Reading& reading) {
  std::vector<contracts::Pin> out;
  for (const FieldId field :
       {FieldId::tensor, FieldId::pipeline, FieldId::context, FieldId::data, FieldId::expert,
        FieldId::expert_tensor, FieldId::sequence_parallel, FieldId::zero, FieldId::micro_batch_size,
        FieldId::gradient_accumulation, FieldId::embedding_stages, FieldId::virtual_pipeline,
        FieldId::recompute, FieldId::offload_optimizer}) {
    if (model::origin(reading, field).kind == model::Origin::Kind::command_line)
      out.push_back({field, model::get(reading.setup, field)});
  }
  return out;
}

const formats::Dialect* dialect_of(const ModelInput& input) {
  if (input.reading().dialect == "native") return nullptr;
  return project::dialects_of(*input.file.configured).find(input.reading().dialect);
}

// What the file's framework can be told; everything where the file is of no framework. For one thread.
contracts::CanSet can_set_in(const formats::Dialect* dialect, const model::Reading& reading) {
  if (dialect == nullptr) return {};
  const auto has = [dialect, &reading](FieldId field, std::int64_t value) {
    return !formats::setting_syntax(*dialect, reading, field, model::get(reading.setup, field), value, true)
                .empty();
  };
  if (!has(FieldId::micro_batch_size, reading.setup.plan.micro_batch_size + 1) && !has(FieldId::tensor, 2))
    return {};
  using Known = std::map<std::pair<int, std::int64_t>, bool>;
  return [has, known = std::make_shared<Known>()](FieldId field, std::int64_t value) {
    const auto [entry, is_new] = known->try_emplace({static_cast<int>(field), value}, false);
    if (is_new) entry->second = has(field, value);
    return entry->second;
  };
}

// `work(gpu, item)` of all, by threads that each have their own of `Search`.
template <class Search>
void share_out(Io& io, std::size_t gpus, std::size_t items,
               const std::function<std::unique_ptr<Search>(std::size_t)>& make,
               const std::function<void(Search&, std::size_t, std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  std::atomic<std::size_t> done{0};
  const std::size_t all = gpus * items;
  Progress progress(io, [](std::size_t some, std::size_t of) {
    return fmt::format("{} of {} numbers of GPUs planned", some, of);
  });
  run_in_threads(std::min<std::size_t>(all, std::max(1U, std::thread::hardware_concurrency())), [&] {
    std::vector<std::unique_ptr<Search>> own(gpus);
    // The largest numbers of GPUs take longest.
    for (std::size_t i = next++; i < all; i = next++) {
      const std::size_t gpu = i % gpus;
      if (!own[gpu]) own[gpu] = make(gpu);
      work(*own[gpu], gpu, items - 1 - i / gpus);
      progress.at(++done, all);
    }
  });
}

std::string heading(const Planned& planned, std::string_view what, const report::Style& style) {
  std::vector<std::string_view> ids;
  for (const gpu::Gpu& each : planned.input.gpus()) ids.push_back(each.id);
  return fmt::format(
      "{}, {}, on {}, {}\n\n", style.paint(Role::strong, planned.reading.name), what, fmt::join(ids, ", "),
      planned.stack.stack.empty() ? "no `--stack`: only requirements of all frameworks"
                                  : contracts::describe(*planned.stack.book, planned.stack.stack));
}

// Of the step that the file describes, or of a usual one.
std::int64_t global_batch(const PlanOptions& options, const model::Reading& reading) {
  if (options.global_batch) return *options.global_batch;
  const double shared = model::extra(reading, "shared_batch");
  if (shared > 0) return static_cast<std::int64_t>(shared);
  const bool is_stated = model::is_stated(reading, FieldId::micro_batch_size) ||
                         model::is_stated(reading, FieldId::gradient_accumulation);
  const model::Plan& plan = reading.setup.plan;
  if (is_stated) return contracts::sequences_per_step(plan);
  return std::max<std::int64_t>(1, usual_step_tokens / std::max<std::int64_t>(1, plan.sequence_length));
}

// How the file is told of the plan, by its own keys where it has some.
std::vector<std::string> ways_to(const formats::Dialect* dialect, const model::Reading& reading,
                                 const suggest::Edits& edits) {
  std::vector<std::string> out;
  for (const suggest::Change& each : edits.changes) {
    std::string way;
    if (dialect != nullptr)
      way = formats::setting_syntax(*dialect, reading, each.field, each.from, each.to, true);
    if (way.empty())
      way = fmt::format("`{} = {}`", model::info(each.field).name, model::value_text(each.field, each.to));
    // One key may stand for two fields: torchtitan's tensor parallelism is sequence parallel.
    const std::string key = way.substr(0, way.find_first_of(" ="));
    const bool is_said = std::any_of(out.begin(), out.end(), [&](const std::string& said) {
      return said.substr(0, said.find_first_of(" =")) == key && key.starts_with('`');
    });
    if (!is_said) out.push_back(std::move(way));
  }
  return out;
}

ExitCode plan_training(const Planned& planned, const Counts& counts, Io& io) {
  const std::vector<gpu::Gpu>& gpus = planned.input.gpus();
  const model::Reading& reading = planned.reading;
  const formats::Dialect* dialect = dialect_of(planned.input);
  TrainingPlans plans;
  plans.model = reading.name;
  plans.sequences = global_batch(planned.options, reading);
  plans.sequence_length = reading.setup.plan.sequence_length;
  plans.tokens = planned.options.tokens;
  const auto make = [&](std::size_t gpu) {
    return std::make_unique<contracts::TrainingSearch>(reading, gpus[gpu],
                                                       *planned.input.file.configured->rules, planned.stack,
                                                       can_set_in(dialect, reading));
  };
  const auto find = [&](contracts::TrainingSearch& search, std::size_t gpu, std::int64_t count,
                        std::size_t keep) {
    contracts::TrainingRequest request{count, plans.sequences, planned.pins, keep, !counts.is_auto};
    return TrainingCount{gpus[gpu].id, count, planned.prices[gpu], search.search(request), {}, {}};
  };
  const auto keep = static_cast<std::size_t>(planned.options.top);
  if (counts.is_auto) {
    // The fewest that train it.
    plans.counts.resize(gpus.size());
    share_out<contracts::TrainingSearch>(
        io, gpus.size(), 1, make, [&](contracts::TrainingSearch& search, std::size_t gpu, std::size_t) {
          for (std::int64_t n = 1; n <= most_searched; n = next_count(n)) {
            plans.counts[gpu] = find(search, gpu, n, keep);
            if (!plans.counts[gpu].answer.best.empty()) return;
          }
        });
  } else {
    plans.counts.resize(gpus.size() * counts.values.size());
    share_out<contracts::TrainingSearch>(
        io, gpus.size(), counts.values.size(), make,
        [&](contracts::TrainingSearch& search, std::size_t gpu, std::size_t count) {
          plans.counts[gpu * counts.values.size() + count] = find(search, gpu, counts.values[count], keep);
        });
  }
  // Most tokens for the money, or of a GPU.
  double most = 0;
  TrainingCount* best = nullptr;
  for (TrainingCount& each : plans.counts) {
    if (each.answer.best.empty()) continue;
    const double gpu_hours = static_cast<double>(each.gpus) * (each.price > 0 ? each.price : 1.0);
    const double value = each.answer.best.front().tokens_per_s / gpu_hours;
    if (value <= most) continue;
    most = value;
    best = &each;
  }
  plans.best = best;
  if (best != nullptr) {
    const auto place =
        std::find_if(gpus.begin(), gpus.end(), [&](const gpu::Gpu& each) { return each.id == best->gpu; });
    const auto search = make(static_cast<std::size_t>(place - gpus.begin()));
    const contracts::TrainingRequest request{best->gpus, plans.sequences, planned.pins};
    best->ablations = search->ablations(request, best->answer.best.front());
    const model::Plan& own = reading.setup.plan;
    if (own.tensor * own.pipeline * own.context * own.data == best->gpus &&
        contracts::sequences_per_step(own) == plans.sequences)
      best->own = search->own();
    const suggest::Edits edits =
        suggest::edits_between(planned.input.reading(), best->answer.best.front().setup);
    plans.ways = ways_to(dialect, reading, edits);
    if (planned.options.diff || planned.options.apply) {
      suggest::Problem problem;
      problem.reading = &planned.input.reading();
      problem.start = problem.reading->setup;
      problem.links = suggest::links_of(*problem.reading);
      report::SuggestReport report{reading.name, planned.input.file.path, std::move(problem), {}};
      suggest::Suggestion& suggestion = report.answer.suggestions.emplace_back();
      suggestion.edits = edits;
      suggestion.setup = best->answer.best.front().setup;
      SuggestOptions apply;
      apply.file = planned.options.file;
      apply.diff = planned.options.diff;
      apply.output = planned.options.output;
      if (planned.options.apply) apply.apply = 1;
      return apply_suggestion(report, apply, planned.input.file, nullptr, io);
    }
  } else if (planned.options.diff || planned.options.apply) {
    print_error(io, "no plan fits and is taken", "`--gpus` asks for more");
    return ExitCode::error;
  }
  if (planned.options.format == 1) {
    io.out << training_json(plans);
    return ExitCode::clean;
  }
  const report::Style style = out_style(io);
  io.out << heading(planned,
                    fmt::format("training of {} sequences of {} tokens a step", with_commas(plans.sequences),
                                with_commas(plans.sequence_length)),
                    style)
         << training_text(plans, style);
  return ExitCode::clean;
}

ExitCode plan_serving(const Planned& planned, const Counts& counts,
                      const std::vector<contracts::Format>& number_formats, Io& io) {
  const std::vector<gpu::Gpu>& gpus = planned.input.gpus();
  constexpr double us_per_ms = 1e3;
  ServingPlans plans;
  plans.model = planned.options.file;
  plans.request = {*planned.options.input_tokens,
                   *planned.options.output_tokens,
                   planned.options.ttft_ms * us_per_ms,
                   planned.options.tpot_ms * us_per_ms,
                   planned.options.requests_per_s,
                   number_formats,
                   planned.pins};
  plans.counts.resize(gpus.size() * counts.values.size());
  share_out<contracts::ServingSearch>(
      io, gpus.size(), counts.values.size(),
      [&](std::size_t gpu) {
        contracts::ServingRequest request = plans.request;
        std::erase_if(request.formats, [&](const contracts::Format& each) {
          return !gpu::can_multiply(gpus[gpu], each.dtype);
        });
        return std::make_unique<contracts::ServingSearch>(
            planned.reading, gpus[gpu], *planned.input.file.configured->rules, planned.stack, request);
      },
      [&](contracts::ServingSearch& search, std::size_t gpu, std::size_t count) {
        plans.counts[gpu * counts.values.size() + count] = {
            gpus[gpu].id, counts.values[count], planned.prices[gpu], search.search(counts.values[count])};
      });
  // For a rate the least money an hour, else most tokens for the money; without prices of a GPU.
  double most = 0;
  for (const ServingCount& each : plans.counts) {
    if (!each.answer.cheapest) continue;
    const contracts::ServingPlan& plan = *each.answer.cheapest;
    const double price = each.price > 0 ? each.price : 1.0;
    const double value = planned.options.requests_per_s > 0 ? 1 / (static_cast<double>(plan.gpus) * price)
                                                            : plan.tokens_per_s_per_gpu / price;
    if (value <= most) continue;
    most = value;
    plans.best = &each;
  }
  if (planned.options.format == 1) {
    io.out << serving_json(plans);
    return ExitCode::clean;
  }
  const report::Style style = out_style(io);
  io.out << heading(planned,
                    fmt::format("serving of requests with {} input and {} output tokens",
                                with_commas(plans.request.input_tokens),
                                with_commas(plans.request.output_tokens)),
                    style)
         << serving_text(plans, style);
  return ExitCode::clean;
}

bool check_plan_usage(const PlanOptions& options, Io& io) {
  const auto wrong = [&](std::string_view message, std::string_view hint) {
    print_error(io, message, hint);
    return false;
  };
  constexpr std::int64_t most_plans = 1000;
  constexpr std::int64_t most_tokens = 1'000'000'000;
  const auto in_range = [](const std::optional<std::int64_t>& value, std::int64_t most) {
    return !value || (*value >= 1 && *value <= most);
  };
  if (options.top < 1 || options.top > most_plans)
    return wrong(fmt::format("`--top {}` is not a number of plans", options.top), "1 to 1,000");
  if (!in_range(options.global_batch, most_tokens))
    return wrong(fmt::format("`--global-batch {}` is not a number of sequences", *options.global_batch),
                 "1 to 1,000,000,000");
  if (!in_range(options.input_tokens, most_tokens) || !in_range(options.output_tokens, most_tokens))
    return wrong("`--input-tokens` and `--output-tokens` are tokens of a request", "1 to 1,000,000,000");
  if (options.input_tokens.has_value() != options.output_tokens.has_value())
    return wrong("only one of `--input-tokens` and `--output-tokens` is given", "serving needs both");
  if (options.requests_per_s > 0 && !options.input_tokens)
    return wrong("`--rate` is of a service", "it needs `--input-tokens` and `--output-tokens`");
  if (options.input_tokens && (options.diff || options.apply))
    return wrong("`--diff` and `--apply` are of training plans", "the text has the launch commands");
  if (!options.output.empty() && !options.apply)
    return wrong("`--output` says where to, and nothing says what", "`--apply`");
  return true;
}

}  // namespace

ExitCode plan_run(const PlanOptions& options, Io& io) {
  if (!check_plan_usage(options, io)) return ExitCode::error;
  const auto number_formats = contracts::parse_formats(options.formats);
  if (!number_formats) {
    print_error(io, number_formats.error());
    return ExitCode::error;
  }
  auto request = request_of(options.project, io);
  if (!request) return ExitCode::error;
  const project::Project project(*std::move(request), io.files);
  if (!are_configured(project, {&options.file, 1}, io)) return ExitCode::error;
  const auto input = read_model_input({options.file, options.model, false}, project, io);
  if (!input) return ExitCode::error;
  const model::Reading& reading = input->reading();
  const bool serves = options.input_tokens.has_value();
  if (!serves && reading.setup.plan.mode != model::Mode::train) {
    print_error(io, "the file is of serving, and nothing says what a request is",
                "`--input-tokens` and `--output-tokens`; `--mode train` plans training");
    return ExitCode::error;
  }
  const auto counts = counts_asked(options, serves, io);
  if (!counts) return ExitCode::error;
  const project::Configured& configured = *input->file.configured;
  const project::AskedStack asked =
      project::asked_stack(configured, input->file.applied.stack, reading, io.files);
  if (!serves && !requires_stated_mode(configured, asked.stack, *input, io)) return ExitCode::error;
  std::vector<Error> errors;
  Planned planned{options, *input, reading, {}, pins_of(reading), {}};
  planned.stack = {asked.book, asked.stack,
                   asked.is_implied ? contracts::Runs::as_written : contracts::Runs::as_stack};
  planned.prices = by_gpu(options.prices, "--price", input->gpus(), 0, errors);
  for (const Error& error : errors) print_error(io, error);
  if (!errors.empty()) return ExitCode::error;
  if (!asked.stack.empty())
    for (const std::string& note : contracts::version_notes(*asked.book, asked.stack)) print_note(io, note);
  return serves ? plan_serving(planned, *counts, *number_formats, io) : plan_training(planned, *counts, io);
}

}  // namespace shapelint::cli
