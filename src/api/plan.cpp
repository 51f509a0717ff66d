// Plans over GPUs as the public structs.
#include "api/plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "api/load.hpp"
#include "base/number.hpp"
#include "base/strings.hpp"
#include "base/units.hpp"
#include "contracts/plan/launch.hpp"
#include "contracts/plan/recompute.hpp"
#include "cost/roofline.hpp"
#include "cost/step_interval.hpp"
#include "gpu/registry.hpp"
#include "lint/rewrite.hpp"
#include "model/fields.hpp"
#include "objects/convert.hpp"
#include "project/applied.hpp"
#include "suggest/edit/change.hpp"
#include "suggest/problem.hpp"

namespace shapelint::api {

namespace {

constexpr double s_per_hour = 3600;
constexpr double million = 1e6;
constexpr double us_per_ms = 1e3;

SearchCounts counts_of(const contracts::SearchCounts& counts) {
  return {counts.all,      counts.too_large, counts.by_rules, counts.refused,
          counts.needless, counts.bounded,   counts.priced};
}

Parallel parallel_of(const model::Plan& run) {
  return {run.tensor, run.pipeline, run.context, run.data, run.expert, run.expert_tensor};
}

// Fields to try, each with its values. Errors are appended.
using Alternatives = std::vector<std::pair<model::FieldId, std::vector<std::int64_t>>>;
Alternatives parse_over(const PlanOptions& options, std::string_view option, std::vector<Error>& errors) {
  Alternatives out;
  std::size_t all = std::max<std::size_t>(1, options.formats.size());
  for (const std::string& text : options.over) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) {
      errors.push_back(wrong(fmt::format("`{} {}` has no values", option, text), "write FIELD=A,B"));
      continue;
    }
    const std::string name = text.substr(0, equals);
    const model::FieldId id = model::find_field(name);
    if (id == model::no_field) {
      errors.push_back(
          wrong(fmt::format("unknown field `{}`", name), did_you_mean(name, model::field_names())));
      continue;
    }
    const std::vector<model::FieldId> chosen = contracts::chosen_in_training();
    if (std::find(chosen.begin(), chosen.end(), id) != chosen.end()) {
      errors.push_back(wrong(fmt::format("`{}` in `{}`: plans choose it anyway", name, option),
                             "`--set` states a single value"));
      continue;
    }
    if (model::info(id).section != "run" || id == model::FieldId::mode ||
        id == model::FieldId::sequence_length) {
      errors.push_back(wrong(fmt::format("`{}` in `{}` changes what is trained, not how", name, option),
                             "`suggest` searches shapes"));
      continue;
    }
    std::vector<std::int64_t> values;
    for (std::size_t begin = equals + 1; begin <= text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      std::string expected;
      const auto value =
          parse_value(model::info(id), std::string_view(text).substr(begin, end - begin), expected);
      if (!value)
        errors.push_back(wrong(fmt::format("`{}` in `{} {}`", text.substr(begin, end - begin), option, text),
                               "expected " + expected));
      else
        values.push_back(*value);
      begin = end + 1;
    }
    all *= std::max<std::size_t>(1, values.size());
    out.emplace_back(id, std::move(values));
  }
  if (all > contracts::max_alternatives)
    errors.push_back(
        wrong(fmt::format("{} combinations of `{}`", with_commas(static_cast<std::int64_t>(all)), option),
              fmt::format("at most {}", contracts::max_alternatives)));
  return out;
}

// What every training plan of an answer is printed with.
struct TrainingTerms {
  const gpu::Gpu& gpu;
  double price = 0;
  double tokens = 0;
  double scale = 1;  // of predicted times, from a measured step
  bool is_anchored = false;
  bool has_formats = false;  // that are tried
  const Alternatives& over;
};

std::string dtype_of(const model::Plan& run) {
  return contracts::name({run.dtype, run.recipe});
}

