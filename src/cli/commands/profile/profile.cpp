// `shapelint profile`: from traces and a model to a report.
#include "cli/commands/profile/profile.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/budget.hpp"
#include "base/counted.hpp"
#include "base/number.hpp"
#include "chart/page.hpp"
#include "cli/commands/roofline/roofline.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/project_options.hpp"
#include "cost/stages.hpp"
#include "lint/phrases.hpp"
#include "model/lower/lower.hpp"
#include "model/op.hpp"
#include "prove/plan.hpp"
#include "suggest/serving/remedies.hpp"
#include "text/printable.hpp"
#include "trace/read.hpp"

namespace shapelint::cli {

namespace {

constexpr std::array<std::string_view, 3> profile_formats{"text", "json", "csv"};
constexpr std::size_t mega = 1'000'000;

// A file read and reduced to a step, whose kernels point into the trace.
struct Read {
  trace::Trace trace;
  std::unique_ptr<trace::Classifier> classifier;
  trace::Step step;
};

// Error messages begin with the file.
ExitCode fail(const Error& error, const std::string& path, Io& io) {
  const std::string message = text::one_line(error.message);
  print_error(io, error.path.empty() || error.span ? message : fmt::format("{}: {}", path, message),
              error.hint);
  return ExitCode::error;
}

Result<std::unique_ptr<Read>> read(const std::string& path, const ProfileOptions& options, Io& io) {
  auto out = std::make_unique<Read>();
  {
    Progress progress(io, [&path](std::size_t done, std::size_t total) {
      const std::string so_far = total > 0 ? fmt::format("{} of {} MB", done / mega, total / mega)
                                           : with_commas(static_cast<std::int64_t>(done));
      return text::one_line(fmt::format("reading {}: {}", path, so_far));
    });
    auto trace = trace::read_trace(io.files, path, io.in,
                                   [&](std::size_t done, std::size_t total) { progress.at(done, total); });
    if (!trace) return trace.error();
    out->trace = *std::move(trace);
  }
  out->classifier = std::make_unique<trace::Classifier>(out->trace);
  auto step = trace::choose_step(out->trace, *out->classifier, options.step);
  if (!step) return step.error();
  out->step = *std::move(step);
  return out;
}

report::TraceFile file_of(const Read& read) {
  const trace::Trace& trace = read.trace;
  report::TraceFile out;
  out.path = trace.path;
  out.format = trace.format;
  out.device = trace.device;
  out.rank = trace.rank;
  out.world_size = trace.world_size;
  out.other_devices = trace.other_devices;
  out.events = trace.events;
  out.on_cpu = trace.on_cpu;
  out.has_shapes = trace.has_shapes;
  out.step = read.step.name;
  out.ranges = read.step.ranges;
  out.whole = read.step.whole;
  out.times = read.step.times;
  return out;
}

// What the reader of the tables should know.
std::vector<std::string> notes_of(const report::ProfileReport& report, bool gpu_is_named) {
  std::vector<std::string> notes = report.match.notes;
  const report::TraceFile& file = report.traces.front();
  if (file.on_cpu) {
    notes.push_back(
        fmt::format("the trace is from a CPU: its times cannot be compared with those predicted for {}",
                    report.gpu.name));
  } else if (!file.has_shapes) {
    notes.emplace_back(
        "no sizes of operators are in the trace: `torch.profiler.profile(record_shapes=True)`, or "
        "`torch.autograd.profiler.emit_nvtx(record_shapes=True)` under Nsight Systems");
  }
  if (gpu_is_named && !file.device.empty()) {
    const auto measured_on = trace::gpu_of(file.device);
    if (measured_on && *measured_on != report.gpu.id)
      notes.push_back(fmt::format("the trace was recorded on {}", file.device));
  }
  if (file.other_devices > 0)
    notes.push_back(
        fmt::format("the trace has {} left out",
                    counted(file.other_devices, "more device, which is|more devices, which are")));
  const model::Plan& plan = report.setup.plan;
  const std::int64_t ranks = plan.tensor * plan.pipeline * plan.data * plan.context;
  if (file.world_size > 0 && file.world_size != ranks)
    notes.push_back(
        fmt::format("the trace is of {}, the plan of {}", counted(file.world_size, "rank"), ranks));
  constexpr double late = 0.1;
  if (file.times.knows_launches && file.times.late_us > late * file.times.wall_us && !report.findings.empty())
    notes.emplace_back(
        "launch-bound: time saved by kernels may be lost to launches (CUDA graphs, torch.compile)");
  return notes;
}

}  // namespace

std::vector<Option> profile_options(ProfileOptions& options) {
  std::vector<Option> all{
      {.names = "TRACE",
       .value = "TRACE",
       .doc = "trace: PyTorch's JSON (gzip or not) or Nsight Systems' SQLite export; with several ranks, "
              "the first is matched; `-`: standard input",
       .set = into(options.traces),
       .many = true,
       .required = true},
      {.names = "--model",
       .value = "FILE",
       .doc =
           "model that ran: a file, a folder with a config.json, a published one (`org/Name`) in the local "
           "Hugging Face cache",
       .set = into(options.file),
       .required = true},
      {.names = "--part",
       .value = "NAME",
       .doc = "model of a file with several (`text`, `vision`)",
       .set = into(options.part)},
      {.names = "--step",
       .value = "PATTERN",
       .doc = "names of step ranges, with `*` [default: `ProfilerStep#*`, else numbered steps or iterations]",
       .set = into(options.step)},
      {.names = "--top",
       .value = "N",
       .doc = "rows of each table, 0 for all [default: 20]",
       .set = into(options.top)},
      format_option(options.format, profile_formats,
                    "text, json (docs/schema/shapelint-profile.schema.json) or csv (a row per operation, "
                    "then per unexplained kernel)"),
      {.names = "--report",
       .value = "FILE.html",
       .doc = "write a page with predicted and measured times, losses and findings",
       .set = into(options.page)},
  };
  append(all, model_input_options(options.project));
  all.push_back(dimension_option(options.project.request.dimensions));
  return all;
}

namespace {

ExitCode compared(const ProfileOptions& options, Io& io) {
  if (options.top.value_or(0) < 0) {
    print_error(io, "`--top` must not be negative");
    return ExitCode::error;
  }
  if (!has_ending(options.page, "--report", ".html", io)) return ExitCode::error;
  auto request = request_of(options.project, io);
  if (!request) return ExitCode::error;

  std::unique_ptr<Read> first;
  std::vector<report::TraceFile> files;
  for (const std::string& path : options.traces) {
    auto each = read(path, options, io);
    if (!each) return fail(each.error(), path, io);
    files.push_back(file_of(**each));
    if (!first || ((*each)->trace.rank >= 0 && (*each)->trace.rank < first->trace.rank)) {
      first = *std::move(each);
      std::rotate(files.begin(), files.end() - 1, files.end());
    }
  }

  const bool gpu_is_named =
      !request->gpus.names.empty() || !request->gpus.profiles.empty() || first->trace.device.empty();
  if (!gpu_is_named) {
    if (const auto measured_on = trace::gpu_of(first->trace.device)) request->gpus.names = {*measured_on};
  }
  const project::Project project(*std::move(request), io.files);
  if (!are_configured(project, {&options.file, 1}, io)) return ExitCode::error;
  const auto input = read_model_input({options.file, options.part, true}, project, io);
  if (!input) return ExitCode::error;
  const model::Reading& reading = input->reading();
  if (!reading.setup.model.conv.empty()) {
    print_error(io, fmt::format("{}: a CNN; convolutions are not matched", options.file));
    return ExitCode::error;
  }
  if (input->gpus().size() != 1 || input->file.applied.gpus_from == project::GpusFrom::assumption) {
    print_error(
        io, "the GPU of the trace has no profile",
        first->trace.device.empty()
            ? std::string("set it with `--gpu NAME`")
            : fmt::format("the trace is from `{}`: set its profile with `--gpu`", first->trace.device));
    return ExitCode::error;
  }

  report::ProfileReport report;
  report.path = input->file.path;
  report.model = reading.name;
  report.gpu = input->gpus().front();
  report.setup = reading.setup;
  report.workload = cost::paced_workload(report.gpu, reading.setup);
  report.step = cost::price(report.gpu, report.workload, reading.setup.plan.dtype);
  report.losses = cost::waterfall(report.gpu, report.workload, report.step, reading.setup.plan.dtype);
  report.traces = std::move(files);
  report.match =
      trace::match(first->trace, first->step, *first->classifier, report.setup, report.workload, report.step);
  report.verdicts = trace::verdicts(first->trace, first->step, report.match, report.workload, report.step,
                                    report.losses, suggest::launches_of(report.setup).host_us);
  if (!report.traces.front().on_cpu) report.findings = worth_of(*input, report, io);
  report.notes = notes_of(report, gpu_is_named);

  if (!options.page.empty() && !write_picture(options.page, chart::profile_page(report), io))
    return ExitCode::error;
  switch (options.format) {
    case 1:
      io.out << report::profile_json(report);
      break;
    case 2:
      io.out << report::profile_csv(report);
      break;
    default:
      io.out << report::profile_text(report, options.top, out_style(io));
  }
  return ExitCode::clean;
}

}  // namespace

ExitCode profile(const ProfileOptions& options, Io& io) {
  // Classes of kernels are patterns, and each name is compared with all of them; a profile has some thousand
  // names.
  constexpr std::int64_t max_profile_work = 3 * max_work;
  const Budget budget(max_profile_work);
  try {
    return compared(options, io);
  } catch (const Spent& spent) {
    return fail(Error{spent.what(), "a profile of a few steps is enough", {}, {}}, options.traces.front(),
                io);
  }
}

namespace {

report::Worth weigh(const prove::Case& each, const report::ProfileReport& report) {
  report::Worth out;
  out.code = each.code;
  out.rule = each.rule;
  out.changes = lint::changes_text(each.changes);
  out.predicted = each.gain;
  out.predicted_error = each.gain_error;
  double saved_us = 0;
  double changed_us = 0;
  double known_us = 0;
  for (const prove::Item& item : each.items) {
    const double before_us = item.before_count * item.before_us;
    const double after_us = item.after_count * item.after_us;
    const double change_us = before_us - after_us;
    changed_us += std::fabs(change_us);
    double measured_us = -1;
    for (std::size_t i = 0; i < report.workload.ops.size() && measured_us < 0; ++i) {
      const model::Op& op = report.workload.ops[i];
      if (op.name == item.op && model::name(op.pass) == item.pass) measured_us = report.match.op_us[i];
    }
    if (measured_us < 0 || !(before_us > 0)) {
      saved_us += change_us;
      continue;
    }
    known_us += std::fabs(change_us);
    saved_us += measured_us * change_us / before_us;
  }
  const double step_us = report.traces.front().times.wall_us;
  out.measured = step_us > 0 ? 1 - each.factor * (step_us - saved_us) / step_us : 0;
  out.measured_share = changed_us > 0 ? known_us / changed_us : 0;
  return out;
}

}  // namespace

std::vector<report::Worth> worth_of(const ModelInput& input, const report::ProfileReport& report, Io& io) {
  std::vector<rules::Finding> findings =
      findings_of(input, false, io).value_or(std::vector<rules::Finding>{});
  std::erase_if(findings, [](const auto& each) { return each.severity == rules::Severity::info; });
  const prove::MeasurementPlan plan = prove::plan_of(input.reading(), report.gpu, findings);
  std::vector<report::Worth> out;
  for (const prove::Case& each : plan.cases) out.push_back(weigh(each, report));
  std::stable_sort(out.begin(), out.end(),
                   [](const report::Worth& a, const report::Worth& b) { return a.measured > b.measured; });
  return out;
}

}  // namespace shapelint::cli
