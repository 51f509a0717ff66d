// Findings for people, in the manner of rustc.
#include "report/findings/text.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "base/number.hpp"
#include "base/strings.hpp"
#include "base/units.hpp"
#include "gpu/registry.hpp"
#include "lint/phrases.hpp"
#include "lint/report.hpp"
#include "report/capacity.hpp"
#include "report/findings/closing.hpp"
#include "report/findings/snippet.hpp"
#include "report/formats.hpp"
#include "report/items.hpp"
#include "report/style.hpp"
#include "rules/scope/memory.hpp"

namespace shapelint::report {

namespace {

// Two errors that one change fixes are printed as one: their titles, and the places of both in one snippet.
bool shares_snippet(const rules::Finding& finding, const rules::Finding& fixed_by) {
  return finding.certain_to_fail && fixed_by.certain_to_fail;
}

// One line `   = label: text`, wrapped under itself.
std::string line(std::size_t gutter, std::string_view label, const std::string& body, const Style& style) {
  const std::size_t indent = gutter + 2 + label.size() + 2;
  return fmt::format("{}{} {} {}\n", std::string(gutter, ' '), style.paint(Role::gutter, "="),
                     style.paint(Role::strong, fmt::format("{}:", label)), wrap(body, indent, indent, style));
}

std::vector<Mark> marks_of(const rules::Finding& finding, const FindingRelation& tie,
                           const lint::ModelReport& model) {
  std::vector<Mark> marks{{finding.span, true, text::one_line(finding.label)}};
  if (finding.use_span.end > finding.use_span.begin) marks.push_back({finding.use_span, false, "used here"});
  const auto add = [&](Span span) {
    const auto same = [&](const Mark& mark) { return mark.span == span; };
    if (span.end > span.begin && std::none_of(marks.begin(), marks.end(), same))
      marks.push_back({span, false, {}});
  };
  for (const model::FieldId field : finding.related) {
    const model::Origin& origin = model::origin(model.reading, field);
    if (origin.kind == model::Origin::Kind::stated && origin.path == finding.path) add(origin.span);
  }
  for (const rules::Finding* each : tie.also_fixes) {
    if (shares_snippet(*each, finding) && each->path == finding.path) add(each->span);
  }
  return marks;
}

std::string title(const rules::Finding& finding, const Style& style) {
  const Role role = role_of(finding.severity);
  return headline(fmt::format(
                      "{}: {} {}",
                      style.paint(role, fmt::format("{}[{}]", rules::name(finding.severity), finding.code)),
                      style.paint(Role::strong, text::one_line(finding.message)),
                      style.paint(Role::faint, fmt::format("({})", finding.rule))),
                  2, 2, style) +
         '\n';
}

// What the proposal writes, what it is worth where the cost does not say that, and how it is done.
std::string fix_text(const rules::Finding& finding, std::size_t which, const lint::ModelReport& model,
                     const FindingRelation& tie, const Style& style) {
  const rules::Proposal& proposal = finding.proposals[which];
  const lint::Written written = lint::written(finding, which, model);
  std::string out = written.text;
  if (which == 0 && lint::is_fixable(finding, model)) out += style.paint(Role::gain, " [*]");
  const bool is_cheaper = proposal.gain > 0 && !finding.certain_to_fail;
  const std::string step = is_cheaper ? lint::step_text(proposal) : std::string();
  if (is_cheaper && which > 0) {
    const std::size_t gpus = model.result.gpus.size();
    const std::string_view unit = step.empty() ? "" : lint::saving_unit(proposal);
    out += "; " + style.paint(Role::gain, "saves " + lint::shares(proposal.gains, proposal.gain,
                                                                  proposal.gain_error, gpus, unit));
  }
  if (!step.empty()) out += "; " + step;
  if (proposal.memory_bytes > 0) out += fmt::format("; needs {} GiB", gib(proposal.memory_bytes));
  if (const std::string parameters = lint::parameters_text(proposal); !parameters.empty())
    out += "; " + parameters;
  if (which > 0) return out;
  if (!written.how.empty()) out += "; " + written.how;
  if (!tie.also_fixes.empty()) out += "; also fixes " + also_fixed_text(tie);
  return out;
}

}  // namespace

std::string text(const rules::Finding& finding, const lint::ModelReport& model, const Style& style,
                 bool verbose, const FindingRelation& all_ties) {
  std::string out = title(finding, style);
  FindingRelation tie = all_ties;
  if (!verbose) {
    const auto is_told = [&](const rules::Finding* each) { return shares_snippet(*each, finding); };
    for (const rules::Finding* each : tie.also_fixes) {
      if (is_told(each)) out += title(*each, style);
    }
    std::erase_if(tie.also_fixes, is_told);
  }
  std::size_t gutter = 3;
  const text::SharedText* source = lint::source_of(model, finding.path);
  if (finding.span.end > finding.span.begin && source != nullptr) {
    const std::vector<Mark> marks = marks_of(finding, verbose ? FindingRelation{} : all_ties, model);
    gutter = gutter_width(source->places(), marks);
    out += snippet(finding.path, *source, marks, style, role_of(finding.severity));
  } else {
    out += fmt::format("  {} {}\n", style.paint(Role::gutter, "-->"),
                       text::one_line(finding.path.empty() ? model.path : finding.path));
    if (!finding.label.empty()) out += line(gutter, "note", text::one_line(finding.label), style);
  }
  if (!finding.note.empty()) out += line(gutter, "note", text::one_line(finding.note), style);
  if (verbose && !finding.aside.empty()) out += line(gutter, "note", text::one_line(finding.aside), style);
  if (!finding.assumed.empty()) {
    out += line(gutter, "note",
                fmt::format("assumes {} ({})", lint::values_text(finding.assumed, model.reading.setup),
                            lint::options_text(finding.assumed)),
                style);
  }
  if (verbose && !finding.why.empty()) out += line(gutter, "why", text::one_line(finding.why), style);
  const std::string cost = lint::cost_text(finding, model.result.gpus.size());
  if (!cost.empty()) out += line(gutter, "cost", cost, style);
  if (!tie.duplicates.empty()) out += line(gutter, "also", others_text(model, tie.duplicates), style);
  const bool is_mended = tie.fixed_by != nullptr;
  if (is_mended) out += line(gutter, "fix", fixed_by_text(tie), style);
  for (std::size_t i = 0; i < finding.proposals.size(); ++i) {
    if (!verbose && (i > 0 || is_mended)) break;
    out += line(gutter, "fix", fix_text(finding, i, model, tie, style), style);
  }
  if (finding.proposals.empty() && !finding.how.empty() && !is_mended)
    out += line(gutter, "fix", text::one_line(finding.how), style);
  return out;
}

namespace {

// How much a step computes at a time.
bool is_of_tokens(model::FieldId field) {
  return field == model::FieldId::micro_batch_size || field == model::FieldId::sequence_length ||
         field == model::FieldId::context_length;
}

}  // namespace

std::string counts_text(const Counts& counts, const lint::Report& report,
                        std::span<const lint::ModelReport> models, const Style& style) {
  std::string text;
  const auto add = [&](std::size_t number, std::string_view noun, Role role) {
    if (number == 0) return;
    text += (text.empty() ? "" : ", ") + style.paint(role, counted(number, noun));
  };
  add(counts.errors, "error", Role::error);
  add(counts.warnings, "warning", Role::warning);
  add(counts.infos, "info", Role::info);
  if (!text.empty()) return text;
  bool hides = false;
  bool hides_warnings = false;
  for (const lint::ModelReport& model : models) {
    for (const rules::Finding& finding : model.hidden) {
      hides = true;
      hides_warnings = hides_warnings || finding.severity > rules::Severity::info;
    }
  }
  // What was left out is still there.
  return style.paint(Role::gain, report.baselined > 0 ? "nothing new"
                                 : hides_warnings     ? "nothing from `--min-severity` on"
                                 : hides              ? "no error or warning"
                                                      : "nothing found");
}

Shown shown(const lint::ModelReport& model, const DuplicateFindings& duplicates,
            const RenderOptions& options) {
  Shown out;
  for (const rules::Finding* finding : duplicates.primaries(model)) {
    if (options.quiet && finding->severity < model.fail_level) continue;
    const bool is_folded = !options.verbose && !finding->certain_to_fail &&
                           std::any_of(finding->assumed.begin(), finding->assumed.end(), is_of_tokens);
    (is_folded ? out.folded : out.in_full).push_back(finding);
  }
  return out;
}

std::string folded(const std::vector<const rules::Finding*>& findings, const lint::ModelReport& model,
                   const Style& style) {
  rules::Severity severity = rules::Severity::info;
  std::vector<model::FieldId> assumed;
  std::string list;
  for (const rules::Finding* finding : findings) {
    severity = std::max(severity, finding->severity);
    for (const model::FieldId field : finding->assumed) {
      if (is_of_tokens(field) && std::find(assumed.begin(), assumed.end(), field) == assumed.end())
        assumed.push_back(field);
    }
    list += fmt::format("{}{} ({})", list.empty() ? "" : ", ", finding->rule, finding->code);
    if (finding->gain > 0) list += " " + percent(finding->gain);
  }
  return wrap(
             fmt::format("{}: {} with an assumed {} (`--verbose` shows {}): {}",
                         style.paint(role_of(severity), rules::name(severity)),
                         counted(findings.size(), "finding"), lint::values_text(assumed, model.reading.setup),
                         in_number(findings.size() == 1, "it|them"), list),
             2, 2, style) +
         '\n';
}

namespace {

// For a file whose models are parts of one step: its time and its parts.
std::string together(const lint::CompositeModel& whole, const lint::Report& report, const Style& style) {
  const std::vector<std::int64_t> gpus = lint::gpus_of_parts(whole, report);
  const bool is_even = std::adjacent_find(gpus.begin(), gpus.end(), std::not_equal_to<>()) == gpus.end();
  std::vector<std::string> names;
  for (const lint::CompositeModel::Part& part : whole.parts) {
    std::string name = text::one_line(part.name);
    if (part.runs != 1) name += " x " + exact(part.runs);
    if (!is_even) name += " on " + counted(gpus[names.size()], "GPU");
    names.push_back(std::move(name));
  }
  std::string out = headline(fmt::format("{}: {}{}", style.paint(Role::strong, text::one_line(whole.path)),
                                         in_words(names), is_even ? " together" : ", one after the other"),
                             2, 2, style) +
                    '\n';
  for (const lint::CompositeModel::Time& time : whole.gpus) {
    const gpu::Gpu* profile = gpu::find_by_id(report.gpus, time.gpu);
    const bool has_memory = whole.memory_bytes > 0 && profile != nullptr && gpu::memory_gib(*profile) > 0;
    if (has_memory && rules::is_over_memory(whole.memory_bytes, gpu::memory_bytes(*profile))) {
      out += fmt::format("  {}: {}\n", time.gpu, does_not_fit_words(whole.memory_bytes, *profile));
      continue;
    }
    std::string shares;
    for (std::size_t i = 0; i < whole.parts.size(); ++i) {
      shares += fmt::format("{}{} {}", i == 0 ? "" : ", ", text::one_line(whole.parts[i].name),
                            percent(time.shares[i]));
    }
    std::string line = fmt::format("{}: {} ({})", time.gpu, duration(time.time_us), shares);
    if (has_memory) line += ", " + memory_text(whole.memory_bytes, *profile);
    out += "  " + headline(line, 4, 4, style) + '\n';
  }
  return out;
}

// "Explain a rule: shapelint explain SL604", of the finding that matters most.
std::string explain_line(const lint::Report& report) {
  for (const lint::ModelReport& model : report.models) {
    if (model.result.findings.empty()) continue;
    return fmt::format("Explain a rule: shapelint explain {}\n", model.result.findings.front().code);
  }
  return {};
}

}  // namespace

std::string text(const lint::Report& report, const RenderOptions& options) {
  const auto other = [&](const lint::ModelReport& model) { return model.path != report.models[0].path; };
  const bool is_several = std::any_of(report.models.begin(), report.models.end(), other);
  std::string out;
  if (is_several && !options.verbose) {
    out = by_file(report, options);
  } else {
    const std::vector<lint::CompositeModel> composite_models = lint::composite_models(report);
    const DuplicateFindings duplicates(report);
    for (const lint::ModelReport& model : report.models) {
      const Shown findings = shown(model, duplicates, options);
      auto ties = relations_of(findings.in_full, duplicates);
      for (const rules::Finding* finding : findings.in_full) {
        const FindingRelation& tie = ties[finding];
        if (!options.verbose && tie.fixed_by != nullptr && shares_snippet(*finding, *tie.fixed_by)) continue;
        out += text(*finding, model, options.style, options.verbose, tie) + '\n';
      }
      if (!findings.folded.empty()) out += folded(findings.folded, model, options.style) + '\n';
      if (options.quiet) continue;
      out += closing(closing_of(model, report, duplicates), report, options.style);
      const bool is_last = &model == &report.models.back();
      const bool ends_file = is_last || (&model)[1].path != model.path;
      for (const lint::CompositeModel& whole : composite_models) {
        if (ends_file && whole.path == model.path) out += '\n' + together(whole, report, options.style);
      }
      if (!is_last) out += '\n';
    }
  }
  if (options.quiet) return out;
  return out + last_lines(report, is_several && !options.verbose, options.style) + explain_line(report);
}

namespace {

// "7.3 ± 2.1 %", and of which GPU where there are several; nothing for what has neither.
std::string gain_text(const Item& item) {
  if (item.finding == nullptr) return {};
  const rules::Finding& finding = *item.finding;
  const std::size_t gpus = item.model->result.gpus.size();
  if (!finding.certain_to_fail && finding.gain > 0)
    return lint::shares(finding.gains, finding.gain, finding.gain_error, gpus);
  return gpus > 1 && !finding.gpu.empty() ? "on " + finding.gpu : std::string{};
}

}  // namespace

std::string concise(const lint::Report& report, const RenderOptions& options) {
  std::string out;
  for (const Item& item : items(report)) {
    const bool is_finding = item.finding != nullptr;
    if (options.quiet && is_finding && item.severity < item.model->fail_level) continue;
    out += options.style.paint(Role::strong, item.path);
    if (item.region) out += fmt::format(":{}:{}", item.region->begin.line, item.region->begin.column);
    if (!item.path.empty()) out += ": ";
    out += options.style.paint(role_of(item.severity), rules::name(item.severity)) + ": ";
    out += fmt::format("{} [{}]", message_with_models(item), item.code);
    const std::string gain = gain_text(item);
    out += gain.empty() ? "\n" : fmt::format(" ({})\n", gain);
  }
  return out;
}

}  // namespace shapelint::report
