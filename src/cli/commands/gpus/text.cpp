// GPUs for people and for programs.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/number.hpp"
#include "base/strings.hpp"
#include "cli/commands/gpus/gpus.hpp"
#include "objects/convert.hpp"
#include "objects/printed/document.hpp"
#include "objects/printed/gpus.hpp"
#include "report/style.hpp"

namespace shapelint::cli {

namespace {

using gpu::Figure;
using gpu::Gpu;
using report::Role;
using report::Style;

std::string joined(std::span<const std::string> words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return report::printable(out);
}

// A figure or a dash: 0 stands for unknown.
std::string or_dash(double value) {
  return value > 0 ? exact(value) : "-";
}

std::string value_text(text::NodeRef value) {
  if (const auto words = value.as_string()) return report::printable(*words);
  if (const auto flag = value.as_boolean()) return *flag ? "yes" : "no";
  return exact(value.as_number().value_or(0));
}

std::string calibration_text(const gpu::Calibration& calibration) {
  if (calibration.status == "uncalibrated") {
    return "uncalibrated: no constants were fitted to measurements of this GPU or its architecture";
  }
  return calibration.status + (calibration.source.empty() ? "" : ": " + calibration.source);
}

// Columns as wide as their widest cell; the last one is not padded.
std::string aligned(const std::vector<std::vector<std::string>>& rows, std::span<const bool> right) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - row[i].size(), ' ');
      line += (i > 0 ? "  " : "") + (right[i] ? padding + row[i] : row[i] + padding);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

// The place of each figure's sources in the list at the end: "1 4 5".
std::string numbers(std::span<const std::string_view> keys, std::vector<std::string_view>& all) {
  std::string out;
  for (const std::string_view key : keys) {
    auto place = std::find(all.begin(), all.end(), key);
    if (place == all.end()) place = all.insert(all.end(), key);
    out += fmt::format("{}{}", out.empty() ? "" : " ", place - all.begin() + 1);
  }
  return out.empty() ? out : "[" + out + "]";
}

constexpr std::size_t text_indent = 4;

std::string figures_text(std::span<const Figure> figures, std::string_view section,
                         std::vector<std::string_view>& sources, const Style& style) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> remarks;
  for (const Figure& figure : figures) {
    if (figure.section != section) continue;
    std::string unit(figure.unit);
    rows.push_back(
        {"  " + std::string(figure.name), value_text(figure.value), unit, numbers(figure.sources, sources)});
    std::string remark(figure.note);
    if (!figure.confidence.empty()) {
      remark += fmt::format("{}{}", remark.empty() ? "" : "; ", figure.confidence);
    }
    remarks.push_back(remark.empty() ? ""
                                     : style.paint(Role::faint, report::wrap(report::printable(remark),
                                                                             text_indent, 0, style)) +
                                           "\n");
  }
  constexpr std::array<bool, 4> right{false, true, false, false};
  const std::string lines = aligned(rows, right);
  std::string out;
  std::size_t at = 0;
  for (const std::string& remark : remarks) {
    const std::size_t end = lines.find('\n', at) + 1;
    out += lines.substr(at, end - at) + remark;
    at = end;
  }
  return out;
}

std::string notes_text(std::span<const std::string_view> notes, const Style& style) {
  std::string out;
  for (const std::string_view note : notes)
    out += "  - " + report::wrap(report::printable(note), text_indent, text_indent, style) + "\n";
  return out;
}

std::string tiles_text(const gpu::Architecture& architecture, const Style& style) {
  std::string tiles;
  for (const gpu::Tile& tile : architecture.tiles) {
    tiles += fmt::format("{}{}x{}", tiles.empty() ? "" : ", ", tile.m, tile.n);
    if (tile.k > 0) tiles += fmt::format("x{}", tile.k);
    if (tile.sms > 1) tiles += fmt::format(" on {} SMs", tile.sms);
    if (tile.ctas_per_sm > 1) tiles += fmt::format(" ({} per SM)", tile.ctas_per_sm);
  }
  return report::wrap(tiles, text_indent, 0, style);
}

