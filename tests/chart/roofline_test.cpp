// Which marks of a roofline are named.
#include "chart/figures.hpp"

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "chart/svg.hpp"
#include "tests/catch.hpp"

using namespace shapelint::chart;

namespace {

RooflineMark mark(std::string name, double intensity, double tflops, double area) {
  RooflineMark out;
  out.name = std::move(name);
  out.intensity = intensity;
  out.tflops = tflops;
  out.area = area;
  return out;
}

struct Line {
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0;
};

struct Label {
  double x = 0, y = 0, turn = 0;
  bool is_end = false;
  std::string text;
};

double number_after(const std::string& text, std::size_t from, std::string_view key) {
  const std::size_t at = text.find(key, from);
  return at == std::string::npos ? 0 : std::stod(text.substr(at + key.size()));
}

// Roofs, which are paths of two points.
std::vector<Line> lines_of(const std::string& svg) {
  std::vector<Line> out;
  const std::string open = "<path class=\"roof";
  for (std::size_t at = svg.find(open); at != std::string::npos; at = svg.find(open, at + 1)) {
    const std::size_t from = svg.find("d=\"M", at) + 4;
    const std::size_t to = svg.find('L', from);
    out.push_back({std::stod(svg.substr(from)), std::stod(svg.substr(svg.find(' ', from))),
                   std::stod(svg.substr(to + 1)), std::stod(svg.substr(svg.find(' ', to)))});
  }
  return out;
}

// Texts over the plot.
std::vector<Label> labels_of(const std::string& svg) {
  std::vector<Label> out;
  for (std::size_t at = svg.find("<text "); at != std::string::npos; at = svg.find("<text ", at + 1)) {
    const std::string element = svg.substr(at, svg.find("</text>", at) - at);
    if (element.find("halo") == std::string::npos) continue;
    out.push_back({number_after(element, 0, "x=\""), number_after(element, 0, "y=\""),
                   number_after(element, 0, "rotate("), element.find("\"end\"") != std::string::npos,
                   element.substr(element.find('>') + 1)});
  }
  return out;
}

// Whether the middle of the letters, from end to end, meets the line.
bool crosses(const Label& label, const Line& line) {
  constexpr double degrees = 180 / 3.14159265358979323846;
  const double wide = text_width(label.text, 11) * (label.is_end ? -1 : 1);
  const double turn = label.turn / degrees;
  constexpr double middle = 4;  // above the line of writing
  const Line text{label.x + middle * std::sin(turn), label.y - middle * std::cos(turn),
                  label.x + wide * std::cos(turn) + middle * std::sin(turn),
                  label.y + wide * std::sin(turn) - middle * std::cos(turn)};
  const auto side = [](const Line& of, double x, double y) {
    return (of.x1 - of.x0) * (y - of.y0) - (of.y1 - of.y0) * (x - of.x0);
  };
  return side(line, text.x0, text.y0) * side(line, text.x1, text.y1) < 0 &&
         side(text, line.x0, line.y0) * side(text, line.x1, line.y1) < 0;
}

}  // namespace

TEST_CASE("the largest operations have a number each, and the table names them", "[chart]") {
  RooflineFigure figure;
  figure.groups = {"compute-bound"};
  for (int i = 1; i <= 20; ++i)
    figure.marks.push_back(mark(fmt::format("op{}", i), i <= 7 ? 1000 : 10.0 * i, 250, i <= 7 ? 0.1 : 0.01));
  const std::string out = roofline_svg(figure);
  for (int i = 1; i <= 18; ++i) {
    INFO(i);
    CHECK(out.find(fmt::format(">op{}</text>", i)) != std::string::npos);
  }
  CHECK(out.find(">op19</text>") == std::string::npos);
  CHECK(out.find(">1 2 3 4 5 6 7</text>") != std::string::npos);  // marks on each other share a label
  CHECK(out.find(">2 smaller marks without a number</text>") != std::string::npos);
}

