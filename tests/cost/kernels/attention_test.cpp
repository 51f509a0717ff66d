// Time of fused attention: exact small cases, then what must always hold.
#include "cost/kernels/attention.hpp"

#include <algorithm>
#include <cmath>

#include <rapidcheck.h>

#include "gpu/registry.hpp"
#include "model/lower/emit.hpp"
#include "tests/catch.hpp"
#include "tests/cost/gpu_support.hpp"

using namespace shapelint;
using namespace shapelint::cost;
using model::AttentionShape;
using model::Pass;

namespace {

AttentionShape square(std::int64_t sequences, std::int64_t heads, std::int64_t length, std::int64_t head_dim,
                      bool causal) {
  AttentionShape shape;
  shape.sequences.value = sequences;
  shape.heads.value = shape.key_value_heads.value = heads;
  shape.query_length.value = shape.key_length.value = length;
  shape.head_dim.value = shape.value_head_dim.value = head_dim;
  shape.causal = causal;
  return shape;
}

AttentionShape decode(std::int64_t sequences, std::int64_t heads, std::int64_t key_value_heads,
                      std::int64_t keys, std::int64_t head_dim) {
  AttentionShape shape = square(sequences, heads, keys, head_dim, true);
  shape.key_value_heads.value = key_value_heads;
  shape.query_length.value = 1;
  return shape;
}

double time_us(const gpu::Gpu& gpu, const AttentionShape& shape, Pass pass = Pass::forward) {
  return price_attention(gpu, shape, pass, DType::bf16).time_us;
}

// The definition, tile by tile.
double counted_causal_tiles(std::int64_t queries, std::int64_t keys, std::int64_t query_tile,
                            std::int64_t key_tile) {
  double count = 0;
  for (std::int64_t first = 0; first < queries; first += query_tile) {
    for (std::int64_t key = 0; key < keys; key += key_tile) {
      const std::int64_t last_row = first + query_tile - 1;
      if (key <= last_row + keys - queries) count += 1;
    }
  }
  return count;
}

}  // namespace

TEST_CASE("head dims run in the smallest kernel that fits") {
  const gpu::Gpu gpu = test::plain_gpu();
  CHECK(attention_bucket(gpu, 64).head_dim == 64);
  CHECK_FALSE(attention_bucket(gpu, 64).copies);
  CHECK(attention_bucket(gpu, 72).head_dim == 128);
  CHECK_FALSE(attention_bucket(gpu, 72).copies);
  CHECK(attention_bucket(gpu, 65).copies);                // not a multiple of 8
  CHECK(attention_bucket(gpu, 64, 128).head_dim == 128);  // the wider of the two decides
  CHECK(attention_bucket(gpu, 129).bucket == nullptr);    // no kernel: unfused
  const gpu::Gpu unknown;
  CHECK(attention_bucket(unknown, 64).bucket == nullptr);
}

TEST_CASE("published FLOP convention: 4 b h s s d forward, halved by the mask, 2.5 times as much backward") {
  const AttentionShape full = square(2, 3, 1024, 64, false);
  CHECK(attention_flops(full, Pass::forward) == 4.0 * 2 * 3 * 1024 * 1024 * 64);
  CHECK(attention_flops(full, Pass::backward) == 10.0 * 2 * 3 * 1024 * 1024 * 64);
  const AttentionShape masked = square(2, 3, 1024, 64, true);
  CHECK(attention_flops(masked, Pass::forward) == 4.0 * 2 * 3 * 1024 * 1025 / 2 * 64);
}

TEST_CASE("whole tiles and whole waves run at the kernel's speed") {
  const gpu::Gpu gpu = test::plain_gpu();
  // 25 heads x 4 query tiles = 100 CTAs on 100 SMs: 25 x 4 x 512 x 512 x 64 FLOP at 50 TFLOP/s = 33.55 us.
  const OpCost cost = price_attention(gpu, square(1, 25, 512, 64, false), Pass::forward, DType::bf16);
  CHECK(cost.time_us == Approx(33.55 + 3).epsilon(1e-3));
  CHECK(cost.efficiency.alignment == Approx(1));
  CHECK(cost.efficiency.tile == Approx(1));
  CHECK(cost.efficiency.wave == Approx(1));
  // One more head, and four SMs compute a second wave.
  const OpCost next = price_attention(gpu, square(1, 26, 512, 64, false), Pass::forward, DType::bf16);
  CHECK(next.time_us == Approx(2 * 33.55 + 3).epsilon(1e-3));
  CHECK(next.efficiency.wave < 0.6);
}

TEST_CASE("head dim 72 pays for 128") {
  const gpu::Gpu gpu = test::plain_gpu();
  const AttentionShape shape = square(4, 25, 4096, 72, false);
  const OpCost cost = price_attention(gpu, shape, Pass::forward, DType::bf16);
  CHECK(cost.efficiency.alignment == Approx(72.0 / 128).epsilon(0.01));
  // An odd head dim is copied as well.
  CHECK(time_us(gpu, square(4, 25, 4096, 71, false)) > time_us(gpu, shape));
}

