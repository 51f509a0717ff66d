// `shapelint prove --sweeps`: a script that measures kernels of a GPU, and what it measured.
#include <algorithm>

#include <fmt/format.h>

#include "base/number.hpp"
#include "cli/commands/prove/prove.hpp"
#include "cli/commands/table_input.hpp"
#include "cli/messages.hpp"
#include "lint/phrases.hpp"
#include "prove/script.hpp"
#include "prove/sweep.hpp"
#include "text/printable.hpp"

namespace shapelint::cli {

namespace {

constexpr double usual_budget_s = 3600;

void print_table(const std::string& path, const prove::Swept& swept, Io& io) {
  std::string software;
  for (const auto& [name, version] : swept.software)
    software += fmt::format("{}{} {}", software.empty() ? "" : ", ", name, version);
  io.out << text::one_line(fmt::format("{}: {} kernels of {} measured on {}, {} ({})", path, swept.measured,
                                       swept.planned, swept.device, swept.date, software))
         << '\n';
  io.out << fmt::format("  {:<12} {:>8} {:>22} {:>22} {:>10}\n", "sweep", "kernels", "measured / predicted",
                        "error of predictions", "interval");
  for (const prove::SweepSummary& each : swept.sweeps) {
    io.out << fmt::format("  {:<12} {:>8} {:>22} {:>22} {:>10}\n", each.name, each.rows,
                          fixed(each.median_ratio, 2), percent(each.error), percent(each.half_width));
  }
  for (const auto& [reason, count] : swept.left_out)
    io.out << text::one_line(fmt::format("  not measured: {} ({})", lint::plural(count, "kernel"), reason))
           << '\n';
  for (const std::string& doubt : swept.doubts)
    io.out << text::one_line(fmt::format("  not plausible: {}", doubt)) << '\n';
}

}  // namespace

ExitCode write_sweeps(const ProveOptions& options, Io& io) {
  if (!options.file.empty()) {
    print_error(io, "sweeps are of a GPU, and of no model", "leave FILE or --sweeps out");
    return ExitCode::error;
  }
  for (const std::string& name : options.sweeps) {
    if (std::find(prove::sweep_names.begin(), prove::sweep_names.end(), name) != prove::sweep_names.end())
      continue;
    print_error(io, fmt::format("there is no sweep `{}`", name),
                fmt::format("there are {}", fmt::join(prove::sweep_names, ", ")));
    return ExitCode::error;
  }
  const auto gpu = one_gpu(options.project, io);
  if (!gpu) return ExitCode::error;
  const prove::SweepPlan plan{*gpu, options.sweeps, options.budget_s > 0 ? options.budget_s : usual_budget_s};
  const std::string script = prove::script_of(plan);
  if (options.run) return run_script(options, script, plan.budget_s, io);
  return hand_out(script, options.output,
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

}  // namespace shapelint::cli