TrainingPlan training_plan(const contracts::TrainingPlan& plan, const TrainingTerms& terms) {
  const model::Plan& run = plan.setup.plan;
  TrainingPlan out;
  out.parallel = parallel_of(run);
  out.dtype = dtype_of(run);
  if (terms.has_formats) out.over["dtype"] = out.dtype;
  for (const auto& [field, values] : terms.over)
    out.over[std::string(model::info(field).name)] = model::value_text(field, model::get(plan.setup, field));
  out.sequence_parallel = run.sequence_parallel;
  out.virtual_pipeline = run.virtual_pipeline;
  out.pipeline_schedule =
      model::value_text(model::FieldId::pipeline_schedule, static_cast<std::int64_t>(run.pipeline_schedule));
  out.embedding_stages = run.embedding_stages;
  out.stage_layers = run.stage_layers;
  out.overlap = model::value_text(model::FieldId::overlap, static_cast<std::int64_t>(run.overlap));
  out.zero = run.zero;
  out.micro_batch_size = run.micro_batch_size;
  out.gradient_accumulation = run.gradient_accumulation;
  out.recompute = model::value_text(model::FieldId::recompute, static_cast<std::int64_t>(run.recompute));
  for (const model::FieldId part : contracts::recomputed_parts) {
    if (model::get(plan.setup, part) == 0) continue;
    constexpr std::string_view prefix = "recompute_";
    out.recompute_parts.emplace_back(model::info(part).name.substr(prefix.size()));
  }
  out.offload_optimizer = run.offload_optimizer;
  out.step_us = plan.step_us * terms.scale;
  const cost::Spread spread = terms.is_anchored ? cost::anchored_spread(terms.gpu, plan.setup)
                                                : cost::step_spread(terms.gpu, plan.setup);
  out.low_us = spread.low * out.step_us;
  out.high_us = spread.high * out.step_us;
  out.mfu = plan.mfu / terms.scale;
  out.tokens_per_s_all_gpus = plan.tokens_per_s / terms.scale;
  out.tokens_per_s_per_gpu = out.tokens_per_s_all_gpus / static_cast<double>(plan.gpus);
  out.bubble_us = plan.bubble_us * terms.scale;
  out.exposed_communication_us = plan.exposed_us * terms.scale;
  out.memory.total_bytes = whole_bytes(plan.memory_bytes);
  out.memory.usable_bytes = whole_bytes(plan.usable_bytes);
  out.memory.fits = plan.memory_bytes <= plan.usable_bytes;
  out.memory.parts = parts_of(plan.memory);
  out.memory.host_bytes = whole_bytes(plan.memory.host);
  if (terms.tokens <= 0) return out;
  out.run_hours = terms.tokens / out.tokens_per_s_all_gpus / s_per_hour;
  if (terms.price > 0) out.run_cost = *out.run_hours * terms.price * static_cast<double>(plan.gpus);
  return out;
}

ServingPlan serving_plan(const contracts::ServingPlan& plan, double price) {
  ServingPlan out;
  out.parallel = parallel_of(plan.setup.plan);
  out.dtype = contracts::name(plan.format);
  out.num_gpus = plan.gpus;
  out.num_gpus_per_replica = plan.replica_gpus;
  out.replicas = plan.replicas;
  out.concurrent_requests = plan.requests;
  out.concurrent_requests_per_rank = plan.requests_per_rank;
  out.ttft_us = plan.ttft_us;
  const model::Plan& run = plan.setup.plan;
  if (run.prefill_tokens > 0) {
    out.prefill_chunk_tokens = run.prefill_tokens;
  } else {
    out.prompts_per_pass = plan.prompts;
  }
  out.speculative_tokens = run.speculative_tokens;
  out.tokens_per_decode_step = model::accepted_tokens(run);
  if (plan.tpot_us > 0) out.tpot_us = plan.tpot_us;
  out.longest_gap_us = plan.gap_us;
  out.request_us = plan.request_us;
  out.requests_per_s = plan.requests_per_s;
  out.load = plan.load;
  out.output_tokens_per_s_all_gpus = plan.output_tokens_per_s;
  out.input_tokens_per_s_all_gpus = plan.input_tokens_per_s;
  out.output_tokens_per_s_per_gpu = plan.tokens_per_s_per_gpu;
  out.output_tokens_per_s_per_user = plan.tokens_per_s_per_user;
  out.memory_bytes = whole_bytes(plan.memory_bytes);
  out.usable_bytes = whole_bytes(plan.usable_bytes);
  out.kv_cache_tokens_per_rank = plan.kv_tokens;
  out.kv_cache_requests_per_rank = plan.kv_requests;
  out.largest_context = plan.largest;
  out.bound = cost::name(plan.bound);
  out.binds = contracts::name(plan.binds);
  if (price <= 0) return out;
  // The GPUs' time is shared out by what they do, and what arrives pays for what waits.
  const double per_s = price * static_cast<double>(plan.gpus) / s_per_hour / plan.load;
  out.cost_per_million_input_tokens = per_s * plan.prompt_share / plan.input_tokens_per_s * million;
  out.cost_per_million_output_tokens = per_s * (1 - plan.prompt_share) / plan.output_tokens_per_s * million;
  return out;
}

