// Suggestions for people.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "base/number.hpp"
#include "base/units.hpp"
#include "lint/phrases.hpp"
#include "report/formats.hpp"
#include "report/style.hpp"
#include "report/suggestions/suggestions.hpp"

namespace shapelint::report {

namespace {

using suggest::Objective;

// What a gain of the objective is a gain of.
std::string_view noun(Objective objective, model::Mode mode) {
  switch (objective) {
    case Objective::tokens:
      return mode == model::Mode::train ? "training tokens/s per GPU, at equal work"
                                        : "tokens/s per GPU, at equal work";
    case Objective::mfu:
      return "MFU";
    case Objective::step:
      return "step time";
    case Objective::prefill:
      return "prefill time";
    case Objective::decode:
      return "decoded tokens/s per GPU";
    case Objective::cost:
      return "cost per token, at equal work";
  }
  return "";
}

std::string signed_percent(double share) {
  const std::string text = percent(share);
  return share > 0 && !text.starts_with("0.0") ? fmt::format("+{}", text) : text;
}

std::string performance_text(const suggest::Performance& p) {
  std::string text = fmt::format("step {}, MFU {}, {} tokens/s/GPU, {}", duration(p.time_us), percent(p.mfu),
                                 with_commas(std::llround(p.tokens_per_s)), gib(p.memory_gb * bytes_per_gb));
  if (p.capacity_gb > 0 && p.memory_gb > p.capacity_gb) {
    text += fmt::format(" of {} GiB: does not fit", gib(p.capacity_gb * bytes_per_gb));
  } else {
    text += " GiB";
  }
  if (p.dollars_per_m > 0) text += fmt::format(", ${} per million tokens", fixed(p.dollars_per_m, 3));
  return text;
}

double change_of(std::int64_t after, std::int64_t before) {
  return before > 0 ? static_cast<double>(after) / static_cast<double>(before) - 1 : 0;
}

std::string pad(std::string text, std::int64_t width) {
  const std::int64_t missing = width - display_width(text);
  if (missing > 0) text.append(static_cast<std::size_t>(missing), ' ');
  return text;
}

// Width of changes next to other columns; narrower, they are printed below.
constexpr std::size_t min_changes = 24;
constexpr std::size_t below = 5;

void add_ranking(const SuggestReport& report, const Style& style, std::string& out) {
  const suggest::Answer& answer = report.answer;
  const bool basket = answer.gpus.size() > 1;
  out += fmt::format("\n  #  gain           {}parameters        change\n", basket ? "of best  " : "");
  for (std::size_t i = 0; i < answer.suggestions.size(); ++i) {
    const suggest::Suggestion& each = answer.suggestions[i];
    std::string line = fmt::format("{:>3}  ", i + 1);
    line += style.paint(Role::gain, pad(lint::share(each.gain, each.error), 14));
    line += ' ';
    if (basket) line += pad(percent(each.of_best), 9);
    line += pad(fmt::format("{} {}", count_short(static_cast<double>(each.parameters)),
                            signed_percent(change_of(each.parameters, answer.start_parameters))),
                17);
    line += ' ';
    // In a narrow window changes are below.
    const std::size_t in_line = basket ? 47 : 38;
    const bool is_narrow = width_of(style) < in_line + min_changes;
    const std::size_t column = is_narrow ? below : in_line;
    const std::string changes = lint::changes_text(each.edits.changes);
    out += is_narrow ? fmt::format("{}\n{}\n", without_blank_end(line), wrap(changes, column, 0, style))
                     : fmt::format("{}{}\n", line, wrap(changes, column, column, style));
    if (basket) {
      std::string gains;
      for (const suggest::OnGpu& gpu : each.gpus) {
        gains +=
            fmt::format("{}{} on {}", gains.empty() ? "" : ", ", lint::share(gpu.gain, gpu.error), gpu.gpu);
      }
      out +=
          std::string(column, ' ') + headline(style.paint(Role::faint, gains), column, column, style) + "\n";
    }
  }
}

// What the search kept to although nothing refuses other numbers.
void add_soft_conditions(const SuggestReport& report, const Style& style, std::string& out) {
  const auto varies = [&](model::FieldId field) {
    return std::any_of(report.problem.axes.begin(), report.problem.axes.end(),
                       [&](const suggest::Axis& each) { return each.field == field; });
  };
  const std::int64_t multiple = report.problem.head_multiple;
  using model::FieldId;
  if (multiple <= 1 || !(varies(FieldId::head_dim) || varies(FieldId::num_attention_heads) ||
                         varies(FieldId::num_key_value_heads))) {
    return;
  }
  out += wrap(fmt::format("heads in multiples of {}, so that TP can shard them ("
                          "`--head-multiple 1`: any)",
                          multiple),
              0, 0, style) +
         "\n";
}

// Where nothing is better, that and nothing else.
std::string nothing_better(const suggest::Answer& answer, const Style& style) {
  if (answer.doubtful == 0) {
    return answer.complete ? "\nno shape in this search space is faster\n"
                           : "\nno faster shape was found so far\n";
  }
  return wrap(fmt::format("\nno shape is faster beyond the prediction error: the best would gain {}",
                          lint::share(answer.doubtful_gain, answer.doubtful_error)),
              0, 0, style) +
         "\n";
}

// What was found and is not listed.
void add_doubts(const suggest::Answer& answer, const Style& style, std::string& out) {
  if (answer.doubtful == 0) return;
  out += wrap(fmt::format("\nnot listed: {}, with a gain within the prediction error",
                          counted(answer.doubtful, "further shape")),
              0, 0, style) +
         "\n";
}

// When nothing is better: what keeps other combinations out.
void add_exclusions(const suggest::Answer& answer, const Style& style, std::string& out) {
  if (answer.exclusions.empty()) return;
  out += fmt::format("\n{} of the combinations break a condition:\n", percent(answer.excluded));
  for (const suggest::Exclusion& each : answer.exclusions) {
    out += fmt::format("  {:>8}  {}\n", percent(each.share), headline(each.name, 12, 12, style));
  }
}

void add_reasons(const SuggestReport& report, const Style& style, std::string& out) {
  const suggest::Suggestion& first = report.answer.suggestions.front();
  if (!first.edits.implied.empty()) {
    out += '\n' +
           headline(fmt::format("{} {}", style.paint(Role::strong, "1 also changes:"),
                                lint::changes_text(first.edits.implied)),
                    2, 2, style) +
           '\n';
  }
  for (std::size_t gpu = 0; gpu < first.gpus.size(); ++gpu) {
    const suggest::OnGpu& each = first.gpus[gpu];
    const std::string why =
        fmt::format("{} step {} → {}, MFU {} → {} ({})",
                    style.paint(Role::strong, fmt::format("why 1 is faster on {}:", each.gpu)),
                    duration(report.answer.start[gpu].time_us), duration(each.now.time_us),
                    percent(report.answer.start[gpu].mfu), percent(each.now.mfu),
                    each.measured ? "measured effects" : "estimated");
    out += '\n' + headline(why, 2, 2, style) + '\n';
    constexpr std::size_t most = 8;
    double rest = each.other;
    double work = 0;
    std::size_t shown = 0;
    for (const suggest::Cause& cause : each.causes) {
      if (cause.work) {
        work += cause.share;
      } else if (++shown > most) {
        rest += cause.share;
      } else {
        const std::string what =
            fmt::format("{:<26} {}{}", cause.op, suggest::describe(cause),
                        cause.sizes.empty() ? std::string{} : fmt::format(", {}", cause.sizes));
        out += fmt::format("  {:>8}  {}\n", signed_percent(cause.share), headline(what, 12, 12, style));
      }
    }
    if (std::fabs(work) >= 0.0005)
      out += fmt::format("  {:>8}  {} work in GEMMs\n", signed_percent(work), work > 0 ? "less" : "more");
    if (std::fabs(rest) >= 0.0005) out += fmt::format("  {:>8}  the rest\n", signed_percent(rest));
  }
  if (first.alone.size() > 1) {
    out += fmt::format("\n{}\n", style.paint(Role::strong, "each change alone:"));
    for (const suggest::Ablation& alone : first.alone) {
      out += fmt::format(
          "  {:>8}  {}\n", alone.valid ? signed_percent(alone.gain) : "-",
          lint::changes_text({alone.change}) + (alone.valid ? "" : " (only together with others)"));
    }
  }
}

void add_front(const SuggestReport& report, const Style& style, std::string& out) {
  const suggest::Answer& answer = report.answer;
  if (answer.front.empty()) return;
  constexpr std::size_t most = 8;
  // Points that look the same: the one that changes least.
  std::vector<const suggest::FrontPoint*> points;
  const auto shown = [](const suggest::FrontPoint& point) {
    return std::pair(count_short(static_cast<double>(point.parameters)), fixed(point.speed, 3));
  };
  for (const suggest::FrontPoint& point : answer.front) {
    if (points.empty() || shown(*points.back()) != shown(point)) {
      points.push_back(&point);
    } else if (point.edits.changes.size() < points.back()->edits.changes.size()) {
      points.back() = &point;
    }
  }
  const std::size_t count = points.size();
  out += fmt::format("\n{} {}\n", style.paint(Role::strong, "Pareto front of parameters and speed:"),
                     count > most ? fmt::format("{} of {} shapes", most, count) : counted(count, "shape"));
  for (std::size_t i = 0; i < std::min(count, most); ++i) {
    // Evenly spread, both ends included.
    const std::size_t at = count <= most ? i : i * (count - 1) / (most - 1);
    const suggest::FrontPoint& point = *points[at];
    std::string changes = lint::changes_text(point.edits.changes);
    if (changes.empty()) changes = "the present shape";
    constexpr std::size_t column = 20;
    out += fmt::format("  {:>8}  {:>7} ", count_short(static_cast<double>(point.parameters)),
                       fmt::format("{}x", fixed(point.speed, 3)));
    out += wrap(changes, column, column, style) + "\n";
  }
  const std::string behind =
      answer.behind_front > 0.0005
          ? fmt::format("with at least as many parameters: up to {} more tokens/s than now",
                        percent(answer.behind_front))
          : std::string("the present shape is on the Pareto front");
  out += headline(behind, 0, 0, style) + '\n';
}

// What a list shows that goes by more than its gains.
std::string order_text(const suggest::Answer& answer, const Style& style) {
  const auto gains_more = [](const suggest::Suggestion& a, const suggest::Suggestion& b) {
    return a.gain < b.gain;
  };
  if (std::is_sorted(answer.suggestions.begin(), answer.suggestions.end(),
                     [&](const auto& a, const auto& b) { return gains_more(b, a); }))
    return {};
  return wrap(
             "sorted by gain; if gains differ by less than their error, the smallest change comes first "
             "(docs/how-to/find-better-shapes.md)",
             0, 0, style) +
         "\n";
}

}  // namespace

std::string suggestions_text(const SuggestReport& report, const Style& style) {
  const suggest::Answer& answer = report.answer;
  std::string out =
      fmt::format("{}: {} parameters\n",
                  style.paint(Role::strong, text::one_line(report.name.empty() ? report.path : report.name)),
                  count_short(static_cast<double>(answer.start_parameters)));
  for (std::size_t gpu = 0; gpu < answer.gpus.size(); ++gpu) {
    out +=
        "  " +
        headline(fmt::format("{}: {}", answer.gpus[gpu], performance_text(answer.start[gpu])), 4, 4, style) +
        '\n';
  }
  if (!report.problem.shape_note.empty()) out += wrap("  " + report.problem.shape_note, 2, 2, style) + "\n";
  if (!report.problem.stack_note.empty()) {
    out += wrap(fmt::format("  as {} runs it: times include padding and fallback kernels",
                            report.problem.stack_note),
                2, 2, style) +
           "\n";
  }
  if (!report.problem.broken.empty()) {
    out += wrap(fmt::format(
                    "  the current shape cannot run: it breaks {} (see `shapelint lint`); gains are against "
                    "its hypothetical step time",
                    report.problem.broken),
                2, 2, style) +
           "\n";
  }
  std::string what =
      fmt::format("best by {}", noun(report.problem.objective, report.problem.start.plan.mode));
  if (answer.gpus.size() > 1) {
    what += report.problem.basket == suggest::GpuAggregate::worst
                ? "; ranked by the worst GPU, relative to its own best"
                : "; ranked by the weighted mean of the GPUs, each relative to its own best";
  }
  out += wrap(fmt::format("\n{}: {}", counted(static_cast<std::int64_t>(answer.candidates), "combination"),
                          what),
              0, 0, style) +
         "\n";
  add_soft_conditions(report, style, out);
  if (answer.suggestions.empty()) {
    out += nothing_better(answer, style);
    add_exclusions(answer, style, out);
  } else {
    add_ranking(report, style, out);
    out += order_text(answer, style);
    add_doubts(answer, style, out);
    add_reasons(report, style, out);
  }
  if (!answer.suggestions.empty()) add_front(report, style, out);
  if (!answer.complete) {
    const std::string bound =
        std::isfinite(answer.gap)
            ? fmt::format("no shape in this search space is better than {} by more than {}",
                          answer.suggestions.empty() ? "the present shape" : "1", percent(answer.gap))
            : "a bound on better shapes is unknown; smaller ranges or larger steps let the search end";
    out += '\n' +
           headline(fmt::format("stopped early: {} of {} predicted one by one; {}",
                                with_commas(static_cast<std::int64_t>(answer.priced)),
                                counted(static_cast<std::int64_t>(answer.candidates), "combination"), bound),
                    0, 0, style) +
           '\n';
  }
  return out;
}

}  // namespace shapelint::report
