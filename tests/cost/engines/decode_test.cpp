// Attention of one token over a cache, as engines run it.
#include "cost/engines/kernels.hpp"
#include "gpu/registry.hpp"
#include "tests/catch.hpp"
#include "tests/cost/engines/row_support.hpp"

using namespace shapelint;

namespace {

cost::KernelAttention of(double sequences, double cached, double window) {
  cost::KernelAttention shape;
  shape.sequences = sequences;
  shape.cached = cached;
  shape.heads = 32;
  shape.key_value_heads = 8;
  shape.window = window;
  return shape;
}

}  // namespace

TEST_CASE("a window that is no whole tiles takes one tile of keys more", "[kernels]") {
  const auto gpu = gpu::find_gpu("h100");
  REQUIRE(gpu);
  gpu::DecodeKernel kernel;
  kernel.key_tile = 64;
  const auto memory_us = [&](double cached, double window) {
    return cost::price_decode(*gpu, kernel, of(1024, cached, window)).memory_us;
  };
  const double without = memory_us(4095, 128);
  CHECK(without == memory_us(127, 128));  // only the window's keys count
  kernel.window_straddles = true;
  CHECK(memory_us(4095, 128) == Approx(without * 192 / 128).epsilon(0.05));
  CHECK(memory_us(4095, 128) == Approx(memory_us(4095, 192) * 192 / 256).epsilon(0.05));
  CHECK(memory_us(127, 128) == without);  // nothing lies outside
  CHECK(memory_us(130, 128) < memory_us(4095, 128));
}

TEST_CASE("each sequence that is decoded is prepared for", "[kernels]") {
  const auto gpu = gpu::find_gpu("h100");
  REQUIRE(gpu);
  gpu::DecodeKernel kernel;
  const auto time_us = [&] { return cost::price_decode(*gpu, kernel, of(512, 255, 0)).time_us; };
  const double before = time_us();
  kernel.sequence_us = 0.02;
  CHECK(time_us() == Approx(before + 512 * 0.02));
}

namespace {

// Of a kernel that reads through one SM at a time: how long, with these parts of the keys.
double time_us(gpu::DecodeKernel kernel, double sequences, double cached) {
  const auto gpu = gpu::find_gpu("a100");
  REQUIRE(gpu);
  kernel.fixed_us = 0;
  kernel.tile_us = kernel.split_us = kernel.query_passes = 0;
  kernel.key_tile = 128;
  kernel.resident_share = 0.01;
  kernel.sm_gb_s = 1;  // at most DRAM's share
  kernel.wave_rounding = 1;
  kernel.overlap_power = 30;
  cost::KernelAttention shape = of(sequences, cached, 0);
  shape.key_value_heads = 1;
  return cost::price_decode(*gpu, kernel, shape).time_us;
}

}  // namespace

TEST_CASE("parts as long as an SM's share may start a second wave", "[kernels]") {
  gpu::DecodeKernel kernel;
  kernel.slots = 1;
  kernel.balances_splits = true;
  // 256 tiles each: ceil(1.1 x 4096 / 108) = 42 an SM, 7 parts of 37: 112 CTAs on 108 SMs, two waves of them;
  // of 32 sequences 4 parts of 32.
  CHECK(time_us(kernel, 32, 16383) == Approx(time_us(kernel, 16, 32767) * 32 / 37).epsilon(0.01));
  kernel.most_splits = 2;
  CHECK(time_us(kernel, 16, 32767) > 1.5 * time_us(kernel, 32, 16383));
}

TEST_CASE("FlashAttention 2 takes the fewest parts that nearly fill their waves, of packed heads",
          "[kernels]") {
  gpu::DecodeKernel kernel;
  kernel.slots = 2;
  kernel.fills_waves = true;
  gpu::DecodeKernel filled = kernel;
  filled.fills_waves = false;
  // 16 heads, 216 slots: 12 parts fill 0.89 of a wave, 13 of them 0.96; the most would be 13.
  CHECK(time_us(kernel, 16, 32767) > time_us(filled, 16, 32767));
  CHECK(time_us(kernel, 173, 4095) ==
        Approx(time_us(filled, 216, 4095)).epsilon(0.01));  // 0.8 of a wave is filled: not split
  kernel.splits_packed = true;
  kernel.packs_up_to = 1;  // 32 heads share keys, and run one by one
  CHECK(time_us(kernel, 1, 32767) > 3 * time_us(filled, 1, 32767));
}

TEST_CASE("a fixed number of parts costs short caches their CTAs, of up to so many sequences", "[kernels]") {
  const auto gpu = gpu::find_gpu("h100");
  REQUIRE(gpu);
  gpu::DecodeKernel kernel;
  kernel.fixed_splits = 32;
  kernel.search_us = 0.01;
  kernel.join_ns = 0.4;
  const auto each_us = [&](double sequences) {
    return cost::price_decode(*gpu, kernel, of(sequences, 15, 0)).time_us / sequences;
  };
  CHECK(each_us(512) > 3 * each_us(1024));
  CHECK(each_us(512) > 1.5 * each_us(64));  // CTAs look for their sequence among all
}

