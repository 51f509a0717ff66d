// Prices of single kernels through the library.
#include <shapelint/shapelint.hpp>

#include "cost/kernels/attention.hpp"
#include "cost/kernels/gemm.hpp"
#include "gpu/registry.hpp"
#include "tests/catch.hpp"

using namespace shapelint;

namespace {

// Codes and texts of all errors, a line each.
template <class T>
std::string errors_of(const api::Result<T>& result) {
  std::string out;
  if (result) return out;
  for (const api::Error& error : result.errors()) out += error.code + " " + api::to_string(error) + "\n";
  return out;
}

}  // namespace

TEST_CASE("a product costs what the cost model says", "[api]") {
  const gpu::Gpu gpu = *gpu::find_gpu("a100");
  const auto cost =
      api::price_gemm("a100", {.m = 4096, .n = 50257, .k = 2048, .dtype = "fp16", .layout = "nt"});
  REQUIRE(cost);
  const cost::OpCost expected =
      cost::predict_gemm(gpu, {1, 4096, 50257, 2048, DType::fp16, model::Layout::nt});
  CHECK(cost->run_us == expected.time_us);
  CHECK(cost->ideal_us == expected.ideal_us);
  CHECK(cost->bound == api::Bound::compute);
  CHECK(api::name(cost->bound) == "compute");
  REQUIRE(cost->tile);
  CHECK(cost->tile->m == expected.tile_m);
  CHECK(cost->tile->waves == expected.waves);
  const api::Efficiency& e = cost->efficiency;
  CHECK(e.alignment < 1);
  CHECK(e.alignment * e.tile * e.wave * e.rest == Approx(cost->ideal_us / cost->run_us));
}

TEST_CASE("attention costs what the cost model says", "[api]") {
  const auto cost = api::price_attention(
      "h100", {.sequences = 4, .heads = 32, .key_value_heads = 8, .query_length = 4096, .key_length = 4096});
  REQUIRE(cost);
  model::AttentionShape shape;
  shape.sequences.value = 4;
  shape.heads.value = 32;
  shape.key_value_heads.value = 8;
  shape.query_length.value = shape.key_length.value = 4096;
  shape.head_dim.value = shape.value_head_dim.value = 128;
  const cost::OpCost expected =
      cost::price_attention(*gpu::find_gpu("h100"), shape, model::Pass::forward, DType::bf16);
  CHECK(cost->run_us == expected.time_us);
  CHECK_FALSE(cost->tile);
}

TEST_CASE("everything that is wrong with a question is said at once, with its kind", "[api]") {
  CHECK(errors_of(
            api::price_gemm("a10000", {.m = 0, .n = 2'000'000'000'000, .dtype = "bf61", .layout = "ntt"})) ==
        "invalid-option error: unknown GPU `a10000`; did you mean `a100`?\n"
        "invalid-option error: `bf61` is not a known dtype; did you mean `bf16`?\n"
        "invalid-option error: `m` is 0; expected a whole number from 1 to 1,000,000,000,000\n"
        "invalid-option error: `n` is 2000000000000; expected a whole number from 1 to 1,000,000,000,000\n"
        "invalid-option error: `ntt` is not a known layout; tn, nn, nt or tt\n");
  CHECK(errors_of(api::price_gemm("a100", {.dtype = "fp8"})) ==
        "unable error: `dtype` fp8 is not supported by a100-sxm4-80gb; choose another GPU, or a "
        "dtype that it supports\n");
  CHECK(errors_of(api::price_attention("a100", {.heads = 6, .key_value_heads = 4})) ==
        "invalid-option error: 6 heads are not divisible by 4 KV heads; `heads` is a multiple of "
        "`key_value_heads`\n");
}
