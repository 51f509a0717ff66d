// JSON as people write it for Hugging Face, DeepSpeed, open_clip.
#include "text/json/json.hpp"

#include <rapidcheck.h>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include <fmt/format.h>

#include "tests/catch.hpp"
#include "tests/text/text_support.hpp"

using namespace shapelint;
using namespace shapelint::text;

namespace {

std::string error_of(const std::string& source) {
  const auto document = parse_json("c.json", source);
  return document ? "none" : outline(document.error(), source);
}

}  // namespace

TEST_CASE("json: every key and value has its exact bytes") {
  const auto document = parse_json("config.json",
                                   "{\r\n"
                                   "  \"größe\": \"4\\\"096 é\",\r\n"
                                   "\t\"rope\" : {\"theta\":1.0e-6 , \"d\":-12},\n"
                                   "  \"layers\": [ 1,2.5,\ttrue, null ,\"a]\" ]}\n");
  REQUIRE(document);
  const NodeRef root = document->root();
  CHECK(bytes_of(*document, root) == document->source().substr(0, document->source().size() - 1));
  CHECK(bytes_of(*document, root["größe"]) == "\"4\\\"096 é\"");
  CHECK(bytes_at(*document, root["größe"].key_span()) == "\"größe\"");
  CHECK(root["größe"].as_string() == "4\"096 é");
  CHECK(bytes_of(*document, root["rope"]) == "{\"theta\":1.0e-6 , \"d\":-12}");
  CHECK(bytes_of(*document, root["rope"]["theta"]) == "1.0e-6");
  CHECK(bytes_of(*document, root["rope"]["d"]) == "-12");
  CHECK(bytes_at(*document, root["rope"]["d"].key_span()) == "\"d\"");
  CHECK(bytes_of(*document, root["layers"]) == "[ 1,2.5,\ttrue, null ,\"a]\" ]");
  CHECK(bytes_of(*document, root["layers"][2]) == "true");
  CHECK(bytes_of(*document, root["layers"][3]) == "null");
  CHECK(bytes_of(*document, root["layers"][4]) == "\"a]\"");
  CHECK_FALSE(root["größe"].use_span());
}

TEST_CASE("json: a root of any kind") {
  const auto number = parse_json("c.json", " 42 ");
  REQUIRE(number);
  CHECK(number->root().as_integer() == 42);
  CHECK(bytes_of(*number, number->root()) == "42");
  CHECK(outline(parse_json("c.json", "[]")->root()) == "[]");
}

TEST_CASE("json: comments and a byte-order mark are skipped") {
  const auto document = parse_json("ds.json",
                                   "\xEF\xBB\xBF// batch { \"x\n"
                                   "{\"a\": /* two, [ */ 2, \"url\": \"http://x\" // end\n}");
  REQUIRE(document);
  CHECK(outline(document->root()) == "{a: 2, url: \"http://x\"}");
  CHECK(bytes_of(*document, document->root()["a"]) == "2");
  CHECK(bytes_of(*document, document->root()["url"]) == "\"http://x\"");
}

TEST_CASE("json: a comment ends where the library ends it") {
  for (const char end : {'\n', '\r', '\0'}) {
    const std::string text = std::string("{\"a\": 1, // b") + end + "\"b\": 23}";
    const auto document = parse_json("c.json", text);
    REQUIRE(document);
    CHECK(bytes_of(*document, document->root()["b"]) == "23");
  }
}

TEST_CASE("json: duplicate keys are kept, the last one counts") {
  const auto document = parse_json("c.json", R"({"a": 1, "b": {"c": 1, "c": 2}, "a": 3, "a": 4})");
  REQUIRE(document);
  CHECK(document->root()["a"].as_integer() == 4);
  CHECK(document->root()["b"]["c"].as_integer() == 2);
  std::string found;
  for (const DuplicateKey& each : duplicate_keys(*document)) {
    found += fmt::format("{}: {} then {}; ", each.first.path(), bytes_of(*document, each.first),
                         bytes_of(*document, each.last));
  }
  CHECK(found == "a: 1 then 3; a: 3 then 4; b.c: 1 then 2; ");
}

TEST_CASE("json: numbers as Python reads them") {
  const auto document =
      parse_json("c.json",
                 "[9223372036854775807, 9223372036854775808, -9223372036854775809, 5e5, 1E2, "
                 "NaN, Infinity, -Infinity, \"NaN\", 1.0]");
  REQUIRE(document);
  const NodeRef root = document->root();
  CHECK(root[0].as_integer() == std::numeric_limits<std::int64_t>::max());
  CHECK(root[1].kind() == Kind::number);
  CHECK(root[1].as_number() == 9223372036854775808.0);
  CHECK(bytes_of(*document, root[1]) == "9223372036854775808");
  CHECK(root[2].as_number() == -9223372036854775809.0);
  CHECK(root[3].kind() == Kind::number);
  CHECK(root[3].as_number() == 500000.0);
  CHECK(bytes_of(*document, root[4]) == "1E2");
  CHECK(std::isnan(*root[5].as_number()));
  CHECK(bytes_of(*document, root[5]) == "NaN");
  CHECK(root[6].as_number() == std::numeric_limits<double>::infinity());
  CHECK(root[7].as_number() == -std::numeric_limits<double>::infinity());
  CHECK(bytes_of(*document, root[7]) == "-Infinity");
  CHECK(root[8].as_string() == "NaN");
  CHECK(root[9].kind() == Kind::number);
}

