// Lines and columns of a text.
#include "text/source.hpp"

#include <rapidcheck.h>
#include <string>
#include <vector>

#include "tests/catch.hpp"

using namespace shapelint;
using namespace shapelint::text;

TEST_CASE("places: lines and columns count from 1, columns in code points") {
  const Places places(
      "\xEF\xBB\xBF"
      "a\nß😀x\r\n");
  const auto at = [&](std::int64_t offset) {
    const Place place = places.place(offset);
    return std::vector<std::int64_t>{place.line, place.column};
  };
  CHECK(at(0) == std::vector<std::int64_t>{1, 1});
  CHECK(at(3) == std::vector<std::int64_t>{1, 1});
  CHECK(at(5) == std::vector<std::int64_t>{2, 1});
  CHECK(at(7) == std::vector<std::int64_t>{2, 2});
  CHECK(at(11) == std::vector<std::int64_t>{2, 3});
  CHECK(at(14) == std::vector<std::int64_t>{3, 1});
  CHECK(at(99) == std::vector<std::int64_t>{3, 1});
  CHECK(places.offset({2, 3}) == 11);
  CHECK(places.offset({2, 99}) == 13);  // at the end of the line
  CHECK(places.offset({9, 1}) == 14);
  CHECK(places.byte(0) == 3);
  CHECK(places.byte(4) == 11);
  CHECK(places.byte(99) == 14);
}

TEST_CASE("places: those of a long line are those that are counted from the beginning") {
  std::string text = "x = [";
  for (int i = 0; i < 3000; ++i) text += i % 7 == 0 ? "\"ä\"," : "1,";
  text += "]\ny = 1\n";
  const Places places(text);
  std::int64_t character = 0;
  for (std::int64_t at = 0; at < static_cast<std::int64_t>(text.size()); ++at) {
    if ((static_cast<unsigned char>(text[static_cast<std::size_t>(at)]) & 0xC0U) == 0x80U) continue;
    const Place place = places.place(at);
    REQUIRE(places.byte(character++) == at);
    REQUIRE(places.offset(place) == at);
    if (at % 50 != 0) continue;
    REQUIRE(place.line == place_of(text, at).line);
    REQUIRE(place.column == place_of(text, at).column);
    REQUIRE(offset_of(text, place) == at);
  }
}

TEST_CASE("places: of any text they are those that are counted from the beginning") {
  CHECK(rc::check([] {
    const auto pieces = *rc::gen::container<std::vector<std::string>>(
        rc::gen::element<std::string>("a", "\n", "\r\n", "ß", "😀", "\xEF\xBB\xBF", ""));
    std::string text;
    for (const std::string& piece : pieces) text += piece;
    const Places places(text);
    const auto size = static_cast<std::int64_t>(text.size());
    for (std::int64_t at = -1; at <= size + 1; ++at) {
      RC_ASSERT(places.place(at).line == place_of(text, at).line);
      RC_ASSERT(places.place(at).column == place_of(text, at).column);
    }
    for (std::int64_t line = 1; line <= 4; ++line) {
      for (std::int64_t column = 1; column <= 4; ++column)
        RC_ASSERT(places.offset({line, column}) == offset_of(text, {line, column}));
    }
  }));
}
