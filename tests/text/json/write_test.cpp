// JSON that is safe to print says the same.
#include "text/json/json.hpp"

#include <nlohmann/json.hpp>

#include "tests/catch.hpp"

using nlohmann::ordered_json;

namespace {

std::string written(const ordered_json& json, int indent) {
  return shapelint::text::json_text(json.dump(indent, ' ', false, ordered_json::error_handler_t::replace));
}

}  // namespace

TEST_CASE("what would reach a terminal or a runner is written as an escape", "[json]") {
  CHECK(written("a\nb\x1b", -1) == R"("a\nb\u001b")");
  CHECK(written("\x7F\xC2\x9B\xE2\x80\xAE", -1) == R"("\u007f\u009b\u202e")");
  CHECK(written("##[a] ##vso[b] ##teamcity[c] ## d #", -1) ==
        R"("\u0023#[a] \u0023#vso[b] \u0023#teamcity[c] ## d #")");
  CHECK(written("größe 🙂 #", -1) == "\"größe 🙂 #\"");
  CHECK(written({{"a", 1}}, 2) == "{\n  \"a\": 1\n}");
}

TEST_CASE("it reads as the same text", "[json]") {
  const std::string text = "x\n::error::\r\x1b[31m\x7F\xC2\x9B\xE2\x80\xAE ##[a]##vso[b] 100 % ±";
  CHECK(ordered_json::parse(written(text, -1)) == ordered_json(text));
  // Bytes that are no text become a sign for that.
  CHECK(written("a\xFFz", -1) == "\"a\xEF\xBF\xBDz\"");
}