PlanCount count_of(const contracts::TrainingCount& count, const TrainingTerms& terms) {
  PlanCount out;
  out.gpu = count.gpu;
  out.num_gpus = count.gpus;
  out.price_per_gpu_hour = count.price;
  out.enumerated = counts_of(count.answer.searched);
  if (count.answer.least_bytes > 0) out.least_memory_bytes = count.answer.least_bytes;
  out.violated_rules.assign(count.answer.violated.begin(), count.answer.violated.end());
  out.plans.emplace();
  for (const contracts::TrainingPlan& plan : count.answer.best)
    out.plans->push_back(training_plan(plan, terms));
  for (const contracts::Ablation& ablation : count.ablations) {
    const model::FieldId field = ablation.without.field;
    WithoutChoice& without = out.without.emplace_back();
    without.field = model::info(field).name;
    without.value = model::value_text(field, ablation.without.value);
    if (!ablation.plan) continue;
    without.plan = training_plan(*ablation.plan, terms);
    if (field == model::FieldId::dtype) without.value = without.plan->dtype;
  }
  if (count.own) out.as_the_file_says = training_plan(*count.own, terms);
  return out;
}

PlanCount count_of(const contracts::ServingCount& count) {
  const auto one = [&](const std::optional<contracts::ServingPlan>& plan) {
    return plan ? std::optional(serving_plan(*plan, count.price)) : std::nullopt;
  };
  PlanCount out;
  out.gpu = count.gpu;
  out.num_gpus = count.gpus;
  out.price_per_gpu_hour = count.price;
  out.enumerated = counts_of(count.answer.searched);
  out.cheapest = one(count.answer.cheapest);
  out.fastest = one(count.answer.fastest);
  out.fewest_gpus = one(count.answer.fewest);
  out.front.emplace();
  for (const contracts::ServingPlan& plan : count.answer.front)
    out.front->push_back(serving_plan(plan, count.price));
  const contracts::Nearest& nearest = count.answer.nearest;
  const auto known = [](double value) { return value > 0 ? std::optional(value) : std::nullopt; };
  out.least_ttft_us = known(nearest.ttft_us);
  out.least_tpot_us = known(nearest.tpot_us);
  out.least_request_us = known(nearest.request_us);
  out.most_requests_per_s = known(nearest.requests_per_s);
  return out;
}

Error ended() {
  return {std::string(code::no_candidates), "the search was stopped before its last number of GPUs", {}, {}};
}

std::optional<std::int64_t> place_of(const std::optional<std::size_t>& place) {
  return place ? std::optional(static_cast<std::int64_t>(*place)) : std::nullopt;
}

// What has to be written for the file to say the plan, as it is tried; nothing where that fails.
std::optional<std::vector<std::string>> settings_in(const PlanFile& file, const model::Reading& reading,
                                                    const model::Setup& plan) {
  if (reading.dialect == "published") return std::nullopt;
  const suggest::Edits edits = suggest::edits_between(reading, plan);
  lint::Rewritten written =
      lint::rewrite({reading, file.text, plan, edits.changes, suggest::links_of(reading), file.configured,
                     file.files, file.is_stdin});
  if (!written.obstacle.empty()) return std::nullopt;
  return std::move(written.settings);
}

std::vector<std::string> format_notes(const contracts::PlanSubject& subject,
                                      const std::vector<contracts::Format>& formats) {
  std::vector<std::string> out;
  for (const gpu::Gpu& gpu : subject.gpus) {
    for (const contracts::Format& format : formats)
      if (!gpu::can_multiply(gpu, format.dtype))
        out.push_back(fmt::format("{} does not multiply {}", gpu.id, contracts::name(format)));
  }
  return out;
}

