// `shapelint fits`: a table over degrees of parallelism and number formats.
#include "cli/commands/fits/fits.hpp"

#include <array>
#include <optional>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "base/number.hpp"
#include "cli/commands/table_input.hpp"
#include "cli/model_input.hpp"
#include "cli/output.hpp"
#include "cli/project_options.hpp"
#include "contracts/fits.hpp"
#include "contracts/plan/layouts.hpp"
#include "contracts/stack.hpp"
#include "project/applied.hpp"
#include "report/style.hpp"

namespace shapelint::cli {

namespace {

using report::Role;
using report::Style;

constexpr std::array<std::string_view, 3> fits_formats{"text", "json", "csv"};
constexpr std::int64_t most_gpus = 4096;

// The counts and formats that are asked for; nothing when one is none.
std::optional<std::vector<std::int64_t>> counts_of(const FitsOptions& options, Io& io) {
  std::vector<std::int64_t> out;
  if (options.counts.size() > contracts::max_planned_counts) {
    print_error(io, fmt::format("`--count` has {} numbers", options.counts.size()),
                fmt::format("{} at most", contracts::max_planned_counts));
    return std::nullopt;
  }
  for (const std::string& text : options.counts) {
    const auto value = parse_integer(text);
    if (!value || *value < 1 || *value > most_gpus) {
      print_error(io, fmt::format("`--count {}` is not a number of GPUs", text),
                  fmt::format("expected whole numbers from 1 to {}", most_gpus));
      return std::nullopt;
    }
    out.push_back(*value);
  }
  return out;
}

// Decoding needs a KV cache: by default as long as a sequence.
model::Reading with_context(model::Reading reading) {
  model::Plan& plan = reading.setup.plan;
  const bool is_said = model::is_stated(reading, model::FieldId::context_length);
  if (plan.mode == model::Mode::decode && plan.context_length == 0 && !is_said)
    plan.context_length = plan.sequence_length;
  return reading;
}

// "decoding of 64 sequences with 4,096 tokens in the KV cache".
std::string what_is_run(const model::Setup& setup) {
  const model::Plan& plan = setup.plan;
  const std::string in_all = plan.data > 1 ? fmt::format(" ({} in all, split by each layout)",
                                                         with_commas(plan.micro_batch_size * plan.data))
                                           : std::string();
  const std::string sequences = counted(plan.micro_batch_size, "sequence") + in_all;
  if (!setup.model.conv.empty()) return counted(plan.micro_batch_size, "image") + " per step";
  if (plan.mode == model::Mode::decode)
    return fmt::format("decoding of {} with {} in the KV cache", sequences,
                       counted(plan.context_length, "token"));
  return fmt::format("{} of {} of {} per step", plan.mode == model::Mode::train ? "training" : "prompts",
                     sequences, counted(plan.sequence_length, "token"));
}

}  // namespace

std::vector<Option> fits_options(FitsOptions& options) {
  std::vector<Option> all{
      model_file_option(options.file),
      model_option(options.model),
      {.names = "--count",
       .value = "N",
       .doc = "comma-separated numbers of GPUs: `3,6,8,24`",
       .set = into_list(options.counts),
       .many = true,
       .required = true},
      {.names = "--formats",
       .value = "NAMES",
       .doc = "dtypes to try, with recipes: `bf16,fp8:block128` [default: the file's]",
       .set = into_list(options.formats),
       .many = true},
      {.names = "--all", .doc = "list every layout", .set = into(options.all)},
      format_option(options.format, fits_formats),
      stack_option(options.project),
  };
  append(all, model_input_options(options.project));
  return all;
}

ExitCode fits(const FitsOptions& options, Io& io) {
  const auto counts = counts_of(options, io);
  if (!counts) return ExitCode::error;
  const auto wanted = contracts::parse_formats(options.formats);
  if (!wanted) {
    print_error(io, wanted.error());
    return ExitCode::error;
  }
  const auto project = open_project(options.project, {&options.file, 1}, io);
  if (!project) return ExitCode::error;
  const auto input = read_model_input({options.file, options.model, false}, *project, io);
  if (!input) return ExitCode::error;
  const project::Configured& configured = *input->file.configured;
  const contracts::Stack stack =
      project::stack_of(configured, input->file.applied.stack, input->reading(), io.files);
  if (!requires_stated_mode(configured, stack, *input, io)) return ExitCode::error;
  std::optional<contracts::Checker> checker;
  if (!stack.empty()) checker.emplace(project::contracts_of(configured), stack);
  const model::Reading reading = with_context(input->reading());
  std::vector<GpuFits> all;
  for (const gpu::Gpu& gpu : input->gpus()) {
    std::vector<contracts::Format> own;
    for (const contracts::Format& each : *wanted) {
      if (gpu::can_multiply(gpu, each.dtype)) {
        own.push_back(each);
        continue;
      }
      const std::string what = fmt::format("{} has no tensor cores for {}", gpu.id, contracts::name(each));
      if (input->gpus().size() == 1) {
        print_error(io, what);
        return ExitCode::error;
      }
      print_note(io, what);
    }
    if (own.empty() && !wanted->empty()) continue;
    all.push_back({gpu.id, contracts::fits({&reading, &gpu, configured.rules.get(),
                                            checker ? &*checker : nullptr, *counts, own})});
  }
  if (all.empty()) {
    print_error(io, "no GPU of this run has tensor cores for these dtypes", "choose others with `--formats`");
    return ExitCode::error;
  }
  if (fits_formats[options.format] == "json") {
    io.out << fits_json_text(all);
  } else if (fits_formats[options.format] == "csv") {
    io.out << fits_csv(all);
  } else {
    const Style style = out_style(io);
    std::vector<std::string_view> ids;
    for (const GpuFits& each : all) ids.push_back(each.gpu);
    const model::Plan& plan = reading.setup.plan;
    const std::string packed =
        plan.weight_bits > 0 ? fmt::format(", {}-bit weights", plan.weight_bits) : std::string();
    const std::string head =
        fmt::format("{}{}, {}, on {}, {}", style.paint(Role::strong, reading.name), packed,
                    what_is_run(reading.setup), fmt::join(ids, ", "),
                    stack.empty() ? "no `--stack`: only requirements of all frameworks"
                                  : contracts::describe(project::contracts_of(configured), stack));
    io.out << report::wrap(head, 0, 0, style) << "\n\n";
    for (const std::string& note : contracts::version_notes(project::contracts_of(configured), stack))
      print_note(io, note);
    io.out << fits_text(all, options.all, style);
  }
  return ExitCode::clean;
}

}  // namespace shapelint::cli
