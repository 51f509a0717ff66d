// `shapelint fits`: a table over degrees of parallelism and number formats.
#include "cli/commands/fits/fits.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/number.hpp"
#include "cli/commands/fits/json.hpp"
#include "cli/field_options.hpp"
#include "cli/messages.hpp"
#include "cli/model_input.hpp"
#include "contracts/fits.hpp"
#include "contracts/words.hpp"
#include "project/stack.hpp"
#include "report/csv.hpp"
#include "report/style.hpp"

namespace shapelint::cli {

namespace {

using contracts::Fit;
using contracts::FitRow;
using report::Role;
using report::Style;

constexpr std::array<std::string_view, 3> formats{"text", "json", "csv"};
constexpr std::size_t most_shown = 12;  // rows of each count that run, and of those that do not
constexpr std::int64_t most_gpus = 4096;

Role role_of(Fit fit) {
  switch (fit) {
    case Fit::runs:
      return Role::gain;
    case Fit::pads:
    case Fit::slower:
      return Role::info;
    case Fit::falls_back:
      return Role::warning;
    case Fit::too_large:
    case Fit::refused:
      return Role::error;
  }
  return Role::plain;
}

// Why a row is what it is: each contract with its sum, or the rule that any framework has.
std::string reasons(const FitRow& row) {
  std::string out;
  const auto add = [&](const std::string& text) { out += (out.empty() ? "" : "; ") + text; };
  const bool is_refused = row.fit == Fit::refused;
  for (const contracts::Verdict& each : row.unmet) {
    const bool refuses = each.contract->outcome == contracts::Outcome::refuses;
    if (is_refused && !refuses) continue;
    add(each.numbers.empty() ? each.contract->id : fmt::format("{}: {}", each.contract->id, each.numbers));
  }
  if (!row.broken.empty() && out.empty()) {
    add(fmt::format("{}: {}", fmt::join(row.broken, " "), row.broken_summary));
  }
  if (row.fit == Fit::too_large) {
    out = fmt::format("{:.0f} GB on each GPU, {:.0f} usable{}{}", row.memory_gb, row.usable_gb,
                      out.empty() ? "" : "; ", out);
  }
  return out;
}

// What padding and other kernels cost, in words; empty where nothing does.
std::string cost(const FitRow& row) {
  const double more = row.price.time_us - row.price.as_written_us;
  constexpr double percent = 100;
  if (row.fit == Fit::refused || more <= 0) return {};
  return fmt::format("+{:.1f} %", percent * more / row.price.as_written_us);
}

std::string degrees(const FitRow& row) {
  std::string out = fmt::format("{:>6}  {:>8}  {:>4}  {:>6}  {:>7}", row.tensor, row.pipeline, row.data,
                                row.expert, row.context);
  return out;
}

std::string text_of(std::span<const FitRow> rows, const FitsOptions& options, const Style& style) {
  std::string out;
  std::int64_t count = 0;
  std::size_t shown_running = 0;
  std::size_t shown_others = 0;
  std::size_t left_out = 0;
  const auto end_count = [&] {
    if (left_out > 0) out += fmt::format("  and {} more; `--all` has them\n", left_out);
  };
  for (const FitRow& row : rows) {
    if (row.gpus != count) {
      end_count();
      count = row.gpus;
      shown_running = shown_others = left_out = 0;
      const auto running = std::count_if(rows.begin(), rows.end(), [&](const FitRow& each) {
        return each.gpus == count && each.fit != Fit::refused && each.fit != Fit::too_large;
      });
      const auto of_count =
          std::count_if(rows.begin(), rows.end(), [&](const FitRow& each) { return each.gpus == count; });
      out += fmt::format("{}{}\n", out.empty() ? "" : "\n",
                         style.paint(Role::strong, fmt::format("{} GPU{}: {} of {} ways run", count,
                                                               count == 1 ? "" : "s", running, of_count)));
      out += "  tensor  pipeline  data  expert  context  format         memory   tokens/s      cost\n";
    }
    const bool runs = row.fit != Fit::refused && row.fit != Fit::too_large;
    std::size_t& shown = runs ? shown_running : shown_others;
    if (!options.all && shown >= most_shown) {
      ++left_out;
      continue;
    }
    ++shown;
    const std::string speed = row.fit == Fit::refused ? "" : with_commas(std::llround(row.tokens_per_s));
    out +=
        fmt::format("  {}  {:<12} {:>5.0f} GB {:>10} {:>9}  {}", degrees(row), contracts::name(row.format),
                    row.memory_gb, speed, cost(row), style.paint(role_of(row.fit), contracts::name(row.fit)));
    if (const std::string why = reasons(row); !why.empty()) out += "  " + why;
    out += '\n';
  }
  end_count();
  return out;
}

std::string csv_of(std::string_view gpu, std::span<const FitRow> rows) {
  std::string out =
      "gpu,gpus,tensor,pipeline,data,expert,context,expert_tensor,format,fit,memory_gb,usable_gb,step_us,"
      "padding_us,"
      "slower_us,tokens_per_s,contracts\n";
  for (const FitRow& row : rows) {
    out += fmt::format("{},{},{},{},{},{},{},{},{},{},", report::csv_field(gpu), row.gpus, row.tensor,
                       row.pipeline, row.data, row.expert, row.context, row.expert_tensor,
                       contracts::name(row.format), contracts::name(row.fit));
    for (const double value : {row.memory_gb, row.usable_gb, row.price.time_us, row.price.padding_us,
                               row.price.slower_us, row.tokens_per_s}) {
      append_exact(out, value);
      out += ',';
    }
    out += report::csv_field(reasons(row)) + '\n';
  }
  return out;
}

// The counts and formats that are asked for; nothing when one is none.
std::optional<std::vector<std::int64_t>> counts_of(const FitsOptions& options, Io& io) {
  std::vector<std::int64_t> out;
  for (const std::string& text : options.counts) {
    const auto value = parse_integer(text);
    if (!value || *value < 1 || *value > most_gpus) {
      print_error(io, fmt::format("`--count {}` is no number of GPUs", text),
                  fmt::format("whole numbers from 1 to {}", most_gpus));
      return std::nullopt;
    }
    out.push_back(*value);
  }
  return out;
}

}  // namespace

std::vector<Option> fits_options(FitsOptions& options) {
  std::vector<Option> all{
      model_file_option(options.file),
      model_option(options.model),
      {.names = "--count",
       .value = "N",
       .doc = "GPUs to divide it over, several with commas between them: `3,6,8,24`",
       .set = into_list(options.counts),
       .many = true,
       .required = true},
      {.names = "--formats",
       .value = "NAMES",
       .doc = "number formats to try, with their recipes: `bf16,fp8:block128`; the file's own unless given",
       .set = into_list(options.formats),
       .many = true},
      {.names = "--all",
       .doc = "every way, not only the first of those that run and of those that do not",
       .set = into(options.all)},
      format_option(options.format, formats),
      stack_option(options.project),
  };
  for (Option& option : configuration_options(options.project)) all.push_back(std::move(option));
  for (Option& option : gpu_options(options.project)) all.push_back(std::move(option));
  for (Option& option : field_options(options.project.request.overrides)) all.push_back(std::move(option));
  return all;
}

ExitCode fits(const FitsOptions& options, Io& io) {
  const auto counts = counts_of(options, io);
  if (!counts) return ExitCode::error;
  std::vector<contracts::Format> wanted;
  for (const std::string& text : options.formats) {
    const auto format = contracts::parse_format(text);
    if (!format) {
      print_error(io, format.error());
      return ExitCode::error;
    }
    wanted.push_back(*format);
  }
  auto request = request_of(options.project, io);
  if (!request) return ExitCode::error;
  const project::Project project(*std::move(request), io.files);
  if (!are_configured(project, {}, io)) return ExitCode::error;
  const auto input = read_model_input({options.file, options.model, false}, project, io);
  if (!input) return ExitCode::error;
  const project::Configured& configured = *input->file.configured;
  const contracts::Stack stack =
      project::stack_of(configured, input->file.applied, input->reading(), io.files);
  std::optional<contracts::Checker> checker;
  if (!stack.empty()) checker.emplace(project::contracts_of(configured), stack);
  const Style style = out_style(io);
  const gpu::Gpu& gpu = input->gpus().front();
  for (const contracts::Format& each : wanted) {
    if (gpu::can_multiply(gpu, each.dtype)) continue;
    print_error(io, fmt::format("{} does not multiply {}", gpu.id, contracts::name(each)));
    return ExitCode::error;
  }
  const std::vector<FitRow> rows = contracts::fits(
      {&input->reading(), &gpu, configured.rules.get(), checker ? &*checker : nullptr, *counts, wanted});
  if (formats[options.format] == "json") {
    io.out << fits_json_text(gpu.id, rows);
  } else if (formats[options.format] == "csv") {
    io.out << csv_of(gpu.id, rows);
  } else {
    io.out << fmt::format("{} on {}, {}\n\n", style.paint(Role::strong, input->reading().name), gpu.id,
                          stack.empty() ? "without a stack, so only what any framework demands (`--stack`)"
                                        : contracts::describe(project::contracts_of(configured), stack));
    io.out << text_of(rows, options, style);
  }
  if (input->gpus().size() > 1) print_note(io, fmt::format("this is for {}; `--gpu` picks another", gpu.id));
  return ExitCode::clean;
}

}  // namespace shapelint::cli
