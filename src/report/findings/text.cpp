// Findings for people, in the manner of rustc.
#include "report/findings/text.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include <fmt/format.h>

#include "base/number.hpp"
#include "base/units.hpp"
#include "base/words.hpp"
#include "lint/parts.hpp"
#include "lint/phrases.hpp"
#include "model/assumed.hpp"
#include "model/lower/lower.hpp"
#include "report/capacity.hpp"
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
                     style.paint(Role::strong, fmt::format("{}:", label)), wrap(body, indent, indent, style));
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
  const std::string replicas =
      plan.data > 1 ? fmt::format(" on each of {} replicas", with_commas(plan.data)) : std::string();
  return fmt::format("one {} of {} tokens{}, {}, {} attention", what, with_commas(std::llround(tokens)),
                     replicas, name(plan.dtype),
                     plan.attention == model::Attention::unfused ? "unfused" : "flash");
}

std::string step_text(const cost::StepCost& step) {
  return fmt::format("{}, MFU {}", duration(step.time_us), percent(step.mfu));
}

// Null for one that no model was linted for.
const gpu::Gpu* profile_of(std::string_view id, const lint::Report& report) {
  const auto found = std::find_if(report.gpus.begin(), report.gpus.end(),
                                  [&](const gpu::Gpu& each) { return each.id == id; });
  return found == report.gpus.end() ? nullptr : &*found;
}

// ", memory 56.8 of 80.0 GiB".
std::string memory_text(double needed, const gpu::Gpu& gpu) {
  return fmt::format(", memory {} of {} GiB", gib(needed), gib(gpu::memory_bytes(gpu)));
}

// The same, and what to think of it where that is too much.
std::string memory_text(const model::Reading& reading, const gpu::Gpu& gpu) {
  if (!reading.complete || gpu::memory_gib(gpu) <= 0) return {};
  if (model::weights_are_unknown(reading.setup.plan))
    return ", weights not known: in what format is not told";
  const bool is_planned = rules::states_plan(reading);
  double needed = suggest::memory_bytes(reading.setup);
  double certain = 0;
  double states = 0;  // what no shorter sequence or other recomputation makes less
  if (is_planned) {
    const suggest::Footprint least = rules::least_footprint(reading, reading.setup);
    states = least.state_bytes;
    certain = states + least.activation_bytes;
    // A server must hold one sequence of the limit, which may be more than the mean ones of a step.
    needed = std::max(needed, certain);
  }
  const double usable = suggest::usable_bytes(gpu::memory_gib(gpu), reading.setup);
  if (certain > usable) needed = certain;  // the sum that a finding states
  std::string out = memory_text(needed, gpu);
  if (reading.setup.plan.mode != model::Mode::train && reading.setup.plan.engine != model::Engine::fastest) {
    const std::string cache = capacity_words(suggest::capacity_of(gpu, reading.setup));
    if (!cache.empty()) out += ", " + cache;
  }
  if (needed <= usable) return out;
  if (!is_planned) return out + " (no plan is stated: on one GPU)";
  if (states > suggest::budget_bytes(gpu::memory_gib(gpu), reading.setup.plan))
    return out + ": it does not fit";
  if (certain > usable) return out + ": it may not fit";
  if (rules::takes_what_fits(reading)) return out + " (sequences that do not fit wait)";
  return out + (rules::sharing_may_help(reading, reading.setup, usable)
                    ? " (less where data-parallel ranks share it)"
                    : ": it may not fit");
}

// "micro_batch_size 250 (max_num_seqs: as many as a busy server may take) and attention flash".
std::string assumed_text(const model::Reading& reading, const std::vector<model::FieldId>& fields) {
  constexpr std::string_view from = "assumed from ";
  std::vector<std::string> parts;
  for (const model::FieldId field : fields) {
    const std::string_view note = model::origin(reading, field).note;
    std::string part = lint::values_text({field}, reading.setup);
    if (note.starts_with(from)) part += fmt::format(" ({})", note.substr(from.size()));
    parts.push_back(std::move(part));
  }
  return in_words(parts);
}

// What was not looked at, where the findings that say so are not shown: "not costed: … (SL912)".
std::string not_looked_at(const lint::ModelReport& model, const Style& style) {
  std::vector<std::string> lines;
  for (const rules::Finding& finding : model.hidden) {
    if (finding.brief.empty()) continue;
    std::string line = fmt::format("{} ({})", text::one_line(finding.brief), finding.code);
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(std::move(line));
  }
  std::string out;
  for (const std::string& line : lines) out += wrap(line, 4, 2, style) + '\n';
  return out;
}

// ", 2 of them told with update".
std::string told_elsewhere(const lint::ModelReport& model, const Twins& twins) {
  std::size_t number = 0;
  std::vector<std::string> names;
  for (const rules::Finding& finding : model.result.findings) {
    const lint::ModelReport* teller = twins.told_with(finding);
    if (teller == nullptr) continue;
    ++number;
    std::string name = name_beside(*teller, model);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  }
  if (number == 0) return {};
  const bool is_all = number == model.result.findings.size();
  return fmt::format(", {}told with {}", is_all ? "" : fmt::format("{} of them ", number), in_words(names));
}

