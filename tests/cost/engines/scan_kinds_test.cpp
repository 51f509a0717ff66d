// Kernels of linear attention, state space and hyper-connections: what any prediction of them must be.
#include <map>
#include <string>

#include "cost/engines/kernels.hpp"
#include "gpu/registry.hpp"
#include "tests/catch.hpp"
#include "tests/cost/engines/row_support.hpp"

using namespace shapelint;
using tests::price;
using tests::Sizes;
using tests::with;

namespace {

// Qwen3.5's linear attention, whole.
const Sizes linear_heads{{"batch_size", "1"},   {"seq_len", "16384"},  {"num_k_heads", "16"},
                         {"head_k_dim", "128"}, {"num_v_heads", "32"}, {"head_v_dim", "128"},
                         {"phase", "context"}};
const Sizes decoded =
    with(with(with(linear_heads, "batch_size", "512"), "seq_len", "1"), "phase", "generation");

}  // namespace

TEST_CASE("chunks of few heads wait for each other, and those of many for the SMs", "[kernels][scan]") {
  const Sizes few =
      with(with(with(with(linear_heads, "num_k_heads", "2"), "num_v_heads", "2"), "framework", "vllm"),
           "kernel_source", "chunk_gated_delta_rule_flashinfer");
  const double alone = price("h100", "gated-delta-net", few);
  CHECK(price("h100", "gated-delta-net", with(few, "num_v_heads", "8")) < 1.1 * alone);
  CHECK(price("h100", "gated-delta-net", with(few, "seq_len", "32768")) > 1.8 * alone);
  const double many = price("h100", "gated-delta-net", with(few, "batch_size", "256"));
  CHECK(price("h100", "gated-delta-net", with(few, "batch_size", "512")) > 1.8 * many);
}

TEST_CASE("one kernel is faster than seven in Triton", "[kernels][scan]") {
  const Sizes wide = with(linear_heads, "batch_size", "8");
  const Sizes triton = with(with(wide, "framework", "sglang"), "kernel_source", "chunk_gated_delta_rule");
  const Sizes fused =
      with(with(wide, "framework", "vllm"), "kernel_source", "chunk_gated_delta_rule_flashinfer");
  for (const char* gpu : {"h100", "h200", "b200"}) {
    INFO(gpu);
    CHECK(price(gpu, "gated-delta-net", triton) > 3 * price(gpu, "gated-delta-net", fused));
  }
}

TEST_CASE("decoding moves the states at about DRAM's speed", "[kernels][scan]") {
  // 512 sequences x 32 heads x 128 x 128 x 4 bytes, read and written
  const double bytes = 512.0 * 32 * 128 * 128 * 4 * 2;
  for (const auto& [gpu, gb_s] :
       std::map<const char*, double>{{"a100", 2039}, {"h100", 3350}, {"h200", 4800}}) {
    INFO(gpu);
    const double at_dram_us = bytes / (gb_s * 1e3);
    for (const char* kind : {"gated-delta-net", "kimi-delta-attention"}) {
      CHECK(price(gpu, kind, decoded) > 0.95 * at_dram_us);
      CHECK(price(gpu, kind, decoded) < 1.4 * at_dram_us);
    }
  }
}

TEST_CASE("each token that is verified leaves a state", "[kernels][scan]") {
  const Sizes two = with(with(decoded, "phase", "verify"), "seq_len", "2");
  const double base = price("h100", "kimi-delta-attention", two);
  // 1 read and 2 written, against 1 and 8
  const double eight = price("h100", "kimi-delta-attention", with(two, "seq_len", "8"));
  CHECK(eight > 2.5 * base);
  CHECK(eight < 3.5 * base);
}