TEST_CASE("json: escapes and surrogate pairs") {
  const auto document = parse_json("c.json", R"({"\u0061": "\ud83d\ude00\n", "b": 1})");
  REQUIRE(document);
  CHECK(document->root()["a"].as_string() == "😀\n");
  CHECK(bytes_of(*document, document->root()["a"]) == R"("\ud83d\ude00\n")");
  CHECK(bytes_at(*document, document->root()["a"].key_span()) == R"("\u0061")");
}

TEST_CASE("json: errors say what and where") {
  CHECK(error_of("") == "the file is empty");
  CHECK(error_of(" // nothing\n") == "the file is empty");
  CHECK(error_of(R"({"a": CONFIG_MBSIZE, "b": 1})") ==
        "not valid JSON: `CONFIG_MBSIZE` is not a value @ \"CONFIG_MBSIZE\"");
  CHECK(error_of(R"({"a": nul})") == "not valid JSON: `nul` is not a value @ \"nul\"");
  CHECK(error_of(R"({"a": 1,})") == "not valid JSON: unexpected '}'; expected string literal @ \"}\"");
  CHECK(error_of(R"({"a" 1})") == "not valid JSON: unexpected number literal; expected ':' @ \"1\"");
  // A missing comma is where it would stand, however far the next value is.
  CHECK(error_of("{\"a\": 4096\n \"b\": 1}") == "not valid JSON: a comma is missing after `4096` @ \"4096\"");
  CHECK(error_of("{\"a\": 1 // why\n\n \"b\": 1}") == "not valid JSON: a comma is missing after `1` @ \"1\"");
  CHECK(error_of(R"([1, 2 3])") == "not valid JSON: a comma is missing after `2` @ \"2\"");
  CHECK(error_of(R"([{"a": 1} {"b": 2}])") == "not valid JSON: a comma is missing after `}` @ \"}\"");
  CHECK(error_of(R"({"a": true [1]})") == "not valid JSON: a comma is missing after `true` @ \"true\"");
  CHECK(error_of(R"({"a": 1} x)") == "not valid JSON: `x` is not a value @ \"x\"");
  CHECK(error_of(R"({"a": "x)") == "not valid JSON: invalid string: missing closing quote @ \"\"");
  CHECK(error_of(R"([1, 2)") == "not valid JSON: unexpected end of input; expected ']' @ \"\"");
  CHECK(error_of(R"([1e999, 2])") == "`1e999` is past the range of a double @ \"1e999\"");
  CHECK(error_of("[\"\xff\"]") == "byte 0xff is not valid UTF-8 @ \"\xff\"");
  CHECK(error_of(std::string(100000, '[')) == "tables and lists are nested more than 64 deep @ \"[\"");
  CHECK(error_of("[" + std::string(400, '1') + "]").find("past the range") != std::string::npos);
}

TEST_CASE("json: a file of millions of values is refused") {
  std::string many = "[0";
  for (int i = 0; i < 1'000'000; ++i) many += ",0";
  CHECK(error_of(many + "]") == "the file holds more than 500000 values @ \"0\"");
}

TEST_CASE("json: any tree that is written reads back as itself") {
  CHECK(rc::check([] {
    const auto tree = random_tree(4);
    const int indent = *rc::gen::element(-1, 0, 2);
    const std::string written = tree.dump(indent, ' ', *rc::gen::arbitrary<bool>());
    const auto document = parse_json("c.json", written);
    RC_ASSERT(static_cast<bool>(document));
    RC_ASSERT(same(tree, document->root()));
    // Every scalar's bytes are a document of their own with the same value.
    for (std::size_t i = 0; i < document->nodes().size(); ++i) {
      const NodeRef node(&*document, static_cast<std::int32_t>(i));
      const auto alone = parse_json("c.json", bytes_of(*document, node));
      RC_ASSERT(static_cast<bool>(alone));
      RC_ASSERT(outline(alone->root()) == outline(node));
    }
  }));
}

TEST_CASE("json: no bytes crash the reader") {
  CHECK(rc::check([] {
    const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
        "{", "}", "[", "]", ",", ":", "\"", "\\", "1", "-", "e", ".", "NaN", "Infinity", "null", "true", "a",
        " ", "\n", "//", "/*", "*/", "\xEF\xBB\xBF", "\xc3\xa9", "\xff", std::string(1, '\0')));
    std::string text;
    for (const std::string& piece : pieces) text += piece;
    const auto document = parse_json("c.json", text);
    if (!document && document.error().span) {
      RC_ASSERT(document.error().span->end <= static_cast<std::int64_t>(text.size()));
    }
  }));
}