TEST_CASE("the tiles that a causal mask leaves") {
  CHECK(cost::detail::causal_tiles(128, 128, 128, 64) == 2);
  CHECK(cost::detail::causal_tiles(256, 256, 128, 64) == 6);  // 2 + 4 of 8
  CHECK(cost::detail::causal_tiles(256, 256, 64, 128) == 6);  // 1 + 1 + 2 + 2
  CHECK(cost::detail::causal_tiles(1, 1000, 128, 64) == 16);  // decode: all keys
  CHECK(rc::check([] {
    const std::int64_t queries = *rc::gen::inRange<std::int64_t>(1, 3000);
    const std::int64_t keys = *rc::gen::inRange<std::int64_t>(queries, queries + 3000);
    const std::int64_t query_tile = *rc::gen::element<std::int64_t>(64, 128, 192);
    const std::int64_t key_tile = *rc::gen::element<std::int64_t>(32, 64, 80, 128, 176);
    RC_ASSERT(cost::detail::causal_tiles(queries, keys, query_tile, key_tile) ==
              counted_causal_tiles(queries, keys, query_tile, key_tile));
  }));
}

// DeepSeek-V4's compressed keys (inference/model.py): key j of m tokens is seen from token m (j + 1) - 1 on.
TEST_CASE("of fewer keys than queries each query sees those of the tokens before it") {
  CHECK(model::visible_pairs(512, 128, true, 0) == 512 * 129 / 2.0);
  CHECK(model::visible_pairs(512, 512, true, 0) == 512 * 513 / 2.0);
  CHECK(rc::check([] {
    const std::int64_t ratio = *rc::gen::inRange<std::int64_t>(2, 129);
    const std::int64_t keys = *rc::gen::inRange<std::int64_t>(16, 1000);
    const std::int64_t queries = keys * ratio;
    constexpr std::int64_t query_tile = 128;
    constexpr std::int64_t key_tile = 64;
    double counted = 0;
    for (std::int64_t first = 0; first < queries; first += query_tile) {
      const std::int64_t seen = std::min(first + query_tile, queries) / ratio;
      counted += static_cast<double>((seen + key_tile - 1) / key_tile);
    }
    const double tiles = cost::detail::causal_tiles(queries, keys, query_tile, key_tile);
    // Starts of tiles are rounded one by one.
    RC_ASSERT(std::fabs(tiles - counted) <= static_cast<double>(ratio + keys) / key_tile + 2);
  }));
}

TEST_CASE("causal attention over a long sequence costs little more than half") {
  const gpu::Gpu gpu = test::plain_gpu();
  for (const Pass pass : {Pass::forward, Pass::backward}) {
    const double full = time_us(gpu, square(4, 25, 8192, 128, false), pass);
    const double masked = time_us(gpu, square(4, 25, 8192, 128, true), pass);
    CHECK(masked > 0.5 * full);
    CHECK(masked < 0.56 * full);
  }
}

TEST_CASE("one query over a cache is bound by reading the cache") {
  gpu::Gpu gpu = test::plain_gpu();
  for (double& peak : gpu.peak_tflops) peak = 400;
  // 64 sequences x 8 key/value heads x 4096 keys x 256 elements x 2 bytes = 1.07 GB at 800 GB/s.
  const OpCost cost = price_attention(gpu, decode(64, 32, 8, 4096, 128), Pass::forward, DType::bf16);
  CHECK(cost.bound == Bound::memory);
  CHECK(cost.time_us == Approx(64.0 * 8 * 4096 * 256 * 2 / 800e3).epsilon(0.02));
  // Four times the key/value heads, four times the cache.
  CHECK(time_us(gpu, decode(64, 32, 32, 4096, 128)) == Approx(4 * cost.time_us).epsilon(0.02));
}

TEST_CASE("a single long sequence is split over the keys to fill the GPU") {
  const gpu::Gpu gpu = test::plain_gpu();
  // 2 CTAs without the split would read at 2/50 of the bandwidth.
  const double cache_us = 2.0 * 131072 * 256 * 2 / 800e3;
  CHECK(time_us(gpu, decode(1, 8, 2, 131072, 128)) < 1.3 * cache_us);
}

TEST_CASE("MLA decode reads one latent for keys and values") {
  gpu::Gpu gpu = test::plain_gpu();
  gpu::AttentionBucket latent = gpu.attention.buckets.back();
  latent.head_dim = 576;
  latent.value_head_dim = 512;
  latent.decode_only = true;
  gpu.attention.buckets.push_back(latent);
  AttentionShape shape = decode(128, 16, 1, 8192, 576);
  shape.value_head_dim.value = 512;
  const OpCost cost = price_attention(gpu, shape, Pass::forward, DType::bf16);
  CHECK(cost.ideal_us == Approx(128.0 * (8192 * 576 + 16 * (576 + 512)) * 2 / 1000e3));
  CHECK(attention_bucket(gpu, 576, 512).bucket == nullptr);  // not for training
}

