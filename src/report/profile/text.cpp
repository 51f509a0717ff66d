// Profiles for people.
#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "base/number.hpp"
#include "lint/phrases.hpp"
#include "report/profile/profile.hpp"
#include "report/roofline/parts.hpp"
#include "report/roofline/roofline.hpp"
#include "report/style.hpp"
#include "text/printable.hpp"

namespace shapelint::report {

namespace {

constexpr std::int64_t usual_rows = 20;
constexpr std::size_t title_width = 40;
constexpr std::size_t table_width = 100;

std::string strong(std::string line, const Style& style) {
  line.pop_back();
  return style.paint(Role::strong, line) + '\n';
}

// Cut with an ellipsis, so that columns stay where they are.
std::string fit(std::string text, std::size_t width) {
  if (static_cast<std::size_t>(display_width(text)) <= width) return text;
  std::string out;
  std::string_view rest = text;
  while (!rest.empty() && static_cast<std::size_t>(display_width(out)) + 1 < width) {
    const std::string_view before = rest;
    next_code_point(rest);
    out += before.substr(0, before.size() - rest.size());
  }
  return out + "…";
}

std::string times(double ratio) {
  constexpr double long_ratio = 100;
  if (!(ratio > 0)) return "-";
  return ratio < long_ratio ? fmt::format("x{}", fixed(ratio, 2)) : fmt::format("x{:.3g}", ratio);
}

std::string of_step(double us, const trace::StepTimes& step) {
  return step.wall_us > 0 ? percent(us / step.wall_us) : "-";
}

std::string step_line(const TraceFile& file) {
  if (file.ranges == 0)
    return "no step is named, so the whole trace counts as one (`--step NAME` names the ranges)";
  if (file.whole <= 1)
    return fmt::format("{}, the only whole step of {}", text::one_line(file.step), file.ranges);
  return fmt::format("{}, the median of {} whole steps of {}", text::one_line(file.step), file.whole,
                     file.ranges);
}

std::string head_text(const ProfileReport& report) {
  const TraceFile& file = report.traces.front();
  std::string out =
      fmt::format("{}{} on {}\n", report.model.empty() ? "" : report.model + " ",
                  report.model.empty() ? report.path : "(" + report.path + ")", report.gpu.name);
  out += roofline_parts::wrapped(plan_text(report.setup)) + '\n';
  out += text::one_line(
      fmt::format("compared with {}: {}, {}", file.path, file.format,
                  file.device.empty() ? (file.on_cpu ? "a CPU" : "a device without a name") : file.device));
  if (file.rank >= 0 && file.world_size > 1)
    out += fmt::format(", rank {} of {}", file.rank, file.world_size);
  return out + '\n' + step_line(file) + '\n';
}

std::string times_text(const ProfileReport& report, const Style& style) {
  const trace::StepTimes& t = report.traces.front().times;
  const cost::StepCost& p = report.step;
  const bool compares = !report.traces.front().on_cpu;
  std::string out =
      strong(fmt::format("\n{:<28}{:>12}{:>12}{:>10}\n", "", "predicted", "measured", "ratio"), style);
  const auto line = [&](std::string_view title, double predicted, double measured) {
    out += without_blank_end(
               fmt::format("{:<28}{:>12}{:>12}{:>10}", title, predicted >= 0 ? duration(predicted) : "",
                           measured >= 0 ? duration(measured) : "",
                           predicted > 0 && measured >= 0 && compares ? times(measured / predicted) : "")) +
           '\n';
  };
  line("step", p.time_us, t.wall_us);
  line("  compute kernels", p.compute_us + p.memory_us + p.overhead_us, t.busy_us - t.exposed_us);
  if (p.communication_us > 0 || t.exposed_us > 0)
    line("  exposed communication", p.communication_us, t.exposed_us);
  if (p.bubble_us > 0) line("  pipeline bubble", p.bubble_us, -1);
  line("  GPU idle", -1, t.idle_us);
  if (t.communication_us > t.exposed_us || p.hidden_us > 0)
    line("overlapped communication", p.hidden_us, t.communication_us - t.exposed_us);
  return out;
}

std::string rows_text(const ProfileReport& report, std::size_t most, const Style& style) {
  const bool compares = !report.traces.front().on_cpu;
  const trace::StepTimes& step = report.traces.front().times;
  std::string out =
      strong(fmt::format("\n{:<{}} {:>13} {:>10} {:>10} {:>7} {:>8}  {}\n", "operation", title_width, "calls",
                         "predicted", "measured", "ratio", "of step", "by"),
             style);
  double rest_predicted = 0;
  double rest_measured = 0;
  std::size_t rest = 0;
  for (std::size_t i = 0; i < report.match.rows.size(); ++i) {
    const trace::Row& row = report.match.rows[i];
    if (i >= most) {
      ++rest;
      rest_predicted += row.predicted_us;
      rest_measured += row.measured_us;
      continue;
    }
    const auto seen = static_cast<std::int64_t>(row.calls);
    const auto expected = static_cast<std::int64_t>(std::llround(row.expected_calls));
    std::string calls =
        row.is_counted && seen != expected ? fmt::format("{} of {}", seen, expected) : with_commas(seen);
    if (row.calls == 0) calls = "-";
    out += fmt::format(
        "{:<{}} {:>13} {:>10} {:>10} {:>7} {:>8}  {}\n", fit(row_title(report, row), title_width),
        title_width, calls, duration(row.predicted_us), row.calls > 0 ? duration(row.measured_us) : "-",
        compares && row.calls > 0 && row.predicted_us > 0 ? times(row.measured_us / row.predicted_us) : "-",
        row.calls > 0 ? of_step(row.measured_us, step) : "-", row.calls > 0 ? name(row.by) : "");
  }
  if (rest > 0) {
    out += fmt::format("{:<{}} {:>13} {:>10} {:>10} {:>7} {:>8}\n", counted(rest, "other") + " (`--top 0`)",
                       title_width, "", duration(rest_predicted), duration(rest_measured), "",
                       of_step(rest_measured, step));
  }
  return out;
}

std::string unexplained_text(const ProfileReport& report, std::size_t most, const Style& style) {
  const trace::Match& match = report.match;
  const double all = match.kernels_us;
  std::string out;
  if (all <= 0) return out;
  out += fmt::format("\nmatched to predictions: {} of the kernel time; known kinds: {}\n",
                     percent(match.explained_us / all), percent(match.classified_us / all));
  if (match.unexplained.empty()) return out;
  out += strong(fmt::format("\n{:<{}} {:>8} {:>10} {:>8}\n", "unmatched kernels", title_width + 16, "calls",
                            "measured", "of step"),
                style);
  double rest = 0;
  std::size_t others = 0;
  for (std::size_t i = 0; i < match.unexplained.size(); ++i) {
    const trace::Unexplained& each = match.unexplained[i];
    if (i >= most) {
      rest += each.time_us;
      ++others;
      continue;
    }
    const std::string kind =
        each.kind.empty() || each.kind == "product" ? "" : fmt::format("{}: ", each.kind);
    out += fmt::format("{:<{}} {:>8} {:>10} {:>8}\n", fit(kind + kernel_title(each.what), title_width + 16),
                       title_width + 16, with_commas(static_cast<std::int64_t>(each.calls)),
                       duration(each.time_us), of_step(each.time_us, report.traces.front().times));
    if (!each.hint.empty()) out += fmt::format("  {}\n", each.hint);
  }
  if (others > 0) {
    out += fmt::format("{:<{}} {:>8} {:>10} {:>8}\n", counted(others, "other"), title_width + 16, "",
                       duration(rest), of_step(rest, report.traces.front().times));
  }
  return out;
}

std::string verdicts_text(const ProfileReport& report, const Style& style) {
  std::string out = strong(fmt::format("\n{:<19}{:>9}  {}\n", "losses", "predicted", "trace"), style);
  for (const trace::ObservedLoss& each : report.verdicts) {
    const std::string begin = fmt::format(
        "{:<19}{:>9}  {}: ", loss_title(each.id),
        report.step.time_us > 0 ? percent(each.predicted_us / report.step.time_us) : "-", name(each.seen));
    out += begin + wrap(each.why, 30, begin.size(), table_width) + '\n';
  }
  return out;
}

std::string findings_text(const ProfileReport& report, const Style& style) {
  if (report.findings.empty()) return {};
  std::string out = strong("\nfindings by saving\n", style);
  for (const Worth& each : report.findings) {
    out += fmt::format("  {} ({}): {}\n", each.code, each.rule, each.changes);
    out += fmt::format("    saves {}, predicted {}{}\n", percent(each.measured),
                       lint::share(each.predicted, each.predicted_error),
                       each.measured_share < 0.995 ? fmt::format("; {} of the changed operations measured",
                                                                 percent(each.measured_share))
                                                   : "");
  }
  return out;
}

// Several ranks: who is slow, and who waits.
std::string ranks_text(const ProfileReport& report, const Style& style) {
  if (report.traces.size() < 2) return {};
  std::string out = strong(fmt::format("\n{:<44} {:>5} {:>10} {:>10} {:>12} {:>10}\n", "trace", "rank",
                                       "step", "computes", "exposed", "runs none"),
                           style);
  for (const TraceFile& file : report.traces) {
    const trace::StepTimes& t = file.times;
    out += fmt::format("{:<44} {:>5} {:>10} {:>10} {:>12} {:>10}\n", fit(text::one_line(file.path), 44),
                       file.rank >= 0 ? fmt::format("{}", file.rank) : "-", duration(t.wall_us),
                       duration(t.busy_us - t.exposed_us), duration(t.exposed_us), duration(t.idle_us));
  }
  return out;
}

}  // namespace

std::string row_title(const ProfileReport& report, const trace::Row& row) {
  const auto title = [&](std::size_t index) {
    const model::Op& op = report.workload.ops[index];
    return op.pass == model::Pass::forward ? std::string(op.name)
                                           : fmt::format("{} {}", op.name, short_name(op.pass));
  };
  if (row.ops.size() == 1) return title(row.ops.front());
  std::set<std::string_view> names;
  for (const std::size_t op : row.ops) names.insert(report.workload.ops[op].name);
  if (names.size() == 1) return fmt::format("{}, all passes", *names.begin());
  return fmt::format("{} ({} operations)", row.kind, row.ops.size());
}

std::string kernel_title(std::string_view name) {
  // `void at::native::vectorized_elementwise_kernel<4, …>(int, …)`: what stands before the arguments.
  if (name.starts_with("void ")) name.remove_prefix(5);
  std::string out = text::one_line(name);
  const std::size_t arguments = out.find("(int");
  if (arguments != std::string::npos && arguments > 0) out.erase(arguments);
  return out;
}

std::string_view loss_title(std::string_view id) {
  if (id == "launch_gaps") return "launch gaps";
  if (id == "tile") return "tile quantization";
  return id == "wave" ? "wave quantization" : id;
}

std::string profile_text(const ProfileReport& report, std::optional<std::int64_t> top, const Style& style) {
  const std::int64_t asked = top.value_or(usual_rows);
  const std::size_t most = asked == 0 ? report.match.rows.size() + report.match.unexplained.size()
                                      : static_cast<std::size_t>(asked);
  std::string out = head_text(report) + times_text(report, style) + rows_text(report, most, style);
  out += unexplained_text(report, top ? most : most / 2, style) + verdicts_text(report, style);
  out += findings_text(report, style) + ranks_text(report, style);
  for (const std::string& note : report.notes)
    out += "note: " + wrap(text::one_line(note), 6, 6, table_width) + '\n';
  return out;
}

}  // namespace shapelint::report
