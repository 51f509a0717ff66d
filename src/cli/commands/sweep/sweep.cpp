// `shapelint sweep`: predictions over a grid, row by row as they are made.
#include "cli/commands/sweep/sweep.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "base/number.hpp"
#include "base/units.hpp"
#include "cli/commands/roofline/pictures.hpp"
#include "cli/commands/sweep/plot.hpp"
#include "cli/field_options.hpp"
#include "cli/messages.hpp"
#include "cli/model_input.hpp"
#include "cost/step.hpp"
#include "model/derive.hpp"
#include "model/lower/lower.hpp"
#include "rules/engine/conditions.hpp"
#include "suggest/edit/axes.hpp"
#include "suggest/edit/footprint.hpp"

namespace shapelint::cli {

namespace {

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

double tokens_per_s_per_gpu(const model::Setup& setup, const model::Workload& workload,
                            const cost::StepCost& step) {
  const double ranks = static_cast<double>(setup.plan.tensor) * static_cast<double>(setup.plan.pipeline) *
                       static_cast<double>(setup.plan.context);
  return workload.tokens_per_step / step.time_us * us_per_s / ranks;
}

std::string row(const model::Setup& setup, Lane& lane, const model::Workload& workload,
                cost::StepCost& step) {
  if (lane.memo->size() > most_remembered) lane.memo = std::make_unique<cost::PriceMemo>(*lane.gpu);
  lane.memo->price(workload, setup.plan.dtype, step);
  return fmt::format("{},{},{},{},{},{},{},{},{},{}", lane.gpu->id, exact(step.time_us),
                     exact(tokens_per_s_per_gpu(setup, workload, step)), exact(step.mfu), exact(step.hfu),
                     exact(step.compute_us), exact(step.memory_us), exact(step.communication_us),
                     exact(step.overhead_us), exact(step.bubble_us));
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
      {.names = "--plot",
       .value = "FILE.svg",
       .doc = "also writes a picture: throughput against the last field that is swept, with the edges of "
              "tiles and "
              "waves",
       .set = into(options.plot)},
  };
  for (Option& option : configuration_options(options.project)) all.push_back(std::move(option));
  for (Option& option : gpu_options(options.project)) all.push_back(std::move(option));
  for (Option& option : field_options(options.project.request.overrides)) all.push_back(std::move(option));
  return all;
}

ExitCode sweep(const SweepOptions& options, Io& io) {
  std::vector<Error> errors;
  std::vector<model::Override> firsts;
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
    firsts.push_back({over.back().field, over.back().values.front(), "--over"});
  }
  const auto shard = parse_shard(options.shard);
  if (!shard) {
    errors.push_back({fmt::format("`--shard {}` is no part of a whole", options.shard),
                      "such as `2/8`",
                      {},
                      std::nullopt});
  }
  if (!has_ending(options.plot, "--plot", ".svg", io)) return ExitCode::error;
  if (!options.plot.empty() && options.shard != "1/1") {
    errors.push_back({"`--plot` needs the whole grid", "leave `--shard` out", {}, std::nullopt});
  }
  if (points > most_points) errors.push_back({"the grid has more than 10^15 points", {}, {}, std::nullopt});
  for (const Error& error : errors) print_error(io, error);
  if (!errors.empty()) return ExitCode::error;
  const auto request = request_of(options.project, io);
  if (!request) return ExitCode::error;
  project::Request at_first = *request;
  at_first.overrides.insert(at_first.overrides.end(), firsts.begin(), firsts.end());
  const project::Project project(std::move(at_first), io.files);
  if (!are_configured(project, {&options.file, 1}, io)) return ExitCode::error;
  const auto input = read_model_input({options.file, options.model, false}, project, io);
  if (!input) return ExitCode::error;

  const model::Reading& reading = input->reading();
  const suggest::Links links = suggest::links_of_unstated(reading);
  const auto rules =
      rules::constraint_factory(*input->file.configured->rules, reading, {}, {}, rules::Binding::all)();
  model::PerField<model::Origin> origins = reading.origins;
  suggest::Moved moved;
  for (const suggest::RangeRequest& each : over) {
    origins[each.field].kind = model::Origin::Kind::stated;
    moved.add(each.field);
  }
  std::vector<Lane> lanes;
  for (const gpu::Gpu& gpu : input->gpus()) lanes.push_back({&gpu, std::make_unique<cost::PriceMemo>(gpu)});

  std::optional<SweepPlot> plot;
  if (!options.plot.empty()) {
    // What the file says, without the first values of the grid.
    const project::Project plain(*request, io.files);
    const ModelFile stated = options.file == "-" ? ModelFile{} : read_model_file(options.file, "", plain, io);
    const model::Setup& start =
        input->model < stated.readings.size() ? stated.readings[input->model].setup : reading.setup;
    plot.emplace(over, input->gpus(), start, reading.name.empty() ? options.file : reading.name);
    constexpr double most_plotted = 1e5;
    if (plot->lines() > most_lines || points > most_plotted) {
      print_error(
          io,
          fmt::format("`--plot` would draw {} lines of {} points", plot->lines(), over.back().values.size()),
          fmt::format("at most {} lines can be told apart: fewer GPUs or values of the other fields",
                      most_lines));
      return ExitCode::error;
    }
  }
  std::string out;
  if (shard->number == 1) {
    for (const suggest::RangeRequest& each : over) {
      out += fmt::format("{},", model::info(each.field).name);
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
      model::set(setup, each.field, value);
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
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      out += fmt::format("{}{},{}\n", values, row(setup, lanes[i], workload, step), fails);
      if (plot) {
        plot->add(static_cast<std::size_t>(point), i, setup, workload, step,
                  tokens_per_s_per_gpu(setup, workload, step), !fails.empty());
      }
    }
    if (out.size() > flush_bytes) {
      io.out << out;
      out.clear();
      if (!io.out) return ExitCode::error;
    }
  }
  io.out << out;
  if (plot && !write_picture(options.plot, std::move(*plot).svg(), io)) return ExitCode::error;
  return ExitCode::clean;
}

}  // namespace shapelint::cli
