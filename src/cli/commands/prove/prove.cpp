// `shapelint prove`: from a file's findings to a script.
#include "cli/commands/prove/prove.hpp"

#include <algorithm>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "base/number.hpp"
#include "cli/model_input.hpp"
#include "cli/output.hpp"
#include "cli/project_options.hpp"
#include "lint/phrases.hpp"
#include "lint/suppression/suppress.hpp"
#include "prove/plan.hpp"
#include "prove/sweep.hpp"

namespace shapelint::cli {

namespace {

// `90s`, `2m` or a number of seconds.
Setter into_seconds(double& target) {
  return [&target](std::string_view text) -> std::optional<std::string> {
    double unit = 1;
    if (text.ends_with('m')) unit = 60;
    if (text.ends_with('h')) unit = 3600;
    if (text.ends_with('m') || text.ends_with('h') || text.ends_with('s')) text.remove_suffix(1);
    const auto value = parse_number(text);
    constexpr double longest_s = 86400;
    if (!value || *value * unit < 1 || *value * unit > longest_s)
      return "a time from 1s to 24h, such as 120s or 5m";
    target = *value * unit;
    return std::nullopt;
  };
}

Setter into_device(std::string& target) {
  return [&target](std::string_view text) -> std::optional<std::string> {
    if (text != "cuda" && text != "cpu") return "cuda or cpu";
    target = text;
    return std::nullopt;
  };
}

// Leaves the findings that `wanted` names; false when one of these is not there.
bool select(const std::vector<std::string>& wanted, const std::string& file,
            std::vector<rules::Finding>& findings, Io& io) {
  bool good = true;
  const auto is_it = [](const rules::Finding& finding, const std::string& name) {
    return lint::answers(name, finding);
  };
  std::set<std::string> codes;
  for (const rules::Finding& each : findings) codes.emplace(each.code);
  for (const std::string& name : wanted) {
    if (std::any_of(findings.begin(), findings.end(), [&](const auto& each) { return is_it(each, name); }))
      continue;
    print_error(
        io, fmt::format("{}: no finding `{}`", file, name),
        codes.empty() ? std::string("nothing was found") : fmt::format("found: {}", fmt::join(codes, ", ")));
    good = false;
  }
  if (wanted.empty()) {
    // Findings that are hidden by default cost no GPU time by default.
    std::erase_if(findings, [](const auto& each) { return each.severity == rules::Severity::info; });
    return good;
  }
  std::erase_if(findings, [&](const rules::Finding& each) {
    return std::none_of(wanted.begin(), wanted.end(), [&](const auto& name) { return is_it(each, name); });
  });
  return good;
}

ExitCode write_script(const ProveOptions& options, Io& io) {
  const auto project = open_project(options.project, {&options.file, 1}, io);
  if (!project) return ExitCode::error;
  const auto input = read_model_input({options.file, options.model, true}, *project, io);
  if (!input) return ExitCode::error;
  if (!input->reading().setup.model.conv.empty()) {
    print_error(io, fmt::format("{}: a CNN; convolutions are not measured", options.file));
    return ExitCode::error;
  }
  if (input->gpus().size() != 1 || input->file.applied.gpus_from == project::GpusFrom::assumption) {
    print_error(io, "a script measures one GPU", "choose it with `--gpu NAME`");
    return ExitCode::error;
  }
  auto findings = findings_of(*input, true, io);
  if (!findings || !select(options.findings, options.file, *findings, io)) return ExitCode::error;
  prove::MeasurementPlan plan = prove::plan_of(input->reading(), input->gpus().front(), *findings);
  if (plan.cases.empty()) {
    print_error(io, fmt::format("{}: no finding has a faster alternative, so there is nothing to measure",
                                options.file));
    return ExitCode::error;
  }
  plan.file = input->file.path;
  plan.model = input->reading().part;
  constexpr double usual_budget_s = 120;
  plan.budget_s = options.budget_s > 0 ? options.budget_s : usual_budget_s;
  const std::string script = prove::script_of(plan);
  if (options.run) {
    ProveOptions of_plan = options;
    of_plan.file = plan.file;
    return run_script(of_plan, script, plan.budget_s, io);
  }
  return write_or_print_script(
      script, options.output,
      fmt::format("{} measures {} with {}: `python3 {} -o result.json` on {}, then "
                  "`shapelint prove --read result.json`",
                  options.output, counted(plan.cases.size(), "finding"),
                  counted(plan.pairs.size(), "comparison"), options.output, input->gpus().front().name),
      io);
}

}  // namespace

ExitCode write_or_print_script(const std::string& script, const std::string& output,
                               const std::string& what_it_is, Io& io) {
  if (output == "-") {
    io.raw() << script;
    return ExitCode::clean;
  }
  if (const auto written = io.files.write(output, script); !written) {
    print_error(io, fmt::format("{}: {}", output, written.error().message), written.error().hint);
    return ExitCode::error;
  }
  print_note(io, what_it_is);
  return ExitCode::clean;
}

std::vector<Option> prove_options(ProveOptions& options) {
  std::vector<Option> all{
      {.names = "FILE",
       .value = "FILE",
       .doc = "model: a file, a folder with a config.json, or `org/Name`; `-`: standard input; with --read "
              "[default: the measured one]",
       .set = into(options.file)},
      model_option(options.model),
      {.names = "--findings",
       .value = "SL101,…",
       .doc = "findings to measure, by code or name [default: all warnings with a fix]",
       .set = into_list(options.findings),
       .is_list = true},
      {.names = "--budget",
       .value = "TIME",
       .doc = "time limit of the script, such as 5m [default: 120s; sweeps: 1h]",
       .set = into_seconds(options.budget_s)},
      {.names = "--sweeps",
       .value = "NAMES",
       .doc = "measure comma-separated sweeps of kernels instead of findings: grid, alignment, waves, "
              "attention, moe, layers",
       .set = into_list(options.sweeps),
       .is_list = true},
      {.names = "--run",
       .doc = "run the script on this machine, which needs PyTorch and the GPU, and print what it measured; "
              "`-o` names the result",
       .set = into(options.run)},
      {.names = "--python",
       .value = "PROGRAM",
       .doc = "Python interpreter of --run [default: python3]",
       .set = into(options.python)},
      {.names = "--device",
       .value = "NAME",
       .doc = "device: cuda, or cpu to try the script [default: cuda]",
       .set = into_device(options.device),
       .choices = {"cuda", "cpu"}},
      {.names = "-o,--output",
       .value = "FILE.py",
       .doc = "write the script, or with --run the result, here [default: standard output]",
       .set = into(options.output)},
      {.names = "--read",
       .value = "RESULT.json",
       .doc = "compare a result with the predictions, and store proofs in shapelint-proofs.json next to the "
              "model",
       .set = into(options.read)},
      format_option(options.format, text_or_json,
                    "format of the result: text or json (docs/schema/shapelint-prove.schema.json)"),
  };
  append(all, model_input_options(options.project));
  all.push_back(dimension_option(options.project.request.dimensions));
  return all;
}

ExitCode prove(const ProveOptions& options, Io& io) {
  if (!options.read.empty()) return read_result(options, io);
  if (!options.sweeps.empty()) return write_sweeps(options, io);
  if (options.file.empty()) {
    print_error(io, "no FILE is given",
                "`shapelint prove FILE --gpu NAME` writes a script, `--read` reads its result");
    return ExitCode::error;
  }
  return write_script(options, io);
}

}  // namespace shapelint::cli
