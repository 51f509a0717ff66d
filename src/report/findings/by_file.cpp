// The findings of many files, a few lines each, and what they have in common.
#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "base/number.hpp"
#include "lint/phrases.hpp"
#include "report/findings/text.hpp"
#include "report/items.hpp"
#include "report/wrap.hpp"

namespace shapelint::report {

namespace {

constexpr std::size_t detail_indent = 6;  // of what follows the line with the place
constexpr std::size_t worst_files = 5;    // as many are named, where there are more

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

std::string entry(const rules::Finding& finding, const lint::ModelReport& model, bool names_model,
                  const Tie& tie, const Style& style) {
  const std::string what = fmt::format(
      "{} {}: {}{}", style.paint(Role::faint, place_of(finding, model)),
      style.paint(role_of(finding.severity),
                  fmt::format("{}[{}]", rules::name(finding.severity), finding.code)),
      names_model ? names_beside(model, tie.twins) + ": " : std::string{}, text::one_line(finding.message));
  std::string out = "  " + wrap(what, detail_indent, detail_indent, style) + '\n';
  const std::size_t gpus = model.result.gpus.size();
  if (tie.mended_by != nullptr) {
    out += wrap(mended_text(tie), detail_indent, 0, style) + '\n';
  } else if (!finding.proposals.empty()) {
    const rules::Proposal& best = finding.proposals.front();
    std::string proposal = "try " + lint::changes_text(best.changes);
    if (best.gain > 0) {
      proposal += ": " + style.paint(Role::gain,
                                     "saves " + lint::shares(best.gains, best.gain, best.gain_error, gpus));
    }
    if (!tie.mends.empty()) proposal += "; " + also_mends(tie);
    out += wrap(proposal, detail_indent, 0, style) + '\n';
  }
  return out;
}

// Files by what they lose: what cannot run, then the largest single gain.
struct Loss {
  bool fails = false;
  double gain = 0;
  std::string_view path;
};

Loss loss_of(const File& file) {
  Loss loss{false, 0, file.path};
  for (const lint::ModelReport* model : file.models) {
    for (const rules::Finding& finding : model->result.findings) {
      loss.fails = loss.fails || finding.certain_to_fail;
      loss.gain = std::max(loss.gain, finding.gain);
    }
  }
  return loss;
}

std::string worst_of(const std::vector<File>& files, const Style& style) {
  std::vector<Loss> losses;
  for (const File& file : files) {
    const Loss loss = loss_of(file);
    if (loss.fails || loss.gain > 0) losses.push_back(loss);
  }
  if (losses.size() <= worst_files) return {};
  std::stable_sort(losses.begin(), losses.end(), [](const Loss& a, const Loss& b) {
    return a.fails != b.fails ? a.fails : a.gain > b.gain;
  });
  losses.resize(worst_files);
  std::string out = "\nworst files\n";
  for (const Loss& loss : losses) {
    const std::string much =
        loss.fails ? style.paint(Role::error, " fails") : fmt::format("{:>6}", percent(loss.gain));
    out += fmt::format("{}  {}\n", much, text::one_line(loss.path));
  }
  return out;
}

}  // namespace

std::string by_file(const lint::Report& report, const RenderOptions& options) {
  const std::vector<File> files = files_of(report);
  const Twins twins(report);
  std::string out;
  std::size_t with_findings = 0;
  for (const File& file : files) {
    Counts counts;
    std::string entries;
    for (const lint::ModelReport* model : file.models) {
      const Shown findings = shown(*model, twins, options);
      auto ties = ties_of(findings.in_full, twins);
      const bool is_one = is_one_of_several(*model, report);
      for (const rules::Finding* finding : findings.in_full) {
        add(*finding, counts);
        entries += entry(*finding, *model, is_one, ties[finding], options.style);
      }
      for (const rules::Finding* finding : findings.folded) add(*finding, counts);
      if (!findings.folded.empty()) entries += "  " + folded(findings.folded, *model, options.style);
    }
    if (entries.empty()) continue;
    ++with_findings;
    out += fmt::format("{}: {}\n{}\n", options.style.paint(Role::strong, text::one_line(file.path)),
                       counts_text(counts, report, options.style), entries);
  }
  if (options.quiet || with_findings < 2) return out;
  return out + statistics(report, options.style) + worst_of(files, options.style) + '\n';
}

}  // namespace shapelint::report
