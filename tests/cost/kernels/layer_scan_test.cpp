// Scans of layers without softmax attention: work counted by hand, and what any price of them must be.
#include "cost/kernels/layer_scan.hpp"

#include <cmath>
#include <vector>

#include "gpu/registry.hpp"
#include "tests/catch.hpp"

using namespace shapelint;
using cost::ScanKind;
using cost::ScanPass;
using cost::ScanSizes;

namespace {

struct Layer {
  ScanKind kind;
  ScanSizes sizes;
};

ScanSizes sizes(double key_heads, double value_heads, double key_dim, double value_dim, double chunk) {
  ScanSizes out;
  out.batch = 2;
  out.seq_len = 4096;
  out.key_heads = key_heads;
  out.value_heads = value_heads;
  out.key_dim = key_dim;
  out.value_dim = value_dim;
  out.chunk = chunk;
  return out;
}

// Qwen3-Next, Kimi-Linear, Nemotron-H 8B, Mamba 2.8B, RetNet 6.7B, RWKV-7 2.9B, RecurrentGemma 9B, LFM2 1.2B.
const std::vector<Layer> layers{
    {ScanKind::gated_delta, sizes(16, 32, 128, 128, 64)},
    {ScanKind::kimi_delta, sizes(32, 32, 128, 128, 64)},
    {ScanKind::mamba2, sizes(8, 128, 128, 64, 256)},
    {ScanKind::mamba1, sizes(1, 5120, 16, 1, 64)},
    {ScanKind::linear_attention, sizes(16, 16, 256, 512, 64)},
    {ScanKind::rwkv7, sizes(40, 40, 64, 64, 64)},
    {ScanKind::rg_lru, sizes(1, 16, 1, 256, 64)},
    {ScanKind::short_convolution, sizes(1, 1, 1, 2048, 64)},
};

double time_us(const gpu::Gpu& gpu, const Layer& layer, const ScanSizes& sizes, ScanPass pass) {
  const cost::OpCost cost = cost::price_layer_scan(gpu, layer.kind, sizes, pass);
  CHECK(std::isfinite(cost.time_us));
  CHECK(cost.ideal_us > 0);
  CHECK(cost.ideal_us <= cost.time_us);
  return cost.time_us;
}

}  // namespace

TEST_CASE("a chunk of the gated delta rule has the products of its paper", "[scan]") {
  ScanSizes one = sizes(1, 1, 128, 128, 64);
  one.batch = 1;
  one.seq_len = 64;
  const cost::ScanWork work = cost::scan_work(ScanKind::gated_delta, one, ScanPass::forward);
  // k k', q k' and the weighted keys: 3 x 2 x 64 x 64 x 128; weighted values and scores times them: 2 of
  // them; with the state: 3 x 2 x 64 x 128 x 128; the triangle's inverse: 64^3 / 3
  CHECK(work.product_flops == Approx(5 * 1048576 + 3 * 2097152 + 64.0 * 64 * 64 / 3));
  CHECK(work.steps == 1);
  // q, k, v, the result and two gates of 16 bits
  CHECK(work.once_bytes == 64 * (4 * 128 + 2) * 2);
  one.seq_len = 65;  // a chunk for one token
  CHECK(cost::scan_work(ScanKind::gated_delta, one, ScanPass::forward).product_flops ==
        Approx(2 * work.product_flops));
}

TEST_CASE("heads of Mamba-2 share the scores of their group", "[scan]") {
  const ScanSizes heads = sizes(8, 128, 128, 64, 256);
  const double tokens = 2.0 * 4096;
  CHECK(cost::scan_work(ScanKind::mamba2, heads, ScanPass::forward).product_flops ==
        Approx(tokens * 2 * (256 * (8 * 128 + 128 * 64) + 2 * 128 * 64 * 128)));
}

TEST_CASE("decoding keeps a state of key by value of each head", "[scan]") {
  ScanSizes heads = sizes(16, 32, 128, 128, 64);
  heads.batch = 64;
  CHECK(cost::scan_state_bytes(ScanKind::gated_delta, heads) == 64.0 * 32 * 128 * 128 * 4);
  CHECK(cost::scan_state_bytes(ScanKind::mamba1, sizes(1, 5120, 16, 1, 1)) == 2.0 * 5120 * 16 * 4);
  CHECK(cost::scan_state_bytes(ScanKind::rg_lru, sizes(1, 16, 1, 256, 1)) == 2.0 * 4096 * 4);
  CHECK(cost::scan_state_bytes(ScanKind::short_convolution, sizes(1, 1, 1, 2048, 1)) == 2.0 * 2048 * 3 * 2);
}

TEST_CASE("more work never takes less time", "[scan]") {
  for (const char* name : {"a100", "h100", "b200", "l40s", "mi300x", "v100"}) {
    const auto gpu = gpu::find_gpu(name);
    REQUIRE(gpu);
    for (const Layer& layer : layers) {
      for (const ScanPass pass : {ScanPass::forward, ScanPass::backward, ScanPass::decode}) {
        INFO(name << " " << cost::name(layer.kind) << " " << static_cast<int>(pass));
        for (double ScanSizes::*size : {&ScanSizes::batch, &ScanSizes::seq_len, &ScanSizes::value_heads,
                                        &ScanSizes::key_dim, &ScanSizes::value_dim}) {
          ScanSizes more = layer.sizes;
          more.seq_len = pass == ScanPass::decode ? 1 : 1000;
          double last = 0;
          for (int step = 0; step < 12; ++step) {
            const double now = time_us(*gpu, layer, more, pass);
            CHECK(now >= last * (1 - 1e-9));
            last = now;
            more.*size = std::ceil(more.*size * 1.3);
          }
        }
      }
    }
  }
}

