// Elements as text.
#include "chart/svg.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/exchange/exchange.hpp"
#include "report/style.hpp"

namespace shapelint::chart {
namespace {

using report::xml_escaped;

// Colours of Okabe and Ito, distinct with any colour vision (Color Universal Design, 2008); their yellow
// and black, too close to a page's white and its text, are a violet and an olive here. No CSS variables: not
// every viewer knows them.
constexpr std::string_view style_sheet = R"(<style>
.plot text { fill: #1f2328; font: 12px system-ui, "Segoe UI", "DejaVu Sans", Arial, sans-serif; }
.plot text.soft { fill: #59636e; }
.plot text.small { font-size: 11px; }
.plot text.strong { font-weight: 600; }
.plot text.title { font-weight: 600; font-size: 15px; }
.plot text.halo { paint-order: stroke; stroke: #ffffff; stroke-width: 3; stroke-linejoin: round; }
.plot line, .plot path { fill: none; stroke: #1f2328; stroke-width: 1; stroke-linejoin: round; }
.plot .axis { stroke: #59636e; }
.plot .grid { stroke: #d8dee4; }
.plot .edge { stroke: #59636e; }
.plot .series, .plot .roof { stroke-width: 2; }
.plot .faint { stroke-dasharray: 5 4; opacity: .75; }
.plot .mark, .plot .bar { fill: #7d8590; }
.plot .mark { stroke: #ffffff; stroke-width: 1; }
.plot .mark { fill-opacity: .8; }
.plot .paper { fill: #ffffff; }
.plot .thin { stroke-width: 1.2; }
.plot .hollow { fill: #ffffff; stroke-width: 1.2; }
.plot .mark.c0, .plot .bar.c0 { fill: #0072b2; } .plot .series.c0, .plot .hollow.c0 { stroke: #0072b2; }
.plot .mark.c1, .plot .bar.c1 { fill: #d55e00; } .plot .series.c1, .plot .hollow.c1 { stroke: #d55e00; }
.plot .mark.c2, .plot .bar.c2 { fill: #009e73; } .plot .series.c2, .plot .hollow.c2 { stroke: #009e73; }
.plot .mark.c3, .plot .bar.c3 { fill: #cc79a7; } .plot .series.c3, .plot .hollow.c3 { stroke: #cc79a7; }
.plot .mark.c4, .plot .bar.c4 { fill: #56b4e9; } .plot .series.c4, .plot .hollow.c4 { stroke: #56b4e9; }
.plot .mark.c5, .plot .bar.c5 { fill: #e69f00; } .plot .series.c5, .plot .hollow.c5 { stroke: #e69f00; }
.plot .mark.c6, .plot .bar.c6 { fill: #8c6bb1; } .plot .series.c6, .plot .hollow.c6 { stroke: #8c6bb1; }
.plot .mark.c7, .plot .bar.c7 { fill: #999933; } .plot .series.c7, .plot .hollow.c7 { stroke: #999933; }
.plot .mark:hover, .plot .bar:hover { stroke: #1f2328; stroke-width: 2; }
@media (prefers-color-scheme: dark) {
  .plot text { fill: #e6edf3; }
  .plot text.soft { fill: #9da7b3; }
  .plot text.halo { stroke: #0d1117; }
  .plot line, .plot path { stroke: #e6edf3; }
  .plot .axis, .plot .edge { stroke: #9da7b3; }
  .plot .grid { stroke: #343b44; }
  .plot .mark { stroke: #0d1117; }
  .plot .paper, .plot .hollow { fill: #0d1117; }
  .plot .mark:hover, .plot .bar:hover { stroke: #e6edf3; }
  .plot .series.c0 { stroke: #0072b2; }
  .plot .series.c1 { stroke: #d55e00; }
  .plot .series.c2 { stroke: #009e73; }
  .plot .series.c3 { stroke: #cc79a7; }
  .plot .series.c4 { stroke: #56b4e9; }
  .plot .series.c5 { stroke: #e69f00; }
  .plot .series.c6 { stroke: #8c6bb1; }
  .plot .series.c7 { stroke: #999933; }
}
</style>
)";

std::string number(double value) {
  std::string out = fmt::format("{:.2f}", value);
  while (out.back() == '0') out.pop_back();
  if (out.back() == '.') out.pop_back();
  return out == "-0" ? "0" : out;
}

}  // namespace

Svg::Svg(double width, double height, std::string_view title, std::string_view description) {
  out_ = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "class=\"plot\" role=\"img\">\n<title>{2}</title>\n<desc>{3}</desc>\n{4}",
      number(width), number(height), xml_escaped(title), xml_escaped(description), style_sheet);
  rectangle({0, 0}, width, height, "paper");
}

void Svg::close_with_hover(std::string_view element, std::string_view hover) {
  if (hover.empty()) {
    out_ += "/>\n";
  } else {
    out_ += fmt::format("><title>{}</title></{}>\n", xml_escaped(hover), element);
  }
}

void Svg::line(Pixel from, Pixel to, std::string_view classes) {
  out_ += fmt::format(R"(<line x1="{}" y1="{}" x2="{}" y2="{}" class="{}"/>)", number(from.x), number(from.y),
                      number(to.x), number(to.y), classes);
  out_ += '\n';
}

void Svg::path(const std::vector<Pixel>& points, std::string_view classes, std::string_view hover) {
  if (points.empty()) return;
  out_ += fmt::format(R"(<path class="{}" d=")", classes);
  char step = 'M';
  for (const Pixel& point : points) {
    out_ += fmt::format("{}{} {}", step, number(point.x), number(point.y));
    step = 'L';
  }
  out_ += '"';
  close_with_hover("path", hover);
}

void Svg::circle(Pixel center, double radius, std::string_view classes, std::string_view hover) {
  out_ += fmt::format(R"(<circle cx="{}" cy="{}" r="{}" class="{}")", number(center.x), number(center.y),
                      number(radius), classes);
  close_with_hover("circle", hover);
}

void Svg::rectangle(Pixel corner, double width, double height, std::string_view classes,
                    std::string_view hover) {
  out_ += fmt::format(R"(<rect x="{}" y="{}" width="{}" height="{}" class="{}")", number(corner.x),
                      number(corner.y), number(width), number(height), classes);
  close_with_hover("rect", hover);
}

void Svg::text(Pixel at, std::string_view text, Anchor anchor, std::string_view classes, double turn) {
  constexpr std::string_view anchors[] = {"start", "middle", "end"};
  out_ += fmt::format(R"(<text x="{}" y="{}" text-anchor="{}")", number(at.x), number(at.y),
                      anchors[static_cast<std::size_t>(anchor)]);
  if (!classes.empty()) out_ += fmt::format(R"( class="{}")", classes);
  if (turn != 0) {
    out_ += fmt::format(R"~( transform="rotate({} {} {})")~", number(turn), number(at.x), number(at.y));
  }
  out_ += fmt::format(">{}</text>\n", xml_escaped(text));
}

void Svg::heading(std::string_view title, std::string_view subtitle, double width, double margin) {
  text({margin, 30}, title, Anchor::start, "title");
  const double wide = width - 2 * margin;
  std::size_t cut = std::string_view::npos;
  if (text_width(subtitle) > wide) {
    for (std::size_t at = subtitle.find_first_of(",;"); at != std::string_view::npos;
         at = subtitle.find_first_of(",;", at + 1)) {
      if (text_width(subtitle.substr(0, at + 1)) <= wide) cut = at + 1;
    }
  }
  if (cut == std::string_view::npos) return text({margin, 50}, subtitle, Anchor::start, "soft");
  text({margin, 46}, subtitle.substr(0, cut), Anchor::start, "soft");
  text({margin, 61}, subtitle.substr(std::min(subtitle.size(), cut + 1)), Anchor::start, "soft");
}

std::string Svg::finish() && {
  out_ += "</svg>\n";
  return std::move(out_);
}

std::string colour_of(std::size_t series) {
  return fmt::format("c{}", series % series_colours);
}

double text_width(std::string_view text, double font_size) {
  constexpr double widths_per_size = 0.56;  // of an average character of a sans-serif font
  return static_cast<double>(report::display_width(text)) * font_size * widths_per_size;
}

}  // namespace shapelint::chart
