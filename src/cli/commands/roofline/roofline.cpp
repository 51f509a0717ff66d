// `shapelint roofline`: from files and GPUs to a report.
#include "cli/commands/roofline/roofline.hpp"

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/budget.hpp"
#include "base/counted.hpp"
#include "base/number.hpp"
#include "cli/model_input.hpp"
#include "cli/output.hpp"
#include "contracts/check.hpp"
#include "contracts/price.hpp"
#include "cost/stages.hpp"
#include "gpu/registry.hpp"
#include "model/arithmetic.hpp"
#include "model/derive.hpp"
#include "model/lower/lower.hpp"
#include "model/memory/training.hpp"
#include "model/stages.hpp"
#include "project/applied.hpp"
#include "report/roofline/roofline.hpp"
#include "suggest/edit/axes.hpp"
#include "suggest/edit/footprint.hpp"

namespace shapelint::cli {

namespace {

constexpr std::int64_t max_drawn = 10'000;  // that are drawn: more than a picture has pixels

// GPUs that a remedy may propose: all of the same vendor, a user's own included.
std::vector<gpu::Gpu> alternatives(const gpu::Gpu& gpu, const std::vector<text::Document>& profiles) {
  std::vector<gpu::Gpu> out;
  for (const std::string_view id : gpu::gpu_ids(profiles)) {
    auto found = gpu::find_gpu(id, profiles);
    if (found && found->vendor == gpu.vendor) gpu::add(out, *std::move(found));
  }
  return out;
}

std::vector<std::string> notes_of(const model::Reading& reading, const suggest::Draft* draft) {
  std::vector<std::string> notes;
  const model::Plan& plan = reading.setup.plan;
  if (plan.mode == model::Mode::decode && plan.context_length == 0) {
    notes.emplace_back("the cache is empty (context_length is 0): give `--context-length N`");
  }
  if (plan.mode == model::Mode::decode && plan.tensor > 1 && plan.sequence_parallel) {
    notes.emplace_back(
        "sequence_parallel saves nothing with few tokens; serving engines run without it\n"
        "      (`--sequence-parallel false`)");
  }
  if (draft != nullptr && draft->setup.model.vocab_size != reading.setup.model.vocab_size) {
    notes.push_back(fmt::format(
        "the draft model's vocabulary ({}) differs from the model's ({}); speculation needs the same",
        draft->setup.model.vocab_size, reading.setup.model.vocab_size));
  }
  return notes;
}

// Which stage of a pipeline the others wait for, and which needs the most memory.
std::string stages_note(const gpu::Gpu& gpu, const model::Setup& setup) {
  std::string out = model::stages_text(cost::paced(gpu, setup));
  if (out.empty() || setup.plan.mode != model::Mode::train) return out;
  const model::TrainingMemory memory =
      model::training_memory(setup, model::at_least_one(setup.plan.data), model::parameters_per_rank(setup));
  return out + fmt::format("; the {} needs the most memory, with activations of {:.4g} {}",
                           memory.is_last_stage ? "last" : "first", memory.micro_batches,
                           in_number(memory.micro_batches <= 1, "micro-batch"));
}

// The model of `--draft`, as its file describes it; nothing when something is wrong with it, which is
// printed.
std::optional<suggest::Draft> read_draft(const std::string& path, project::Request request, Io& io) {
  request.overrides.clear();
  request.dimensions.clear();
  // What its file need not say: the other model's plan does.
  for (const model::FieldId length : {model::FieldId::context_length, model::FieldId::sequence_length})
    request.overrides.push_back({length, 1, "--draft"});
  const project::Project project(std::move(request), io.files);
  if (!are_configured(project, {&path, 1}, io)) return std::nullopt;
  const auto input = read_model_input({path, {}, true}, project, io);
  if (!input) return std::nullopt;
  if (!input->reading().setup.model.conv.empty()) {
    print_error(io, fmt::format("{}: a CNN cannot draft tokens", path), "`--draft` takes a language model");
    return std::nullopt;
  }
  return suggest::Draft{input->reading().name.empty() ? path : input->reading().name, input->reading().setup};
}

// What the stack runs in place of the case's sizes, and how many times as long the step takes for other
// kernels than the padded sizes alone say.
double run_on_stack(const model::Reading& reading, const contracts::Book& book, contracts::Checker& checker,
                    report::RooflineCase& out) {
  const std::vector<contracts::Verdict> verdicts = checker.check(reading, reading.setup, out.gpu);
  contracts::AsRun run = contracts::run(reading.setup, verdicts, out.gpu);
  report::StackEffect& effect = out.stack.emplace();
  effect.packages = contracts::describe(book, checker.stack());
  for (const contracts::Verdict& each : verdicts) {
    if (each.meets) continue;
    const contracts::Contract& contract = *each.contract;
    effect.unmet.push_back({contract.id, std::string(contracts::name(contract.outcome)),
                            contracts::outcome_words(contract), std::string(contract.summary), each.formula,
                            each.numbers});
    if (contract.outcome != contracts::Consequence::refuses) continue;
    out.notes.push_back(fmt::format("{} does not run this: {} ({})", contract.package.name, contract.summary,
                                    each.numbers.empty() ? contract.id : each.numbers));
  }
  effect.workload = std::move(run.workload_as_written);
  effect.step = std::move(run.step_as_written);
  effect.padding_us = run.price.padding_us;
  effect.other_kernels_us = run.price.slower_us;
  out.setup = std::move(run.setup);
  out.workload = std::move(run.workload);
  out.line = cost::roofline(out.gpu, out.workload, out.setup.plan.dtype, std::move(run.step));
  return out.line.step.time_us / cost::price(out.gpu, out.workload, out.setup.plan.dtype).time_us;
}

// The phase that the plan is about takes `times` as long.
void apply_slowdown(model::Mode mode, double times, suggest::Serving& serving) {
  if (mode == model::Mode::prefill) {
    for (double* us : {&serving.first_token_us, &serving.first_token_low_us, &serving.first_token_high_us})
      *us *= times;
    return;
  }
  for (double* us : {&serving.token_us, &serving.token_low_us, &serving.token_high_us}) *us *= times;
  serving.tokens_per_s /= times;
  serving.tokens_per_s_per_gpu /= times;
}

report::RooflineCase case_of(const ModelInput& input, const gpu::Gpu& gpu, const RooflineOptions& options,
                             const suggest::Draft* draft, contracts::Checker* checker) {
  const ModelFile& file = input.file;
  const model::Reading& reading = input.reading();
  report::RooflineCase out;
  out.path = file.path;
  out.model = reading.name;
  out.gpu = gpu;
  out.notes = notes_of(reading, draft);
  double longer = 1;
  if (checker != nullptr) {
    longer = run_on_stack(reading, project::contracts_of(*file.configured), *checker, out);
  } else {
    out.setup = reading.setup;
    out.workload = cost::paced_workload(gpu, reading.setup);
    out.line = cost::roofline(gpu, out.workload, reading.setup.plan.dtype);
  }
  const model::Setup& setup = out.setup;
  const model::Plan& plan = setup.plan;
  if (std::string note = stages_note(gpu, setup); !note.empty()) out.notes.push_back(std::move(note));
  if (plan.mode != model::Mode::train && setup.model.causal && setup.model.conv.empty()) {
    out.serving = suggest::serving_of(gpu, setup, options.prefill_chunk, draft);
    apply_slowdown(plan.mode, longer, *out.serving);
  }
  if (out.serving) out.capacity = suggest::capacity_of(gpu, setup);
  if (out.serving && options.output_tokens > 0) {
    out.generation = suggest::generation_of(gpu, setup, out.serving->prompt, options.output_tokens, draft);
  }
  out.launches = suggest::launches_of(setup);
  out.remedies = suggest::remedies(gpu, setup, alternatives(gpu, file.configured->profiles), draft);
  out.memory_bytes = suggest::memory_bytes(setup);
  if (draft != nullptr) out.memory_bytes += suggest::draft_bytes(plan, *draft);
  return out;
}

report::RooflineCurve curve_of(const ModelInput& input, const gpu::Gpu& gpu,
                               const suggest::RangeRequest& range, const suggest::Draft* draft) {
  const ModelFile& file = input.file;
  const model::Reading& reading = input.reading();
  const suggest::FieldDependencies links = suggest::links_of_unstated(reading);
  model::PerField<model::Origin> origins = reading.origins;
  origins[range.field].kind = model::Origin::Kind::stated;
  suggest::ChangedFields moved;
  moved.add(range.field);
  const auto at = [&](std::int64_t value) {
    model::Setup setup = reading.setup;
    model::set(setup, range.field, value);
    suggest::follow(reading.setup, links, moved, setup);
    model::rederive(setup, origins);
    return setup;
  };
  report::RooflineCurve out;
  out.path = file.path;
  out.model = reading.name;
  out.gpu_id = gpu.id;
  out.gpu_name = gpu.name;
  out.field = std::string(model::info(range.field).name);
  out.mode = reading.setup.plan.mode;
  out.network = !reading.setup.model.conv.empty();
  out.curve = suggest::curve_of(gpu, range.values, at, draft);
  return out;
}

// What the page's reader may choose among: the range that was asked for, then the usual ones.
void add_sweeps(const ModelInput& input, const gpu::Gpu& gpu,
                const std::optional<suggest::RangeRequest>& range, const suggest::Draft* draft,
                report::RooflineReport& report) {
  if (range) report.sweeps.push_back(report.curves.back());
  const model::Reading& reading = input.reading();
  for (const suggest::RangeRequest& usual : page_sweeps(reading)) {
    if (range && range->field == usual.field) continue;
    report.sweeps.push_back(curve_of(input, gpu, usual, draft));
    report.sweeps.back().own = model::get(reading.setup, usual.field);
  }
}

// The file's model with what the linter finds in it, for the page.
void lint_for_page(const ModelInput& input, const text::FileSystem& files, lint::Report& report) {
  lint::FileOutcome found = linted(input, false, files);
  for (const gpu::Gpu& gpu : input.gpus()) gpu::add(report.gpus, gpu);
  report.suppressed += found.suppressed;
  for (text::LocatedError& error : found.errors) report.errors.push_back(std::move(error));
  for (lint::ModelReport& model : found.models) report.models.push_back(std::move(model));
}

// Checks the options alone; errors are printed.
bool are_usable(const RooflineOptions& options, Io& io) {
  bool good = true;
  const std::pair<std::string_view, std::int64_t> counts[] = {{"--prefill-chunk", options.prefill_chunk},
                                                              {"--output-tokens", options.output_tokens},
                                                              {"--top", options.top.value_or(0)}};
  for (const auto& [name, count] : counts) {
    if (count >= 0) continue;
    print_error(io, fmt::format("`{}` must not be negative", name));
    good = false;
  }
  const PictureOptions& pictures = options.pictures;
  good = has_drawing_ending(pictures.plot, "--plot", io) && good;
  good = has_drawing_ending(pictures.waterfall, "--waterfall", io) && good;
  return has_ending(pictures.page, "--report", ".html", io) && good;
}

// Options that ask for what only serving has, of a file that is about something else; they are printed.
bool are_served(const RooflineOptions& options, const model::Reading& reading, const std::string& path,
                Io& io) {
  const bool serves = reading.setup.plan.mode != model::Mode::train && reading.setup.model.causal &&
                      reading.setup.model.conv.empty();
  const bool decodes = serves && reading.setup.plan.mode == model::Mode::decode;
  const std::tuple<std::string_view, bool, bool> asked[] = {
      {"--prefill-chunk", options.prefill_chunk > 0, serves},
      {"--output-tokens", options.output_tokens > 0, serves},
      {"--draft", !options.draft.empty(), decodes}};
  bool good = true;
  for (const auto& [name, is_asked, applies] : asked) {
    if (!is_asked || applies) continue;
    print_error(io,
                fmt::format("{}: `{}` needs a language model that {}", path, name,
                            name == "--draft" ? "decodes" : "serves prompts"),
                reading.setup.model.conv.empty() ? "set `--mode decode --context-length N`" : "");
    good = false;
  }
  return good;
}

ExitCode drawn(const RooflineOptions& options, Io& io) {
  std::optional<suggest::RangeRequest> range;
  if (!options.over.empty()) {
    auto parsed = suggest::parse_range(options.over, false);
    if (!parsed) {
      print_error(io, parsed.error());
      return ExitCode::error;
    }
    range = *std::move(parsed);
    if (static_cast<std::int64_t>(range->values.size()) > max_drawn) {
      print_error(io,
                  fmt::format("`--over {}` has more than {} values", options.over, with_commas(max_drawn)),
                  "give it a larger step; `shapelint sweep` takes more");
      return ExitCode::error;
    }
  }
  if (!are_usable(options, io)) return ExitCode::error;
  report::RooflineReport report;
  lint::Report lint;  // filled for the page only
  const bool has_page = !options.pictures.page.empty();
  bool failed = false;
  std::optional<suggest::Draft> draft;
  auto request = request_of(options.project, io);
  if (!request) return ExitCode::error;
  if (!options.draft.empty()) {
    draft = read_draft(options.draft, *request, io);
    if (!draft) return ExitCode::error;
  }
  const suggest::Draft* const drafts = draft ? &*draft : nullptr;
  if (range) request->overrides.push_back({range->field, range->values.front(), "--over"});
  const project::Project project(*std::move(request), io.files);
  if (!are_configured(project, options.files, io)) return ExitCode::error;
  for (const std::string& path : options.files) {
    const auto input = read_model_input({path, options.model, true}, project, io);
    failed = failed || input == nullptr;
    if (!input) continue;
    if (!are_served(options, input->reading(), path, io)) {
      failed = true;
      continue;
    }
    std::optional<contracts::Checker> checker;
    const contracts::Stack stack =
        project::stack_of(*input->file.configured, input->file.applied.stack, input->reading(), io.files);
    if (!stack.empty()) checker.emplace(project::contracts_of(*input->file.configured), stack);
    // One account a file: a network of thousands of layers is priced on every GPU that there is.
    const Budget budget;
    for (const gpu::Gpu& gpu : input->gpus()) {
      if (range) report.curves.push_back(curve_of(*input, gpu, *range, drafts));
      if (!range || options.pictures.any())
        report.cases.push_back(case_of(*input, gpu, options, drafts, checker ? &*checker : nullptr));
      if (has_page) add_sweeps(*input, gpu, range, drafts, report);
    }
    if (has_page) lint_for_page(*input, io.files, lint);
  }
  if (report.cases.empty() && report.curves.empty()) return ExitCode::error;
  if (!write_pictures(report, lint, options.pictures, io)) failed = true;
  // Standard output has what was asked for, whatever goes to the files.
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

}  // namespace

ExitCode roofline(const RooflineOptions& options, Io& io) {
  try {
    return drawn(options, io);
  } catch (const Spent& spent) {
    print_error(io, Error{spent.what(), {}, options.files.front(), {}, ErrorCode::too_large});
    return ExitCode::error;
  }
}

}  // namespace shapelint::cli
