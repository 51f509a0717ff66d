// gin files: bindings by name, macros, blocks.
#include "text/gin/gin.hpp"

#include <string>

#include "tests/catch.hpp"
#include "tests/text/text_support.hpp"

using namespace shapelint;
using namespace shapelint::text;

namespace {

std::string shown(const std::string& source) {
  const auto document = parse_gin("c.gin", source);
  return document ? outline(document->root()) : outline(document.error(), source);
}

}  // namespace

TEST_CASE("gin: bindings, blocks, macros and includes") {
  const std::string source =
      "include 'a/base.gin'  # first\ninclude \"b.gin\"\nimport seqio\nfrom t5x import models\n"
      "WIDTH = 512\nnetwork.T5Config:\n  emb_dim = %WIDTH\n  mlp_activations = ('gelu',\n    'linear')\n"
      "network.T5Config.num_heads = 8\ntrain/utils.D.batch = 3\nMODEL = @models.M()\nR = %gin.REQUIRED\nL = "
      "{'a': 1}\n";
  CHECK(shown(source) ==
        "{include: [\"a/base.gin\", \"b.gin\"], WIDTH: 512, network: {T5Config: {emb_dim: 512, "
        "mlp_activations: "
        "[\"gelu\", \"linear\"], num_heads: 8}}, MODEL: unknown(it is a reference), "
        "R: unknown(`REQUIRED` is not evaluated), L: {a: 1}}");
  const auto document = parse_gin("c.gin", source);
  const NodeRef config = document->root()["network"]["T5Config"];
  CHECK(bytes_of(*document, config["num_heads"]) == "8");
  CHECK(bytes_at(*document, config["num_heads"].key_span()) == "network.T5Config.num_heads");
  CHECK(bytes_of(*document, config["emb_dim"]) == "512");
}

TEST_CASE("gin: anything else is unknown or passed over") {
  CHECK(shown("a\n= 3\na.b =\nc = )\nd = 1 2\n:\n") ==
        "{c: unknown(its syntax is not supported), d: unknown(its syntax is not supported)}");
  CHECK(shown("a = 'x\n") == "the string is never closed @ \"'\"");
}