// Types that share a rule are on one line: "fp32, tf32, fp16 …: 16 B, best 128 B".
std::string alignment_text(const gpu::Architecture& architecture) {
  const auto rule_text = [](const gpu::Alignment& rule) {
    std::string text;
    const auto add = [&](std::string_view words, std::int64_t bytes) {
      if (bytes > 0) text += fmt::format("{}{} {} B", text.empty() ? "" : ", ", words, bytes);
    };
    add("at least", rule.minimum_bytes);
    add("efficient at", rule.efficient_bytes);
    add("best at", rule.best_bytes);
    return text;
  };
  std::vector<std::pair<std::string, std::string>> lines;  // rule, types
  for (const DTypeInfo& each : dtypes) {
    const std::string rule = rule_text(gpu::alignment(architecture, each.dtype));
    if (rule.empty()) continue;
    const auto same =
        std::find_if(lines.begin(), lines.end(), [&](const auto& line) { return line.first == rule; });
    if (same == lines.end()) {
      lines.emplace_back(rule, each.name);
    } else {
      same->second += fmt::format(", {}", each.name);
    }
  }
  std::string out;
  for (const auto& [rule, types] : lines) out += fmt::format("    {}: {}\n", types, rule);
  return out.empty() ? out : "  contiguous dimensions, in multiples of\n" + out;
}

// What fitted the constants of each kind of product, and how far predictions were off on what was left out.
std::string calibration_details(const gpu::Calibration& calibration, const Style& style) {
  std::string out;
  for (std::size_t i = 0; i < calibration.gemm.size(); ++i) {
    const gpu::GemmCalibration& gemm = calibration.gemm[i];
    if (gemm.source.empty()) continue;
    std::string text(gemm.source);
    const auto add = [&](std::string_view words, double share) {
      if (share > 0) text += fmt::format("; {} {}", words, percent(share));
    };
    add("mean error", gemm.errors.all);
    add("training shapes", gemm.errors.train);
    add("decoding shapes", gemm.errors.decode);
    add("misaligned shapes", gemm.errors.misaligned);
    const std::string label = fmt::format("    {}: ", gpu::constant_set_names[i]);
    out += label + report::wrap(report::printable(text), label.size(), label.size(), style) + "\n";
  }
  return out;
}

std::string source_text(std::size_t number, std::string_view key, const Style& style) {
  const auto source = gpu::find_source(key);
  std::string text = report::printable(key);
  if (source) {
    text = fmt::format("{} ({}", source->title, source->grade);
    if (!source->note.empty()) text += fmt::format("; {}", source->note);
    text += ")";
    if (!source->url.empty()) text += fmt::format(" {}", source->url);
  }
  const std::string label = fmt::format("  [{}] ", number);
  return label + report::wrap(text, label.size(), label.size(), style) + "\n";
}

}  // namespace

std::string gpus_table_text(std::span<const Shown> all, const Style& style) {
  std::vector<std::vector<std::string>> rows{
      {"ID", "SMS", "FP16 TFLOP/s", "BF16 TFLOP/s", "DRAM GB/s", "L2 MiB", "CALIBRATION", "ALIASES"}};
  // A profile may state a share of another's.
  const auto hundredths = [](double value) { return std::round(100 * value) / 100; };
  for (const auto& [gpu, facts, architecture] : all) {
    rows.push_back({gpu.id, std::to_string(gpu.sm_count), or_dash(hundredths(peak_tflops(gpu, DType::fp16))),
                    or_dash(hundredths(peak_tflops(gpu, DType::bf16))), or_dash(gpu.dram_bandwidth_gb_s),
                    or_dash(gpu.l2_size_mib), gpu.calibration.status, joined(gpu.aliases)});
  }
  constexpr std::array<bool, 8> right{false, true, true, true, true, true, false, false};
  const std::string table = aligned(rows, right);
  const std::size_t head = table.find('\n');
  return style.paint(Role::strong, table.substr(0, head)) + table.substr(head);
}

