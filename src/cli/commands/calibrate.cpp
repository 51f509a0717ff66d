// `shapelint calibrate`: reads a profile and measured times, fits, reports, writes the profile anew.
#include "cli/commands/calibrate.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "base/number.hpp"
#include "calibrate/fit.hpp"
#include "cli/messages.hpp"
#include "cli/words.hpp"
#include "gpu/registry.hpp"
#include "text/limits.hpp"
#include "text/toml/toml.hpp"

namespace shapelint::cli {

namespace {

constexpr std::int64_t largest_table_bytes = 2'000'000'000;

// The text of a profile without its [calibration] tables: from each such header to the next other one.
std::string without_calibration(std::string_view text) {
  std::string kept;
  bool inside = false;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    if (line.starts_with('['))
      inside = line.starts_with("[calibration]") || line.starts_with("[calibration.");
    if (!inside) {
      kept += line;
      kept += '\n';
    }
    begin = end + 1;
  }
  while (kept.ends_with("\n\n")) kept.pop_back();
  return kept;
}

std::string score_line(std::string_view what, const calibrate::Score& s) {
  return fmt::format("  {:<22} {:>7} {:>8} {:>8} {:>8} {:>7}\n", what, s.rows, percent(s.mean),
                     percent(s.median), percent(s.p90), fixed(s.bias, 3));
}

std::string describe(std::string_view set, const calibrate::Fit& fit) {
  std::string out = fmt::format("\n{}: {} rows\n  {:<22} {:>7} {:>8} {:>8} {:>8} {:>7}\n", set,
                                fit.after.slices[0].rows, "", "rows", "mean", "median", "90 %", "bias");
  for (std::size_t slice = 0; slice < calibrate::slice_names.size(); ++slice) {
    if (fit.after.slices[slice].rows == 0) continue;
    const std::string_view name = calibrate::slice_names[slice];
    out += score_line(fmt::format("{}, before", name), fit.before.slices[slice]);
    out += score_line(fmt::format("{}, after", name), fit.after.slices[slice]);
    out += score_line(fmt::format("{}, left out", name), fit.left_out.slices[slice]);
  }
  if (fit.after.edges) {
    out +=
        fmt::format("  tile edges: recall {}, precision {} of {} pairs\n", fixed(fit.after.edges->recall, 2),
                    fixed(fit.after.edges->precision, 2), fit.after.edges->pairs);
  }
  for (const calibrate::Kept& kept : fit.kept) out += fmt::format("  kept `{}`: {}\n", kept.key, kept.reason);
  return out;
}

struct Input {
  std::string text;
  calibrate::ShapeTable table;
};

// Whether a row was measured on this GPU; rows that name none were.
bool is_of(std::string_view name, const gpu::Gpu& gpu) {
  return name.empty() || name == gpu.id ||
         std::find(gpu.aliases.begin(), gpu.aliases.end(), name) != gpu.aliases.end();
}

bool read_inputs(const CalibrateOptions& options, Io& io, std::vector<Input>& inputs) {
  std::vector<Error> errors;
  inputs.resize(options.shapes.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string& path = options.shapes[i];
    auto text = io.files.read(path, largest_table_bytes);
    if (!text) {
      print_error(io, fmt::format("{}: {}", path, text.error().message), text.error().hint);
      return false;
    }
    inputs[i].text = *std::move(text);
    inputs[i].table = calibrate::read_shapes(inputs[i].text, path, DType::bf16, errors);
    if (errors.empty() && !inputs[i].table.has_times) errors.push_back({"no column `time_us`", {}, path, {}});
    if (print_errors(io, path, errors)) return false;
  }
  return true;
}

}  // namespace