Result<PlanAnswer> training_answer(const contracts::PlanSubject& subject, const PlanOptions& options,
                                   const contracts::GpuCounts& counts, const contracts::PlanRun& run,
                                   const PlanFile& file) {
  contracts::TrainingQuestion question{options.global_batch, options.top, options.measured_step_us};
  const auto formats = *contracts::parse_formats(options.formats);
  if (!formats.empty()) {
    auto& axis = question.axes.emplace_back();
    for (const contracts::Format& each : formats)
      axis.push_back({{model::FieldId::dtype, static_cast<std::int64_t>(each.dtype)},
                      {model::FieldId::recipe, static_cast<std::int64_t>(each.recipe)}});
  }
  std::vector<Error> none;
  const Alternatives over = parse_over(options, "over", none);
  for (const auto& [field, values] : over) {
    auto& axis = question.axes.emplace_back();
    for (const std::int64_t value : values) axis.push_back({{field, value}});
  }
  const contracts::TrainingPlans plans = contracts::plan_training(subject, counts, question, run);
  if (plans.ended) return ended();
  PlanAnswer out;
  out.result.kind = "training";
  out.result.model = subject.reading.name;
  out.result.sequences_per_step = plans.sequences;
  out.result.sequence_length = subject.reading.setup.plan.sequence_length;
  out.result.training_tokens = options.tokens;
  const bool is_anchored = options.measured_step_us > 0;
  if (is_anchored) out.result.measured_scale = plans.measured_scale;
  for (const contracts::TrainingCount& each : plans.counts) {
    const auto gpu = std::find_if(subject.gpus.begin(), subject.gpus.end(),
                                  [&](const gpu::Gpu& one) { return one.id == each.gpu; });
    out.result.counts.push_back(count_of(
        each, {*gpu, each.price, options.tokens, plans.measured_scale, is_anchored, !formats.empty(), over}));
  }
  out.result.best = place_of(plans.best);
  out.result.in_the_file = plans.in_file;
  out.result.notes = format_notes(subject, formats);
  if (!plans.best) return out;
  out.fastest = plans.counts[*plans.best].answer.best.front().setup;
  if (auto written = settings_in(file, subject.reading, *out.fastest))
    out.result.in_the_file = *std::move(written);
  return out;
}

std::vector<std::string> serving_notes(const contracts::PlanSubject& subject,
                                       const contracts::ServingRequest& request) {
  const model::Reading& reading = subject.reading;
  std::vector<std::string> out = format_notes(subject, request.formats);
  const bool drafts = contracts::drafting_layers(reading) > 0;
  if (drafts && !contracts::searches_drafts(reading))
    out.emplace_back(
        "speculation with the model's MTP layer is not searched: `speculative_acceptance` states the "
        "percentage of drafted tokens that are accepted");
  if (!drafts && reading.setup.plan.speculative_tokens > 0)
    out.emplace_back("the time and memory of the draft model are not counted, and no command has it");
  return out;
}

Result<PlanAnswer> serving_answer(const contracts::PlanSubject& subject, const PlanOptions& options,
                                  const contracts::GpuCounts& counts, const contracts::PlanRun& run,
                                  const std::string& path) {
  const contracts::ServingRequest request{*options.input_tokens,
                                          *options.output_tokens,
                                          options.ttft_ms * us_per_ms,
                                          options.tpot_ms * us_per_ms,
                                          options.e2e_ms * us_per_ms,
                                          options.rate,
                                          options.concurrency,
                                          *contracts::parse_formats(options.formats),
                                          {}};
  const contracts::ServingPlans plans = contracts::plan_serving(subject, counts, request, run);
  if (plans.ended) return ended();
  PlanAnswer out;
  out.result.kind = "serving";
  out.result.model = path;
  out.result.input_tokens = options.input_tokens;
  out.result.output_tokens = options.output_tokens;
  out.result.requests_per_s = options.rate;
  for (const contracts::ServingCount& each : plans.counts) out.result.counts.push_back(count_of(each));
  out.result.best = place_of(plans.best);
  out.result.notes = serving_notes(subject, request);
  if (!plans.best) return out;
  for (const contracts::Launch& each :
       contracts::launches(subject.reading, *plans.counts[*plans.best].answer.cheapest, request))
    out.result.launch[each.engine] = each.command;
  return out;
}

