// `shapelint roofline`: from files and GPUs to a report.
#include "cli/roofline.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include <fmt/format.h>

#include "cli/field_options.hpp"
#include "cli/messages.hpp"
#include "cli/page_sweeps.hpp"
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

// The model of `--draft`, as its file describes it; nothing when something is wrong with it, which is
// printed.
std::optional<suggest::Draft> read_draft(const std::string& path, const GpuOptions& gpu, Io& io) {
  SuggestOptions options;
  options.file = path;
  options.gpu = gpu;
  // What its file need not say: the other model's plan does.
  for (const std::string_view length : {"context_length", "sequence_length"})
    options.overrides.push_back({model::find_field(length), 1, "--draft"});
  const auto input = read_suggest_input(options, io);
  if (!input) return std::nullopt;
  return suggest::Draft{input->reading().name.empty() ? path : input->reading().name, input->reading().setup};
}

report::RooflineCase case_of(const ModelFile& file, const gpu::Gpu& gpu, const RooflineOptions& options,
                             const suggest::Draft* draft) {
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
    out.serving = suggest::serving_of(gpu, reading.setup, options.prefill_chunk, draft);
  }
  if (out.serving && options.output_tokens > 0) {
    out.generation = suggest::generation_of(gpu, reading.setup, out.serving->prompt, options.output_tokens);
  }
  out.launches = suggest::launches_of(reading.setup);
  out.remedies = suggest::remedies(gpu, reading.setup, alternatives(gpu), draft);
  out.memory_bytes = suggest::memory_bytes(reading.setup);
  out.notes = notes_of(reading);
  return out;
}

report::RooflineCurve curve_of(const ModelFile& file, const gpu::Gpu& gpu, const suggest::RangeRequest& range,
                               const suggest::Draft* draft) {
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
  out.curve = suggest::curve_of(gpu, range.values, at, draft);
  return out;
}

// What the page's reader may choose among: the range that was asked for, then the usual ones.
void add_sweeps(const ModelFile& file, const gpu::Gpu& gpu, const std::optional<suggest::RangeRequest>& range,
                const suggest::Draft* draft, report::RooflineReport& report) {
  if (range) report.sweeps.push_back(report.curves.back());
  const model::Reading& reading = file.readings.front();
  for (const suggest::RangeRequest& usual : page_sweeps(reading)) {
    if (range && range->field == usual.field) continue;
    report.sweeps.push_back(curve_of(file, gpu, usual, draft));
    const auto field = static_cast<std::size_t>(usual.field);
    report.sweeps.back().own = model::fields()[field].get(reading.setup);
  }
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
      {.names = "--draft",
       .value = "FILE",
       .doc = "model that drafts tokens for a decode to check (`--speculative-tokens`): its own steps are "
              "counted, with the parallelism that its file states",
       .set = into(options.draft)},
      {.names = "--output-tokens",
       .value = "N",
       .doc = "new tokens for each sequence of a prefill or decode: the whole batch from its prompts to the "
              "last token, as benchmarks of serving tell it",
       .set = into(options.output_tokens)},
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
       .doc = "writes an interactive page: roofline, losses, operations, sweeps (over --over, and over the "
              "batch, "
              "lengths and the model's dimensions) and the linter's findings",
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
  const std::pair<std::string_view, std::int64_t> counts[] = {{"--prefill-chunk", options.prefill_chunk},
                                                              {"--output-tokens", options.output_tokens},
                                                              {"--top", options.top.value_or(0)}};
  for (const auto& [name, count] : counts) {
    if (count >= 0) continue;
    print_error(io, fmt::format("`{}` must not be negative", name));
    return ExitCode::error;
  }
  report::RooflineReport report;
  report::Report lint;  // filled for the page only
  const bool has_page = !options.pictures.page.empty();
  bool failed = false;
  std::optional<suggest::Draft> draft;
  if (!options.draft.empty()) {
    draft = read_draft(options.draft, options.gpu, io);
    if (!draft) return ExitCode::error;
  }
  const suggest::Draft* const drafts = draft ? &*draft : nullptr;
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
      if (range) report.curves.push_back(curve_of(input->file, gpu, *range, drafts));
      if (!range || options.pictures.any())
        report.cases.push_back(case_of(input->file, gpu, options, drafts));
      if (has_page) add_sweeps(input->file, gpu, range, drafts, report);
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