TEST_CASE("a convolution is priced by its channels", "[kernels][scan]") {
  const Sizes mamba{{"batch_size", "8"},
                    {"seq_len", "8192"},
                    {"n_groups", "8"},
                    {"d_state", "128"},
                    {"nheads", "64"},
                    {"head_dim", "64"},
                    {"phase", "context"},
                    {"framework", "trtllm"},
                    {"d_conv", "4"},
                    {"chunk_size", "128"},
                    {"kernel_source", "causal_conv1d_fn"}};
  const double base = price("h100", "mamba2", mamba);
  // 64 x 64 + 2 x 8 x 128 = 6144 channels, then 10240
  const double wide = price("h100", "mamba2", with(mamba, "nheads", "128"));
  CHECK(wide == Approx(base * 10240 / 6144).epsilon(0.1));
  // The scan itself has no table, and a price anyway.
  CHECK(price("h100", "mamba2", with(mamba, "kernel_source", "mamba_chunk_scan_combined")) > base);
}

TEST_CASE("streams of hyper-connections move at about DRAM's speed", "[kernels][scan]") {
  const Sizes post{{"num_tokens", "131072"}, {"hidden_size", "7168"},
                   {"hc_mult", "4"},         {"num_sites", "2"},
                   {"framework", "trtllm"},  {"kernel_source", "trtllm_mhc_post_mapping"}};
  const double at_dram_us = 2.0 * 131072 * 7168 * 9 * 2 / 3350e3;
  CHECK(price("h100", "hyper-connections", post) > at_dram_us);
  CHECK(price("h100", "hyper-connections", post) < 1.3 * at_dram_us);
  CHECK(price("h100", "hyper-connections", with(post, "num_tokens", "2")) < 20);
}

TEST_CASE("a phase that is none has no price", "[kernels][scan]") {
  CHECK(price("h100", "gated-delta-net", with(linear_heads, "phase", "training")) == 0);
}

TEST_CASE("more tokens, sequences and heads never take less time", "[kernels][scan]") {
  for (const char* gpu : {"a100", "h100", "b200", "l40s", "mi300x", "v100"}) {
    for (const char* kernel :
         {"chunk_gated_delta_rule", "chunk_gated_delta_rule_flashinfer", "causal_conv1d_fn"}) {
      for (const char* size : {"seq_len", "batch_size", "num_v_heads"}) {
        INFO(gpu << " " << kernel << " " << size);
        double last = 0;
        for (int more = 16; more < 9000; more = more * 5 / 4) {
          const Sizes row = with(with(linear_heads, "kernel_source", kernel), "seq_len", "1000");
          const double now = price(gpu, "gated-delta-net", with(row, size, std::to_string(more)));
          CHECK(now >= last * (1 - 1e-9));
          last = now;
        }
      }
    }
  }
}

TEST_CASE("a step has the kernels of flash-linear-attention, and a general price where none was timed",
          "[kernels][scan]") {
  cost::ScanSizes layer;  // Qwen3-Next's
  layer.batch = 4;
  layer.seq_len = 8192;
  layer.key_heads = 16;
  layer.value_heads = 32;
  layer.key_dim = layer.value_dim = 128;
  for (const char* name : {"h100", "h200", "b200", "l40s"}) {
    INFO(name);
    const auto gpu = gpu::find_gpu(name);
    REQUIRE(gpu);
    for (const cost::ScanKind kind : {cost::ScanKind::gated_delta, cost::ScanKind::kimi_delta}) {
      const auto timed = cost::price_timed_scan(*gpu, kind, layer, cost::ScanPass::forward);
      REQUIRE(timed);
      const double general = cost::price_layer_scan(*gpu, kind, layer, cost::ScanPass::forward).time_us;
      CHECK(general > 0.6 * timed->time_us);
      CHECK(general < 1.7 * timed->time_us);
      CHECK(cost::price_timed_scan(*gpu, kind, layer, cost::ScanPass::decode));
      CHECK_FALSE(cost::price_timed_scan(*gpu, kind, layer, cost::ScanPass::backward));
    }
    CHECK_FALSE(cost::price_timed_scan(*gpu, cost::ScanKind::mamba2, layer, cost::ScanPass::forward));
  }
  const auto amd = gpu::find_gpu("mi300x");
  REQUIRE(amd);
  CHECK_FALSE(cost::price_timed_scan(*amd, cost::ScanKind::gated_delta, layer, cost::ScanPass::forward));
}