// What the options and the model, or the GPUs, have against each other.
std::vector<Error> problems_with(const contracts::PlanSubject& subject, const PlanOptions& options) {
  std::vector<Error> out;
  const auto is_priced = [](double price) { return price > 0; };
  if (std::any_of(subject.prices.begin(), subject.prices.end(), is_priced)) {
    for (std::size_t i = 0; i < subject.gpus.size(); ++i)
      if (!is_priced(subject.prices[i]))
        out.push_back(wrong(fmt::format("{} lacks a price that others have", subject.gpus[i].id),
                            "costs are compared: all GPUs need one, or none"));
  }
  if (options.input_tokens && !model::decodes(subject.reading.setup.model))
    out.push_back(wrong(std::string(model::no_decoding), "`roofline --mode prefill` prices one pass"));
  constexpr std::array served{model::FieldId::tensor, model::FieldId::pipeline, model::FieldId::data,
                              model::FieldId::expert, model::FieldId::micro_batch_size};
  for (const model::FieldId field : contracts::chosen_in_training()) {
    const bool is_given = model::origin(subject.reading, field).kind == model::Origin::Kind::command_line &&
                          model::get(subject.reading.setup, field) != model::get(model::Setup{}, field);
    if (options.input_tokens && is_given && std::find(served.begin(), served.end(), field) == served.end())
      out.push_back(wrong(fmt::format("`{}` applies to training, but a request length plans serving",
                                      model::info(field).name)));
  }
  const auto formats = *contracts::parse_formats(options.formats);
  const bool any_multiplies =
      formats.empty() || std::any_of(subject.gpus.begin(), subject.gpus.end(), [&](const gpu::Gpu& gpu) {
        return std::any_of(formats.begin(), formats.end(),
                           [&](const contracts::Format& each) { return gpu::can_multiply(gpu, each.dtype); });
      });
  if (!any_multiplies)
    out.push_back(
        wrong("no GPU multiplies any of the formats", fmt::format("{}", fmt::join(options.formats, ", "))));
  return out;
}

// `model` as it is loaded, with what runs it.
contracts::PlanStack stack_for(const Loaded& loaded, const Priceable& priceable,
                               const model::Reading& reading) {
  if (priceable.stacks.empty()) {
    const project::AskedStack asked = project::stack_of_format(*loaded.configured, reading);
    return {asked.book, asked.stack, contracts::Runs::as_written};
  }
  const auto place = std::find(priceable.readings.begin(), priceable.readings.end(), &reading);
  return {&project::contracts_of(*loaded.configured),
          priceable.stacks[static_cast<std::size_t>(place - priceable.readings.begin())],
          contracts::Runs::as_stack};
}

}  // namespace

std::vector<Error> problems_of(const PlanOptions& options, const CalledOption& called) {
  std::vector<Error> errors;
  constexpr std::int64_t max_plans = 1000;
  constexpr std::int64_t most_tokens = 1'000'000'000;
  const auto in_range = [](const std::optional<std::int64_t>& value) {
    return !value || (*value >= 1 && *value <= most_tokens);
  };
  const bool serves = options.input_tokens.has_value() || options.output_tokens.has_value();
  if (!contracts::parse_counts(options.num_gpus, serves)) {
    errors.push_back(wrong(
        fmt::format("`{} {}` is not a number of GPUs", called("num_gpus"), options.num_gpus),
        fmt::format("a whole number up to {}, a range such as 8..64 of up to {} counts, or auto",
                    with_commas(contracts::max_planned_gpus), with_commas(contracts::max_planned_counts))));
  }
  if (options.top < 1 || options.top > max_plans)
    errors.push_back(wrong(fmt::format("`{} {}` is not a number of plans", called("top"), options.top),
                           fmt::format("1 to {}", with_commas(max_plans))));
  if (!in_range(options.global_batch))
    errors.push_back(wrong(
        fmt::format("`{} {}` is not a number of sequences", called("global_batch"), *options.global_batch),
        fmt::format("1 to {}", with_commas(most_tokens))));
  for (const auto& [is_given, name] :
       {std::pair(options.measured_step_us > 0, "measured_step_us"), std::pair(options.tokens > 0, "tokens"),
        std::pair(options.global_batch.has_value(), "global_batch"),
        std::pair(!options.over.empty(), "over")}) {
    if (is_given && serves)
      errors.push_back(
          wrong(fmt::format("`{}` applies to training, but a request length plans serving", called(name))));
  }
  const std::string input = called("input_tokens");
  const std::string output = called("output_tokens");
  if (!in_range(options.input_tokens) || !in_range(options.output_tokens))
    errors.push_back(wrong(fmt::format("`{}` and `{}` are tokens of a request", input, output),
                           fmt::format("1 to {}", with_commas(most_tokens))));
  if (options.input_tokens.has_value() != options.output_tokens.has_value())
    errors.push_back(
        wrong(fmt::format("only one of `{}` and `{}` is given", input, output), "serving needs both"));
  for (const auto& [is_given, name] :
       {std::pair(options.rate > 0, "rate"), std::pair(options.ttft_ms > 0, "ttft_ms"),
        std::pair(options.tpot_ms > 0, "tpot_ms"), std::pair(options.e2e_ms > 0, "e2e_ms"),
        std::pair(options.concurrency > 0, "concurrency")}) {
    if (is_given && !serves)
      errors.push_back(wrong(fmt::format("`{}` applies to serving", called(name)),
                             fmt::format("it needs `{}` and `{}`", input, output)));
  }
  for (const auto& [value, name] :
       {std::pair(options.tokens, "tokens"), std::pair(options.rate, "rate"),
        std::pair(options.measured_step_us, "measured_step_us"), std::pair(options.ttft_ms, "ttft_ms"),
        std::pair(options.tpot_ms, "tpot_ms"), std::pair(options.e2e_ms, "e2e_ms"),
        std::pair(static_cast<double>(options.concurrency), "concurrency")}) {
    if (!(value >= 0) || !std::isfinite(value))
      errors.push_back(wrong(fmt::format("`{}` is not a number from 0 on", called(name))));
  }
  if (options.concurrency > 0 && options.rate > 0)
    errors.push_back(wrong(fmt::format("both `{}` and `{}` are given", called("rate"), called("concurrency")),
                           "a rate of arrivals decides how many requests are under way"));
  if (const auto formats = contracts::parse_formats(options.formats); !formats)
    errors.push_back(error_of(formats.error(), code::invalid_option));
  if (!serves) static_cast<void>(parse_over(options, called("over"), errors));
  return errors;
}

