// Reading a table [attention].
#include "gpu/attention.hpp"

#include "tests/catch.hpp"
#include "text/toml/toml.hpp"

using namespace shapelint;

namespace {

gpu::AttentionKernels read(std::string text, std::vector<Error>& errors) {
  const auto document = text::parse_toml("gpu.toml", std::move(text));
  REQUIRE(document);
  return gpu::read_attention(document->root()["attention"], errors);
}

}  // namespace

TEST_CASE("attention kernels of an architecture file") {
  std::vector<Error> errors;
  const gpu::AttentionKernels kernels = read(R"(
[attention]
name = "FlashAttention-2"
sources = ["flash-attention"]
note = "anything"
prologue_keys = 64
buckets = [
  { head_dim = 64, query_tile = 128, key_tile = 128, forward_efficiency = 0.6, estimated = false },
  { head_dim = 192, value_head_dim = 128 },
]
)",
                                             errors);
  CHECK(errors.empty());
  CHECK(kernels.name == "FlashAttention-2");
  CHECK(kernels.prologue_keys == 64);
  REQUIRE(kernels.buckets.size() == 2);
  CHECK(kernels.buckets[0].value_head_dim == 64);
  CHECK(kernels.buckets[0].forward_efficiency == 0.6);
  CHECK_FALSE(kernels.buckets[0].estimated);
  CHECK(kernels.buckets[1].value_head_dim == 128);
}

TEST_CASE("all mistakes in the table are reported at once") {
  std::vector<Error> errors;
  read(R"(
[attention]
nam = "x"
buckets = [
  { head_dim = 64, forward_efficiency = 60 },
  { head_dim = 32 },
  { head_dim = 96, query_tile = "wide" },
  { key_tile = 64, head_dim_ = 128 },
]
)",
       errors);
  std::string all;
  for (const Error& error : errors) all += error.message + "; " + error.hint + "\n";
  CHECK(all ==
        "unknown key `attention.nam`; did you mean `name`?\n"
        "`attention.buckets[0].forward_efficiency` is implausible: 60; expected between 0.01 and 1\n"
        "`attention.buckets[1]` is not sorted by `head_dim`, then `value_head_dim`; \n"
        "`attention.buckets[2].query_tile` is a string, expected an integer; \n"
        "`attention.buckets[3]` states no `head_dim`; \n"
        "unknown key `attention.buckets[3].head_dim_`; did you mean `head_dim`?\n"
        "`attention.buckets[3]` is not sorted by `head_dim`, then `value_head_dim`; \n");
}

TEST_CASE("no table, no fused attention") {
  std::vector<Error> errors;
  CHECK(read("x = 1\n", errors).buckets.empty());
  CHECK(errors.empty());
}
