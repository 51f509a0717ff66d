// Which marks of a roofline are named.
#include "chart/roofline.hpp"

#include <string>

#include "chart/sawtooth.hpp"
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

}  // namespace

TEST_CASE("the largest operations are named even where their marks lie on each other", "[chart]") {
  RooflineFigure figure;
  figure.groups = {"compute-bound"};
  for (const char* const name : {"first", "second", "third", "fourth", "fifth", "sixth", "seventh"})
    figure.marks.push_back(mark(name, 1000, 250, 0.1));
  figure.marks.push_back(mark("alone", 1, 2, 0.001));
  figure.marks.push_back(mark("hidden", 1000, 250, 0.001));
  const std::string out = roofline_svg(figure);
  for (const char* const name :
       {"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "alone"}) {
    INFO(name);
    CHECK(out.find(std::string(">") + name + "</text>") != std::string::npos);
  }
  CHECK(out.find(">hidden</text>") == std::string::npos);
}

TEST_CASE("a sweep's scale begins where its data is, and says so", "[chart]") {
  SawtoothFigure figure;
  SawtoothLine line;
  line.label = "a GPU";
  for (int i = 0; i < 10; ++i) line.points.push_back({2048.0 + 64 * i, 180.0 + i, "", false});
  figure.lines = {line};
  CHECK(sawtooth_svg(figure).find("the scale begins at 178") != std::string::npos);
  figure.lines.front().points.front().y = 0;
  CHECK(sawtooth_svg(figure).find("the scale begins at") == std::string::npos);
}
