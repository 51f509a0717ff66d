// Positions of editors, and what is changed at them.
#include "lsp/text.hpp"

#include <rapidcheck.h>

#include "tests/catch.hpp"

using namespace shapelint::lsp;

namespace {

constexpr PositionEncoding utf16 = PositionEncoding::utf16;
constexpr PositionEncoding utf8 = PositionEncoding::utf8;

std::string changed(std::string text, TextRange range, const std::string& by,
                    PositionEncoding encoding = utf16) {
  apply({range, by}, encoding, text);
  return text;
}

std::string place(const Position& at) {
  return std::to_string(at.line) + ":" + std::to_string(at.character);
}

}  // namespace

TEST_CASE("characters are UTF-16 code units unless the client counts bytes", "[lsp]") {
  const std::string text = "ä😀b\nc";  // 2, 4 and 1 bytes; 1, 2 and 1 units
  CHECK(offset_of(text, {0, 0}, utf16) == 0);
  CHECK(offset_of(text, {0, 1}, utf16) == 2);
  CHECK(offset_of(text, {0, 3}, utf16) == 6);
  CHECK(offset_of(text, {0, 4}, utf16) == 7);
  CHECK(offset_of(text, {0, 6}, utf8) == 6);
  CHECK(place(position_of(text, 6, utf16)) == "0:3");
  CHECK(place(position_of(text, 6, utf8)) == "0:6");
  CHECK(place(position_of(text, 8, utf16)) == "1:0");
  CHECK(place(position_of(text, 1000, utf16)) == "1:1");
  CHECK(place(position_of(text, -1, utf16)) == "0:0");
}

TEST_CASE("a place within a character is its beginning", "[lsp]") {
  const std::string text = "ä😀b";
  CHECK(offset_of(text, {0, 2}, utf16) == 2);  // between the halves of the surrogate pair
  CHECK(offset_of(text, {0, 1}, utf8) == 0);
  CHECK(offset_of(text, {0, 5}, utf8) == 2);
  CHECK(changed(text, {{0, 2}, {0, 3}}, "x") == "äxb");
}

TEST_CASE("a place past the end of a line or of the text is that end", "[lsp]") {
  constexpr std::int64_t far = 2147483647;
  const std::string text = "ab\r\ncd\n";
  CHECK(offset_of(text, {0, far}, utf16) == 2);
  CHECK(offset_of(text, {1, far}, utf16) == 6);
  CHECK(offset_of(text, {2, far}, utf16) == 7);
  CHECK(offset_of(text, {far, 0}, utf16) == 7);
  CHECK(offset_of("", {far, far}, utf16) == 0);
}

TEST_CASE("lines end as editors end them", "[lsp]") {
  const std::string text = "a\r\nb\rc\nd";
  CHECK(offset_of(text, {1, 0}, utf16) == 3);
  CHECK(offset_of(text, {2, 0}, utf16) == 5);
  CHECK(offset_of(text, {3, 0}, utf16) == 7);
  CHECK(place(position_of(text, 2, utf16)) == "0:1");  // between the two bytes of a line's end
  CHECK(place(position_of(text, 5, utf16)) == "2:0");
  CHECK(changed("a\r\nb", {{0, 1}, {1, 0}}, "\n") == "a\nb");
}

TEST_CASE("a change replaces its range, or all of the text", "[lsp]") {
  CHECK(changed("one\ntwo\n", {{1, 0}, {1, 3}}, "2") == "one\n2\n");
  CHECK(changed("one\ntwo\n", {{0, 3}, {1, 0}}, "") == "onetwo\n");
  CHECK(changed("one", {{9, 9}, {9, 9}}, "\ntwo") == "one\ntwo");
  CHECK(changed("one", {{0, 2}, {0, 1}}, "-") == "o-e");  // the wrong way around
  std::string text = "one";
  apply({std::nullopt, "two"}, utf16, text);
  CHECK(text == "two");
}

TEST_CASE("the beginning of every character is found again from its place", "[lsp]") {
  CHECK(rc::check([] {
    std::string text;
    const auto parts = *rc::gen::container<std::vector<std::string>>(
        rc::gen::element<std::string>("a", "é", "😀", "\n", "\r\n", "x", "\t"));
    for (const std::string& part : parts) {
      const auto at = static_cast<std::int64_t>(text.size());
      text += part;
      for (const PositionEncoding encoding : {utf16, utf8}) {
        RC_ASSERT(offset_of(text, position_of(text, at, encoding), encoding) == at);
      }
    }
  }));
}