TEST_CASE("attention prices: positive, finite, losses multiply, monotone") {
  CHECK(rc::check([] {
    const gpu::Gpu gpu = test::plain_gpu();
    const auto any = [](std::int64_t most) { return *rc::gen::inRange<std::int64_t>(1, most); };
    AttentionShape shape;
    shape.sequences.value = any(65);
    shape.key_value_heads.value = any(17);
    shape.heads.value = shape.key_value_heads.value * any(9);
    shape.query_length.value = *rc::gen::element<std::int64_t>(1, 7, 128, 1000, 4096, 8192);
    shape.key_length.value = shape.query_length.value + any(10000) - 1;
    shape.head_dim.value = shape.value_head_dim.value = any(129);
    shape.causal = *rc::gen::arbitrary<bool>();
    const Pass pass = *rc::gen::element(Pass::forward, Pass::recompute, Pass::backward);

    const OpCost cost = price_attention(gpu, shape, pass, DType::bf16);
    RC_ASSERT(std::isfinite(cost.time_us) && cost.time_us > 0 && cost.ideal_us > 0);
    const Efficiency& e = cost.efficiency;
    for (const double share : {e.alignment, e.tile, e.wave, e.rest})
      RC_ASSERT(share > 0 && share <= 1 + 1e-12);
    RC_ASSERT(std::abs(e.alignment * e.tile * e.wave * e.rest * cost.time_us - cost.ideal_us) <=
              1e-9 * cost.ideal_us);

    const auto grown = [&](auto change) {
      AttentionShape larger = shape;
      change(larger);
      return time_us(gpu, larger, pass) >= cost.time_us * (1 - 1e-12);
    };
    RC_ASSERT(grown([&](AttentionShape& s) { s.sequences.value += any(5); }));
    RC_ASSERT(grown([&](AttentionShape& s) {
      const std::int64_t group = s.heads.value / s.key_value_heads.value;
      s.key_value_heads.value += 1;
      s.heads.value += group;
    }));
    RC_ASSERT(grown([&](AttentionShape& s) { s.key_length.value += any(500); }));
    RC_ASSERT(grown([&](AttentionShape& s) {
      s.query_length.value += 200;
      s.key_length.value += 200;
    }));
    AttentionShape unmasked = shape;
    unmasked.causal = false;
    RC_ASSERT(cost.time_us <= time_us(gpu, unmasked, pass) * (1 + 1e-12));
  }));
}

TEST_CASE(
    "older versions are slower by what papers state; versions that a GPU does not list run as its newest",
    "[attention]") {
  const gpu::Gpu h100 = *gpu::find_gpu("h100");
  const auto speed = [](const gpu::Gpu& gpu, std::int64_t version, Pass pass) {
    AttentionShape shape = square(2, 32, 16384, 128, false);
    const double newest_us = time_us(gpu, shape, pass);
    shape.kernel_version = version;
    return newest_us / time_us(gpu, shape, pass);
  };
  // arXiv 2407.08608: version 3 is 1.5 to 2 times as fast as version 2 forward, 1.5 to 1.75 times backward
  CHECK(speed(h100, 2, Pass::forward) == Approx(1 / 1.75).epsilon(0.01));
  CHECK(speed(h100, 2, Pass::backward) == Approx(0.62).epsilon(0.02));
  CHECK(speed(h100, 3, Pass::forward) == 1);
  CHECK(speed(h100, 99, Pass::forward) == 1);
  const gpu::Gpu a100 = *gpu::find_gpu("a100");
  CHECK(speed(a100, 2, Pass::forward) == 1);
  // arXiv 2307.08691: about twice as fast as version 1
  CHECK(speed(a100, 1, Pass::forward) == Approx(0.55).epsilon(0.01));
}

TEST_CASE("cuDNN's kernels pad heads to 64, 128, 192 and 256", "[attention]") {
  const gpu::Gpu h200 = *gpu::find_gpu("h200");
  const auto measured_shape = [](std::int64_t heads, std::int64_t head_dim) {
    AttentionShape shape = square(2, heads, 4096, head_dim, true);
    shape.library = model::AttentionLibrary::cudnn;
    return shape;
  };
  const auto bucket = [&](std::int64_t head_dim) {
    return attention_bucket(h200, head_dim, head_dim, false, model::AttentionLibrary::cudnn).head_dim;
  };
  CHECK(bucket(72) == 128);
  CHECK(bucket(136) == 192);
  CHECK(attention_bucket(h200, 72).head_dim == 96);  // FlashAttention-3's
  // measured/h200-sxm-2026-11-26.json: forwards and backwards, us
  CHECK(time_us(h200, measured_shape(32, 128)) == Approx(487).epsilon(0.05));
  CHECK(time_us(h200, measured_shape(42, 96)) == Approx(610).epsilon(0.05));
  CHECK(time_us(h200, measured_shape(32, 128), Pass::backward) == Approx(1602).epsilon(0.08));
  CHECK(time_us(h200, measured_shape(30, 136), Pass::backward) == Approx(3163).epsilon(0.08));
  // Where nobody measured them, and of another library's, the usual kernels count.
  const gpu::Gpu a100 = *gpu::find_gpu("a100");
  CHECK(time_us(a100, measured_shape(32, 128)) == time_us(a100, square(2, 32, 4096, 128, true)));
}
