// Shows GPUs. Text for people, JSON for programs; both from the same facts.
#include "cli/gpus.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/number.hpp"
#include "cli/gpu_choice.hpp"
#include "gpu/figures.hpp"
#include "gpu/registry.hpp"
#include "report/snippet.hpp"
#include "report/style.hpp"
#include "report/wrap.hpp"

namespace shapelint::cli {

namespace {

using gpu::Facts;
using gpu::Figure;
using gpu::Gpu;
using nlohmann::ordered_json;
using report::Role;
using report::Style;
using text::Document;
using text::Kind;

// Raised when a key changes its meaning or goes away; new keys may come without.
constexpr int json_version = 1;
constexpr std::array<std::string_view, 2> formats{"text", "json"};

// One GPU to show: what the model reads, and what people do.
struct Shown {
  Gpu gpu;
  Facts facts;
  Facts architecture;
};

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

// ---- text

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

std::string table_text(std::span<const Shown> all) {
  std::vector<std::vector<std::string>> rows{
      {"ID", "SMS", "FP16 TFLOPS", "BF16 TFLOPS", "DRAM GB/s", "L2 MiB", "CALIBRATION", "ALIASES"}};
  for (const auto& [gpu, facts, architecture] : all) {
    rows.push_back({gpu.id, std::to_string(gpu.sm_count), or_dash(peak_tflops(gpu, DType::fp16)),
                    or_dash(peak_tflops(gpu, DType::bf16)), or_dash(gpu.dram_bandwidth_gb_s),
                    or_dash(gpu.l2_size_mib), gpu.calibration.status, joined(gpu.aliases)});
  }
  constexpr std::array<bool, 8> right{false, true, true, true, true, true, false, false};
  return aligned(rows, right);
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

constexpr std::size_t indent = 4;

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
    remarks.push_back(
        remark.empty() ? ""
                       : style.paint(Role::faint, report::wrap(report::printable(remark), indent, 0)) + "\n");
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

std::string notes_text(std::span<const std::string_view> notes) {
  std::string out;
  for (const std::string_view note : notes)
    out += "  - " + report::wrap(report::printable(note), indent, indent) + "\n";
  return out;
}

std::string tiles_text(const gpu::Architecture& architecture) {
  std::string tiles;
  for (const gpu::Tile& tile : architecture.tiles) {
    tiles += fmt::format("{}{}x{}", tiles.empty() ? "" : ", ", tile.m, tile.n);
    if (tile.k > 0) tiles += fmt::format("x{}", tile.k);
    if (tile.sms > 1) tiles += fmt::format(" on {} SMs", tile.sms);
    if (tile.ctas_per_sm > 1) tiles += fmt::format(" ({} per SM)", tile.ctas_per_sm);
  }
  return report::wrap(tiles, indent, 0);
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

std::string source_text(std::size_t number, std::string_view key) {
  const auto source = gpu::find_source(key);
  std::string text = report::printable(key);
  if (source) {
    text = fmt::format("{} ({}", source->title, source->grade);
    if (!source->note.empty()) text += fmt::format("; {}", source->note);
    text += ")";
    if (!source->url.empty()) text += fmt::format(" {}", source->url);
  }
  const std::string label = fmt::format("  [{}] ", number);
  return label + report::wrap(text, label.size(), label.size()) + "\n";
}

std::string profile_text(const Shown& shown, const Style& style) {
  const Gpu& gpu = shown.gpu;
  const auto heading = [&](std::string_view words) {
    return fmt::format("\n{}\n", style.paint(Role::strong, report::printable(words)));
  };
  std::vector<std::string_view> sources;
  std::string out = style.paint(Role::strong, report::printable(gpu.name)) + "\n";
  out += "  id           " + gpu.id + "\n";
  if (!gpu.aliases.empty()) out += "  aliases      " + joined(gpu.aliases) + "\n";
  if (!shown.facts.confidence.empty()) {
    out += "  confidence   " + report::wrap(report::printable(shown.facts.confidence), 15, 15) + "\n";
  }
  out += "  calibration  " + report::wrap(calibration_text(gpu.calibration), 15, 15) + "\n";
  out += heading("Figures") + figures_text(shown.facts.figures, "", sources, style);
  const std::string measured = figures_text(shown.facts.figures, "measured", sources, style);
  if (!measured.empty()) out += heading("Measured") + measured;
  if (!shown.facts.notes.empty()) out += heading("Notes") + notes_text(shown.facts.notes);
  out += heading("Architecture: " + gpu.architecture.name);
  out += figures_text(shown.architecture.figures, "", sources, style);
  out += figures_text(shown.architecture.figures, "tiles", sources, style);
  if (!gpu.architecture.tiles.empty()) out += "  tiles (m x n x k)\n" + tiles_text(gpu.architecture) + "\n";
  out += alignment_text(gpu.architecture);
  out += notes_text(shown.architecture.notes);
  numbers(shown.architecture.sources, sources);
  out += heading("Sources");
  for (std::size_t i = 0; i < sources.size(); ++i) out += source_text(i + 1, sources[i]);
  return out;
}

// ---- json

ordered_json summary_json(const Gpu& gpu) {
  const auto or_null = [](double value) { return value > 0 ? ordered_json(value) : ordered_json(nullptr); };
  return {{"id", gpu.id},
          {"name", gpu.name},
          {"vendor", gpu.vendor},
          {"aliases", gpu.aliases},
          {"architecture", gpu.architecture.id},
          {"sm_count", gpu.sm_count},
          {"peak_fp16_tflops", or_null(peak_tflops(gpu, DType::fp16))},
          {"peak_bf16_tflops", or_null(peak_tflops(gpu, DType::bf16))},
          {"dram_bandwidth_gb_s", or_null(gpu.dram_bandwidth_gb_s)},
          {"l2_size_mib", or_null(gpu.l2_size_mib)},
          {"calibration", {{"status", gpu.calibration.status}, {"source", gpu.calibration.source}}}};
}

ordered_json value_json(text::NodeRef value) {
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

ordered_json facts_json(const Facts& facts) {
  ordered_json figures = ordered_json::array();
  for (const Figure& figure : facts.figures) {
    figures.push_back({{"section", figure.section},
                       {"name", figure.name},
                       {"value", value_json(figure.value)},
                       {"unit", figure.unit},
                       {"meaning", figure.meaning},
                       {"sources", figure.sources},
                       {"note", figure.note},
                       {"confidence", figure.confidence},
                       {"stated_by", figure.file}});
  }
  return {{"confidence", facts.confidence}, {"notes", facts.notes}, {"figures", std::move(figures)}};
}

ordered_json sources_json(const Shown& shown) {
  ordered_json sources = ordered_json::object();
  for (const Facts* facts : {&shown.facts, &shown.architecture}) {
    for (const std::string_view key : facts->sources) {
      const auto source = gpu::find_source(key);
      if (!source) continue;
      sources[std::string(key)] = {
          {"title", source->title}, {"url", source->url}, {"grade", source->grade}, {"note", source->note}};
    }
  }
  return sources;
}

ordered_json profile_json(const Shown& shown) {
  const gpu::Architecture& architecture = shown.gpu.architecture;
  ordered_json out = summary_json(shown.gpu);
  out["facts"] = facts_json(shown.facts);
  ordered_json tiles = ordered_json::array();
  for (const gpu::Tile& tile : architecture.tiles) {
    tiles.push_back({{"m", tile.m},
                     {"n", tile.n},
                     {"k", tile.k},
                     {"stages", tile.stages},
                     {"ctas_per_sm", tile.ctas_per_sm},
                     {"sms", tile.sms}});
  }
  ordered_json alignment = ordered_json::object();
  for (const DTypeInfo& each : dtypes) {
    const gpu::Alignment& rule = gpu::alignment(architecture, each.dtype);
    alignment[std::string(each.name)] = {{"minimum_bytes", rule.minimum_bytes},
                                         {"efficient_bytes", rule.efficient_bytes},
                                         {"best_bytes", rule.best_bytes}};
  }
  out["architecture_facts"] = {{"id", architecture.id},
                               {"facts", facts_json(shown.architecture)},
                               {"tiles", std::move(tiles)},
                               {"alignment", std::move(alignment)}};
  out["sources"] = sources_json(shown);
  return out;
}

std::string json_text(std::span<const Shown> all, bool in_full) {
  ordered_json gpus = ordered_json::array();
  for (const Shown& shown : all) gpus.push_back(in_full ? profile_json(shown) : summary_json(shown.gpu));
  const ordered_json out = {{"version", json_version}, {"gpus", std::move(gpus)}};
  return out.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

std::vector<Option> gpus_options(GpusOptions& options) {
  return {
      {.names = "NAME",
       .value = "NAME",
       .doc = "show this GPU in full; with none, the table of all",
       .set = into(options.names),
       .many = true},
      {.names = "--gpu-file",
       .value = "FILE",
       .doc = "show the GPU described in a file of your own (docs/adding-a-gpu.md)",
       .set = into(options.files),
       .many = true},
      {.names = "--format",
       .value = "FORMAT",
       .doc = "how to print",
       .set = into_choice(options.format, formats),
       .choices = strings(formats)},
  };
}

ExitCode gpus(const GpusOptions& options, Io& io) {
  std::vector<report::ReportError> errors;
  const std::vector<Document> own = read_gpu_files(options.files, io, errors);
  const bool in_full = !options.names.empty() || !options.files.empty();
  std::vector<std::string> names = options.names;
  if (!in_full) {
    for (const std::string_view id : gpu::gpu_ids()) names.emplace_back(id);
    std::sort(names.begin(), names.end());
  }
  std::vector<const Document*> documents;
  for (const std::string& name : names) {
    if (const auto found = gpu::find_profile(name, own)) {
      documents.push_back(*found);
    } else {
      errors.push_back({found.error(), {}});
    }
  }
  for (const Document& document : own) documents.push_back(&document);

  std::vector<Shown> all;
  for (const Document* document : documents) {
    std::vector<Error> found;
    Gpu gpu = gpu::read_gpu(*document, found, own);
    for (Error& error : found) {
      std::string source = error.path == document->path() ? std::string(document->source()) : "";
      errors.push_back({std::move(error), std::move(source)});
    }
    if (!found.empty()) continue;
    Shown shown{std::move(gpu), {}, {}};
    if (in_full) {
      shown.facts = gpu::facts_of_gpu(*document, own);
      const Document* architecture = gpu::find_architecture_file(shown.gpu.architecture.id, own);
      if (architecture != nullptr) shown.architecture = gpu::facts_of_architecture(*architecture);
    }
    all.push_back(std::move(shown));
  }
  for (const auto& [error, source] : errors) io.err << report::render(error, source, Style{io.err_color});
  if (!errors.empty()) return ExitCode::error;

  if (formats[options.format] == "json") {
    io.out << json_text(all, in_full);
  } else if (!in_full) {
    io.out << table_text(all);
  } else {
    const Style style{io.out_color};
    for (std::size_t i = 0; i < all.size(); ++i) io.out << (i > 0 ? "\n" : "") << profile_text(all[i], style);
  }
  return ExitCode::clean;
}

}  // namespace shapelint::cli