std::vector<Option> calibrate_options(CalibrateOptions& options) {
  return {
      {.names = "TABLE",
       .value = "FILE.csv",
       .doc = "measured products: columns m, n, k, time_us and, where they differ, batch, dtype, recipe, op, "
              "layout, gpu",
       .set = into(options.shapes),
       .many = true},
      {.names = "--gpu",
       .value = "NAME",
       .doc = "GPU that was measured: its facts are kept, its constants are where the search begins",
       .set = into(options.gpu),
       .words = gpu_words},
      {.names = "--gpu-file",
       .value = "FILE.toml",
       .doc = "the same of a profile of your own",
       .set = into(options.gpu_file)},
      {.names = "--shapes",
       .value = "FILE.csv",
       .doc = "a table, too",
       .set = into(options.shapes),
       .many = true},
      {.names = "-o,--output",
       .value = "FILE.toml",
       .doc = "the new profile; with --gpu a file of the GPU's name and `-measured` that is not there yet, "
              "unless given",
       .set = into(options.output)},
      {.names = "--source",
       .value = "TEXT",
       .doc = "what the measurements are, for the profile: tool, driver and library versions, date",
       .set = into(options.source)},
      {.names = "--start-from",
       .value = "NAME",
       .doc = "GPU whose constants stand for those that the data does not determine",
       .set = into(options.start_from)},
      {.names = "--rotated",
       .doc = "the benchmark rotates just as many weight buffers as fill L2, so that some are still there",
       .set = into(options.rotated)},
      {.names = "--evaluations",
       .value = "N",
       .doc = "of the search, per set of constants and fold (default 8000)",
       .set = into(options.evaluations)},
      {.names = "--folds",
       .value = "N",
       .doc = "of the cross-validation (default 5; 1: none)",
       .set = into(options.folds)},
      {.names = "--sample",
       .value = "N",
       .doc = "rows that the search looks at (default 2000)",
       .set = into(options.sample)},
  };
}

