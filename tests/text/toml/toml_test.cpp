// TOML to a document: spans, values, errors.
#include "text/toml/toml.hpp"

#include <string>

#include "tests/catch.hpp"
#include "text/source.hpp"

using namespace shapelint;
using namespace shapelint::text;

namespace {

std::string at(const Document& document, Span span) {
  return std::string(document.source().substr(static_cast<std::size_t>(span.begin),
                                              static_cast<std::size_t>(span.end - span.begin)));
}

}  // namespace

TEST_CASE("every key and value has its exact bytes") {
  const auto document = parse_toml("m.toml",
                                   "# größe 🙂\n"
                                   "[model]\r\n"
                                   "name = \"größe\"  # 🙂\n"
                                   "hidden_size = 2_560\n"
                                   "moe = { num_experts = 8 }\n"
                                   "list = [1, 2.5, true]\n");
  REQUIRE(document);
  const NodeRef model = document->root()["model"];
  CHECK(at(*document, model["name"].span()) == "\"größe\"");
  CHECK(model["name"].as_string() == "größe");
  CHECK(at(*document, model["hidden_size"].span()) == "2_560");
  CHECK(at(*document, model["hidden_size"].key_span()) == "hidden_size");
  CHECK(model["hidden_size"].as_integer() == 2560);
  CHECK(at(*document, model["moe"]["num_experts"].span()) == "8");
  CHECK(model["moe"]["num_experts"].path() == "model.moe.num_experts");
  CHECK(model["list"][1].as_number() == 2.5);
  CHECK(model["list"][1].path() == "model.list[1]");
  CHECK(at(*document, model["list"][2].span()) == "true");
  CHECK_FALSE(model["absent"]);
  CHECK(place_of(document->source(), model["name"].span().begin).line == 3);
  CHECK(place_of(document->source(), model["name"].span().end).column == 15);
}

TEST_CASE("keys come in the order of the file") {
  const auto document = parse_toml("m.toml", "zeta = 1\nalpha = 2\n");
  REQUIRE(document);
  std::string order;
  for (const NodeRef node : document->root()) order += std::string(node.key()) + " ";
  CHECK(order == "zeta alpha ");
}

TEST_CASE("errors have a place") {
  const auto broken = parse_toml("m.toml", "a = 1\nb = = 2\n");
  REQUIRE_FALSE(broken);
  REQUIRE(broken.error().span);
  CHECK(broken.error().span->begin == 10);

  const auto invalid = parse_toml("m.toml", "a = \"\xff\"");
  REQUIRE_FALSE(invalid);
  CHECK(invalid.error().message == "byte 0xff is not valid UTF-8");
  CHECK(invalid.error().span->begin == 5);

  CHECK_FALSE(parse_toml("m.toml", "a = 1\na = 2\n"));
  CHECK_FALSE(parse_toml("m.toml", std::string(static_cast<std::size_t>(max_source_bytes) + 1, ' ')));
}

namespace {

std::string repeated(const std::string& piece, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += piece;
  return out;
}

// "message @ byte" of the error, or nothing.
std::string mistake(const std::string& source) {
  const auto document = parse_toml("m.toml", source);
  if (document) return {};
  return document.error().message + " @ " + std::to_string(document.error().span.value_or(Span{}).begin);
}

}  // namespace

TEST_CASE("tables within tables end at a depth that no configuration has, however they are written") {
  const std::string deep = "tables and lists are nested more than 64 deep @ ";
  // Each has a place: of the part, bracket or value that is one too many.
  CHECK(mistake(repeated("a.", 40000) + "a = 1") == deep + "127");
  CHECK(mistake("b = 1\n" + repeated("a .", 40000) + "a = 1") == deep + "197");
  CHECK(mistake(repeated("'a.b'.", 40000) + "a = 1") == deep + "383");
  CHECK(mistake("[" + repeated("a.", 40000) + "a]") == deep + "128");
  CHECK(mistake("[[" + repeated("a.", 40000) + "a]]") == deep + "127");
  CHECK(mistake("x = " + repeated("[", 100000)) == deep + "67");
  CHECK(mistake("x = " + repeated("{a=", 100000)).starts_with(deep));
  CHECK(mistake("x = [1, {a.b = [" + repeated("[", 100000)).starts_with(deep));
  // A header and the keys below it together.
  CHECK(mistake("[" + repeated("a.", 40) + "a]\n" + repeated("b.", 30) + "b = 1").starts_with(deep));
  // Quotes before those that close.
  CHECK(mistake("y = [\"\"\"a\"\"\"\", " + repeated("[", 100)).starts_with(deep));
  // What is near the limit is read.
  CHECK(mistake(repeated("a.", 63) + "a = 1") == "");
  CHECK(mistake("x = " + repeated("[", 63) + repeated("]", 63)) == "");
  CHECK(mistake("[" + repeated("a.", 30) + "a]\n" + repeated("b.", 30) + "b = 1\n[c]\nd = 1") == "");
  // Strings and comments nest nothing.
  const std::string dots = repeated("[{a.", 100);
  CHECK(mistake("# " + dots + "\na = \"" + dots + "\" # " + dots + "\n") == "");
  CHECK(mistake("a = '''\n" + dots + "\n'''\nc = '" + dots + "'") == "");
  CHECK(mistake("b = \"\"\"\n\\\"" + dots + "\n\"\"\"\n") == "");
  CHECK(mistake("\"" + dots + "\" = 1\n'b" + dots + "' = [1.5, 2.5]\n") == "");
  // Lists side by side are not within each other.
  CHECK(mistake("a = [" + repeated("[1.5, [2]], ", 1000) + "]\nb = {a = 1, b = [{c.d = 1}, {c.d = 2}]}") ==
        "");
}

TEST_CASE("a text of more values than any configuration has is refused before it takes memory") {
  const std::string many = "the file holds more than 500000 values @ ";
  CHECK(mistake("x = [" + repeated("1,", 600000) + "]").starts_with(many));
  CHECK(mistake("x = [" + repeated("{},", 300000) + "]").starts_with(many));
  CHECK(mistake(repeated("[[a]]\n", 600000)).starts_with(many));
  CHECK(mistake(repeated("\n", 5'000'000)) == "the file has more than 4000000 lines @ 0");
}
