// `shapelint plan`: plans of a training step or of a service.
#include "cli/commands/plan/plan.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "api/plan.hpp"
#include "base/counted.hpp"
#include "base/number.hpp"
#include "cli/commands/roofline/roofline.hpp"
#include "cli/commands/suggest/suggest.hpp"
#include "cli/commands/table_input.hpp"
#include "cli/model_input.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "contracts/stack.hpp"
#include "objects/printed/document.hpp"
#include "project/applied.hpp"

namespace shapelint::cli {

namespace {

using report::Role;

std::string heading(const api::PlanResult& result, const api::PlanOptions& asked, const ModelInput& input,
                    const contracts::PlanStack& stack, const report::Style& style) {
  std::vector<std::string_view> ids;
  for (const gpu::Gpu& each : input.gpus()) ids.push_back(each.id);
  const std::string what =
      result.input_tokens
          ? fmt::format("serving of requests with {} input and {}{}", with_commas(*result.input_tokens),
                        counted(*result.output_tokens, "output token"), bounds_words(asked))
          : fmt::format("training of {} of {} per step", counted(*result.sequences_per_step, "sequence"),
                        counted(*result.sequence_length, "token"));
  return report::wrap(fmt::format("{}, {}, on {}, {}", style.paint(Role::strong, input.reading().name), what,
                                  fmt::join(ids, ", "),
                                  stack.stack.empty() ? "no `--stack`: only requirements of all frameworks"
                                                      : contracts::describe(*stack.book, stack.stack)),
                      0, 0, style) +
         "\n\n";
}

// `--apply` and `--diff`.
ExitCode write_plan(const PlanOptions& options, const ModelInput& input,
                    const std::optional<model::Setup>& fastest, const project::Project& project, Io& io) {
  if (!fastest) {
    print_error(io, "no valid plan fits", "raise `--gpus`; leave `--diff` out to see why plans fail");
    return ExitCode::error;
  }
  suggest::Problem problem;
  problem.reading = &input.reading();
  problem.start = problem.reading->setup;
  problem.links = suggest::links_of(*problem.reading);
  report::SuggestReport report{input.reading().name, input.file.path, std::move(problem), {}};
  suggest::Suggestion& suggestion = report.answer.suggestions.emplace_back();
  suggestion.edits = suggest::edits_between(input.reading(), *fastest);
  suggestion.setup = *fastest;
  SuggestOptions apply;
  apply.file = options.file;
  apply.diff = options.diff;
  apply.output = options.output;
  if (options.apply) apply.apply = 1;
  return apply_suggestion(report, apply, input.file, &project, io);
}

// False when one could not be written.
bool write_pictures(const PlanOptions& options, const ModelInput& input, const contracts::PlanStack& stack,
                    const api::PlanResult& result, Io& io) {
  if (options.plot.empty() && options.page.empty()) return true;
  if (!result.best) return true;
  const std::string& id = result.counts[static_cast<std::size_t>(*result.best)].gpu;
  const auto gpu =
      std::find_if(input.gpus().begin(), input.gpus().end(), [&](const auto& each) { return each.id == id; });
  const chart::PlanFigure figure =
      plan_figure(result, options.asked, input.reading().name, gpu == input.gpus().end() ? id : gpu->name);
  if (!options.plot.empty() && !write_drawing(options.plot, chart::plan_svg(figure), io)) return false;
  if (options.page.empty()) return true;
  const report::Style plain;
  return write_picture(options.page,
                       chart::plan_page(figure, heading(result, options.asked, input, stack, plain) +
                                                    plan_text(result, plain)),
                       io);
}

std::string flag_of(std::string_view option) {
  if (option == "num_gpus") return "--gpus";
  if (option.ends_with("_ms")) option.remove_suffix(3);
  if (option == "measured_step_us") return "--measured";
  std::string out = fmt::format("--{}", option);
  for (char& each : out)
    if (each == '_') each = '-';
  return out;
}

bool check_plan_usage(const PlanOptions& options, const api::PlanOptions& asked, Io& io) {
  const std::vector<api::Error> problems = api::problems_of(asked, flag_of);
  for (const api::Error& each : problems) print_error(io, each.message, each.hint);
  if (!problems.empty()) return false;
  const auto wrong = [&](std::string_view message, std::string_view hint) {
    print_error(io, message, hint);
    return false;
  };
  if (asked.input_tokens && (options.diff || options.apply))
    return wrong("`--diff` and `--apply` apply to training plans", "the text has the launch commands");
  if (options.format == 1 && (options.diff || options.apply))
    return wrong("`--diff` and `--apply` print an edit of the file", "`--format json` prints the plan");
  if (!has_drawing_ending(options.plot, "--plot", io) || !has_ending(options.page, "--report", ".html", io))
    return false;
  if (!options.output.empty() && !options.apply)
    return wrong("`--output` needs a layout to write", "`--apply`");
  return true;
}

}  // namespace

ExitCode plan_run(const PlanOptions& options, Io& io) {
  api::PlanOptions asked = options.asked;
  asked.top = options.top > 0 ? static_cast<std::size_t>(options.top) : 0;
  if (!options.measured.empty()) {
    const auto measured = measured_step_us(options.measured, io.files);
    if (!measured) {
      print_error(io, measured.error());
      return ExitCode::error;
    }
    asked.measured_step_us = *measured;
  }
  if (!check_plan_usage(options, asked, io)) return ExitCode::error;
  const auto project = open_project(options.project, {&options.file, 1}, io);
  if (!project) return ExitCode::error;
  const auto input = read_model_input({options.file, options.model, false}, *project, io);
  if (!input) return ExitCode::error;
  const model::Reading& reading = input->reading();
  const bool serves = asked.input_tokens.has_value();
  if (!serves && reading.setup.plan.mode != model::Mode::train) {
    print_error(io, "the file describes serving, but not the length of a request",
                "set `--input-tokens` and `--output-tokens`, or `--mode train` to plan training");
    return ExitCode::error;
  }
  const project::Configured& configured = *input->file.configured;
  const project::AskedStack stack =
      project::asked_stack(configured, input->file.applied.stack, reading, io.files);
  if (!serves && !requires_stated_mode(configured, stack.stack, *input, io)) return ExitCode::error;
  std::vector<Error> errors;
  const contracts::PlanSubject subject{
      reading,
      input->gpus(),
      by_gpu(options.prices, "--price", input->gpus(), 0, errors),
      *configured.rules,
      {stack.book, stack.stack, stack.is_implied ? contracts::Runs::as_written : contracts::Runs::as_stack},
      project::dialect_of(configured, reading)};
  for (const Error& error : errors) print_error(io, error);
  if (!errors.empty()) return ExitCode::error;
  if (!stack.stack.empty())
    for (const std::string& note : contracts::version_notes(*stack.book, stack.stack)) print_note(io, note);
  std::optional<Progress> progress(std::in_place, io, [](std::size_t some, std::size_t of) {
    return fmt::format("{} of {} numbers of GPUs planned", some, of);
  });
  asked.progress = [&](std::size_t done, std::size_t all) {
    progress->at(done, all);
    return true;
  };
  const auto answer = api::plan_of(
      subject, asked, {options.file, input->file.source.text, configured, io.files, input->file.is_stdin});
  progress.reset();
  if (!answer) {
    for (const api::Error& each : answer.errors()) print_error(io, each.message, each.hint);
    return ExitCode::error;
  }
  if (options.diff || options.apply) {
    if (!write_pictures(options, *input, subject.stack, answer->result, io)) return ExitCode::error;
    const api::PlanResult& result = answer->result;
    if (result.best && result.counts.size() > 1) {
      const api::PlanCount& best = result.counts[static_cast<std::size_t>(*result.best)];
      print_note(io, fmt::format("the edit is the plan of {} {}", with_commas(best.num_gpus), best.gpu));
    }
    return write_plan(options, *input, answer->fastest, *project, io);
  }
  if (options.format == 1) {
    objects::write_document("plan", objects::Status::ok, answer->result, io.out);
    return ExitCode::clean;
  }
  if (!write_pictures(options, *input, subject.stack, answer->result, io)) return ExitCode::error;
  const report::Style style = out_style(io);
  io.out << heading(answer->result, options.asked, *input, subject.stack, style)
         << plan_text(answer->result, style);
  return ExitCode::clean;
}

}  // namespace shapelint::cli
