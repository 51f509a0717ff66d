// The findings of many files, a few lines each, and what they have in common.
#include <algorithm>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "base/number.hpp"
#include "lint/phrases.hpp"
#include "report/findings/text.hpp"
#include "report/items.hpp"
#include "report/style.hpp"

namespace shapelint::report {

namespace {

constexpr std::size_t detail_indent = 6;  // of what follows the line with the place
// Lines of findings by file, above which they are listed by rule; and rules listed then. Both with what is
// said below them are two screens.
constexpr std::size_t most_lines = 36;
constexpr std::size_t max_rules = 32;

struct File {
  std::string_view path;
  std::vector<const lint::ModelReport*> models;
};

std::vector<File> files_of(const lint::Report& report) {
  std::vector<File> files;
  for (const lint::ModelReport& model : report.models) {
    if (files.empty() || files.back().path != model.path) files.push_back({model.path, {}});
    files.back().models.push_back(&model);
  }
  return files;
}

// "12:14", with the file where it is another one.
std::string place_of(const rules::Finding& finding, const lint::ModelReport& model) {
  const std::string& path = finding.path.empty() ? model.path : finding.path;
  std::string place = path == model.path ? std::string{} : text::one_line(path) + ":";
  const text::SharedText* source = lint::source_of(model, path);
  if (finding.span.end <= finding.span.begin || source == nullptr) return place + "-";
  const text::Place begin = source->places().place(finding.span.begin);
  return place + fmt::format("{}:{}", begin.line, begin.column);
}

// One line: place, rule, fact, and what it saves.
std::string entry(const rules::Finding& finding, const lint::ModelReport& model, bool names_model,
                  const FindingRelation& tie, const Style& style) {
  std::string what =
      fmt::format("{} {}: {}{}", style.paint(Role::faint, place_of(finding, model)),
                  style.paint(role_of(finding.severity),
                              fmt::format("{}[{}]", rules::name(finding.severity), finding.code)),
                  names_model ? names_beside(model, tie.duplicates) + ": " : std::string{},
                  text::one_line(finding.message));
  if (!finding.certain_to_fail && finding.gain > 0) {
    what += " " + style.paint(Role::gain, fmt::format("({})", lint::shares(finding.gains, finding.gain,
                                                                           finding.gain_error,
                                                                           model.result.gpus.size())));
  }
  return "  " + wrap(what, detail_indent, detail_indent, style) + '\n';
}

// All findings of one rule, in every file.
struct RuleRow {
  const rules::Finding* worst = nullptr;
  std::string place;  // of the worst
  rules::Severity severity = rules::Severity::info;
  std::size_t files = 0;
  std::string_view last;  // file that was counted last
};

bool is_worse(const rules::Finding& a, const rules::Finding& b) {
  if (a.certain_to_fail != b.certain_to_fail) return a.certain_to_fail;
  return a.gain > b.gain;
}

// The part of all paths up to the last folder that they share.
std::size_t shared_folder(const std::vector<File>& files) {
  std::string_view shared = files.front().path;
  for (const File& file : files) {
    const auto [end, other] = std::mismatch(shared.begin(), shared.end(), file.path.begin(), file.path.end());
    shared = shared.substr(0, static_cast<std::size_t>(end - shared.begin()));
  }
  return shared.rfind('/') + 1;
}

// A path that fits: folders give way in the middle, the file's name last.
std::string shortened_path(const std::string& path, std::size_t room, const Style& style) {
  const auto fits = [&](std::string_view text) {
    return static_cast<std::size_t>(display_width(text)) <= room;
  };
  if (style.window == 0 || fits(path)) return path;
  const std::size_t name = path.rfind('/');
  for (std::size_t folder = name; folder != std::string::npos && folder > 0;) {
    folder = path.rfind('/', folder - 1);
    const std::size_t kept = folder == std::string::npos ? 0 : folder + 1;
    std::string candidate = path.substr(0, kept) + "…" + path.substr(name);
    if (fits(candidate)) return candidate;
  }
  std::string_view rest = path;
  while (!rest.empty() && static_cast<std::size_t>(display_width(rest)) + 1 > room) next_code_point(rest);
  return "…" + std::string(rest);
}

std::vector<RuleRow> rows_by_rule(const std::vector<File>& files, const DuplicateFindings& duplicates,
                                  const RenderOptions& options) {
  const std::size_t folder = shared_folder(files);
  std::map<std::string_view, RuleRow> by_code;
  for (const File& file : files) {
    for (const lint::ModelReport* model : file.models) {
      for (const rules::Finding* finding : duplicates.primaries(*model)) {
        if (options.quiet && finding->severity < model->fail_level) continue;
        RuleRow& row = by_code[finding->code];
        if (row.last != file.path) ++row.files;
        row.last = file.path;
        row.severity = std::max(row.severity, finding->severity);
        if (row.worst != nullptr && !is_worse(*finding, *row.worst)) continue;
        row.worst = finding;
        const std::string place = place_of(*finding, *model);
        const bool is_here = finding->path.empty() || finding->path == model->path;
        row.place = is_here ? text::one_line(file.path.substr(folder)) + (place == "-" ? "" : ":" + place)
                            : place.substr(std::min(folder, place.size()));
      }
    }
  }
  std::vector<RuleRow> rows;
  for (auto& [code, row] : by_code) rows.push_back(std::move(row));
  std::stable_sort(rows.begin(), rows.end(), [](const RuleRow& a, const RuleRow& b) {
    if (a.severity != b.severity) return a.severity > b.severity;
    return is_worse(*a.worst, *b.worst);
  });
  return rows;
}

// One line for each rule, with the worst place of its findings.
std::string by_rule(const std::vector<File>& files, const DuplicateFindings& duplicates,
                    const RenderOptions& options) {
  constexpr std::size_t name_width = 28;
  const Style& style = options.style;
  const std::vector<RuleRow> rows = rows_by_rule(files, duplicates, options);
  std::string out = style.paint(Role::faint, fmt::format("{:43}  files   saves  largest in", "rule")) + '\n';
  std::size_t shown = 0;
  for (const RuleRow& row : rows) {
    if (++shown > max_rules && !options.quiet) break;
    const rules::Finding& worst = *row.worst;
    const std::string code = fmt::format("{}[{}]", rules::name(row.severity), worst.code);
    const std::string gain = worst.certain_to_fail ? "fails" : worst.gain > 0 ? percent(worst.gain) : "";
    std::string name(worst.rule);
    if (name.size() > name_width) name = name.substr(0, name_width - 1) + "…";
    const std::string left = fmt::format(" {:<{}} {:>6}  {:>6}  ", name, name_width,
                                         with_commas(static_cast<std::int64_t>(row.files)), gain);
    const std::size_t used =
        std::max<std::size_t>(code.size(), 14) + static_cast<std::size_t>(display_width(left));
    const std::size_t room = std::max<std::size_t>(width_of(style), used + 12) - used;
    out +=
        fmt::format("{}{}{}{}\n", std::string(14 - std::min<std::size_t>(14, code.size()), ' '),
                    style.paint(role_of(row.severity), code), left, shortened_path(row.place, room, style));
  }
  if (shown < rows.size() || (shown > max_rules && !options.quiet)) {
    out +=
        fmt::format("{} not listed (see `--statistics`)\n", counted(rows.size() - max_rules, "further rule"));
  }
  return out + '\n';
}

}  // namespace

std::string by_file(const lint::Report& report, const RenderOptions& options) {
  const std::vector<File> files = files_of(report);
  const DuplicateFindings duplicates(report);
  std::string out;
  for (const File& file : files) {
    Counts counts;
    std::string entries;
    for (const lint::ModelReport* model : file.models) {
      const Shown findings = shown(*model, duplicates, options);
      auto ties = relations_of(findings.in_full, duplicates);
      const bool is_one = is_one_of_several(*model, report);
      for (const rules::Finding* finding : findings.in_full) {
        add(*finding, counts);
        entries += entry(*finding, *model, is_one, ties[finding], options.style);
      }
      for (const rules::Finding* finding : findings.folded) add(*finding, counts);
      if (!findings.folded.empty()) entries += "  " + folded(findings.folded, *model, options.style);
    }
    if (entries.empty()) continue;
    out += fmt::format("{}: {}\n{}\n", options.style.paint(Role::strong, text::one_line(file.path)),
                       counts_text(counts, report, {}, options.style), entries);
  }
  const auto lines = static_cast<std::size_t>(std::count(out.begin(), out.end(), '\n'));
  return options.quiet || lines <= most_lines ? out : by_rule(files, duplicates, options);
}

}  // namespace shapelint::report
