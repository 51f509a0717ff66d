// Which of several conditions a verdict's sum is about.
#include "contracts/check.hpp"

#include "expr/expression.hpp"
#include "formats/read.hpp"
#include "gpu/registry.hpp"
#include "tests/catch.hpp"
#include "text/files.hpp"

using namespace shapelint;
using Texts = std::vector<std::string_view>;

TEST_CASE("a demand is taken apart at what joins its conditions", "[contracts]") {
  CHECK(expr::conjuncts("a % 16 == 0 && b % 16 == 0") == Texts{"a % 16 == 0", "b % 16 == 0"});
  CHECK(expr::conjuncts("(a && b) || c") == Texts{"(a && b) || c"});
  CHECK(expr::conjuncts("f(a && b) && c > 1") == Texts{"f(a && b)", "c > 1"});
  CHECK(contracts::sum_of("hidden_size % 16 == 0") == "hidden_size / 16");
  CHECK(contracts::sum_of("(a * b) % max(64, c) == 0") == "(a * b) / max(64, c)");
  CHECK(contracts::sum_of("head_dim <= 256") == "head_dim");
  CHECK(contracts::is_about("intermediate_size / tensor", "intermediate_per_rank % 16 == 0"));
  CHECK_FALSE(contracts::is_about("intermediate_size / tensor", "hidden_size % 16 == 0"));
}

// https://github.com/NVIDIA/TransformerEngine/issues/1422: 896 is a multiple of 16, 712 is none.
TEST_CASE("of several conditions the sum of the one that fails is told", "[contracts]") {
  const text::MemoryFileSystem files;
  const formats::ReadResult file = formats::read(files, formats::parse("model.toml", R"([model]
hidden_size = 712
num_layers = 12
num_attention_heads = 8
intermediate_size = 896
vocab_size = 50304
[run]
sequence_length = 4096
dtype = "fp8"
)",
                                                                       true));
  REQUIRE(file.readings.size() == 1);
  std::vector<Error> errors;
  const contracts::Book& book = contracts::builtin_contracts();
  contracts::Checker checker(
      book, contracts::parse_stack(book, std::vector<std::string>{"transformer-engine"}, errors));
  const auto gpu = gpu::find_gpu("h100");
  bool is_told = false;
  for (const contracts::Verdict& each : checker.check(file.readings[0], file.readings[0].setup, *gpu)) {
    if (each.contract->id != "transformer-engine/fp8-rows") continue;
    is_told = true;
    CHECK_FALSE(each.meets);
    CHECK(each.formula == "hidden_size / 16");
    CHECK(each.numbers == "712 / 16 = 44.50");
  }
  CHECK(is_told);
}
