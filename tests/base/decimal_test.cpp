// Reading decimal numbers by strtod is what std::from_chars does.
#include "base/number.hpp"

#include <bit>
#include <cstdint>
#include <string>
#include <system_error>

#include <rapidcheck.h>

#include "tests/catch.hpp"

using namespace shapelint;

namespace {

struct Read {
  std::ptrdiff_t length = 0;
  std::errc problem{};
  std::uint64_t bits = 0;
  bool operator==(const Read&) const = default;
};

template <class Reader>
Read read(const std::string& text, const Reader& reader) {
  double value = 7;
  const auto [stop, problem] = reader(text.data(), text.data() + text.size(), value);
  return {stop - text.data(), problem, std::bit_cast<std::uint64_t>(value)};
}

bool agree(const std::string& text) {
  const auto standard = [](const char* begin, const char* end, double& value) {
    return std::from_chars(begin, end, value);
  };
  return read(text, read_decimal_by_strtod) == read(text, standard);
}

}  // namespace

TEST_CASE("decimal numbers by strtod are those of the standard library") {
  for (const char* text : {"",
                           "-",
                           ".",
                           "e5",
                           "+1",
                           " 1",
                           "1",
                           "-0",
                           "1.",
                           ".5",
                           "-.5e1",
                           "1e",
                           "1e+",
                           "1e-3x",
                           "1e5.5",
                           "0x10",
                           "1_000",
                           "inf",
                           "-Infinity",
                           "infinit",
                           "1e400",
                           "-1e400",
                           "1e-400",
                           "0e-400",
                           "0.000e9",
                           "2.2250738585072011e-308",
                           "123456789012345678901234567890",
                           "0.1"}) {
    INFO(text);
    CHECK(agree(text));
  }
}

TEST_CASE("any characters of numbers are read as the standard library reads them") {
  CHECK(rc::check([] {
    const auto text = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("0123456789.eE+-x ")));
    RC_ASSERT(agree(text));
  }));
  CHECK(rc::check([](double value) { RC_ASSERT(agree(std::to_string(value))); }));
}
