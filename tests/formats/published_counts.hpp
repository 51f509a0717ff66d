// Published numbers of parameters, and whether a configuration is counted to the printed digit.
#pragma once

#include <cmath>
#include <string>

#include "formats/read.hpp"
#include "model/lower/lower.hpp"
#include "tests/catch.hpp"
#include "text/files.hpp"

namespace shapelint::tests {

struct Published {
  const char* name;
  double printed;  // in units of `unit`
  int decimals;    // that are printed
  double unit;
  const char* config;
};

inline constexpr double million = 1e6;
inline constexpr double billion = 1e9;

inline void check_parameters(const Published& each, const std::string& path, const std::string& text) {
  text::MemoryFileSystem files;
  files.files[path] = text;
  const formats::ReadResult result = formats::read_any(files, path);
  CAPTURE(each.name);
  REQUIRE(result.errors.empty());
  REQUIRE(result.readings.size() == 1);
  const auto counted = static_cast<double>(model::parameter_count(result.readings[0].setup));
  CAPTURE(counted);
  // Rounded to the printed digit.
  const double scale = std::pow(10.0, each.decimals);
  CHECK(std::round(counted / each.unit * scale) == std::round(each.printed * scale));
}

}  // namespace shapelint::tests