std::string gpu_profile_text(const Shown& shown, const Style& style) {
  const Gpu& gpu = shown.gpu;
  const auto heading = [&](std::string_view words) {
    return fmt::format("\n{}\n", style.paint(Role::strong, report::printable(words)));
  };
  std::vector<std::string_view> sources;
  std::string out = style.paint(Role::strong, report::printable(gpu.name)) + "\n";
  out += "  id           " + gpu.id + "\n";
  if (!gpu.aliases.empty()) out += "  aliases      " + joined(gpu.aliases) + "\n";
  if (!shown.facts.confidence.empty()) {
    out += "  confidence   " + report::wrap(report::printable(shown.facts.confidence), 15, 15, style) + "\n";
  }
  out += "  calibration  " + report::wrap(calibration_text(gpu.calibration), 15, 15, style) + "\n";
  out += calibration_details(gpu.calibration, style);
  out += heading("Figures") + figures_text(shown.facts.figures, "", sources, style);
  const std::string measured = figures_text(shown.facts.figures, "measured", sources, style);
  if (!measured.empty()) out += heading("Measured") + measured;
  if (!shown.facts.notes.empty()) out += heading("Notes") + notes_text(shown.facts.notes, style);
  out += heading("Architecture: " + gpu.architecture.name);
  out += figures_text(shown.architecture.figures, "", sources, style);
  out += figures_text(shown.architecture.figures, "tiles", sources, style);
  if (!gpu.architecture.tiles.empty())
    out += "  tiles (m x n x k)\n" + tiles_text(gpu.architecture, style) + "\n";
  out += alignment_text(gpu.architecture);
  out += notes_text(shown.architecture.notes, style);
  numbers(shown.architecture.sources, sources);
  out += heading("Sources");
  for (std::size_t i = 0; i < sources.size(); ++i) out += source_text(i + 1, sources[i], style);
  return out;
}

namespace {

using gpu::Facts;
using gpu::Figure;
using text::Kind;

std::map<std::string, objects::CalibrationErrors> errors_of(const gpu::Calibration& calibration) {
  std::map<std::string, objects::CalibrationErrors> out;
  for (std::size_t i = 0; i < calibration.gemm.size(); ++i) {
    const gpu::GemmCalibration& gemm = calibration.gemm[i];
    const auto known = [](double value) { return std::max(value, 0.0); };
    out[std::string(gpu::constant_set_names[i])] = {std::string(gemm.source),  std::string(gemm.alignment),
                                                    known(gemm.errors.all),    known(gemm.errors.train),
                                                    known(gemm.errors.decode), known(gemm.errors.misaligned)};
  }
  return out;
}

api::Scalar scalar_of(text::NodeRef value) {
  switch (value.kind()) {
    case Kind::string:
      return report::printable(*value.as_string());
    case Kind::boolean:
      return *value.as_boolean();
    case Kind::integer:
      return *value.as_integer();
    default:
      return value.as_number().value_or(0);
  }
}

objects::GpuFacts listed(const Facts& facts) {
  objects::GpuFacts out{std::string(facts.confidence), strings(facts.notes), {}};
  for (const Figure& figure : facts.figures) {
    out.figures.push_back({std::string(figure.section), std::string(figure.name), scalar_of(figure.value),
                           std::string(figure.unit), std::string(figure.meaning), strings(figure.sources),
                           std::string(figure.note), std::string(figure.confidence),
                           std::string(figure.file)});
  }
  return out;
}

objects::ArchitectureFacts listed(const gpu::Architecture& architecture, const Facts& facts) {
  objects::ArchitectureFacts out{std::string(architecture.id), listed(facts), {}, {}};
  for (const gpu::Tile& tile : architecture.tiles)
    out.tiles.push_back({tile.m, tile.n, tile.k, tile.stages, tile.ctas_per_sm, tile.sms});
  for (const DTypeInfo& each : dtypes) {
    const gpu::Alignment& rule = gpu::alignment(architecture, each.dtype);
    out.alignment[std::string(each.name)] = {rule.minimum_bytes, rule.efficient_bytes, rule.best_bytes};
  }
  return out;
}

objects::ListedGpu listed(const Shown& shown, bool in_full) {
  objects::ListedGpu out;
  static_cast<api::Gpu&>(out) = api::gpu_of(shown.gpu);
  if (!in_full) return out;
  out.calibration_errors = errors_of(shown.gpu.calibration);
  out.facts = listed(shown.facts);
  out.architecture_facts = listed(shown.gpu.architecture, shown.architecture);
  for (const Facts* facts : {&shown.facts, &shown.architecture}) {
    for (const std::string_view key : facts->sources) {
      const auto source = gpu::find_source(key);
      if (!source) continue;
      out.sources[std::string(key)] = {std::string(source->title), std::string(source->url),
                                       std::string(source->grade), std::string(source->note)};
    }
  }
  return out;
}

}  // namespace

void print_gpus_json(std::span<const Shown> all, bool in_full, std::ostream& out) {
  objects::GpuList list;
  for (const Shown& shown : all) list.gpus.push_back(listed(shown, in_full));
  objects::write_document("gpus", objects::Status::ok, list, out);
}

}  // namespace shapelint::cli
