// Findings for people, in the manner of rustc.
#include "report/text.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/number.hpp"
#include "report/snippet.hpp"
#include "report/wrap.hpp"

namespace shapelint::report {

namespace {

Role role_of(rules::Severity severity) {
  switch (severity) {
    case rules::Severity::error:
      return Role::error;
    case rules::Severity::warning:
      return Role::warning;
    case rules::Severity::info:
      return Role::info;
  }
  return Role::plain;
}

std::string_view field_name(model::FieldId field) {
  return field == model::no_field ? std::string_view{"?"}
                                  : model::fields()[static_cast<std::size_t>(field)].name;
}

// "7.3 %" or "7.3 ± 2.0 %".
std::string share(double gain, double error) {
  if (error <= 0) return percent(gain);
  return fmt::format("{} ± {}", fixed(100 * gain, 1), percent(error));
}

// "7.3 % of the step" for one GPU, "7.3 % on a100, 4.1 % on h100" for several.
std::string shares(const std::vector<rules::GpuGain>& gains, double gain, double error,
                   std::size_t gpu_count) {
  if (gpu_count <= 1 || gains.empty()) return share(gain, error);
  std::string text;
  for (const rules::GpuGain& each : gains) {
    text += fmt::format("{}{} on {}", text.empty() ? "" : ", ", share(each.gain, each.error), each.gpu);
  }
  return text;
}

std::string changes_text(const std::vector<rules::Change>& changes) {
  std::string text;
  for (const rules::Change& change : changes) {
    text += fmt::format("{}{} {} → {}", text.empty() ? "" : ", ", field_name(change.field),
                        value_text(change.field, change.from), value_text(change.field, change.to));
  }
  return text;
}

// What follows from a change is worth telling unless it says the same again: with as many key and value heads
// as query heads both change alike.
std::vector<rules::Change> news(const rules::Proposal& proposal) {
  std::vector<rules::Change> told = proposal.changes;
  std::vector<rules::Change> out;
  for (const rules::Change& change : proposal.implied) {
    const auto alike = [&](const rules::Change& each) {
      return each.from == change.from && each.to == change.to;
    };
    if (std::any_of(told.begin(), told.end(), alike)) continue;
    told.push_back(change);
    out.push_back(change);
  }
  return out;
}

std::string parameters_text(std::int64_t before, std::int64_t after) {
  if (before == after)
    return fmt::format("{} parameters as before", count_short(static_cast<double>(before)));
  const double difference = static_cast<double>(after) - static_cast<double>(before);
  return fmt::format("parameters {} → {} ({}{})", count_short(static_cast<double>(before)),
                     count_short(static_cast<double>(after)), difference > 0 ? "+" : "-",
                     count_short(std::fabs(difference)));
}

std::string proposal_text(const rules::Proposal& proposal, std::size_t gpu_count, const Style& style) {
  std::string text = changes_text(proposal.changes);
  const std::vector<rules::Change> implied = news(proposal);
  if (!implied.empty()) text += fmt::format(" ({})", changes_text(implied));
  text += ": ";
  if (proposal.gain > 0 || !proposal.gains.empty()) {
    const std::string saved = shares(proposal.gains, proposal.gain, proposal.gain_error, gpu_count);
    text += style.paint(Role::gain, "saves " + saved) + "; ";
  }
  return text + parameters_text(proposal.parameters_before, proposal.parameters_after);
}

// One line `   = label: text`, wrapped under itself.
std::string line(std::size_t gutter, std::string_view label, const std::string& body, const Style& style) {
  const std::size_t indent = gutter + 2 + label.size() + 2;
  return fmt::format("{}{} {} {}\n", std::string(gutter, ' '), style.paint(Role::gutter, "="),
                     style.paint(Role::strong, fmt::format("{}:", label)), wrap(body, indent, indent));
}

std::vector<Mark> marks_of(const rules::Finding& finding, const ModelReport& model) {
  std::vector<Mark> marks{{finding.span, true, {}}};
  for (const model::FieldId field : finding.related) {
    const auto index = static_cast<std::size_t>(field);
    if (field == model::no_field || index >= model.reading.origins.size()) continue;
    const model::Origin& origin = model.reading.origins[index];
    const bool is_here = origin.kind == model::Origin::Kind::stated && origin.path == finding.path;
    const auto same = [&](const Mark& mark) { return mark.span == origin.span; };
    if (is_here && std::none_of(marks.begin(), marks.end(), same)) marks.push_back({origin.span, false, {}});
  }
  return marks;
}

std::string plural(std::size_t number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

std::string counts_text(const std::vector<rules::Finding>& findings, const Style& style) {
  const Counts counts = count(findings);
  std::string text;
  const auto add = [&](std::size_t number, std::string_view noun, Role role) {
    if (number == 0) return;
    text += (text.empty() ? "" : ", ") + style.paint(role, plural(number, noun));
  };
  add(counts.errors, "error", Role::error);
  add(counts.warnings, "warning", Role::warning);
  add(counts.infos, "info", Role::info);
  return text.empty() ? style.paint(Role::gain, "nothing found") : text;
}

// "one training step of 8,192 tokens, bf16, unfused attention".
std::string setup_text(const ModelReport& model) {
  const model::Plan& plan = model.reading.setup.plan;
  const double tokens = model.result.gpus.empty() ? 0 : model.result.gpus.front().workload.tokens_per_step;
  const std::string_view what = plan.mode == model::Mode::train     ? "training step"
                                : plan.mode == model::Mode::prefill ? "prefill"
                                                                    : "decoding step";
  return fmt::format("one {} of {} tokens, {}, {} attention", what, with_commas(std::llround(tokens)),
                     name(plan.dtype), plan.attention == model::Attention::flash ? "flash" : "unfused");
}

std::string step_text(const cost::StepCost& step) {
  return fmt::format("{}, MFU {}", duration(step.time_us), percent(step.mfu));
}

std::string closing(const ModelReport& model, const Report& report, const Style& style) {
  std::string out = fmt::format("{}: {}\n", style.paint(Role::strong, printable(model.path)),
                                counts_text(model.result.findings, style));
  if (model.result.gpus.empty()) return out;
  out += fmt::format("  {}: {}\n",
                     count_short(static_cast<double>(model.result.parameters_before)) + " parameters",
                     setup_text(model));
  for (const rules::GpuReport& gpu : model.result.gpus) {
    const auto profile = std::find_if(report.gpus.begin(), report.gpus.end(),
                                      [&](const gpu::Gpu& each) { return each.id == gpu.gpu; });
    const bool uncalibrated = profile != report.gpus.end() && profile->calibration.status == "uncalibrated";
    out += fmt::format("  {}{}: {}", gpu.gpu, uncalibrated ? " (uncalibrated)" : "", step_text(gpu.before));
    if (!gpu.applied.empty()) {
      out += fmt::format("; with all fixes {}", style.paint(Role::gain, step_text(gpu.after)));
    }
    out += '\n';
    if (!gpu.applied.empty()) out += "    fixes: " + wrap(changes_text(gpu.applied), 11, 11) + '\n';
  }
  return out;
}

}  // namespace

std::string text(const rules::Finding& finding, const ModelReport& model, const Style& style) {
  const Role role = role_of(finding.severity);
  std::string out = fmt::format(
      "{}: {}\n", style.paint(role, fmt::format("{}[{}]", rules::name(finding.severity), finding.code)),
      style.paint(Role::strong, printable(finding.message)));
  std::size_t gutter = 3;
  const std::string* source = source_of(model, finding.path);
  if (finding.span.end > finding.span.begin && source != nullptr) {
    const std::vector<Mark> marks = marks_of(finding, model);
    gutter = gutter_width(*source, marks);
    out += snippet(finding.path, *source, marks, style, role);
    out += std::string(gutter, ' ') + style.paint(Role::gutter, "|") + '\n';
  } else {
    out += fmt::format("  {} {}\n", style.paint(Role::gutter, "-->"),
                       printable(finding.path.empty() ? model.path : finding.path));
  }
  if (!finding.note.empty()) out += line(gutter, "note", printable(finding.note), style);
  if (!finding.why.empty()) out += line(gutter, "why", finding.why, style);
  const std::size_t gpu_count = model.result.gpus.size();
  if (!finding.certain_to_fail && finding.gain > 0) {
    std::string cost = shares(finding.gains, finding.gain, finding.gain_error, gpu_count);
    if (gpu_count <= 1 || finding.gains.empty()) cost += " of the step";
    if (gpu_count > 1 && !finding.gpu.empty()) cost += fmt::format("; only on {}", finding.gpu);
    out += line(gutter, "cost", fmt::format("{} ({})", cost, rules::name(finding.confidence)), style);
  }
  for (const rules::Proposal& proposal : finding.proposals) {
    out += line(gutter, "try", proposal_text(proposal, gpu_count, style), style);
  }
  return out +
         line(gutter, "more", fmt::format("`shapelint explain {}` ({})", finding.code, finding.rule), style);
}

std::string text(const Report& report, const Style& style) {
  std::string out;
  for (const ModelReport& model : report.models) {
    for (const rules::Finding& finding : model.result.findings) {
      out += text(finding, model, style) + '\n';
    }
    out += closing(model, report, style);
    if (report.models.size() > 1 && &model != &report.models.back()) out += '\n';
  }
  if (report.models.size() > 1) {
    std::vector<rules::Finding> all;
    for (const ModelReport& model : report.models) {
      all.insert(all.end(), model.result.findings.begin(), model.result.findings.end());
    }
    out += fmt::format("\nchecked {}: {}\n", plural(report.models.size(), "model"), counts_text(all, style));
  }
  const auto assumed = std::find_if(report.models.begin(), report.models.end(),
                                    [](const ModelReport& model) { return model.gpus_assumed; });
  if (assumed != report.models.end()) {
    std::string names;
    for (const rules::GpuReport& gpu : assumed->result.gpus)
      names += (names.empty() ? "" : " and ") + gpu.gpu;
    out += wrap(fmt::format("no GPU was named, so these figures are for {}; `--gpu NAME` chooses, `shapelint "
                            "gpus` lists them",
                            names),
                0, 0) +
           '\n';
  }
  return out;
}

}  // namespace shapelint::report
