// Bars, one below the other, each from where the last one ended.
#include "chart/waterfall.hpp"

#include <algorithm>
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
constexpr double waterfall_top = 76;
constexpr double waterfall_row = 30;
constexpr double waterfall_bar_height = 20;
constexpr double least_share = 1e-3;

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
  const double bottom = waterfall_top + waterfall_row * static_cast<double>(shown.size() + 1) + 6;
  Svg svg(waterfall_width, bottom + 52, figure.title, figure.subtitle);
  svg.text({24, 30}, figure.title, Anchor::start, "title");
  svg.subtitle(figure.subtitle, waterfall_width - 48);

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
    const bool ground = bar == shown.front();
    svg.text({waterfall_left - 10, y + 14}, bar->label, Anchor::end);
    svg.rectangle({std::min(begin, end), y}, std::max(1.5, std::abs(end - begin)), waterfall_bar_height,
                  ground ? "bar c2" : (bar->us < 0 ? "bar c4" : "bar c1"), bar->hover);
    svg.line({end, y + waterfall_bar_height}, {end, y + waterfall_row}, "edge");
    svg.text({std::max(begin, end) + 8, y + 14}, duration(bar->us) + ", " + percent(bar->us / total_us),
             Anchor::start, "small");
    y += waterfall_row;
  }
  svg.text({waterfall_left - 10, y + 14}, figure.total_label, Anchor::end, "strong");
  svg.rectangle({waterfall_left, y}, place(x, total_us / unit.us) - waterfall_left, waterfall_bar_height,
                "bar", figure.total_label);
  svg.text({place(x, total_us / unit.us) + 8, y + 14}, duration(total_us), Anchor::start, "small strong");
  return std::move(svg).finish();
}

}  // namespace shapelint::chart
