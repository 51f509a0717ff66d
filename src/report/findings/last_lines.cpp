// What is said at the end of a run: of all files together, and of what was left out.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/number.hpp"
#include "base/words.hpp"
#include "lint/phrases.hpp"
#include "model/assumed.hpp"
#include "report/findings/text.hpp"
#include "report/wrap.hpp"

namespace shapelint::report {

namespace {

// "assumed GPUs: …".
std::string assumed_gpus_text(const lint::Report& report) {
  const auto assumed = std::find_if(report.models.begin(), report.models.end(),
                                    [](const lint::ModelReport& model) { return model.gpus_assumed; });
  if (assumed == report.models.end()) return {};
  std::string names;
  for (const rules::GpuReport& gpu : assumed->result.gpus) names += (names.empty() ? "" : ", ") + gpu.gpu;
  return fmt::format("assumed GPUs: {}; set with `--gpu`, list with `shapelint gpus`", names);
}

// "63 files were checked in part (SL911, SL912)".
std::string gaps_text(const lint::Report& report) {
  std::set<std::string_view> codes;
  std::set<std::string_view> files;
  for (const lint::ModelReport& model : report.models) {
    for (const rules::Finding& finding : model.hidden) {
      if (finding.brief.empty()) continue;
      codes.insert(finding.code);
      files.insert(model.path);
    }
  }
  if (files.empty()) return {};
  return fmt::format("{} {} checked in part ({})", lint::plural(files.size(), "file"),
                     files.size() == 1 ? "was" : "were", fmt::join(codes, ", "));
}

// "not checked: 23 files with an incomplete model, 475 files without a model (`--verbose` says why)".
std::string passed_over_text(const lint::Report& report) {
  std::string out;
  if (report.not_whole > 0) out = lint::plural(report.not_whole, "file") + " with an incomplete model";
  if (report.not_recognised > 0) {
    out += (out.empty() ? "" : ", ") + lint::plural(report.not_recognised, "file") + " without a model";
  }
  return out.empty() ? out : fmt::format("not checked: {} (`--verbose` says why)", out);
}

// What was left out: "3 new, 12 baselined", "2 suppressed".
std::string left_out_text(const lint::Report& report) {
  std::size_t shown = 0;
  for (const lint::ModelReport& model : report.models) shown += model.result.findings.size();
  std::string out;
  if (report.baselined > 0) out = fmt::format("{} new, {} baselined", shown, report.baselined);
  if (report.suppressed > 0) {
    out += fmt::format("{}{} suppressed", out.empty() ? "" : ", ", report.suppressed);
  }
  return out;
}

// "a100-sxm4-80gb is left out of 3 files that are stored in what it cannot multiply".
std::string gpus_left_out_text(const lint::Report& report) {
  std::set<std::string> gpus;
  std::set<std::string_view> files;
  for (const lint::ModelReport& model : report.models) {
    if (model.gpus_left_out.empty()) continue;
    gpus.insert(model.gpus_left_out.begin(), model.gpus_left_out.end());
    files.insert(model.path);
  }
  if (files.empty()) return {};
  return fmt::format("{} {} left out of {}, whose weights are stored in what {} cannot multiply",
                     in_words(std::vector<std::string>(gpus.begin(), gpus.end())),
                     gpus.size() == 1 ? "is" : "are", lint::plural(files.size(), "file"),
                     gpus.size() == 1 ? "it" : "they");
}

// What files leave open, once for all of them.
std::string assumed_text(const lint::Report& report) {
  std::vector<model::FieldId> all;
  for (const lint::ModelReport& model : report.models) {
    for (const model::FieldId field : model::assumed_fields(model.reading)) {
      if (std::find(all.begin(), all.end(), field) == all.end()) all.push_back(field);
    }
  }
  if (all.empty()) return {};
  std::sort(all.begin(), all.end());
  return fmt::format("assumed in some files: {}; set with {} …, or under `[[files]]` in shapelint.toml",
                     lint::names_text(all), lint::options_text({all[0]}));
}

// "a100-sxm4-80gb and h100-sxm5".
std::string gpus_text(const lint::Report& report) {
  std::vector<std::string> ids;
  for (const gpu::Gpu& gpu : report.gpus) ids.push_back(gpu.id);
  return in_words(ids);
}

}  // namespace

// What holds for the run as a whole.
std::string last_lines(const lint::Report& report, bool is_several, const Style& style) {
  std::vector<std::string> said;
  if (report.models.size() > 1) {
    Counts all;
    std::set<std::string_view> files;
    const Twins twins(report);
    for (const lint::ModelReport& model : report.models) {
      for (const rules::Finding* finding : twins.told(model)) add(*finding, all);
      files.insert(model.path);
    }
    std::string checked = "checked " + lint::plural(report.models.size(), "model");
    if (files.size() != report.models.size()) checked += " in " + lint::plural(files.size(), "file");
    const std::string gpus = gpus_text(report);
    if (!gpus.empty()) checked += " for " + gpus;
    said.push_back(fmt::format("{}: {}", checked, counts_text(all, report, report.models, style)));
    said.push_back(gaps_text(report));
    std::set<std::string_view> unreadable;
    for (const text::LocatedError& each : report.errors) unreadable.insert(each.error.path);
    if (!unreadable.empty()) said.push_back(lint::plural(unreadable.size(), "file") + " could not be read");
  }
  said.push_back(passed_over_text(report));
  said.push_back(left_out_text(report));
  // Of one model without any other finding its closing line says so.
  const bool is_said = report.models.size() == 1 && report.models.front().result.findings.empty();
  if (!is_said) said.push_back(lint::hidden_text(report.models));
  if (is_several) {
    said.push_back(gpus_left_out_text(report));
    said.push_back(assumed_text(report));
  }
  said.push_back(assumed_gpus_text(report));
  std::string out;
  for (const std::string& each : said) {
    if (!each.empty()) out += wrap(each, 0, 0, style) + '\n';
  }
  return out;
}

}  // namespace shapelint::report