TEST_CASE("no label crosses a roof", "[chart]") {
  RooflineFigure figure;
  figure.groups = {"memory-bound"};
  figure.roofs = {{"shared memory 19492 GB/s", 19492, 0, false, ""},
                  {"L2 7218 GB/s", 7218, 0, false, ""},
                  {"DRAM 2039 GB/s", 2039, 0, false, ""},
                  {"DRAM", 1737, 0, true, ""},
                  {"bf16 312 TFLOP/s", 0, 312, false, ""},
                  {"bf16", 0, 284, true, ""},
                  {"fp32 19.5 TFLOP/s", 0, 19.5, false, ""}};
  // Along the roof of the memory, where labels of old lay across it.
  for (const double intensity : {0.2, 1.0, 1.1, 9.0, 10.0, 60.0, 150.0})
    figure.marks.push_back(mark("op", intensity, 1.7 * intensity, 0.12));
  const std::string out = roofline_svg(figure);
  const std::vector<Line> roofs = lines_of(out);
  REQUIRE(roofs.size() >= 7);
  const std::vector<Label> labels = labels_of(out);
  REQUIRE(labels.size() >= 5 + figure.roofs.size() - 2);
  for (const Label& label : labels) {
    for (const Line& roof : roofs) {
      INFO(label.text << " at " << label.x << ", " << label.y);
      CHECK_FALSE(crosses(label, roof));
    }
  }
}

TEST_CASE("names of ceilings are beside the plot, where no mark covers them", "[chart]") {
  RooflineFigure figure;
  figure.groups = {"compute-bound"};
  figure.roofs = {{"DRAM 3,350 GB/s", 3350, 0, false, ""}, {"bf16", 0, 989.4, false, ""}};
  for (const double intensity : {600.0, 800.0, 1000.0, 1500.0, 2000.0})
    figure.marks.push_back(mark("op", intensity, 1100, 0.1));
  const std::string out = roofline_svg(figure);
  std::size_t beside = 0;
  for (const Label& label : labels_of(out)) {
    if (label.text != "bf16" && label.text != "989.4 TFLOP/s") continue;
    ++beside;
    for (const Line& roof : lines_of(out)) CHECK(label.x > roof.x1);
    for (std::size_t at = out.find("<circle "); at != std::string::npos; at = out.find("<circle ", at + 1)) {
      const double y = number_after(out, at, "cy=\"");
      if (std::abs(y - label.y) < 20 && number_after(out, at, "cx=\"") < 822)
        CHECK(number_after(out, at, "cx=\"") < label.x);
    }
  }
  CHECK(beside == 2);
}

TEST_CASE("a sweep's scale begins where its data is, and says so", "[chart]") {
  SawtoothFigure figure;
  SawtoothLine line;
  line.label = "a GPU";
  for (int i = 0; i < 10; ++i) line.points.push_back({2048.0 + 64 * i, 180.0 + i, "", false, false});
  figure.lines = {line};
  CHECK(sawtooth_svg(figure).find("the scale begins at 178") != std::string::npos);
  figure.lines.front().points.front().y = 0;
  CHECK(sawtooth_svg(figure).find("the scale begins at") == std::string::npos);
}

TEST_CASE("the file's value is marked below a legend of several rows", "[chart]") {
  SawtoothFigure figure;
  figure.current_x = 2;
  for (const char* name : {"NVIDIA A100 SXM4 80GB", "NVIDIA H100 SXM5 80GB", "NVIDIA L4"}) {
    SawtoothLine line;
    line.label = std::string(name) + " (100 % = 1990 tokens/s per GPU)";
    line.points = {{1, 10, "", false, false}, {3, 11, "", false, false}};
    figure.lines.push_back(line);
  }
  const std::string out = sawtooth_svg(figure);
  const auto y_of = [&](const char* label) {
    return number_after(out, out.rfind("<text", out.find(label)), " y=\"");
  };
  CHECK(y_of("NVIDIA L4 ") > y_of("NVIDIA A100 "));
  CHECK(y_of("the file: 2") - y_of("NVIDIA L4 ") > 11);
}

TEST_CASE("points of a sweep that cannot run or do not fit are drawn as such", "[chart]") {
  SawtoothFigure figure;
  SawtoothLine line;
  line.label = "a GPU";
  line.points = {{1, 10, "", false, false}, {2, 11, "", true, false}, {3, 12, "", false, true}};
  figure.lines = {line};
  const std::string out = sawtooth_svg(figure);
  CHECK(out.find("cannot run: violates a rule of the framework; \u25cb does not fit in memory") !=
        std::string::npos);
  CHECK(out.find("class=\"hollow c0\"") != std::string::npos);
  CHECK(out.find("class=\"series thin c0\"") != std::string::npos);
  figure.lines.front().points.resize(1);
  CHECK(sawtooth_svg(figure).find("cannot run") == std::string::npos);
}
