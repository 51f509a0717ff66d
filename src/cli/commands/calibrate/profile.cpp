// Profiles before and after a fit.
#include "cli/commands/calibrate/calibrate.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "base/number.hpp"
#include "cli/output.hpp"
#include "gpu/registry.hpp"
#include "text/errors.hpp"
#include "text/toml/toml.hpp"

namespace shapelint::cli {

namespace {

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

// A project's own profile is written again as it stands, a built-in one is built upon.
std::optional<Start> start_of(std::string_view name, std::span<const text::Document> profiles, Io& io) {
  const auto known = gpu::find_gpu(name, profiles);
  if (!known) {
    print_error(io, known.error().message, known.error().hint);
    return std::nullopt;
  }
  const auto own = std::find_if(profiles.begin(), profiles.end(),
                                [&](const text::Document& each) { return gpu::id_of(each) == known->id; });
  return Start{*known, own == profiles.end() ? fmt::format("based_on = \"{}\"\n", known->id)
                                             : own->shared_source().str()};
}

}  // namespace

std::optional<Start> start_of(const CalibrateOptions& options, const project::Configured& here, Io& io) {
  if (options.gpu_file.empty()) return start_of(options.gpu, here.profiles, io);
  const auto fail = [&](const Error& error) {
    print_error(io, fmt::format("{}: {}", options.gpu_file, error.message), error.hint);
    return std::nullopt;
  };
  const auto text = io.files.read(options.gpu_file, text::max_source_bytes);
  if (!text) return fail(text.error());
  const auto document = text::parse_toml(options.gpu_file, *text);
  if (!document) return fail(document.error());
  std::vector<Error> errors;
  Start start{gpu::read_gpu(*document, errors, here.profiles), *text};
  if (print_errors(io, options.gpu_file, errors)) return std::nullopt;
  return start;
}

std::optional<std::string> output_of(const CalibrateOptions& options, const gpu::Gpu& gpu,
                                     std::string_view ending, Io& io) {
  if (!options.output.empty()) return options.output;
  std::string path = fmt::format("{}{}.toml", gpu.id, ending);
  if (!io.files.exists(path)) return path;
  print_error(io, fmt::format("{} already exists", path), "set the output file with `-o FILE.toml`");
  return std::nullopt;
}

calibrate::FitOptions fit_options(const CalibrateOptions& options, Io& io) {
  calibrate::FitOptions out;
  out.evaluations = std::clamp<std::int64_t>(options.evaluations, 100, 1'000'000);
  out.sample = static_cast<std::size_t>(std::clamp<std::int64_t>(options.sample, 50, 1'000'000));
  out.folds = static_cast<std::size_t>(std::clamp<std::int64_t>(options.folds, 1, 100));
  out.rotated = options.rotated;
  if (io.err_is_terminal) {
    out.progress = [&io](std::string_view what, double share) {
      io.err << fmt::format("\r{:<28} {:>6}", what, percent(share)) << std::flush;
    };
  }
  return out;
}

std::string scores_text(std::string_view set, const calibrate::Fit& fit) {
  std::string out =
      fmt::format("\n{}: {}\n  {:<22} {:>7} {:>8} {:>8} {:>8} {:>7}\n", set,
                  counted(fit.after.slices[0].rows, "row"), "", "rows", "mean", "median", "90 %", "bias");
  for (std::size_t slice = 0; slice < calibrate::slice_names.size(); ++slice) {
    if (fit.after.slices[slice].rows == 0) continue;
    const std::string_view name = calibrate::slice_names[slice];
    out += score_line(fmt::format("{}, before", name), fit.before.slices[slice]);
    out += score_line(fmt::format("{}, after", name), fit.after.slices[slice]);
    if (fit.left_out.slices[slice].rows == 0) continue;
    out += score_line(fmt::format("{}, left out", name), fit.left_out.slices[slice]);
  }
  if (fit.after.edges) {
    out += fmt::format("  tile edges: recall {}, precision {} of {}\n", fixed(fit.after.edges->recall, 2),
                       fixed(fit.after.edges->precision, 2), counted(fit.after.edges->pairs, "pair"));
  }
  return out;
}

std::string profile_text(const Start& start, bool borrowed) {
  std::string constants = gpu::write_calibration(start.gpu.calibration);
  constexpr std::string_view header = "[calibration]\n";
  if (borrowed) constants.insert(header.size(), "borrowed = true\n");
  return without_calibration(start.text) + '\n' + constants;
}

bool write_profile(const std::string& path, const std::string& text, Io& io) {
  const auto written = io.files.write(path, text);
  if (!written) print_error(io, fmt::format("{}: {}", path, written.error().message), written.error().hint);
  return static_cast<bool>(written);
}

}  // namespace shapelint::cli
