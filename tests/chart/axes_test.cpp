// Scales end at round numbers, ticks are round, labels are short.
#include "chart/axes.hpp"

#include <rapidcheck.h>

#include "tests/catch.hpp"

using namespace shapelint::chart;

namespace {

std::string labels(const std::vector<double>& values) {
  std::string out;
  for (const double value : values) {
    if (!out.empty()) out += " ";
    out += tick_label(value);
  }
  return out;
}

}  // namespace

TEST_CASE("ticks are at round values", "[chart]") {
  CHECK(labels(ticks({0, 1, 0, 100, false}, 5)) == "0 0.2 0.4 0.6 0.8 1");
  CHECK(labels(ticks({2048, 3072, 0, 100, false}, 8)) == "2,200 2,400 2,600 2,800 3,000");
  CHECK(labels(ticks({0.1, 1000, 0, 100, true}, 4)) == "0.1 1 10 100 1,000");
  CHECK(labels(ticks({1, 100, 0, 100, true}, 8)) == "1 2 5 10 20 50 100");
  CHECK(labels(ticks({1e-6, 1e6, 0, 100, true}, 4)) == "1e-06 0.001 1 1,000 1 M");
}

TEST_CASE("ends of a scale are round and hold the values", "[chart]") {
  const Scale linear = round_scale(3, 97, false, 0, 1);
  CHECK(linear.low == 0);
  CHECK(linear.high == 100);
  const Scale logarithmic = round_scale(0.17, 290, true, 0, 1);
  CHECK(logarithmic.low == Approx(0.1));
  CHECK(logarithmic.high == Approx(500));
}

TEST_CASE("a value lies between the ends of its scale, in order, and ticks within it", "[chart][property]") {
  CHECK(rc::check([] {
    const bool logarithmic = *rc::gen::arbitrary<bool>();
    const double low = *rc::gen::inRange(1, 1'000'000) / 1000.0;
    const double high = low * (1 + *rc::gen::inRange(1, 1'000'000) / 1000.0);
    const Scale scale = round_scale(low, high, logarithmic, 100, 900);
    RC_ASSERT(scale.low <= low * (1 + 1e-6));
    RC_ASSERT(scale.high >= high * (1 - 1e-6));
    RC_ASSERT(place(scale, low) < place(scale, high));
    RC_ASSERT(place(scale, low) >= 100 - 1e-6);
    RC_ASSERT(place(scale, high) <= 900 + 1e-6);
    const std::vector<double> at = ticks(scale, 10);
    RC_ASSERT(!at.empty());
    RC_ASSERT(at.size() <= 31U);
    for (const double value : at) {
      RC_ASSERT(place(scale, value) > 99.99);
      RC_ASSERT(place(scale, value) < 900.01);
    }
  }));
}
