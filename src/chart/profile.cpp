// Pairs of bars, and a page of tables around them.
#include "chart/page.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/number.hpp"
#include "base/units.hpp"
#include "chart/axes.hpp"
#include "chart/svg.hpp"
#include "lint/phrases.hpp"
#include "report/exchange/exchange.hpp"
#include "report/roofline/roofline.hpp"
#include "text/printable.hpp"

namespace shapelint::chart {

namespace {

constexpr double profile_width = 980;
constexpr double profile_left = 270;
constexpr double profile_right = 800;
constexpr double profile_top = 92;
constexpr double profile_row_height = 34;
constexpr double profile_bar_height = 12;
constexpr std::size_t max_rows = 30;

using report::xml_escaped;

// One row of cells; the first is its head.
std::string cells(const std::vector<std::string>& all, std::string_view element = "td") {
  std::string out = "<tr>";
  for (const std::string& each : all) out += fmt::format("<{0}>{1}</{0}>", element, xml_escaped(each));
  return out + "</tr>\n";
}

std::string ratio(double measured, double predicted) {
  return predicted > 0 && measured >= 0 ? fmt::format("x{}", fixed(measured / predicted, 2)) : "";
}

std::string summary(const report::ProfileReport& report) {
  const trace::StepTimes& t = report.traces.front().times;
  const trace::Match& match = report.match;
  const auto box = [](std::string_view title, const std::string& value) {
    return fmt::format("<div><span>{}</span><b>{}</b></div>\n", title, xml_escaped(value));
  };
  std::string out = "<section id=\"summary\" aria-label=\"the step\">\n";
  out += box("predicted step", duration(report.step.time_us)) + box("measured step", duration(t.wall_us));
  out +=
      box("measured / predicted", report.traces.front().on_cpu ? "-" : ratio(t.wall_us, report.step.time_us));
  out += box("communication waited for", percent(t.wall_us > 0 ? t.exposed_us / t.wall_us : 0));
  out += box("GPU idle", percent(t.wall_us > 0 ? t.idle_us / t.wall_us : 0));
  out += box("explained", percent(match.kernels_us > 0 ? match.explained_us / match.kernels_us : 0));
  return out + "</section>\n";
}

std::string operations(const report::ProfileReport& report) {
  const double step_us = report.traces.front().times.wall_us;
  std::string out =
      "<section>\n<h2>Operations</h2>\n<div class=\"scroll\"><table>\n<thead>" +
      cells({"operation", "calls", "predicted", "measured", "ratio", "of step", "matched by", "kernel"},
            "th") +
      "</thead><tbody>\n";
  for (const trace::Row& row : report.match.rows) {
    const bool ran = row.calls > 0;
    out +=
        cells({report::row_title(report, row), ran ? with_commas(static_cast<std::int64_t>(row.calls)) : "",
               duration(row.predicted_us), ran ? duration(row.measured_us) : "",
               ran && !report.traces.front().on_cpu ? ratio(row.measured_us, row.predicted_us) : "",
               ran && step_us > 0 ? percent(row.measured_us / step_us) : "",
               ran ? std::string(name(row.by)) : "", report::kernel_title(row.kernel).substr(0, 80)});
  }
  return out + "</tbody></table></div>\n</section>\n";
}

std::string rest(const report::ProfileReport& report) {
  std::string out;
  const double step_us = report.traces.front().times.wall_us;
  if (!report.match.unexplained.empty()) {
    out += "<section>\n<h2>Not explained</h2>\n<div class=\"scroll\"><table>\n<thead>" +
           cells({"what ran", "kind", "calls", "measured", "of step", "nearly"}, "th") + "</thead><tbody>\n";
    for (const trace::Unexplained& each : report.match.unexplained) {
      out += cells({report::kernel_title(each.what).substr(0, 120), each.kind,
                    with_commas(static_cast<std::int64_t>(each.calls)), duration(each.time_us),
                    step_us > 0 ? percent(each.time_us / step_us) : "", each.hint});
    }
    out += "</tbody></table></div>\n</section>\n";
  }
  out += "<section>\n<h2>Losses</h2>\n<div class=\"scroll\"><table>\n<thead>" +
         cells({"loss", "predicted", "trace", "why"}, "th") + "</thead><tbody>\n";
  for (const trace::ObservedLoss& each : report.verdicts) {
    out += cells({std::string(report::loss_title(each.id)),
                  report.step.time_us > 0 ? percent(each.predicted_us / report.step.time_us) : "",
                  std::string(name(each.seen)), each.why});
  }
  out += "</tbody></table></div>\n</section>\n";
  if (!report.findings.empty()) {
    out +=
        "<section>\n<h2>Findings by saving</h2>\n<div "
        "class=\"scroll\"><table>\n<thead>" +
        cells({"finding", "proposal", "predicted", "on this trace", "measured of it"}, "th") +
        "</thead><tbody>\n";
    for (const report::Worth& each : report.findings) {
      out += cells({fmt::format("{} {}", each.code, each.rule), each.changes,
                    lint::share(each.predicted, each.predicted_error), percent(each.measured),
                    percent(each.measured_share)});
    }
    out += "</tbody></table></div>\n</section>\n";
  }
  if (report.traces.size() > 1) {
    out += "<section>\n<h2>Ranks</h2>\n<div class=\"scroll\"><table>\n<thead>" +
           cells({"trace", "rank", "step", "computes", "exposed communication", "runs nothing"}, "th") +
           "</thead><tbody>\n";
    for (const report::TraceFile& file : report.traces) {
      const trace::StepTimes& t = file.times;
      out += cells({text::one_line(file.path), file.rank >= 0 ? fmt::format("{}", file.rank) : "",
                    duration(t.wall_us), duration(t.busy_us - t.exposed_us), duration(t.exposed_us),
                    duration(t.idle_us)});
    }
    out += "</tbody></table></div>\n</section>\n";
  }
  for (const std::string& note : report.notes)
    out += fmt::format("<p class=\"soft\">{}</p>\n", xml_escaped(note));
  return out;
}

std::string title_of(const report::ProfileReport& report) {
  return fmt::format("{} on {}, measured and predicted", report.model.empty() ? report.path : report.model,
                     report.gpu.name);
}

}  // namespace

std::string profile_svg(const report::ProfileReport& report) {
  const std::size_t rows = std::min(max_rows, report.match.rows.size());
  double longest_us = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    const trace::Row& row = report.match.rows[i];
    longest_us = std::max({longest_us, row.predicted_us, row.measured_us});
  }
  const bool in_ms = longest_us >= us_per_ms;
  const double unit = in_ms ? us_per_ms : 1;
  const double bottom =
      profile_top + profile_row_height * static_cast<double>(std::max<std::size_t>(rows, 1));
  const std::string title = title_of(report);
  const report::TraceFile& file = report.traces.front();
  const std::string subtitle =
      text::one_line(fmt::format("{}, {}", file.path, file.ranges > 0 ? file.step : "the whole trace"));
  Svg svg(profile_width, bottom + 52, title, subtitle);
  svg.heading(title, subtitle, profile_width);
  constexpr std::array<std::string_view, 2> names{"predicted", "measured"};
  constexpr std::array<std::string_view, 2> looks{"bar c2", "bar c1"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double x = profile_left + 110 * static_cast<double>(i);
    svg.rectangle({x, 68}, 12, 12, looks[i]);
    svg.text({x + 18, 78}, names[i], Anchor::start, "small");
  }
  const Scale x = round_scale(0, std::max(longest_us / unit, 1e-3), false, profile_left, profile_right);
  draw_bar_axis(svg, x, profile_top, bottom, 6, in_ms ? "time of a step (ms)" : "time of a step (us)");
  for (std::size_t i = 0; i < rows; ++i) {
    const trace::Row& row = report.match.rows[i];
    const double y = profile_top + 4 + profile_row_height * static_cast<double>(i);
    const std::string label = report::row_title(report, row);
    svg.text({profile_left - 10, y + 16}, label, Anchor::end, "small");
    const std::array<double, 2> values{row.predicted_us, row.calls > 0 ? row.measured_us : 0};
    double end = profile_left;
    for (std::size_t j = 0; j < values.size(); ++j) {
      const double to = place(x, values[j] / unit);
      end = std::max(end, to);
      svg.rectangle({profile_left, y + (profile_bar_height + 1) * static_cast<double>(j)},
                    std::max(0.5, to - profile_left), profile_bar_height, looks[j],
                    fmt::format("{}: {} {}", label, names[j], duration(values[j])));
    }
    svg.text({end + 8, y + 16},
             row.calls == 0 ? "not seen" : (file.on_cpu ? "" : ratio(row.measured_us, row.predicted_us)),
             Anchor::start, "soft small");
  }
  return std::move(svg).finish();
}

std::string profile_page(const report::ProfileReport& report) {
  const report::TraceFile& file = report.traces.front();
  const std::string title = xml_escaped(title_of(report));
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'\">\n"
      "<title>{0}</title>\n<style>\n{1}\n</style>\n</head>\n<body>\n<header>\n<h1>{0}</h1>\n"
      "<p class=\"soft\">{2}</p>\n<p class=\"soft\">{3}</p>\n</header>\n<main>\n",
      title, web_assets().style, xml_escaped(report::plan_text(report.setup)),
      xml_escaped(text::one_line(fmt::format("{}: {}, {}{}", file.path, file.format,
                                             file.on_cpu && file.device.empty() ? "a CPU" : file.device,
                                             file.ranges > 0 ? ", " + file.step : ""))));
  out += summary(report);
  out += "<section>\n<h2>Side by side</h2>\n<div class=\"chart\">" + profile_svg(report) +
         "</div>\n</section>\n";
  out += operations(report) + rest(report);
  return out + "</main>\n<footer class=\"soft\">Measured by " + xml_escaped(file.format) +
         "; predicted by shapelint " SHAPELINT_VERSION ".</footer>\n</body>\n</html>\n";
}

}  // namespace shapelint::chart
