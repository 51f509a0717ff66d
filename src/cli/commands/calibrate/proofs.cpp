// `shapelint calibrate --proofs`: adjusts a GPU's constants to what proofs measured, and says what it
// changes.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "base/number.hpp"
#include "cli/commands/calibrate/calibrate.hpp"
#include "cli/commands/calibrate/report.hpp"
#include "cli/model_input.hpp"
#include "cli/output.hpp"
#include "cli/project_options.hpp"
#include "formats/discover.hpp"
#include "gpu/registry.hpp"
#include "lint/phrases.hpp"
#include "prove/proofs.hpp"
#include "text/errors.hpp"
#include "text/printable.hpp"
#include "text/toml/toml.hpp"

namespace shapelint::cli {

namespace {

// A file of proofs, and of those that count, the products.
struct ProofFile {
  std::string path;
  std::vector<prove::StoredProof> proofs;
  std::string table;
};

// A product cannot be faster than the tensor cores at their highest clock: then something else was timed.
constexpr double fastest_share_of_peak = 1.15;

// All files of proofs that the paths mean; nothing, and an error, when one of them cannot be read.
std::optional<std::vector<ProofFile>> read_files(const CalibrateOptions& options, Io& io) {
  const std::vector<std::string> here{"."};
  const std::vector<std::string>& paths = options.shapes.empty() ? here : options.shapes;
  const formats::Discovery found = formats::discover(io.files, paths);
  for (const Error& error : found.errors) print_error(io, error);
  if (!found.errors.empty()) return std::nullopt;
  // They lie next to configurations, and a search for those leaves them out.
  std::set<std::string> named;
  for (const formats::DiscoveredFile& each : found.files) {
    const std::filesystem::path path(each.path);
    const std::string beside = (path.parent_path() / prove::proofs_name).generic_string();
    if (each.named) {
      named.insert(each.path);
    } else if (io.files.is_plain_file(beside)) {
      named.insert(beside);
    }
  }
  std::vector<ProofFile> files;
  for (const std::string& path : named) {
    auto content = io.files.read(path, text::max_source_bytes);
    if (!content) {
      print_error(io, fmt::format("{}: {}", path, content.error().message), content.error().hint);
      return std::nullopt;
    }
    const std::string text = *content;
    auto proofs = prove::read_proofs(path, *std::move(content));
    if (!proofs) {
      print_error(io, proofs.error(), text);
      return std::nullopt;
    }
    files.push_back({path, *std::move(proofs), {}});
  }
  if (!files.empty()) return files;
  print_error(io, fmt::format("no {} in {}", prove::proofs_name, fmt::join(paths, ", ")),
              "`shapelint prove --read` writes it next to the model");
  return std::nullopt;
}

// The GPU that the proofs are of, if none is named.
std::optional<std::string> gpu_of(const std::vector<ProofFile>& files, Io& io) {
  std::set<std::string> ids;
  for (const ProofFile& file : files) {
    for (const prove::StoredProof& proof : file.proofs) ids.insert(proof.gpu);
  }
  if (ids.size() == 1) return *ids.begin();
  if (ids.empty()) {
    print_error(io, fmt::format("{}: there are no proofs in it", files.front().path));
  } else {
    print_error(io, text::one_line(fmt::format("there are proofs on {}", fmt::join(ids, ", "))),
                "set the GPU with `--gpu NAME`");
  }
  return std::nullopt;
}

// Leaves the proofs of this GPU, and writes down their products, each once.
void keep_only(const std::string& gpu, std::vector<ProofFile>& files) {
  for (ProofFile& file : files) {
    std::erase_if(file.proofs, [&](const prove::StoredProof& each) { return each.gpu != gpu; });
    std::set<std::string> seen;
    for (const prove::StoredProof& proof : file.proofs) {
      for (const std::string& row : proof.proof.products) {
        if (!seen.insert(row).second) continue;
        file.table += row;
        file.table += '\n';
      }
    }
    if (!file.table.empty()) file.table.insert(0, fmt::format("{}\n", prove::product_columns));
  }
}

// The products of all files; the views point into these. Nothing, and an error, for one that cannot be.
std::optional<std::vector<calibrate::MeasuredShape>> products_of(const std::vector<ProofFile>& files,
                                                                 const gpu::Gpu& gpu, Io& io) {
  std::vector<calibrate::MeasuredShape> rows;
  for (const ProofFile& file : files) {
    if (file.table.empty()) continue;
    std::vector<Error> errors;
    const calibrate::ShapeTable table = calibrate::read_shapes(file.table, {}, DType::bf16, errors);
    for (const calibrate::MeasuredShape& row : table.rows) {
      const cost::GemmShape& s = row.shape;
      const double flops = 2.0 * static_cast<double>(s.batch) * static_cast<double>(s.m) *
                           static_cast<double>(s.n) * static_cast<double>(s.k);
      const double peak = std::max(1e-3, gpu::peak_tflops(gpu, s.dtype)) * 1e6;  // per microsecond
      if (flops / row.time_us > fastest_share_of_peak * peak) {
        errors.push_back(
            {fmt::format("`{}` is faster than {} can multiply", text::one_line(row.line), gpu.name),
             "measure again",
             {},
             {}});
      }
      rows.push_back(row);
    }
    if (print_errors(io, fmt::format("{}: GEMMs", file.path), errors)) return std::nullopt;
  }
  return rows;
}

std::string moved_text(const gpu::GemmConstants& from, const gpu::GemmConstants& to) {
  std::string out;
  for (const gpu::GemmConstant& each : gpu::gemm_constants()) {
    const double before = from.*each.member;
    const double after = to.*each.member;
    if (!has_moved(before, after)) continue;
    out += fmt::format("  {:<22} {:>9.4g} → {:<9.4g} {}\n", each.key, before, after, each.unit);
  }
  return out.empty() ? std::string("  no constant moves\n") : out;
}

// What the profiles predict for one finding and what was measured.
ProvedFinding finding_of(const std::string& file, const prove::StoredProof& proof,
                         const model::Reading& reading, const gpu::Gpu& before, const gpu::Gpu& after) {
  ProvedFinding out{file, proof, {}, {}, prove::difference(proof.sizes, reading)};
  if (!out.no_longer_fits.empty()) return out;
  out.before = prove::predict_gain(before, reading, proof.proof.changes);
  out.after = prove::predict_gain(after, reading, proof.proof.changes);
  if (!out.before || !out.after) out.no_longer_fits = "the change cannot be predicted";
  return out;
}

std::string findings_text(const std::vector<ProvedFinding>& findings) {
  std::string out =
      fmt::format("\n  {:<44} {:>14} {:>14} {:>14}\n", "findings", "measured", "before", "after");
  for (const ProvedFinding& each : findings) {
    const prove::Proof& proof = each.proof.proof;
    const std::string name = text::one_line(fmt::format("{} {} ({})", each.file, proof.code, proof.rule));
    const std::string measured = lint::share(proof.gain, proof.half_width);
    if (each.no_longer_fits.empty()) {
      out += fmt::format("  {:<44} {:>14} {:>14} {:>14}\n", name, measured,
                         lint::share(each.before->gain, each.before->error),
                         lint::share(each.after->gain, each.after->error));
    } else {
      out += fmt::format("  {:<44} {:>14}  no longer fits: {}\n", name, measured,
                         text::one_line(each.no_longer_fits));
    }
  }
  return out;
}

// The predicted saving of every proof before and after; nothing, after an error, where a model cannot
// be read.
std::optional<std::vector<ProvedFinding>> proved_findings(const CalibrateOptions& options,
                                                          const std::vector<ProofFile>& files,
                                                          const gpu::Gpu& before, const gpu::Gpu& after,
                                                          Io& io) {
  ProjectOptions asked = options.project;
  if (options.gpu_file.empty()) {
    asked.request.gpus.names = {before.id};
  } else {
    asked.gpu_files = {options.gpu_file};
  }
  auto request = request_of(asked, io);
  if (!request) return std::nullopt;
  const project::Project project(*std::move(request), io.files);
  std::vector<ProvedFinding> findings;
  for (const ProofFile& file : files) {
    const std::filesystem::path folder = std::filesystem::path(file.path).parent_path();
    for (const prove::StoredProof& proof : file.proofs) {
      const std::string path = (folder / std::filesystem::path(proof.file).filename()).generic_string();
      if (!are_configured(project, {&path, 1}, io)) return std::nullopt;
      const auto input = read_model_input({path, proof.model, true}, project, io);
      if (!input) return std::nullopt;
      findings.push_back(finding_of(path, proof, input->reading(), before, after));
    }
  }
  return findings;
}

// The devices and the first and last day of what was measured.
std::string origin_of(const std::vector<ProofFile>& files) {
  std::set<std::string> devices;
  std::set<std::string> dates;
  for (const ProofFile& file : files) {
    for (const prove::StoredProof& proof : file.proofs) {
      devices.insert(proof.device);
      dates.insert(proof.date);
    }
  }
  const std::string days =
      dates.size() > 1 ? fmt::format("{} to {}", *dates.begin(), *dates.rbegin()) : *dates.begin();
  return text::one_line(fmt::format("{}, {}", fmt::join(devices, ", "), days));
}

// Text for a string of a profile, which holds no quotes.
std::string quotable(std::string text) {
  std::erase_if(text, [](char c) { return c == '"' || c == '\\'; });
  return text;
}

// Adjusts every set of constants that there are products of, and says so in the report.
void adjust(const CalibrateOptions& options, const std::vector<calibrate::MeasuredShape>& rows,
            const std::string& origin, gpu::Gpu& gpu, FitReport& report, Io& io) {
  calibrate::FitOptions searched = fit_options(options, io);
  searched.adjust = true;
  const gpu::Gpu base = gpu;
  for (std::size_t set = 0; set < gpu.calibration.gemm.size(); ++set) {
    std::vector<calibrate::MeasuredShape> own;
    for (const calibrate::MeasuredShape& row : rows) {
      if (gpu::constant_set(row.shape.dtype, row.shape.recipe) == static_cast<gpu::ConstantSet>(set) &&
          gpu::can_multiply(gpu, row.shape.dtype))
        own.push_back(row);
    }
    if (own.empty()) {
      // A relative's constants are not written as if they were this GPU's.
      if (!gpu.calibration.gemm[set].own) gpu.calibration.gemm[set].source.clear();
      continue;
    }
    const auto fit = calibrate::fit(base, static_cast<gpu::ConstantSet>(set), own, searched);
    if (io.err_is_terminal) io.err << "\r\x1b[K";
    const std::string_view set_name = gpu::constant_set_names[set];
    if (!fit) {
      print_note(
          io, fmt::format("constants of {} stay: {}; {}", set_name, fit.error().message, fit.error().hint));
      report.stayed.push_back({set_name, fit.error().message});
      if (!gpu.calibration.gemm[set].own) gpu.calibration.gemm[set].source.clear();
      continue;
    }
    gpu::GemmCalibration& calibration = gpu.calibration.gemm[set];
    report.sets.push_back({set_name, own.size(), calibration.constants, *fit});
    if (options.format != fit_as_json)
      io.out << scores_text(set_name, *fit) << moved_text(calibration.constants, fit->constants);
    calibration.constants = fit->constants;
    calibration.source += fmt::format("{}adjusted to {} GEMMs of proofs ({})",
                                      calibration.source.empty() ? "" : "; ", own.size(), quotable(origin));
  }
}

}  // namespace

ExitCode adjust_to_proofs(const CalibrateOptions& options, const project::Project& project, Io& io) {
  auto files = read_files(options, io);
  if (!files) return ExitCode::error;
  CalibrateOptions chosen = options;
  if (chosen.gpu.empty() && chosen.gpu_file.empty()) {
    auto gpu = gpu_of(*files, io);
    if (!gpu) return ExitCode::error;
    chosen.gpu = *std::move(gpu);
  }
  auto start = start_of(chosen, project.here(), io);
  if (!start) return ExitCode::error;
  const auto output = output_of(chosen, start->gpu, "-proofs", io);
  if (!output) return ExitCode::error;
  gpu::Gpu& gpu = start->gpu;
  const gpu::Gpu before = gpu;
  keep_only(gpu.id, *files);
  std::erase_if(*files, [](const ProofFile& file) { return file.proofs.empty(); });
  if (files->empty()) {
    print_error(io, fmt::format("there is no proof on {}", gpu.id));
    return ExitCode::error;
  }
  const auto rows = products_of(*files, gpu, io);
  if (!rows) return ExitCode::error;
  if (rows->empty()) {
    print_error(io, fmt::format("the proofs on {} have no GEMM times", gpu.id),
                "the GPU was throttled, its clocks were locked, or the version is older: measure again");
    return ExitCode::error;
  }
  const std::string origin = origin_of(*files);
  std::size_t proofs = 0;
  for (const ProofFile& file : *files) proofs += file.proofs.size();
  FitReport report{gpu.id, *output, {}, {}, {}, {}};
  const bool as_text = options.format != fit_as_json;
  if (as_text)
    io.out << fmt::format("{}: {} of {} ({})\n", gpu.id, counted(rows->size(), "product"),
                          counted(proofs, "proof"), origin);
  const bool borrowed = gpu.calibration.status != "calibrated";
  adjust(chosen, *rows, origin, gpu, report, io);
  if (report.sets.empty()) {
    print_error(io, "nothing could be adjusted");
    return ExitCode::error;
  }
  gpu.calibration.source +=
      fmt::format("{}adjusted to proofs ({})", gpu.calibration.source.empty() ? "" : "; ", quotable(origin));
  const std::string profile = profile_text(*start, borrowed);
  // What is shown is what whoever uses the file gets.
  const auto document = text::parse_toml(*output, profile);
  std::vector<Error> errors;
  if (!document) errors.push_back(document.error());
  const gpu::Gpu after = document ? gpu::read_gpu(*document, errors, project.here().profiles) : gpu;
  if (print_errors(io, *output, errors)) return ExitCode::error;
  auto findings = proved_findings(chosen, *files, before, after, io);
  if (!findings) return ExitCode::error;
  report.findings = *std::move(findings);
  if (as_text) io.out << findings_text(report.findings);
  if (!write_profile(*output, profile, io)) return ExitCode::error;
  report.source = gpu.calibration.source;
  if (!as_text) io.out << fit_json(report);
  print_note(io, fmt::format("{} written: `--gpu-file {}` uses it", *output, *output));
  return ExitCode::clean;
}

}  // namespace shapelint::cli
