// `shapelint sweep`: predictions over a grid, row by row as they are made.
#include "cli/sweep.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "base/number.hpp"
#include "cli/field_options.hpp"
#include "cli/messages.hpp"
#include "cli/suggest_setup.hpp"
#include "cost/step.hpp"
#include "model/derive.hpp"
#include "model/lower.hpp"
#include "rules/conditions.hpp"
#include "rules/rule.hpp"
#include "suggest/axes.hpp"
#include "suggest/footprint.hpp"

namespace shapelint::cli {

namespace {

constexpr double bytes_per_gb = 1e9;
constexpr double us_per_s = 1e6;
constexpr std::size_t flush_bytes = 1U << 16U;
constexpr std::size_t most_remembered = 200'000;  // prices per GPU: some 60 MB
constexpr double most_points = 1e15;

struct Shard {
  std::int64_t number = 1;
  std::int64_t count = 1;
};

std::optional<Shard> parse_shard(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto number = parse_integer(text.substr(0, slash));
  const auto count = parse_integer(text.substr(slash + 1));
  constexpr std::int64_t most = 1'000'000;
  if (!number || !count || *number < 1 || *count < *number || *count > most) return std::nullopt;
  return Shard{*number, *count};
}

// First point of a shard (numbers from 0): contiguous, sizes differ by one at most.
std::int64_t first_point(std::int64_t points, std::int64_t number, std::int64_t count) {
  return points / count * number + std::min(number, points % count);
}

// Prices on one GPU.
struct Lane {
  const gpu::Gpu* gpu = nullptr;
  std::unique_ptr<cost::PriceMemo> memo;
};

std::string row(const model::Setup& setup, Lane& lane, const model::Workload& workload,
                cost::StepCost& step) {
  if (lane.memo->size() > most_remembered) lane.memo = std::make_unique<cost::PriceMemo>(*lane.gpu);
  lane.memo->price(workload, setup.plan.dtype, step);
  const double ranks = static_cast<double>(setup.plan.tensor) * static_cast<double>(setup.plan.pipeline) *
                       static_cast<double>(setup.plan.context);
  return fmt::format("{},{},{},{},{},{},{},{},{},{}", lane.gpu->id, exact(step.time_us),
                     exact(workload.tokens_per_step / step.time_us * us_per_s / ranks), exact(step.mfu),
                     exact(step.hfu), exact(step.compute_us), exact(step.memory_us),
                     exact(step.communication_us), exact(step.overhead_us), exact(step.bubble_us));
}

}  // namespace

std::vector<Option> sweep_options(SweepOptions& options) {
  std::vector<Option> all{
      {.names = "FILE",
       .value = "FILE",
       .doc = "model to start from; `-` reads standard input",
       .set = into(options.file),
       .required = true},
      {.names = "--model",
       .value = "NAME",
       .doc = "which model of a file that holds several, such as text or vision; the first unless given",
       .set = into(options.model)},
      {.names = "--over",
       .value = "FIELD=LOW:HIGH:STEP",
       .doc = "sweep a field over these values; also FIELD=A,B,C. Several make a grid, the last one varies "
              "fastest",
       .set = into(options.over),
       .many = true,
       .required = true},
      {.names = "--shard",
       .value = "I/N",
       .doc = "the I-th of N equal parts of the grid; the parts one after the other are the whole output",
       .set = into(options.shard)},
  };
  for (Option& option : gpu_options(options.gpu)) all.push_back(std::move(option));
  for (Option& option : field_options(options.overrides)) all.push_back(std::move(option));
  return all;
}

ExitCode sweep(const SweepOptions& options, Io& io) {
  SuggestOptions common;
  common.file = options.file;
  common.model = options.model;
  common.gpu = options.gpu;
  common.overrides = options.overrides;
  std::vector<Error> errors;
  std::vector<suggest::RangeRequest> over;
  double points = 1;
  for (const std::string& text : options.over) {
    auto range = suggest::parse_range(text, false);
    if (!range) {
      errors.push_back(range.error());
      continue;
    }
    const auto same = [&](const suggest::RangeRequest& each) { return each.field == range->field; };
    if (std::any_of(over.begin(), over.end(), same)) {
      errors.push_back({fmt::format("`--over {}` sweeps a field a second time", text), {}, {}, std::nullopt});
    }
    points *= static_cast<double>(range->values.size());
    over.push_back(*std::move(range));
    common.overrides.push_back({over.back().field, over.back().values.front(), "--over"});
  }
  const auto shard = parse_shard(options.shard);
  if (!shard) {
    errors.push_back({fmt::format("`--shard {}` is no part of a whole", options.shard),
                      "such as `2/8`",
                      {},
                      std::nullopt});
  }
  if (points > most_points) errors.push_back({"the grid has more than 10^15 points", {}, {}, std::nullopt});
  for (const Error& error : errors) print_error(io, error);
  if (!errors.empty()) return ExitCode::error;
  const auto input = read_suggest_input(common, io);
  if (!input) return ExitCode::error;

  const model::Reading& reading = input->reading();
  const suggest::Links links = suggest::links_of_unstated(reading);
  const auto rules =
      rules::constraint_factory(rules::builtin_rules(), reading, {}, {}, rules::Binding::all)();
  std::vector<model::Origin> origins = reading.origins;
  suggest::Moved moved;
  for (const suggest::RangeRequest& each : over) {
    origins[static_cast<std::size_t>(each.field)].kind = model::Origin::Kind::stated;
    moved.add(each.field);
  }
  std::vector<Lane> lanes;
  for (const gpu::Gpu& gpu : input->gpus) lanes.push_back({&gpu, std::make_unique<cost::PriceMemo>(gpu)});

  std::string out;
  if (shard->number == 1) {
    for (const suggest::RangeRequest& each : over) {
      out += fmt::format("{},", model::fields()[static_cast<std::size_t>(each.field)].name);
    }
    out +=
        "parameters,memory_gb,gpu,step_us,tokens_per_s_per_gpu,mfu,hfu,compute_us,memory_us,communication_us,"
        "overhead_us,bubble_us,fails\n";
  }
  const auto all = static_cast<std::int64_t>(points);
  cost::StepCost step;
  const std::int64_t end = first_point(all, shard->number, shard->count);
  for (std::int64_t point = first_point(all, shard->number - 1, shard->count); point < end; ++point) {
    model::Setup setup = reading.setup;
    std::string values;
    std::int64_t index = point;
    std::int64_t below = all;
    for (const suggest::RangeRequest& each : over) {
      below /= static_cast<std::int64_t>(each.values.size());
      const std::int64_t value = each.values[static_cast<std::size_t>(index / below)];
      index %= below;
      model::fields()[static_cast<std::size_t>(each.field)].set(setup, value);
      values += fmt::format("{},", value);
    }
    suggest::follow(reading.setup, links, moved, setup);
    model::rederive(setup, origins);
    std::string fails;
    for (const suggest::Constraint& rule : rules) {
      if (!rule.holds(setup)) fails += fmt::format("{}{}", fails.empty() ? "" : " ", rule.name);
    }
    const model::Workload workload = model::lower(setup);
    values += fmt::format("{},{},", model::parameter_count(setup),
                          exact(suggest::memory_bytes(setup) / bytes_per_gb));
    for (Lane& lane : lanes) out += fmt::format("{}{},{}\n", values, row(setup, lane, workload, step), fails);
    if (out.size() > flush_bytes) {
      io.out << out;
      out.clear();
      if (!io.out) return ExitCode::error;
    }
  }
  io.out << out;
  return ExitCode::clean;
}

}  // namespace shapelint::cli