TEST_CASE("timings that moved a part of the cache are no promise for a step", "[kernels]") {
  const auto gpu = gpu::find_gpu("a100");
  REQUIRE(gpu);
  gpu::DecodeKernel kernel;
  kernel.sm_gb_s = 600;
  kernel.efficiency = 1;
  kernel.tile_us = 0;
  kernel.timed_share = 0.5;
  const double half = cost::price_decode(*gpu, kernel, of(256, 8191, 0)).memory_us;
  kernel.timed_share = 1;
  CHECK(cost::price_decode(*gpu, kernel, of(256, 8191, 0)).memory_us == Approx(2 * half).epsilon(0.02));
}

// alibaba/InferSim, bench_data of an H20: 32 sequences of 5,000 cached tokens, 32 heads over 8 KV heads of
// 128, in bf16: 251 us. An H20 has a quarter of an H100's FLOPs per SM beside more bandwidth.
TEST_CASE("decoding on an H20 reaches more of its throttled peak", "[kernels]") {
  const auto h20 = gpu::find_gpu("h20");
  REQUIRE(h20);
  const gpu::DecodeKernel* kernel = nullptr;
  for (const gpu::DecodeKernel& each : gpu::decode_kernels("attention-decode")) {
    if (each.architecture == "hopper" && each.engine == "sglang" && each.kernel == "fa3" &&
        each.cache == "bf16") {
      kernel = &each;
    }
  }
  REQUIRE(kernel != nullptr);
  const double time_us = cost::price_decode(*h20, *kernel, of(32, 4999, 0)).time_us;
  CHECK(time_us > 0.85 * 251);
  CHECK(time_us < 1.25 * 251);
}

// The same: 16 heads over one of keys, of 256, 8,192 tokens: 3,986 us, 138 of the H20's 148 TFLOP/s, where
// the same kernel reaches 0.78 of an H100's. Multi-head latent attention of 64 sequences behind 32,767
// tokens: 5,389 us.
TEST_CASE("an H20's prefill and latent attention reach more of its throttled peak, too", "[kernels]") {
  const tests::Sizes prefill{{"batch_size", "1"},
                             {"isl", "8192"},
                             {"num_heads", "16"},
                             {"num_key_value_heads", "1"},
                             {"head_dim", "256"},
                             {"attn_dtype", "bfloat16"},
                             {"kv_cache_dtype", "bfloat16"},
                             {"framework", "sglang"}};
  CHECK(tests::price("h20", "attention-prefill", prefill) == Approx(3986).epsilon(0.12));
  const tests::Sizes latent{{"batch_size", "64"},      {"isl", "1"},
                            {"num_heads", "128"},      {"step", "32767"},
                            {"mla_dtype", "bfloat16"}, {"kv_cache_dtype", "bfloat16"},
                            {"framework", "sglang"}};
  CHECK(tests::price("h20", "mla-decode", latent) == Approx(5389).epsilon(0.12));
}

// alibaba/InferSim, bench_data of an H800: FlashAttention 3 over keys and values of 128 heads that a latent
// was unfolded into, which SGLang runs where no prefix is cached (_handle_attention_backend of
// models/deepseek_common/attention_backend_handler.py). Behind a short one its heads read the latent, with
// (576 + 512) / (192 + 128) times the FLOPs.
TEST_CASE("SGLang unfolds a latent on Hopper unless a short prefix is cached", "[kernels]") {
  tests::Sizes row{{"batch_size", "1"},       {"num_heads", "128"},           {"isl", "4096"},
                   {"mla_dtype", "bfloat16"}, {"kv_cache_dtype", "bfloat16"}, {"framework", "sglang"}};
  CHECK(tests::price("h800", "mla-prefill", row) == Approx(1104.7).epsilon(0.16));
  CHECK(tests::price("h800", "mla-prefill", tests::with(row, "isl", "1024")) == Approx(116.9).epsilon(0.18));
  CHECK(tests::price("h800", "mla-prefill", tests::with(row, "isl", "32768")) == Approx(76338).epsilon(0.05));
  // TensorRT-LLM's kernel does the same: both engines share its constants.
  CHECK(tests::price("h800", "mla-prefill", row) ==
        tests::price("h800", "mla-prefill", tests::with(row, "framework", "trtllm")));
  const auto time_us = [&](const char* cached) {
    return tests::price("h800", "mla-prefill", tests::with(row, "step", cached));
  };
  CHECK(time_us("8191") > 2.5 * time_us("8192"));
  // Timings that name the kernel are of that one.
  row["kernel_source"] = "flash_attention";
  CHECK(tests::price("h800", "mla-prefill", row) > 3 * 1104.7);
}