TEST_CASE("a long sequence takes as much longer as it is longer", "[scan]") {
  const auto gpu = gpu::find_gpu("h100");
  REQUIRE(gpu);
  for (const Layer& layer : layers) {
    INFO(cost::name(layer.kind));
    for (const ScanPass pass : {ScanPass::forward, ScanPass::backward}) {
      ScanSizes once = layer.sizes;
      once.seq_len = 131072;
      ScanSizes twice = once;
      twice.seq_len *= 2;
      CHECK(time_us(*gpu, layer, twice, pass) == Approx(2 * time_us(*gpu, layer, once, pass)).epsilon(0.02));
    }
  }
}

TEST_CASE("backward takes two to four times as long as forward", "[scan]") {
  const auto gpu = gpu::find_gpu("h100");
  REQUIRE(gpu);
  for (const Layer& layer : layers) {
    INFO(cost::name(layer.kind));
    const double forward_us = time_us(*gpu, layer, layer.sizes, ScanPass::forward);
    const double backward_us = time_us(*gpu, layer, layer.sizes, ScanPass::backward);
    CHECK(backward_us > 1.5 * forward_us);
    CHECK(backward_us < 4 * forward_us);
  }
}

TEST_CASE("a selective scan takes what training steps of a Mamba take beside their products", "[scan]") {
  // fla-org/flash-linear-attention, issue 32: tokens per second of an A100 that trains a Mamba of 48 layers,
  // 4096 channels and 1.4e9 parameters, each of which is multiplied three times.
  struct Run {
    double sequences, length, tokens_per_s;
  };
  const auto gpu = gpu::find_gpu("a100");
  REQUIRE(gpu);
  for (const Run& run : {Run{2, 8192, 11941}, Run{1, 16384, 13812}, Run{4, 1024, 10229}}) {
    INFO(run.sequences << " x " << run.length);
    Layer layer{ScanKind::mamba1, sizes(1, 4096, 16, 1, 64)};
    layer.sizes.batch = run.sequences;
    layer.sizes.seq_len = run.length;
    const double step_us = run.sequences * run.length / run.tokens_per_s * 1e6;
    const double scans_us = 48 * (time_us(*gpu, layer, layer.sizes, ScanPass::forward) +
                                  time_us(*gpu, layer, layer.sizes, ScanPass::backward));
    const double products_us = 6 * 1.4e9 * run.sequences * run.length / 312e6;
    CHECK(products_us + scans_us < 1.2 * step_us);
    CHECK(scans_us > 0.4 * step_us);
  }
}

TEST_CASE("decoding many sequences moves their states at DRAM's speed", "[scan]") {
  const auto gpu = gpu::find_gpu("h100");
  REQUIRE(gpu);
  ScanSizes heads = sizes(16, 48, 128, 128, 64);
  heads.batch = 1024;
  heads.seq_len = 1;
  // Read and written: 1024 x 48 x 128 x 128 x 4 bytes twice over 3350 GB/s
  const double at_dram_us = 2 * 1024.0 * 48 * 128 * 128 * 4 / 3350e3;
  const double decoded = time_us(*gpu, {ScanKind::gated_delta, heads}, heads, ScanPass::decode);
  CHECK(decoded > at_dram_us);
  CHECK(decoded < 1.4 * at_dram_us);
}

TEST_CASE("keys that kernels fill up with zeros cost what whole ones do, and the zeros are lost in tiles",
          "[scan]") {
  CHECK(cost::computed_key_dim(ScanKind::gated_delta, 96) == 128);
  CHECK(cost::computed_key_dim(ScanKind::kimi_delta, 128) == 128);
  CHECK(cost::computed_key_dim(ScanKind::mamba2, 96) == 128);
  CHECK(cost::computed_key_dim(ScanKind::mamba2, 8) == 16);
  CHECK(cost::computed_key_dim(ScanKind::rwkv7, 80) == 128);
  CHECK(cost::computed_key_dim(ScanKind::linear_attention, 80) == 80);
  const auto found = gpu::find_gpu("h100");
  REQUIRE(found);
  const gpu::Gpu& gpu = *found;
  const ScanSizes narrow = sizes(8, 128, 96, 64, 256);
  const ScanSizes whole = sizes(8, 128, 128, 64, 256);
  const cost::OpCost padded = cost::price_layer_scan(gpu, ScanKind::mamba2, narrow, ScanPass::forward);
  const cost::OpCost plain = cost::price_layer_scan(gpu, ScanKind::mamba2, whole, ScanPass::forward);
  CHECK(padded.compute_us == plain.compute_us);
  CHECK(padded.efficiency.tile < 0.96);
  CHECK(plain.efficiency.tile == 1);
  CHECK(padded.efficiency.tile * padded.efficiency.rest * padded.time_us == Approx(padded.ideal_us));
  // A step of decoding has no such blocks.
  CHECK(cost::price_layer_scan(gpu, ScanKind::mamba2, narrow, ScanPass::decode).efficiency.tile == 1);
}