std::string closing(const lint::ModelReport& model, const lint::Report& report, const Twins& twins,
                    const Style& style) {
  std::string title = text::one_line(model.path);
  const auto is_beside = [&](const lint::ModelReport& other) {
    return &other != &model && other.path == model.path;
  };
  const bool is_one_of = std::any_of(report.models.begin(), report.models.end(), is_beside);
  if (is_one_of && !model.reading.part.empty())
    title += fmt::format(" ({})", text::one_line(model.reading.part));
  std::string out =
      fmt::format("{}: {}{}\n", style.paint(Role::strong, title),
                  counts_text(count(model.result.findings), report, style), told_elsewhere(model, twins));
  const std::string gaps = not_looked_at(model, style);
  if (model.result.gpus.empty()) return out + gaps;
  const std::string parameters = count_short(static_cast<double>(model.result.parameters_before));
  const std::string published = model::published_shape(model.reading);
  const std::string of = published.empty() ? std::string() : text::one_line(published) + ", ";
  out += "  " + headline(fmt::format("{}{} parameters: {}", of, parameters, setup_text(model)), 4, 4, style) +
         '\n';
  out += gaps;
  const std::vector<model::FieldId> assumed = model::assumed_fields(model.reading);
  if (!assumed.empty()) {
    out += wrap(fmt::format("assumed: {}; options such as {} state what is run",
                            assumed_text(model.reading, assumed), lint::options_text({assumed[0]})),
                4, 2, style) +
           '\n';
  }
  if (!model.shape_note.empty()) out += "  " + wrap(model.shape_note, 2, 2, style) + '\n';
  const std::string left_out = lint::left_out_text(model.gpus_left_out, model.reading.setup.plan.dtype);
  if (!left_out.empty()) out += wrap(left_out, 4, 2, style) + '\n';
  for (const rules::GpuReport& gpu : model.result.gpus) {
    const gpu::Gpu* profile = profile_of(gpu.gpu, report);
    const bool uncalibrated = profile != nullptr && profile->calibration.status == "uncalibrated";
    std::string line =
        fmt::format("{}{}: {}", gpu.gpu, uncalibrated ? " (uncalibrated)" : "", step_text(gpu.before));
    if (profile != nullptr) line += memory_text(model.reading, *profile);
    if (!gpu.applied.empty()) {
      line += fmt::format("; with all fixes {}", style.paint(Role::gain, step_text(gpu.after)));
    }
    out += "  " + headline(line, 4, 4, style) + '\n';
    if (gpu.applied.empty()) continue;
    out += "    fixes: " + wrap(lint::changes_text(gpu.applied), 11, 11, style) + '\n';
    if (gpu.left_out.empty()) continue;
    out +=
        "    without " +
        wrap(fmt::format("{}: {}", lint::changes_text(gpu.left_out), gpu.left_out_because), 12, 12, style) +
        '\n';
  }
  return out;
}

}  // namespace

std::string text(const rules::Finding& finding, const lint::ModelReport& model, const Style& style,
                 bool verbose, const Tie& tie) {
  const Role role = role_of(finding.severity);
  std::string out = headline(
      fmt::format("{}: {}",
                  style.paint(role, fmt::format("{}[{}]", rules::name(finding.severity), finding.code)),
                  style.paint(Role::strong, text::one_line(finding.message))),
      2, 2, style);
  out += '\n';
  std::size_t gutter = 3;
  const text::SharedText* source = lint::source_of(model, finding.path);
  if (finding.span.end > finding.span.begin && source != nullptr) {
    const std::vector<Mark> marks = marks_of(finding, model);
    gutter = gutter_width(source->places(), marks);
    out += snippet(finding.path, *source, marks, style, role);
    out += std::string(gutter, ' ') + style.paint(Role::gutter, "|") + '\n';
  } else {
    out += fmt::format("  {} {}\n", style.paint(Role::gutter, "-->"),
                       text::one_line(finding.path.empty() ? model.path : finding.path));
  }
  if (!finding.note.empty()) out += line(gutter, "note", text::one_line(finding.note), style);
  if (!finding.assumed.empty()) {
    out += line(gutter, "note",
                fmt::format("rests on an assumed {}; {} states it",
                            lint::values_text(finding.assumed, model.reading.setup),
                            lint::options_text(finding.assumed)),
                style);
  }
  if (verbose && !finding.why.empty()) out += line(gutter, "why", text::one_line(finding.why), style);
  const std::size_t gpu_count = model.result.gpus.size();
  const std::string cost = lint::cost_text(finding, gpu_count);
  if (!cost.empty()) out += line(gutter, "cost", cost, style);
  if (!tie.twins.empty()) out += line(gutter, "also", others_text(model, tie.twins), style);
  const auto saving = [&](const std::string& words) { return style.paint(Role::gain, words); };
  const bool is_mended = tie.mended_by != nullptr;
  if (is_mended) out += line(gutter, "try", mended_text(tie), style);
  for (std::size_t i = 0; i < finding.proposals.size(); ++i) {
    if (!verbose && (i > 0 || is_mended)) break;
    out += line(gutter, "try", lint::proposal_text(finding.proposals[i], gpu_count, saving), style);
    if (i == 0 && !tie.mends.empty()) out += line(gutter, "mends", also_mended(tie), style);
  }
  if (!finding.how.empty() && (verbose || !is_mended))
    out += line(gutter, "how", text::one_line(finding.how), style);
  return out +
         line(gutter, "more", fmt::format("`shapelint explain {}` ({})", finding.code, finding.rule), style);
}

