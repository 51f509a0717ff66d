// The text that comes of drawing.
#include "chart/svg.hpp"

#include "chart/figures.hpp"
#include "tests/catch.hpp"

using namespace shapelint::chart;

TEST_CASE("elements are escaped and rounded", "[chart]") {
  Svg svg(200, 100, "a < b", "d & e");
  svg.circle({1.0 / 3, 2}, 4, "mark c0", "first\nx \"y\"");
  svg.text({5, 6}, "<script>", Anchor::end, "small", -90);
  const std::string out = std::move(svg).finish();
  CHECK(out.find("<title>a &lt; b</title>\n<desc>d &amp; e</desc>") != std::string::npos);
  CHECK(out.find("<circle cx=\"0.33\" cy=\"2\" r=\"4\" class=\"mark c0\"><title>first&#10;x "
                 "&quot;y&quot;</title></circle>\n") != std::string::npos);
  CHECK(out.find("<text x=\"5\" y=\"6\" text-anchor=\"end\" class=\"small\" transform=\"rotate(-90 5 "
                 "6)\">&lt;script&gt;</text>\n") != std::string::npos);
  CHECK(out.substr(out.size() - 7) == "</svg>\n");
}

TEST_CASE("a waterfall leaves out what cannot be seen, and its bars join", "[chart]") {
  WaterfallFigure figure;
  figure.title = "a step";
  figure.total_label = "the step";
  figure.groups = {"work", "not there", "shape"};
  figure.bars = {
      {"ideal", 600, "ideal: 600 us", 0}, {"nothing", 0.1, "no", 1}, {"loss", 400, "loss: 400 us", 2}};
  figure.hidden_us = 50;
  const std::string out = waterfall_svg(figure);
  CHECK(out.find("nothing") == std::string::npos);
  // 550 pixels for 1000 us (rounded up to 1200): the loss begins where the ideal ends.
  const auto has = [&](const char* text) { return out.find(text) != std::string::npos; };
  CHECK(
      has("<rect x=\"190\" y=\"120\" width=\"275\" height=\"20\" class=\"bar c2\"><title>ideal: 600 "
          "us</title></rect>"));
  CHECK(has("height=\"20\" class=\"bar c1\"><title>loss: 400 us</title></rect>"));
  CHECK(has("time of a step (us)"));
  // Each kind of loss that is there has its colour in the legend; overlapped communication is no part of the
  // sum.
  CHECK(has(">work</text>"));
  CHECK(has(">shape</text>"));
  CHECK_FALSE(has(">not there</text>"));
  CHECK(has(">overlapped communication</text>"));
  CHECK(has(">50.0 us, hidden</text>"));
}
