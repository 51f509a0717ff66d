// Scales and frames.
#include "chart/axes.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/number.hpp"

namespace shapelint::chart {
namespace {

constexpr double slack = 1e-9;  // of rounding

// The least of 1, 2, 5 times a power of ten that is at least `value`.
double round_up(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value) + slack));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= value * (1 - slack)) return factor * power;
  }
  return 10 * power;
}

constexpr int ticks_of_round_ends = 8;

}  // namespace

double place(const Scale& scale, double value) {
  const double share = scale.logarithmic ? std::log(value / scale.low) / std::log(scale.high / scale.low)
                                         : (value - scale.low) / (scale.high - scale.low);
  return scale.from + share * (scale.to - scale.from);
}

Scale round_scale(double low, double high, bool logarithmic, double from, double to) {
  if (logarithmic) {
    low = 1 / round_up(1 / low);
    high = round_up(high);
    if (!(high > low)) high = 10 * low;
  } else {
    if (!(high > low)) high = low + std::max(std::abs(low), 1.0);
    const double step = round_up((high - low) / ticks_of_round_ends);
    low = std::floor(low / step + slack) * step;
    high = std::ceil(high / step - slack) * step;
  }
  return {low, high, from, to, logarithmic};
}

std::vector<double> ticks(const Scale& scale, int about) {
  std::vector<double> out;
  if (!scale.logarithmic) {
    const double step = round_up((scale.high - scale.low) / std::max(about, 1));
    const double first = std::ceil(scale.low / step - slack);
    for (double i = first; i * step <= scale.high + slack * step; ++i) out.push_back(i * step);
    return out;
  }
  const double decades = std::log10(scale.high / scale.low);
  const double stride = std::max(1.0, std::ceil(decades / std::max(about, 1)));
  const bool between = stride == 1 && 3 * decades <= about;
  for (double power = std::floor(std::log10(scale.low) + slack);
       std::pow(10.0, power) <= scale.high * (1 + slack); power += stride) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double value = factor * std::pow(10.0, power);
      if (factor > 1 && !between) break;
      if (value >= scale.low * (1 - slack) && value <= scale.high * (1 + slack)) out.push_back(value);
    }
  }
  return out;
}

std::string tick_label(double value) {
  const double size = std::abs(value);
  if (size >= 1e6) {
    // "2.500 M" is 2.5 M: the steps between ticks are round.
    std::string out = count_short(value);
    const std::size_t unit = out.find(' ');
    const std::size_t point = out.find('.');
    if (point == std::string::npos || unit == std::string::npos) return out;
    const std::size_t last = out.find_last_not_of('0', unit - 1);
    return out.erase(last == point ? point : last + 1, unit - (last == point ? point : last + 1));
  }
  if (size >= 1 && std::abs(value - std::round(value)) < 1e-9 * size) {
    return with_commas(static_cast<std::int64_t>(std::round(value)));
  }
  std::string out = size < 1e-3 && size > 0 ? fmt::format("{:.0e}", value) : fmt::format("{:.6f}", value);
  if (out.find('e') == std::string::npos && out.find('.') != std::string::npos) {
    while (out.back() == '0') out.pop_back();
    if (out.back() == '.') out.pop_back();
  }
  return out == "-0" ? "0" : out;
}

void draw_frame(Svg& svg, const PlotFrame& frame, std::string_view x_name, std::string_view y_name,
                const std::vector<double>& x_ticks) {
  constexpr double pixels_per_x_tick = 80;
  constexpr double pixels_per_y_tick = 40;
  constexpr double label_gap = 6;
  const auto& [x, y] = frame;
  const auto many = [](const Scale& scale, double pixels) {
    return static_cast<int>(std::abs(scale.to - scale.from) / pixels);
  };
  double widest = 0;
  for (const double value : ticks(y, many(y, pixels_per_y_tick))) {
    const double at = place(y, value);
    svg.line({x.from, at}, {x.to, at}, "grid");
    svg.text({x.from - label_gap, at + 4}, tick_label(value), Anchor::end, "soft small");
    widest = std::max(widest, text_width(tick_label(value), 11));
  }
  for (const double value : x_ticks.empty() ? ticks(x, many(x, pixels_per_x_tick)) : x_ticks) {
    const double at = place(x, value);
    svg.line({at, y.from}, {at, y.to}, "grid");
    svg.text({at, y.from + 16}, tick_label(value), Anchor::middle, "soft small");
  }
  svg.line({x.from, y.from}, {x.to, y.from}, "axis");
  svg.line({x.from, y.from}, {x.from, y.to}, "axis");
  svg.text({(x.from + x.to) / 2, y.from + 36}, x_name, Anchor::middle);
  svg.text({x.from - widest - 2.5 * label_gap, (y.from + y.to) / 2}, y_name, Anchor::middle, {}, -90);
}

void draw_bar_axis(Svg& svg, const Scale& x, double top, double bottom, int about, std::string_view name) {
  for (const double value : ticks(x, about)) {
    svg.line({place(x, value), top}, {place(x, value), bottom}, "grid");
    svg.text({place(x, value), bottom + 16}, tick_label(value), Anchor::middle, "soft small");
  }
  svg.line({x.from, bottom}, {x.to, bottom}, "axis");
  svg.text({(x.from + x.to) / 2, bottom + 36}, name, Anchor::middle);
}

double draw_legend(Svg& svg, Pixel at, double width, const std::vector<LegendEntry>& entries) {
  constexpr double row_height = 18;
  constexpr double symbol = 18;
  constexpr double gap = 20;
  double x = at.x;
  double y = at.y;
  for (const LegendEntry& entry : entries) {
    const double needs = symbol + 6 + text_width(entry.label);
    if (x > at.x && x + needs > at.x + width) {
      x = at.x;
      y += row_height;
    }
    if (entry.is_line) {
      svg.line({x, y - 4}, {x + symbol, y - 4}, entry.classes);
    } else {
      svg.circle({x + symbol / 2, y - 4}, 5, entry.classes);
    }
    svg.text({x + symbol + 6, y}, entry.label, Anchor::start);
    x += needs + gap;
  }
  return y - at.y + row_height;
}

bool overlaps(const Box& a, const Box& b) {
  return a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1;
}

}  // namespace shapelint::chart
