// Source lines with carets: what is printed, exactly.
#include "report/findings/snippet.hpp"

#include <algorithm>

#include <rapidcheck.h>

#include "tests/catch.hpp"
#include "text/source.hpp"

using namespace shapelint;
using report::Mark;
using report::render;
using report::Role;
using report::snippet;
using report::Style;

namespace {

Span of(std::string_view source, std::string_view piece) {
  const auto begin = static_cast<std::int64_t>(source.find(piece));
  return {begin, begin + static_cast<std::int64_t>(piece.size())};
}

std::string shown(std::string_view source, std::string_view piece) {
  const std::vector<Mark> marks{{of(source, piece), true, {}}};
  return snippet("m.toml", std::string(source), marks, Style{}, Role::warning);
}

}  // namespace

TEST_CASE("carets stand under the exact value", "[report]") {
  CHECK(shown("[model]\nvocab_size = 50257\n", "50257") ==
        "  --> m.toml:2:14\n"
        "   |\n"
        " 2 | vocab_size = 50257\n"
        "   |              ^^^^^\n");
}

TEST_CASE("tabs, wide and combining characters keep carets aligned", "[report]") {
  CHECK(shown("\tvocab\t= 50257", "50257") ==
        "  --> m.toml:1:10\n"
        "   |\n"
        " 1 |     vocab   = 50257\n"
        "   |               ^^^^^\n");
  CHECK(shown("\"模型\" = 50257", "50257") ==
        "  --> m.toml:1:8\n"
        "   |\n"
        " 1 | \"模型\" = 50257\n"
        "   |          ^^^^^\n");
  CHECK(shown("\"e\xCC\x81\" = 5", "5") ==
        "  --> m.toml:1:8\n"
        "   |\n"
        " 1 | \"e\xCC\x81\" = 5\n"
        "   |       ^\n");
}

TEST_CASE("a byte-order mark and CRLF are not shown", "[report]") {
  CHECK(shown("\xEF\xBB\xBFheads = 7\r\nx = 1\r\n", "7") ==
        "  --> m.toml:1:9\n"
        "   |\n"
        " 1 | heads = 7\n"
        "   |         ^\n");
}

TEST_CASE("a very long line is cut around its mark", "[report]") {
  const std::string source = "x = [" + std::string(5000, '1') + ", 50257, " + std::string(5000, '2') + "]";
  // Not within a word, even where little is left.
  CHECK(shown(source, "50257") ==
        "  --> m.toml:1:5008\n"
        "   |\n"
        " 1 | …, 50257, …\n"
        "   |    ^^^^^\n");
  const auto times = [](int count, const std::string& text) {
    std::string out;
    for (int i = 0; i < count; ++i) out += text;
    return out;
  };
  CHECK(shown("x = [" + times(400, "11, ") + "50257" + times(400, ", 22") + "]", "50257") ==
        "  --> m.toml:1:1606\n"
        "   |\n"
        " 1 | …" +
            times(8, "11, ") + "50257" + times(14, ", 22") + ", …\n" + "   | " + std::string(33, ' ') +
            "^^^^^\n");
}

TEST_CASE("related places share the picture, a gap is shown", "[report]") {
  const std::string source = "hidden_size = 2560\nnum_layers = 32\n\n\nnum_attention_heads = 32 # so 80\n";
  const std::vector<Mark> marks{{of(source, "32 #"), true, "head dim 80"}, {of(source, "2560"), false, {}}};
  std::vector<Mark> exact = marks;
  exact[0].span.end -= 2;
  CHECK(snippet("m.toml", source, exact, Style{}, Role::warning) ==
        "  --> m.toml:5:23\n"
        "   |\n"
        " 1 | hidden_size = 2560\n"
        "   |               ----\n"
        "...\n"
        " 5 | num_attention_heads = 32 # so 80\n"
        "   |                       ^^ head dim 80\n");
}

TEST_CASE("places of one line that are far from each other have a piece each", "[report]") {
  const std::string source =
      "train --layers 61 " + std::string(60, 'a') + ' ' + std::string(60, 'b') + " --stages 8\n";
  const std::vector<Mark> marks{{of(source, "61"), true, "7.62 each"}, {of(source, "8\n"), false, {}}};
  std::vector<Mark> exact = marks;
  exact[1].span.end -= 1;
  CHECK(snippet("t.sh", source, exact, Style{}, Role::warning) ==
        "  --> t.sh:1:16\n"
        "   |\n"
        " 1 | train --layers 61 " +
            std::string(60, 'a') +
            " …\n"
            "   |                ^^ 7.62 each\n"
            "...\n"
            " 1 | … " +
            std::string(60, 'b') +
            " --stages 8\n"
            "   |" +
            std::string(73, ' ') + "-\n");
}

TEST_CASE("an error without a place names its file, one with a place shows it", "[report]") {
  CHECK(render({"is a directory, not a file", "", "examples", {}}, "", Style{}) ==
        "error: examples: is a directory, not a file\n");
  CHECK(render({"unknown key `hiden_size`", "did you mean `hidden_size`?", "m.toml", Span{0, 10}},
               "hiden_size = 1\n", Style{}) ==
        "error: unknown key `hiden_size`\n"
        "  --> m.toml:1:1\n"
        "   |\n"
        " 1 | hiden_size = 1\n"
        "   | ^^^^^^^^^^\n"
        "   = hint: did you mean `hidden_size`?\n\n");
  CHECK(render({"the file is empty", "", "m.toml", Span{0, 0}}, "", Style{}) ==
        "error: the file is empty\n"
        "  --> m.toml:1:1\n"
        "   |\n"
        " 1 |\n"
        "   | ^\n\n");
}

TEST_CASE("what a file holds cannot repaint the terminal", "[report]") {
  const std::string out =
      render({"unknown key `\x1b[2J`", "", "m\x1b.toml", Span{0, 3}}, "\x1b[2J\xFF\x9B = 1", Style{});
  CHECK(std::none_of(out.begin(), out.end(), [](char c) { return c == '\x1b' || c == '\x9B'; }));
}

TEST_CASE("any bytes and any span give valid text with at least one caret", "[report][property]") {
  CHECK(rc::check([](const std::string& source, std::uint16_t begin, std::uint8_t length) {
    const std::vector<Mark> marks{{Span{begin, begin + length}, true, {}}};
    const std::string out = snippet("m.toml", source, marks, Style{}, Role::error);
    RC_ASSERT(text::first_invalid_utf8(out) == -1);
    RC_ASSERT(out.find('^') != std::string::npos);
  }));
}

TEST_CASE("a line as long as a file is cut before it is looked at", "[report]") {
  // Only what is around the mark counts: the same lines of a megabyte and of two kilobytes look the same.
  const auto around = [](std::size_t before, std::size_t after, const std::string& filler) {
    std::string line;
    for (std::size_t i = 0; i < before; ++i) line += filler;
    line += "dtype";
    for (std::size_t i = 0; i < after; ++i) line += filler;
    const std::string text = shown(line, "dtype");
    return text.substr(text.find('\n'));
  };
  for (const std::string filler : {"x", "é", "漢", "\t"}) {
    INFO(filler);
    CHECK(around(4000, 4000, filler) == around(2000, 2000, filler));
    CHECK(around(400'000, 400'000, filler) == around(2000, 2000, filler));
    CHECK(around(0, 400'000, filler) == around(0, 2000, filler));
    CHECK(around(400'000, 0, filler) == around(2000, 0, filler));
  }
}
