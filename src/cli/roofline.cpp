// `shapelint roofline`: from files and GPUs to a report.
#include "cli/roofline.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include <fmt/format.h>

#include "cli/field_options.hpp"
#include "cli/messages.hpp"
#include "cli/suggest_setup.hpp"
#include "gpu/registry.hpp"
#include "model/derive.hpp"
#include "model/lower.hpp"
#include "report/roofline.hpp"
#include "rules/lint.hpp"
#include "rules/rule.hpp"
#include "suggest/axes.hpp"
#include "suggest/footprint.hpp"

namespace shapelint::cli {

namespace {

constexpr std::array<std::string_view, 3> formats{"text", "json", "csv"};

// GPUs that a remedy may propose: all built-in ones of the same vendor.
std::vector<gpu::Gpu> alternatives(const gpu::Gpu& gpu) {
  std::vector<gpu::Gpu> out;
  for (const std::string_view id : gpu::gpu_ids()) {
    auto found = gpu::find_gpu(id);
    if (found && found->vendor == gpu.vendor) out.push_back(*std::move(found));
  }
  return out;
}

std::vector<std::string> notes_of(const model::Reading& reading) {
  std::vector<std::string> notes;
  const model::Plan& plan = reading.setup.plan;
  if (plan.mode == model::Mode::decode && plan.context_length == 0) {
    notes.emplace_back("the cache is empty (context_length is 0): give `--context-length N`");
  }
  return notes;
}

report::RooflineCase case_of(const ModelFile& file, const gpu::Gpu& gpu, const RooflineOptions& options) {
  const model::Reading& reading = file.readings.front();
  report::RooflineCase out;
  out.path = file.path;
  out.model = reading.name;
  out.gpu = gpu;
  out.setup = reading.setup;
  out.workload = model::lower(reading.setup);
  const model::Plan& plan = reading.setup.plan;
  out.line = cost::roofline(gpu, out.workload, plan.dtype);
  if (plan.mode != model::Mode::train && reading.setup.model.causal && reading.setup.model.conv.empty()) {
    out.serving = suggest::serving_of(gpu, reading.setup, options.prefill_chunk);
  }
  out.launches = suggest::launches_of(reading.setup);
  out.remedies = suggest::remedies(gpu, reading.setup, alternatives(gpu));
  out.memory_bytes = suggest::memory_bytes(reading.setup);
  out.notes = notes_of(reading);
  return out;
}

report::RooflineCurve curve_of(const ModelFile& file, const gpu::Gpu& gpu,
                               const suggest::RangeRequest& range) {
  const model::Reading& reading = file.readings.front();
  const suggest::Links links = suggest::links_of_unstated(reading);
  std::vector<model::Origin> origins = reading.origins;
  origins[static_cast<std::size_t>(range.field)].kind = model::Origin::Kind::stated;
  suggest::Moved moved;
  moved.add(range.field);
  const auto at = [&](std::int64_t value) {
    model::Setup setup = reading.setup;
    model::fields()[static_cast<std::size_t>(range.field)].set(setup, value);
    suggest::follow(reading.setup, links, moved, setup);
    model::rederive(setup, origins);
    return setup;
  };
  report::RooflineCurve out;
  out.path = file.path;
  out.model = reading.name;
  out.gpu_id = gpu.id;
  out.gpu_name = gpu.name;
  out.field = std::string(model::fields()[static_cast<std::size_t>(range.field)].name);
  out.mode = reading.setup.plan.mode;
  out.curve = suggest::curve_of(gpu, range.values, at);
  return out;
}

// What the page sweeps when nobody says: the batch of a decode, doubled; else the hidden size around the
// file's.
suggest::RangeRequest usual_range(const model::Setup& setup) {
  constexpr std::int64_t most_batch = 1024;
  constexpr std::int64_t step = 32;  // fine enough for tiles and waves to show
  suggest::RangeRequest range;
  if (setup.plan.mode == model::Mode::decode || setup.model.hidden_size < 8 * step) {
    range.field = model::find_field("micro_batch_size");
    for (std::int64_t batch = 1; batch <= most_batch; batch *= 2) range.values.push_back(batch);
    return range;
  }
  range.field = model::find_field("hidden_size");
  const std::int64_t middle = setup.model.hidden_size / step * step;
  const std::int64_t reach = middle / 4 / step * step;
  for (std::int64_t size = middle - reach; size <= middle + reach; size += step) range.values.push_back(size);
  return range;
}

// The file's models with their findings, for the page.
void lint_for_page(const SuggestInput& input, report::Report& lint) {
  for (const gpu::Gpu& gpu : input.gpus) {
    const auto known = [&](const gpu::Gpu& other) { return other.id == gpu.id; };
    if (std::none_of(lint.gpus.begin(), lint.gpus.end(), known)) lint.gpus.push_back(gpu);
  }
  report::ModelReport model;
  model.path = input.file.path;
  model.source = input.file.source;
  model.reading = input.reading();
  model.result = rules::lint(rules::builtin_rules(), model.reading, input.gpus);
  lint.models.push_back(std::move(model));
}

}  // namespace

std::vector<Option> roofline_options(RooflineOptions& options) {
  std::vector<Option> all{
      {.names = "FILE",
       .value = "FILE",
       .doc = "models; `-` reads standard input",
       .set = into(options.files),
       .many = true,
       .required = true},
      {.names = "--over",
       .value = "FIELD=LOW:HIGH:STEP",
       .doc = "throughput, latency and intensity over these values of a field, and where products turn "
              "compute-bound; also FIELD=LOW:HIGH:*FACTOR and FIELD=A,B,C",
       .set = into(options.over)},
      {.names = "--prefill-chunk",
       .value = "N",
       .doc = "tokens of a prompt per forward pass (chunked prefill); the whole prompt unless given",
       .set = into(options.prefill_chunk)},
      {.names = "--top",
       .value = "N",
       .doc = "rows of the table of operations, 0 for all; also shows it where several GPUs or files are "
              "compared",
       .set = into(options.top)},
      {.names = "--format",
       .value = "FORMAT",
       .doc = "text, json (docs/schema/shapelint-roofline.schema.json) or csv (a row per operation, with "
              "--over a row per value)",
       .set = into_choice(options.format, formats),
       .choices = strings(formats)},
      {.names = "--plot",
       .value = "FILE.svg",
       .doc = "writes the roofline as a picture; with several GPUs one each, its name before the extension",
       .set = into(options.pictures.plot)},
      {.names = "--waterfall",
       .value = "FILE.svg",
       .doc = "writes where the step's time goes as a picture, loss by loss",
       .set = into(options.pictures.waterfall)},
      {.names = "--report",
       .value = "FILE.html",
       .doc = "writes an interactive page: roofline, losses, operations, a sweep (over --over, or over the "
              "batch or "
              "the hidden size) and the linter's findings",
       .set = into(options.pictures.page)},
  };
  for (Option& option : gpu_options(options.gpu)) all.push_back(std::move(option));
  for (Option& option : field_options(options.overrides)) all.push_back(std::move(option));
  return all;
}

ExitCode roofline(const RooflineOptions& options, Io& io) {
  std::optional<suggest::RangeRequest> range;
  if (!options.over.empty()) {
    auto parsed = suggest::parse_range(options.over, false);
    if (!parsed) {
      print_error(io, parsed.error());
      return ExitCode::error;
    }
    range = *std::move(parsed);
  }
  if (options.prefill_chunk < 0 || options.top.value_or(0) < 0) {
    print_error(io, fmt::format("`{}` must not be negative",
                                options.prefill_chunk < 0 ? "--prefill-chunk" : "--top"));
    return ExitCode::error;
  }
  report::RooflineReport report;
  report::Report lint;  // filled for the page only
  const bool has_page = !options.pictures.page.empty();
  bool failed = false;
  for (const std::string& path : options.files) {
    SuggestOptions common;
    common.file = path;
    common.networks = true;
    common.gpu = options.gpu;
    common.overrides = options.overrides;
    if (range) common.overrides.push_back({range->field, range->values.front(), "--over"});
    const auto input = read_suggest_input(common, io);
    failed = failed || input == nullptr;
    if (!input) continue;
    for (const gpu::Gpu& gpu : input->gpus) {
      if (range) report.curves.push_back(curve_of(input->file, gpu, *range));
      if (!range || options.pictures.any()) report.cases.push_back(case_of(input->file, gpu, options));
      if (!range && has_page) {
        report.curves.push_back(curve_of(input->file, gpu, usual_range(input->reading().setup)));
      }
    }
    if (has_page) lint_for_page(*input, lint);
  }
  if (report.cases.empty() && report.curves.empty()) return ExitCode::error;
  if (!write_pictures(report, lint, options.pictures, io)) failed = true;
  // Standard output has what was asked for, whatever the files have beside it.
  range ? report.cases.clear() : report.curves.clear();
  switch (options.format) {
    case 1:
      io.out << report::roofline_json(report);
      break;
    case 2:
      io.out << report::roofline_csv(report);
      break;
    default:
      io.out << report::roofline_text(report, options.top, {});
  }
  return failed ? ExitCode::error : ExitCode::clean;
}

}  // namespace shapelint::cli
