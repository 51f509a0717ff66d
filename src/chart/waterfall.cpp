// Bars, one below the other, each from where the last one ended.
#include "chart/waterfall.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/number.hpp"
#include "base/units.hpp"
#include "chart/axes.hpp"
#include "chart/svg.hpp"

namespace shapelint::chart {
namespace {

constexpr double waterfall_width = 860;
constexpr double waterfall_left = 190;
constexpr double waterfall_right = 740;
constexpr double waterfall_top = 112;
constexpr double waterfall_row = 30;
constexpr double waterfall_bar_height = 20;
constexpr double least_share = 1e-3;

// Colours of groups: green for what the model needs.
std::string colour_of_group(std::size_t group) {
  constexpr std::array<std::size_t, 7> colours{2, 4, 1, 5, 3, 0, 6};
  return colour_of(colours[group % colours.size()]);
}

// Milliseconds, or microseconds where the whole is short.
struct Unit {
  double us = 1e3;
  const char* axis = "time of a step (ms)";
};
Unit unit_of(double total_us) {
  if (total_us >= 2 * us_per_s) return {us_per_s, "time of a step (s)"};
  if (total_us >= 2 * us_per_ms) return {us_per_ms, "time of a step (ms)"};
  return {1, "time of a step (us)"};
}

}  // namespace

std::string waterfall_svg(const WaterfallFigure& figure) {
  double total_us = 0;
  double highest_us = 0;
  for (const WaterfallBar& bar : figure.bars) {
    total_us += bar.us;
    highest_us = std::max(highest_us, total_us);
  }
  std::vector<const WaterfallBar*> shown;
  for (const WaterfallBar& bar : figure.bars) {
    if (std::abs(bar.us) >= least_share * total_us) shown.push_back(&bar);
  }
  const bool has_hidden = figure.hidden_us >= least_share * total_us;
  const std::size_t rows = shown.size() + 1 + (has_hidden ? 1 : 0);
  const double bottom = waterfall_top + waterfall_row * static_cast<double>(rows) + 6;
  Svg svg(waterfall_width, bottom + 52, figure.title, figure.subtitle);
  svg.text({24, 30}, figure.title, Anchor::start, "title");
  svg.subtitle(figure.subtitle, waterfall_width - 48);
  std::vector<LegendEntry> legend;
  for (std::size_t i = 0; i < figure.groups.size(); ++i) {
    const auto is_in = [i](const WaterfallBar* bar) { return bar->group == i; };
    if (std::any_of(shown.begin(), shown.end(), is_in))
      legend.push_back({figure.groups[i], "mark " + colour_of_group(i), false});
  }
  draw_legend(svg, {24, 84}, waterfall_width - 48, legend);

  const Unit unit = unit_of(total_us);
  Scale x = round_scale(0, highest_us / unit.us, false, waterfall_left, waterfall_right);
  for (const double value : ticks(x, 6)) {
    svg.line({place(x, value), waterfall_top}, {place(x, value), bottom}, "grid");
    svg.text({place(x, value), bottom + 16}, tick_label(value), Anchor::middle, "soft small");
  }
  svg.line({waterfall_left, bottom}, {waterfall_right, bottom}, "axis");
  svg.text({(waterfall_left + waterfall_right) / 2, bottom + 38}, unit.axis, Anchor::middle);

  double sum_us = 0;
  double y = waterfall_top + 8;
  for (const WaterfallBar* bar : shown) {
    const double begin = place(x, sum_us / unit.us);
    sum_us += bar->us;
    const double end = place(x, sum_us / unit.us);
    svg.text({waterfall_left - 10, y + 14}, bar->label, Anchor::end);
    svg.rectangle({std::min(begin, end), y}, std::max(1.5, std::abs(end - begin)), waterfall_bar_height,
                  "bar " + colour_of_group(bar->group), bar->hover);
    svg.line({end, y + waterfall_bar_height}, {end, y + waterfall_row}, "edge");
    svg.text({std::max(begin, end) + 8, y + 14}, duration(bar->us) + ", " + percent(bar->us / total_us),
             Anchor::start, "small");
    y += waterfall_row;
  }
  if (has_hidden) {
    const double end = place(x, sum_us / unit.us);
    const double begin = std::max(waterfall_left, place(x, (sum_us - figure.hidden_us) / unit.us));
    svg.text({waterfall_left - 10, y + 14}, "overlapped communication", Anchor::end);
    svg.path({{begin, y + 1},
              {end, y + 1},
              {end, y + waterfall_bar_height - 1},
              {begin, y + waterfall_bar_height - 1},
              {begin, y + 1}},
             "faint", "communication that runs beside computation: not part of the step's time");
    svg.text({end + 8, y + 14}, duration(figure.hidden_us) + ", hidden", Anchor::start, "small soft");
    y += waterfall_row;
  }
  svg.text({waterfall_left - 10, y + 14}, figure.total_label, Anchor::end, "strong");
  svg.rectangle({waterfall_left, y}, place(x, total_us / unit.us) - waterfall_left, waterfall_bar_height,
                "bar", figure.total_label);
  svg.text({place(x, total_us / unit.us) + 8, y + 14}, duration(total_us), Anchor::start, "small strong");
  return std::move(svg).finish();
}

}  // namespace shapelint::chart
