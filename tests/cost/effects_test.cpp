// What the catalogue says of its effects, and what findings may rely on.
#include "cost/kernels/attention.hpp"
#include "gpu/registry.hpp"
#include "tests/catch.hpp"

using namespace shapelint;

TEST_CASE("wave effects on Hopper are never more than estimated") {
  for (const std::string_view id : gpu::gpu_ids()) {
    const gpu::Gpu gpu = *gpu::find_gpu(id);
    if (gpu.architecture.id != "hopper") continue;
    INFO(id);
    CHECK_FALSE(gpu.errors[gpu::Effect::wave].measured);
  }
  CHECK(gpu::find_gpu("a100")->errors[gpu::Effect::wave].measured);
  CHECK(gpu::find_gpu("a100")->errors[gpu::Effect::alignment].measured);
  CHECK(gpu::find_gpu("h100")->errors[gpu::Effect::alignment].measured);
  CHECK_FALSE(gpu::find_gpu("h20")->errors[gpu::Effect::alignment].measured);  // its tensor cores are slower
  CHECK_FALSE(gpu::find_gpu("b200")->errors[gpu::Effect::alignment].measured);
}

TEST_CASE("the kernels of each GPU") {
  const auto padded = [](const char* id, std::int64_t head_dim, std::int64_t value_head_dim = 0) {
    const gpu::Gpu gpu = *gpu::find_gpu(id);
    return cost::attention_bucket(gpu, head_dim, value_head_dim).head_dim;
  };
  CHECK(padded("a100", 80) == 96);
  CHECK(padded("a100", 132) == 192);
  CHECK(padded("a100", 320) == 0);  // none
  CHECK(padded("h100", 40) == 64);
  CHECK(padded("h100", 192, 128) == 192);
  CHECK(padded("b200", 72) == 96);
  CHECK(padded("v100", 64) == 0);
  // Blackwell Ultra's exponentials are twice as fast.
  CHECK(gpu::find_gpu("gb300")->attention.buckets[0].forward_efficiency >
        gpu::find_gpu("b200")->attention.buckets[0].forward_efficiency);
  // DeepSeek-V3: values of 128 under queries of 192.
  const gpu::Gpu h100 = *gpu::find_gpu("h100");
  CHECK(cost::attention_bucket(h100, 192, 128).value_head_dim == 128);
}
