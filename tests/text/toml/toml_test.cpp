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
