// Sweeps of kernels, and everything that `prove` says for programs.
#include <algorithm>
#include <sstream>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "base/number.hpp"
#include "cli/commands/prove/prove.hpp"
#include "cli/commands/table_input.hpp"
#include "cli/output.hpp"
#include "lint/phrases.hpp"
#include "objects/printed/document.hpp"
#include "objects/printed/prove.hpp"
#include "prove/result.hpp"
#include "prove/sweep.hpp"
#include "text/printable.hpp"

namespace shapelint::cli {

namespace {

constexpr double usual_budget_s = 3600;

void print_table(const std::string& path, const prove::SweepResult& swept, Io& io) {
  std::string software;
  for (const auto& [name, version] : swept.software)
    software += fmt::format("{}{} {}", software.empty() ? "" : ", ", name, version);
  io.out << text::one_line(fmt::format("{}: {} of {} measured on {}, {} ({})", path,
                                       counted(swept.measured, "kernel"), swept.planned, swept.device,
                                       swept.date, software))
         << '\n';
  io.out << fmt::format("  {:<12} {:>8} {:>22} {:>22} {:>10}\n", "sweep", "kernels", "measured / predicted",
                        "error of predictions", "interval");
  for (const prove::SweepSummary& each : swept.sweeps) {
    io.out << fmt::format("  {:<12} {:>8} {:>22} {:>22} {:>10}\n", each.name, each.rows,
                          fixed(each.median_ratio, 2), percent(each.error), percent(each.half_width));
  }
  for (const auto& [reason, count] : swept.left_out)
    io.out << text::one_line(fmt::format("  not measured: {} ({})", counted(count, "kernel"), reason))
           << '\n';
  for (const std::string& doubt : swept.doubts)
    io.out << text::one_line(fmt::format("  not plausible: {}", doubt)) << '\n';
}

}  // namespace

ExitCode write_sweeps(const ProveOptions& options, Io& io) {
  if (!options.file.empty()) {
    print_error(io, "`--sweeps` measures a GPU, not a model", "leave FILE or --sweeps out");
    return ExitCode::error;
  }
  for (const std::string& name : options.sweeps) {
    if (std::find(prove::sweep_names.begin(), prove::sweep_names.end(), name) != prove::sweep_names.end())
      continue;
    print_error(io, fmt::format("unknown sweep `{}`", name),
                fmt::format("there are {}", fmt::join(prove::sweep_names, ", ")));
    return ExitCode::error;
  }
  const auto gpu = one_gpu(options.project, io);
  if (!gpu) return ExitCode::error;
  const prove::SweepPlan plan{*gpu, options.sweeps, options.budget_s > 0 ? options.budget_s : usual_budget_s};
  const std::string script = prove::script_of(plan);
  if (options.run) return run_script(options, script, plan.budget_s, io);
  return write_or_print_script(script, options.output,
                               fmt::format("{} measures sweeps: `python3 {} -o measured.json` on {}, then "
                                           "`shapelint prove --read measured.json`",
                                           options.output, options.output, gpu->name),
                               io);
}

ExitCode show_sweeps(const ProveOptions& options, const std::string& path, const std::string& content,
                     Io& io) {
  const auto request = request_of(options.project, io);
  if (!request) return ExitCode::error;
  const auto swept = prove::read_swept(path, content, request->gpus.profiles);
  if (!swept) {
    print_error(io, swept.error(), content);
    return ExitCode::error;
  }
  if (options.format == proved_as_json) {
    io.out << swept_json(*swept);
  } else {
    print_table(path, *swept, io);
  }
  if (!swept->doubts.empty()) return ExitCode::findings;
  print_note(io, fmt::format("plausible: `shapelint calibrate {} --gpu {}` fits the constants to its GEMMs",
                             path, swept->gpu));
  return ExitCode::clean;
}

namespace {

std::vector<objects::NotMeasured> counted(const std::vector<std::pair<std::string, std::size_t>>& reasons) {
  std::vector<objects::NotMeasured> out;
  for (const auto& [reason, count] : reasons) out.push_back({reason, count});
  return out;
}

objects::ProvenFinding finding_of(const prove::Proof& proof, bool on_gpu) {
  objects::ProvenFinding out;
  out.finding = proof.code;
  out.rule = proof.rule;
  for (const auto& [field, values] : proof.changes) out.changes[field] = {values.first, values.second};
  out.predicted = {proof.predicted, proof.predicted_error};
  const bool is_step = proof.whole == "step";
  if (proof.measured_share > 0)
    out.measured = objects::MeasuredGain{proof.gain, proof.half_width, proof.measured_share, is_step};
  if (is_step)
    out.one_by_one = objects::MeasuredGain{proof.operations_gain, proof.operations_half_width, {}, {}};
  if (proof.whole == "layer")
    out.layer = objects::MeasuredGain{proof.whole_gain, proof.whole_half_width, {}, {}};
  // What a CPU or another GPU takes says nothing of this one.
  if (on_gpu) out.verdict = std::string(prove::name(proof.verdict));
  return out;
}

std::string printed(const objects::ProveResult& result) {
  std::ostringstream out;
  objects::write_document("prove", objects::Status::ok, result, out);
  return std::move(out).str();
}

}  // namespace

std::string proved_json(const prove::Measured& measured) {
  objects::ProveResult result;
  result.file = measured.file;
  if (!measured.model.empty()) result.model = measured.model;
  result.gpu = measured.gpu;
  result.device = measured.device;
  result.on_gpu = measured.on_gpu;
  result.date = measured.date;
  result.software = measured.software;
  result.throttled = measured.throttled;
  result.comparisons = measured.measured;
  result.findings.emplace();
  for (const prove::Proof& each : measured.proofs)
    result.findings->push_back(finding_of(each, measured.on_gpu));
  result.not_measured = counted(measured.left_out);
  return printed(result);
}

std::string swept_json(const prove::SweepResult& swept) {
  objects::ProveResult result;
  result.gpu = swept.gpu;
  result.device = swept.device;
  result.date = swept.date;
  result.software = swept.software;
  result.planned = swept.planned;
  result.kernels = swept.measured;
  result.sweeps.emplace();
  for (const prove::SweepSummary& each : swept.sweeps)
    result.sweeps->push_back({each.name, each.rows, each.median_ratio, each.error, each.half_width});
  result.doubts = swept.doubts;
  result.not_measured = counted(swept.left_out);
  return printed(result);
}

}  // namespace shapelint::cli
