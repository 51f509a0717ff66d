// How far ratios of times spread: gpus/spreads.
#include "gpu/spread.hpp"

#include "catalog/catalog.hpp"
#include "gpu/registry.hpp"
#include "tests/catch.hpp"
#include "text/toml/toml.hpp"

using namespace shapelint;
using namespace shapelint::gpu;

TEST_CASE("every file of gpus/spreads reads without an error, and names profiles", "[spreads]") {
  std::size_t entries = 0;
  for (const text::Document& document : catalog::builtin("gpus/spreads")) {
    std::vector<Error> errors;
    for (const ProductSpread& each : read_spreads(document.root(), errors)) {
      INFO(each.gpu);
      ++entries;
      const auto gpu = find_gpu(each.gpu);
      REQUIRE(gpu);
      CHECK(gpu->architecture.id == each.architecture);
      // Sizes further apart say less of each other.
      CHECK(each.doubled.small >= each.near.small);
      CHECK(each.doubled.large >= each.near.large);
      CHECK(each.pairs >= 200);
      CHECK((each.together == unknown_correlation || (each.together >= 0 && each.together <= 1)));
    }
    CHECK(errors.empty());
  }
  CHECK(entries > 10);
}

TEST_CASE("a GPU has its own spread, or that of another one of its architecture", "[spreads]") {
  const Spread h100 = spread_of(*find_gpu("h100"), ConstantSet::half);
  CHECK(h100.near.large > 0);
  CHECK(spread_of(*find_gpu("h20"), ConstantSet::half).near.large == h100.near.large);
  // A sweep of misaligned sizes was measured on the A100 with 40 GB alone.
  const Spread large = spread_of(*find_gpu("a100"), ConstantSet::half);
  const Spread small = spread_of(*find_gpu("a100-40gb"), ConstantSet::half);
  CHECK(large.near.misaligned == small.near.misaligned);
  CHECK(large.near.large != small.near.large);
  CHECK(spread_of(*find_gpu("t4"), ConstantSet::half).near.large == 0);
}

TEST_CASE("an entry is written as it is read", "[spreads]") {
  const std::string text =
      "\n[[products]]\narchitecture = \"hopper\"\ngpu = \"h100-sxm5\"\nconstants = \"half\"\npairs = 300\n"
      "near = { decode = 0.0337, small = 0.135, large = 0.111, misaligned = 0 }\n"
      "doubled = { decode = 0.0656, small = 0.135, large = 0.111, misaligned = 0 }\n"
      "together = 0.12\n";
  const auto document = text::parse_toml("products.toml", text);
  REQUIRE(document);
  std::vector<Error> errors;
  const auto read = read_spreads(document->root(), errors);
  CHECK(errors.empty());
  REQUIRE(read.size() == 1);
  CHECK(write_spread(read.front()) == text);
}

TEST_CASE("attention has a spread of its own, prompts and decoding apart", "[spreads]") {
  const AttentionSpread h100 = attention_spread_of(*find_gpu("h100"), false);
  CHECK(h100.same_head_dim > 0);
  CHECK(h100.other_head_dim > h100.same_head_dim);
  CHECK(attention_spread_of(*find_gpu("h20"), false).same_width == h100.same_width);
  CHECK(attention_spread_of(*find_gpu("h100"), true).same_head_dim != h100.same_head_dim);
  CHECK(attention_spread_of(*find_gpu("t4"), false).same_head_dim == 0);

  const std::string text = R"(
[[attention]]
architecture = "hopper"
gpu = "h100-sxm5"
phase = "decode"
pairs = 3826
same_head_dim = 0.118
other_head_dim = 0.21
same_width = 0.217
)";
  std::vector<Error> errors;
  const auto document = text::parse_toml("attention.toml", text);
  REQUIRE(document);
  const auto read = read_attention_spreads(document->root(), errors);
  CHECK(errors.empty());
  REQUIRE(read.size() == 1);
  CHECK(write_spread(read.front()) == text);
  const auto wrong =
      text::parse_toml("attention.toml", "[[attention]]\narchitecture = \"hopper\"\nphase = \"both\"\n");
  read_attention_spreads(wrong->root(), errors);
  REQUIRE(errors.size() == 1);
  CHECK(errors.front().message == "unknown phase `both`");
}

TEST_CASE("what cannot be is an error with its place", "[spreads]") {
  const auto first_error = [](const char* text) {
    const auto document = text::parse_toml("products.toml", text);
    REQUIRE(document);
    std::vector<Error> errors;
    read_spreads(document->root(), errors);
    return errors.empty() ? std::string() : errors.front().message;
  };
  CHECK(first_error("[[products]]\narchitecture = \"hoper\"\nconstants = \"half\"\n")
            .find("unknown architecture `hoper`") != std::string::npos);
  CHECK(first_error("[[products]]\narchitecture = \"hopper\"\nconstants = \"bf16\"\n")
            .find("unknown set of constants `bf16`") != std::string::npos);
  CHECK(first_error("[[products]]\narchitecture = \"hopper\"\nconstants = \"half\"\nnear = { big = 1 }\n")
            .find("big") != std::string::npos);
}
