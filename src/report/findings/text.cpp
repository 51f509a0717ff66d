// Findings for people, in the manner of rustc.
#include "report/findings/text.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "base/number.hpp"
#include "base/units.hpp"
#include "lint/phrases.hpp"
#include "report/findings/snippet.hpp"
#include "report/wrap.hpp"
#include "rules/scope/memory.hpp"
#include "suggest/edit/footprint.hpp"

namespace shapelint::report {

namespace {

// One line `   = label: text`, wrapped under itself.
std::string line(std::size_t gutter, std::string_view label, const std::string& body, const Style& style) {
  const std::size_t indent = gutter + 2 + label.size() + 2;
  return fmt::format("{}{} {} {}\n", std::string(gutter, ' '), style.paint(Role::gutter, "="),
                     style.paint(Role::strong, fmt::format("{}:", label)), wrap(body, indent, indent));
}

std::vector<Mark> marks_of(const rules::Finding& finding, const lint::ModelReport& model) {
  std::vector<Mark> marks{{finding.span, true, {}}};
  if (finding.use_span.end > finding.use_span.begin) marks.push_back({finding.use_span, false, "used here"});
  for (const model::FieldId field : finding.related) {
    const model::Origin& origin = model::origin(model.reading, field);
    const bool is_here = origin.kind == model::Origin::Kind::stated && origin.path == finding.path;
    const auto same = [&](const Mark& mark) { return mark.span == origin.span; };
    if (is_here && std::none_of(marks.begin(), marks.end(), same)) marks.push_back({origin.span, false, {}});
  }
  return marks;
}

// "one training step of 8,192 tokens, bf16, unfused attention", "one forward pass of 64 images, fp16".
std::string setup_text(const lint::ModelReport& model) {
  const model::Plan& plan = model.reading.setup.plan;
  const double tokens = model.result.gpus.empty() ? 0 : model.result.gpus.front().workload.tokens_per_step;
  const std::string_view what = plan.mode == model::Mode::train     ? "training step"
                                : plan.mode == model::Mode::prefill ? "prefill"
                                                                    : "decoding step";
  if (!model.reading.setup.model.conv.empty()) {
    return fmt::format(
        "one {} of {} image{}, {}", plan.mode == model::Mode::train ? "training step" : "forward pass",
        with_commas(std::llround(tokens)), std::llround(tokens) == 1 ? "" : "s", name(plan.dtype));
  }
  return fmt::format("one {} of {} tokens, {}, {} attention", what, with_commas(std::llround(tokens)),
                     name(plan.dtype), plan.attention == model::Attention::unfused ? "unfused" : "flash");
}

std::string step_text(const cost::StepCost& step) {
  return fmt::format("{}, MFU {}", duration(step.time_us), percent(step.mfu));
}

// ", memory 61 of 80 GB", and what to think of it where that is too much.
std::string memory_text(const model::Reading& reading, const gpu::Gpu& gpu) {
  if (!reading.complete || gpu.dram_size_gb <= 0) return {};
  const double needed = suggest::memory_bytes(reading.setup);
  const auto gb = [](double value) {
    return value < 9.95 ? fixed(value, 1) : with_commas(std::llround(value));
  };
  const std::string out =
      fmt::format(", memory {} of {} GB", gb(needed / bytes_per_gb), gb(gpu.dram_size_gb));
  const double usable = suggest::usable_bytes(gpu.dram_size_gb);
  if (needed <= usable) return out;
  if (!rules::states_plan(reading)) return out + " (no plan is stated: on one GPU)";
  const suggest::Footprint least = rules::least_footprint(reading, reading.setup);
  const double certain = least.state_bytes + least.activation_bytes;
  if (certain > gpu.dram_size_gb * suggest::bytes_per_memory_gb) return out + ": it does not fit";
  return out + (certain > usable ? ": it may not fit" : " (less where data-parallel ranks share it)");
}

// What was not looked at, where the findings that say so are not shown: "not costed: … (SL912)".
std::string not_looked_at(const lint::ModelReport& model) {
  std::vector<std::string> lines;
  for (const rules::Finding& finding : model.hidden) {
    if (finding.brief.empty()) continue;
    std::string line = fmt::format("{} ({})", printable(finding.brief), finding.code);
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(std::move(line));
  }
  std::string out;
  for (const std::string& line : lines) out += wrap(line, 4, 2) + '\n';
  return out;
}

std::string closing(const lint::ModelReport& model, const lint::Report& report, const Style& style) {
  std::string out = fmt::format("{}: {}\n", style.paint(Role::strong, printable(model.path)),
                                counts_text(count(model.result.findings), report, style));
  const std::string gaps = not_looked_at(model);
  if (model.result.gpus.empty()) return out + gaps;
  out += fmt::format("  {}: {}\n",
                     count_short(static_cast<double>(model.result.parameters_before)) + " parameters",
                     setup_text(model));
  out += gaps;
  for (const rules::GpuReport& gpu : model.result.gpus) {
    const auto profile = std::find_if(report.gpus.begin(), report.gpus.end(),
                                      [&](const gpu::Gpu& each) { return each.id == gpu.gpu; });
    const bool uncalibrated = profile != report.gpus.end() && profile->calibration.status == "uncalibrated";
    out += fmt::format("  {}{}: {}", gpu.gpu, uncalibrated ? " (uncalibrated)" : "", step_text(gpu.before));
    if (profile != report.gpus.end()) out += memory_text(model.reading, *profile);
    if (!gpu.applied.empty()) {
      out += fmt::format("; with all fixes {}", style.paint(Role::gain, step_text(gpu.after)));
    }
    out += '\n';
    if (!gpu.applied.empty()) out += "    fixes: " + wrap(lint::changes_text(gpu.applied), 11, 11) + '\n';
  }
  return out;
}

// "no GPU was named, so these figures are for …".
std::string assumed_gpus_text(const lint::Report& report) {
  const auto assumed = std::find_if(report.models.begin(), report.models.end(),
                                    [](const lint::ModelReport& model) { return model.gpus_assumed; });
  if (assumed == report.models.end()) return {};
  std::string names;
  for (const rules::GpuReport& gpu : assumed->result.gpus) names += (names.empty() ? "" : " and ") + gpu.gpu;
  return fmt::format(
      "no GPU was named, so these figures are for {}; `--gpu NAME` chooses, `shapelint gpus` lists them",
      names);
}

// "in 63 files not all was looked at (SL911, SL912)".
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
  return fmt::format("in {} not all was looked at ({})", lint::plural(files.size(), "file"),
                     fmt::join(codes, ", "));
}

// "nothing could be checked in 23 files, and 475 others are no model's configuration (`--verbose` says why)".
std::string passed_over_text(const lint::Report& report) {
  std::string out;
  if (report.not_whole > 0)
    out = fmt::format("nothing could be checked in {}", lint::plural(report.not_whole, "file"));
  if (report.not_recognised > 0) {
    const auto number = static_cast<std::int64_t>(report.not_recognised);
    out += out.empty() ? lint::plural(report.not_recognised, "file")
                       : ", and " + with_commas(number) + " others";
    out += number == 1 ? " is no model's configuration" : " are no models' configurations";
  }
  return out.empty() ? out : out + " (`--verbose` says why)";
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

// What holds for the run as a whole.
std::string last_lines(const lint::Report& report, const Style& style) {
  std::vector<std::string> said;
  if (report.models.size() > 1) {
    Counts all;
    std::set<std::string_view> files;
    for (const lint::ModelReport& model : report.models) {
      for (const rules::Finding& finding : model.result.findings) add(finding, all);
      files.insert(model.path);
    }
    std::string checked = "checked " + lint::plural(report.models.size(), "model");
    if (files.size() != report.models.size()) checked += " in " + lint::plural(files.size(), "file");
    said.push_back(fmt::format("{}: {}", checked, counts_text(all, report, style)));
    said.push_back(gaps_text(report));
    std::set<std::string_view> unreadable;
    for (const text::LocatedError& each : report.errors) unreadable.insert(each.error.path);
    if (!unreadable.empty()) said.push_back(lint::plural(unreadable.size(), "file") + " could not be read");
  }
  said.push_back(passed_over_text(report));
  said.push_back(left_out_text(report));
  said.push_back(lint::hidden_text(report));
  said.push_back(assumed_gpus_text(report));
  std::string out;
  for (const std::string& each : said) {
    if (!each.empty()) out += wrap(each, 0, 0) + '\n';
  }
  return out;
}

}  // namespace

std::string text(const rules::Finding& finding, const lint::ModelReport& model, const Style& style,
                 bool verbose) {
  const Role role = role_of(finding.severity);
  std::string out = fmt::format(
      "{}: {}\n", style.paint(role, fmt::format("{}[{}]", rules::name(finding.severity), finding.code)),
      style.paint(Role::strong, printable(finding.message)));
  std::size_t gutter = 3;
  const text::SharedText* source = lint::source_of(model, finding.path);
  if (finding.span.end > finding.span.begin && source != nullptr) {
    const std::vector<Mark> marks = marks_of(finding, model);
    gutter = gutter_width(source->places(), marks);
    out += snippet(finding.path, *source, marks, style, role);
    out += std::string(gutter, ' ') + style.paint(Role::gutter, "|") + '\n';
  } else {
    out += fmt::format("  {} {}\n", style.paint(Role::gutter, "-->"),
                       printable(finding.path.empty() ? model.path : finding.path));
  }
  if (!finding.note.empty()) out += line(gutter, "note", printable(finding.note), style);
  if (!finding.why.empty()) out += line(gutter, "why", finding.why, style);
  const std::size_t gpu_count = model.result.gpus.size();
  const std::string cost = lint::cost_text(finding, gpu_count);
  if (!cost.empty()) out += line(gutter, "cost", cost, style);
  const auto saving = [&](const std::string& words) { return style.paint(Role::gain, words); };
  for (const rules::Proposal& proposal : finding.proposals) {
    out += line(gutter, "try", lint::proposal_text(proposal, gpu_count, saving), style);
    if (!verbose) break;
  }
  return out +
         line(gutter, "more", fmt::format("`shapelint explain {}` ({})", finding.code, finding.rule), style);
}

std::string counts_text(const Counts& counts, const lint::Report& report, const Style& style) {
  std::string text;
  const auto add = [&](std::size_t number, std::string_view noun, Role role) {
    if (number == 0) return;
    text += (text.empty() ? "" : ", ") + style.paint(role, lint::plural(number, noun));
  };
  add(counts.errors, "error", Role::error);
  add(counts.warnings, "warning", Role::warning);
  add(counts.infos, "info", Role::info);
  // What was left out is still there.
  return text.empty() ? style.paint(Role::gain, report.baselined > 0 ? "nothing new" : "nothing found")
                      : text;
}

std::vector<const rules::Finding*> shown(const lint::ModelReport& model, bool quiet) {
  std::vector<const rules::Finding*> out;
  for (const rules::Finding& finding : model.result.findings) {
    if (!quiet || finding.severity >= model.fail_level) out.push_back(&finding);
  }
  return out;
}

std::string text(const lint::Report& report, const RenderOptions& options) {
  const auto other = [&](const lint::ModelReport& model) { return model.path != report.models[0].path; };
  const bool is_several = std::any_of(report.models.begin(), report.models.end(), other);
  std::string out;
  if (is_several && !options.verbose) {
    out = by_file(report, options);
  } else {
    for (const lint::ModelReport& model : report.models) {
      for (const rules::Finding* finding : shown(model, options.quiet)) {
        out += text(*finding, model, options.style, options.verbose) + '\n';
      }
      if (options.quiet) continue;
      out += closing(model, report, options.style);
      if (&model != &report.models.back()) out += '\n';
    }
  }
  return options.quiet ? out : out + last_lines(report, options.style);
}

}  // namespace shapelint::report
