// `shapelint calibrate`: reads a profile and measured times, fits, reports, rewrites the profile.
#include "cli/commands/calibrate/calibrate.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "calibrate/fit.hpp"
#include "cli/commands/calibrate/report.hpp"
#include "cli/commands/table_input.hpp"
#include "cli/option.hpp"
#include "cli/output.hpp"
#include "gpu/registry.hpp"
#include "prove/sweep.hpp"
#include "text/printable.hpp"

namespace shapelint::cli {

namespace {

struct Input {
  std::string text;
  calibrate::ShapeTable table;
};

// Whether a row was measured on this GPU; rows that name none were.
bool is_of(std::string_view name, const gpu::Gpu& gpu) {
  return name.empty() || gpu::is_called(gpu, name);
}

bool read_inputs(const CalibrateOptions& options, Io& io, std::vector<Input>& inputs) {
  std::vector<Error> errors;
  inputs.resize(options.shapes.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string& path = options.shapes[i];
    auto text = table_text(path, io);
    if (!text) return false;
    inputs[i].text = *std::move(text);
    if (prove::is_swept(inputs[i].text)) {
      auto swept = prove::read_swept(path, inputs[i].text);
      if (!swept) {
        print_error(io, swept.error(), inputs[i].text);
        return false;
      }
      for (const std::string& doubt : swept->doubts)
        print_note(io, text::one_line(fmt::format("{}: not plausible: {}", path, doubt)));
      inputs[i].text = std::move(swept->products);
    }
    inputs[i].table = calibrate::read_shapes(inputs[i].text, path, DType::bf16, errors);
    if (errors.empty() && !inputs[i].table.has_times) errors.push_back({"no column `time_us`", {}, path, {}});
    if (print_errors(io, path, errors)) return false;
  }
  return true;
}

}  // namespace

std::vector<Option> calibrate_options(CalibrateOptions& options) {
  std::vector<Option> all{
      {.names = "TABLE",
       .value = "FILE.csv",
       .doc = "measured GEMMs: columns m, n, k, time_us and, if they vary, batch, dtype, recipe, op, layout, "
              "gpu; or the result of `prove --sweeps`",
       .set = into(options.shapes),
       .many = true},
      {.names = "--proofs",
       .doc = "adjust the constants to proofs: each TABLE is a `shapelint-proofs.json` or a folder with some "
              "[default: working directory]",
       .set = into(options.proofs)},
      {.names = "--gpu",
       .value = "NAME",
       .doc = "measured GPU; its constants are the start of the search",
       .set = into(options.gpu),
       .words = gpu_words},
      {.names = "--gpu-file",
       .value = "FILE.toml",
       .doc = "use a custom GPU profile",
       .set = into(options.gpu_file)},
      {.names = "--shapes",
       .value = "FILE.csv",
       .doc = "a table of measurements",
       .set = into(options.shapes),
       .many = true},
      {.names = "-o,--output",
       .value = "FILE.toml",
       .doc =
           "write the profile here [default: NAME-measured.toml or NAME-proofs.toml, if it does not exist]",
       .set = into(options.output)},
      {.names = "--source",
       .value = "TEXT",
       .doc = "note for the profile: tool, driver, library versions, date",
       .set = into(options.source)},
      {.names = "--start-from",
       .value = "NAME",
       .doc = "GPU whose constants replace those that the data does not determine",
       .set = into(options.start_from)},
      {.names = "--rotated",
       .doc = "the benchmark rotated as many weight buffers as fill L2",
       .set = into(options.rotated)},
      {.names = "--evaluations",
       .value = "N",
       .doc = "search evaluations per constant set and fold [default: 8000]",
       .set = into(options.evaluations)},
      {.names = "--folds",
       .value = "N",
       .doc = "folds of the cross-validation [default: 5; 1: none]",
       .set = into(options.folds)},
      {.names = "--sample",
       .value = "N",
       .doc = "rows used by the search [default: 2000]",
       .set = into(options.sample)},
      format_option(options.format, text_or_json,
                    "format of the fit report: text or json (docs/schema/shapelint-calibrate.schema.json)"),
  };
  append(all, configuration_options(options.project));
  return all;
}

namespace {

// Whether the options go together; else an error.
bool go_together(const CalibrateOptions& options, Io& io) {
  if (options.shapes.empty() && !options.proofs) {
    print_error(io, "`TABLE` is missing", "`shapelint calibrate TABLE`");
    return false;
  }
  if (!options.gpu.empty() && !options.gpu_file.empty()) {
    print_error(io, "one GPU is fitted at a time", "set `--gpu NAME` or `--gpu-file FILE.toml`");
    return false;
  }
  if (options.gpu_file.empty() || !options.output.empty()) return true;
  print_error(io, "no file is given for the new profile", "`-o FILE.toml`");
  return false;
}

ExitCode fit(const CalibrateOptions& options, const project::Configured& here, Io& io) {
  std::optional<Start> start = start_of(options, here, io);
  if (!start) return ExitCode::error;
  gpu::Gpu& gpu = start->gpu;
  const std::optional<std::string> output = output_of(options, gpu, "-measured", io);
  if (!output) return ExitCode::error;
  // A profile may be fitted in place, but what it is fitted to was measured.
  const std::filesystem::path folder(io.files.working_directory());
  for (const std::string& shapes : options.shapes) {
    std::error_code problem;
    if (!std::filesystem::equivalent(folder / shapes, folder / *output, problem)) continue;
    print_error(io, fmt::format("{}: the output is a file that is read, and stays as it is", *output),
                "name another file");
    return ExitCode::error;
  }
  std::vector<Input> inputs;
  if (!read_inputs(options, io, inputs)) return ExitCode::error;
  if (!options.start_from.empty()) {
    const auto other = gpu::find_gpu(options.start_from, here.profiles);
    if (!other) {
      print_error(io, other.error().message, other.error().hint);
      return ExitCode::error;
    }
    for (std::size_t set = 0; set < gpu.calibration.gemm.size(); ++set) {
      gpu.calibration.gemm[set].constants = other->calibration.gemm[set].constants;
      gpu.calibration.gemm[set].alignment = other->calibration.gemm[set].alignment;
    }
  }
  // Constants of a relative, or without a source, are not written as if they were this GPU's.
  for (gpu::GemmCalibration& set : gpu.calibration.gemm) {
    if (!set.own) set.source.clear();
  }

  const calibrate::FitOptions searched = fit_options(options, io);
  FitReport report{gpu.id, *output, {}, {}, {}, {}};
  for (std::size_t set = 0; set < gpu.calibration.gemm.size(); ++set) {
    std::vector<calibrate::MeasuredShape> rows;
    for (const Input& input : inputs) {
      for (const calibrate::MeasuredShape& row : input.table.rows) {
        if (gpu::constant_set(row.shape.dtype, row.shape.recipe) == static_cast<gpu::ConstantSet>(set) &&
            is_of(row.gpu, gpu) && can_multiply(gpu, row.shape.dtype)) {
          rows.push_back(row);
        }
      }
    }
    if (rows.empty()) continue;
    const auto fit = calibrate::fit(gpu, static_cast<gpu::ConstantSet>(set), rows, searched);
    if (io.err_is_terminal) io.err << "\r\x1b[K";
    const std::string_view set_name = gpu::constant_set_names[set];
    if (!fit) {
      print_error(io, fmt::format("constants of {}: {}", set_name, fit.error().message), fit.error().hint);
      report.stayed.push_back({set_name, fit.error().message});
      continue;
    }
    gpu::GemmCalibration& calibration = gpu.calibration.gemm[set];
    report.sets.push_back({set_name, rows.size(), calibration.constants, *fit});
    calibration.constants = fit->constants;
    calibration.own = true;
    calibration.source = options.source.empty() ? fmt::format("{} GEMMs", rows.size()) : options.source;
    const auto kept = [&](std::string_view key) {
      return std::any_of(fit->kept.begin(), fit->kept.end(),
                         [&](const auto& each) { return each.key == key; });
    };
    if (!kept("align_k_4b") || !kept("align_n_4b")) calibration.alignment = calibration.source;
    const auto& errors_of = fit->left_out.slices;
    calibration.errors = {errors_of[0].mean, errors_of[1].mean, errors_of[2].mean, errors_of[3].mean};
    if (options.format == fit_as_json) continue;
    io.out << scores_text(set_name, *fit);
    for (const calibrate::Kept& each : fit->kept)
      io.out << fmt::format("  kept `{}`: {}\n", each.key, each.reason);
  }
  if (report.sets.empty()) {
    print_error(
        io, "no rows of this GPU could be fitted",
        fmt::format("name it in the column `gpu` of `{}`, or leave the column out", options.shapes.front()));
    return ExitCode::error;
  }
  gpu.calibration.source = options.source.empty() ? "measurements of the user's own" : options.source;
  if (!write_profile(*output, profile_text(*start), io)) return ExitCode::error;
  report.source = gpu.calibration.source;
  if (options.format == fit_as_json) io.out << fit_json(report);
  if (options.gpu_file.empty())
    print_note(io, fmt::format("{} written: `--gpu-file {}` uses it", *output, *output));
  return ExitCode::clean;
}

}  // namespace

ExitCode calibrate(const CalibrateOptions& options, Io& io) {
  if (!go_together(options, io)) return ExitCode::error;
  const auto project = open_project(options.project, {}, io);
  if (!project) return ExitCode::error;
  if (options.proofs) return adjust_to_proofs(options, *project, io);
  if (!options.gpu.empty() || !options.gpu_file.empty()) return fit(options, project->here(), io);
  const auto configured = one_gpu(*project, io);
  if (!configured) return ExitCode::error;
  CalibrateOptions chosen = options;
  chosen.gpu = configured->id;
  return fit(chosen, project->here(), io);
}

}  // namespace shapelint::cli