namespace {

// The profile that the fit starts from, and the text that the new one has beside its constants.
struct Start {
  gpu::Gpu gpu;
  std::string text;
};

std::optional<Start> start_of(const CalibrateOptions& options, Io& io) {
  if (options.gpu_file.empty()) {
    const auto known = gpu::find_gpu(options.gpu);
    if (!known) {
      print_error(io, known.error().message, known.error().hint);
      return std::nullopt;
    }
    return Start{*known, fmt::format("based_on = \"{}\"\n", known->id)};
  }
  const auto fail = [&](const Error& error) {
    print_error(io, fmt::format("{}: {}", options.gpu_file, error.message), error.hint);
    return std::nullopt;
  };
  const auto text = io.files.read(options.gpu_file, text::max_source_bytes);
  if (!text) return fail(text.error());
  const auto document = text::parse_toml(options.gpu_file, *text);
  if (!document) return fail(document.error());
  std::vector<Error> errors;
  Start start{gpu::read_gpu(*document, errors), *text};
  if (print_errors(io, options.gpu_file, errors)) return std::nullopt;
  return start;
}

// The options with what follows from others filled in; nothing, and an error, where they do not go together.
std::optional<CalibrateOptions> completed(CalibrateOptions options, Io& io) {
  const auto fail = [&](std::string_view message, std::string_view hint) {
    print_error(io, message, hint);
    return std::nullopt;
  };
  if (options.shapes.empty())
    return fail("no table of measured products is given", "`shapelint calibrate TABLE`");
  if (options.gpu.empty() == options.gpu_file.empty())
    return fail("one GPU is fitted", "`--gpu NAME` or `--gpu-file FILE.toml` says which");
  if (options.output.empty()) {
    if (options.gpu.empty()) return fail("no file is given for the new profile", "`-o FILE.toml`");
    const auto known = gpu::find_gpu(options.gpu);
    options.output = (known ? known->id : options.gpu) + "-measured.toml";
    if (io.files.exists(options.output))
      return fail(fmt::format("{}: it is there already", options.output),
                  "`-o FILE.toml` says where the profile goes");
  }
  return options;
}

ExitCode fit(const CalibrateOptions& options, Io& io) {
  // A profile may be fitted in place, but what it is fitted to was measured.
  const std::filesystem::path here(io.files.working_directory());
  for (const std::string& shapes : options.shapes) {
    std::error_code problem;
    if (!std::filesystem::equivalent(here / shapes, here / options.output, problem)) continue;
    print_error(io, fmt::format("{}: the output is a file that is read, and stays as it is", options.output),
                "name another file");
    return ExitCode::error;
  }
  std::optional<Start> start = start_of(options, io);
  std::vector<Input> inputs;
  if (!start || !read_inputs(options, io, inputs)) return ExitCode::error;
  gpu::Gpu& gpu = start->gpu;
  if (!options.start_from.empty()) {
    const auto other = gpu::find_gpu(options.start_from);
    if (!other) {
      print_error(io, other.error().message, other.error().hint);
      return ExitCode::error;
    }
    for (std::size_t set = 0; set < gpu.calibration.gemm.size(); ++set) {
      gpu.calibration.gemm[set].constants = other->calibration.gemm[set].constants;
      gpu.calibration.gemm[set].alignment = other->calibration.gemm[set].alignment;
    }
  }
  // Constants of a relative, or nobody's, are not written as if they were this GPU's.
  for (gpu::GemmCalibration& set : gpu.calibration.gemm) {
    if (!set.own) set.source.clear();
  }

  calibrate::FitOptions fit_options;
  fit_options.evaluations = std::clamp<std::int64_t>(options.evaluations, 100, 1'000'000);
  fit_options.sample = static_cast<std::size_t>(std::clamp<std::int64_t>(options.sample, 50, 1'000'000));
  fit_options.folds = static_cast<std::size_t>(std::clamp<std::int64_t>(options.folds, 1, 100));
  fit_options.rotated = options.rotated;
  if (io.err_is_terminal) {
    fit_options.progress = [&io](std::string_view what, double share) {
      io.err << fmt::format("\r{:<28} {:>6}", what, percent(share)) << std::flush;
    };
  }
  bool fitted = false;
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
    const auto fit = calibrate::fit(gpu, static_cast<gpu::ConstantSet>(set), rows, fit_options);
    if (io.err_is_terminal) io.err << "\r\x1b[K";
    const std::string_view set_name = gpu::constant_set_names[set];
    if (!fit) {
      print_error(io, fmt::format("constants of {}: {}", set_name, fit.error().message), fit.error().hint);
      continue;
    }
    fitted = true;
    gpu::GemmCalibration& calibration = gpu.calibration.gemm[set];
    calibration.constants = fit->constants;
    calibration.own = true;
    calibration.source = options.source.empty() ? fmt::format("{} products", rows.size()) : options.source;
    const auto kept = [&](std::string_view key) {
      return std::any_of(fit->kept.begin(), fit->kept.end(),
                         [&](const auto& each) { return each.key == key; });
    };
    if (!kept("align_k_4b") || !kept("align_n_4b")) calibration.alignment = calibration.source;
    const auto& errors_of = fit->left_out.slices;
    calibration.errors = {errors_of[0].mean, errors_of[1].mean, errors_of[2].mean, errors_of[3].mean};
    io.out << describe(set_name, *fit);
  }
  if (!fitted) {
    print_error(io, "no rows of this GPU could be fitted",
                fmt::format("`{}` has to name it, or no GPU at all", options.shapes.front()));
    return ExitCode::error;
  }
  gpu.calibration.source = options.source.empty() ? "measurements of the user's own" : options.source;
  std::string out = without_calibration(start->text) + '\n' + gpu::write_calibration(gpu.calibration);
  if (const auto written = io.files.write(options.output, out); !written) {
    print_error(io, fmt::format("{}: {}", options.output, written.error().message), written.error().hint);
    return ExitCode::error;
  }
  if (options.gpu_file.empty()) {
    print_note(io, fmt::format("{} written: `--gpu-file {}` uses it", options.output, options.output));
  }
  return ExitCode::clean;
}

}  // namespace

ExitCode calibrate(const CalibrateOptions& options, Io& io) {
  const auto whole = completed(options, io);
  return whole ? fit(*whole, io) : ExitCode::error;
}

}  // namespace shapelint::cli