namespace {

// How much a step computes at a time.
bool is_of_tokens(model::FieldId field) {
  return field == model::FieldId::micro_batch_size || field == model::FieldId::sequence_length ||
         field == model::FieldId::context_length;
}

}  // namespace

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

Shown shown(const lint::ModelReport& model, const Twins& twins, const RenderOptions& options) {
  Shown out;
  for (const rules::Finding* finding : twins.told(model)) {
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
  return wrap(fmt::format(
                  "{}: {} on an assumed {}: {}; {} state{} what is run, `--verbose` shows {}",
                  style.paint(role_of(severity), rules::name(severity)),
                  findings.size() == 1 ? "1 finding rests" : fmt::format("{} findings rest", findings.size()),
                  lint::values_text(assumed, model.reading.setup), list, lint::options_text(assumed),
                  assumed.size() == 1 ? "s" : "", findings.size() == 1 ? "it" : "them"),
              2, 2, style) +
         '\n';
}

namespace {

// Of a file whose models are parts of one step: its time, and whose it is.
std::string together(const lint::Whole& whole, const lint::Report& report, const Style& style) {
  const std::vector<std::int64_t> gpus = lint::gpus_of_parts(whole, report);
  const bool is_even = std::adjacent_find(gpus.begin(), gpus.end(), std::not_equal_to<>()) == gpus.end();
  std::vector<std::string> names;
  for (const lint::Whole::Part& part : whole.parts) {
    std::string name = text::one_line(part.name);
    if (part.runs != 1) name += " x " + exact(part.runs);
    if (!is_even) name += fmt::format(" on {} GPU{}", gpus[names.size()], gpus[names.size()] == 1 ? "" : "s");
    names.push_back(std::move(name));
  }
  std::string out = headline(fmt::format("{}: {}{}", style.paint(Role::strong, text::one_line(whole.path)),
                                         in_words(names), is_even ? " together" : ", one after the other"),
                             2, 2, style) +
                    '\n';
  for (const lint::Whole::Time& time : whole.gpus) {
    std::string shares;
    for (std::size_t i = 0; i < whole.parts.size(); ++i) {
      shares += fmt::format("{}{} {}", i == 0 ? "" : ", ", text::one_line(whole.parts[i].name),
                            percent(time.shares[i]));
    }
    std::string line = fmt::format("{}: {} ({})", time.gpu, duration(time.time_us), shares);
    const gpu::Gpu* profile = profile_of(time.gpu, report);
    if (whole.memory_bytes > 0 && profile != nullptr && gpu::memory_gib(*profile) > 0)
      line += memory_text(whole.memory_bytes, *profile);
    out += "  " + headline(line, 4, 4, style) + '\n';
  }
  return out;
}

}  // namespace

std::string text(const lint::Report& report, const RenderOptions& options) {
  const auto other = [&](const lint::ModelReport& model) { return model.path != report.models[0].path; };
  const bool is_several = std::any_of(report.models.begin(), report.models.end(), other);
  std::string out;
  if (is_several && !options.verbose) {
    out = by_file(report, options);
  } else {
    const std::vector<lint::Whole> wholes = lint::wholes(report);
    const Twins twins(report);
    for (const lint::ModelReport& model : report.models) {
      const Shown findings = shown(model, twins, options);
      auto ties = ties_of(findings.in_full, twins);
      for (const rules::Finding* finding : findings.in_full) {
        out += text(*finding, model, options.style, options.verbose, ties[finding]) + '\n';
      }
      if (!findings.folded.empty()) out += folded(findings.folded, model, options.style) + '\n';
      if (options.quiet) continue;
      out += closing(model, report, twins, options.style);
      const bool is_last = &model == &report.models.back();
      const bool ends_file = is_last || (&model)[1].path != model.path;
      for (const lint::Whole& whole : wholes) {
        if (ends_file && whole.path == model.path) out += '\n' + together(whole, report, options.style);
      }
      if (!is_last) out += '\n';
    }
  }
  return options.quiet ? out : out + last_lines(report, is_several && !options.verbose, options.style);
}

}  // namespace shapelint::report