Result<PlanAnswer> plan_of(const contracts::PlanSubject& subject, const PlanOptions& options,
                           const PlanFile& file) {
  const bool serves = options.input_tokens.has_value();
  if (options.measured_step_us > 0 && subject.gpus.size() > 1)
    return wrong("a measured step belongs to one GPU, but several are given");
  if (auto problems = problems_with(subject, options); !problems.empty()) return problems;
  // vLLM refuses such a `--max-model-len`, SGLang such a `--context-length` (get_and_verify_max_len in
  // vllm/config/model.py, model_config.py of SGLang), unless an environment variable allows it.
  const std::int64_t positions = subject.reading.setup.model.max_positions;
  if (serves && positions > 0 && *options.input_tokens + *options.output_tokens > positions &&
      model::extra(subject.reading, "may_be_longer") <= 0)
    return wrong(
        fmt::format("a request of {} tokens exceeds the model's {} positions",
                    with_commas(*options.input_tokens + *options.output_tokens), with_commas(positions)),
        "`max_positions` states more where RoPE is scaled");
  const contracts::GpuCounts counts = *contracts::parse_counts(options.num_gpus, serves);
  const contracts::PlanRun run{options.threads, options.progress};
  return serves ? serving_answer(subject, options, counts, run, file.path)
                : training_answer(subject, options, counts, run, file);
}

Result<PlanResult> plan(const FileSystem& files, const Source& source, const PlanOptions& options) {
  std::vector<Error> errors =
      problems_of(options, [](std::string_view option) { return std::string(option); });
  if (!errors.empty()) return errors;
  const auto loaded = load(files, source, options.read, options.gpus);
  const Priceable priceable = priceable_models(*loaded);
  if (!priceable.errors.empty()) return priceable.errors;
  const model::Reading* reading = choose_model(priceable, options.model, loaded->path, errors);
  if (reading == nullptr) return errors;
  if (!reading->setup.model.conv.empty())
    return Error{std::string(code::unable), "a CNN; only transformers can be planned", {}, loaded->path};
  if (!options.input_tokens && reading->setup.plan.mode != model::Mode::train)
    return Error{std::string(code::invalid_option),
                 "the file describes serving, but not the length of a request",
                 "`input_tokens` and `output_tokens`; `mode` train plans training", loaded->path};
  std::vector<double> prices = by_gpu(options.prices, "price", priceable.gpus, 0, errors);
  if (!errors.empty()) return errors;
  const contracts::PlanSubject subject{*reading,
                                       priceable.gpus,
                                       std::move(prices),
                                       *loaded->configured->rules,
                                       stack_for(*loaded, priceable, *reading),
                                       project::dialect_of(*loaded->configured, *reading)};
  Result<PlanAnswer> answer =
      plan_of(subject, options,
              {loaded->path, loaded->text, *loaded->configured, loaded->files, options.read.assume_native});
  if (!answer) return answer.errors();
  return std::move(answer->result);
}

}  // namespace shapelint::api
