// Numbers to text and back.
#include "base/number.hpp"
#include "base/counted.hpp"

#include <bit>
#include <cmath>
#include <random>

#include <fmt/format.h>

#include "tests/catch.hpp"

using namespace shapelint;

TEST_CASE("numbers for people") {
  CHECK(percent(0.1734) == "17.3 %");
  CHECK(percent(-0.0001) == "0.0 %");
  CHECK(percent(1.0) == "100 %");
  CHECK(duration(3.14159) == "3.14 us");
  CHECK(duration(999.7) == "1.00 ms");
  CHECK(duration(12345.0) == "12.3 ms");
  CHECK(duration(2.5e6) == "2.50 s");
  CHECK(duration(-140939.0) == "-141 ms");
  CHECK(count_short(124439808) == "124.4 M");
  CHECK(count_short(6738415616.0) == "6.738 B");
  CHECK(count_short(671026419200.0) == "671.0 B");
  CHECK(count_short(12) == "12");
  CHECK(with_commas(-1234567) == "-1,234,567");
  CHECK(with_commas(999) == "999");
}

TEST_CASE("a count agrees with its noun") {
  CHECK(counted(1, "GPU") == "1 GPU");
  CHECK(counted(0, "file") == "0 files");
  CHECK(counted(std::size_t{12345}, "token") == "12,345 tokens");
  CHECK(counted(2, "micro-batch") == "2 micro-batches");
  CHECK(counted(1, "layer is|layers are") == "1 layer is");
  CHECK(counted(3, "layer is|layers are") == "3 layers are");
  CHECK(in_number(true, "it|them") == "it");
}

TEST_CASE("text to numbers takes the whole text or nothing") {
  CHECK(parse_integer("50257") == 50257);
  CHECK(parse_integer("-5") == -5);
  CHECK_FALSE(parse_integer("5 "));
  CHECK_FALSE(parse_integer(""));
  CHECK_FALSE(parse_integer("99999999999999999999"));
  CHECK(parse_number("1e-3") == 1e-3);
  CHECK_FALSE(parse_number("nan"));
  CHECK_FALSE(parse_number("1.5x"));
}

TEST_CASE("the shortest decimal of a range is its first, and there may be none") {
  CHECK(shortest_decimal(1408.0 / 512, 1408.5 / 512) == "2.75");
  CHECK(shortest_decimal(8192.0 / 1664, 8192.5 / 1664) == "4.9231");  // as open_clip writes it
  CHECK(shortest_decimal(4, 4.1) == "4.0");
  CHECK(shortest_decimal(1.0 / 3, 1.0 / 3).empty());
}

TEST_CASE("exact numbers are appended as they are printed") {
  std::string out = "row ";
  for (const double value : {0.0, -0.0, 1.0, -2.5, 1e-7, 123456789.125, 1e16, 1e300, 0.1 + 0.2}) {
    append_exact(out, value);
    out += ' ';
  }
  append_exact(out, std::int64_t{-42});
  CHECK(out == "row 0 -0 1 -2.5 1e-07 123456789.125 1e+16 1e+300 0.30000000000000004 -42");
}

TEST_CASE("exact numbers have fmt's shortest digits, where it writes exponents, too") {
  std::mt19937_64 random(1);
  std::string out;
  const auto same = [&](double value) {
    out.clear();
    append_exact(out, value);
    return out == fmt::format("{}", value);
  };
  for (int i = 0; i < 100'000; ++i) {
    const double any = std::bit_cast<double>(random());
    if (std::isfinite(any)) REQUIRE(same(any));
    // of the size that times and shares have, and short ones
    const double scaled = static_cast<double>(random() % 1'000'000'007) * std::pow(10.0, i % 24 - 16);
    REQUIRE(same(scaled));
    REQUIRE(same(-scaled));
    REQUIRE(same(static_cast<double>(random() % 2048) / 1024 * std::pow(2.0, i % 60 - 20)));
  }
}
