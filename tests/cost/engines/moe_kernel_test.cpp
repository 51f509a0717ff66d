// The experts of one rank as tables time them: what other ranks' choices cost, what L2 keeps, tiles.
#include "cost/engines/kernels.hpp"
#include "gpu/engines.hpp"
#include "gpu/registry.hpp"
#include "tests/catch.hpp"

using namespace shapelint;

TEST_CASE("what other ranks' choices cost", "[cost]") {
  const auto gpu = gpu::find_gpu("a100");
  REQUIRE(gpu);
  cost::ExpertLayer layer;  // DeepSeek-V3's width: 8 of 256 experts
  layer.tokens = 8192;
  layer.hidden = 7168;
  layer.intermediate = 2048;
  layer.top_k = 8;
  layer.experts = 256;
  gpu::MoeKernel kernel;
  const auto price = [&](double ranks, double skew) {
    layer.expert = ranks;
    return cost::price_moe_kernel(*gpu, kernel, layer, cost::expert_loads(layer, skew), 2);
  };
  const cost::OpCost own = price(8, 0);
  CHECK(own.compute_us == Approx(price(1, 0).compute_us / 8).epsilon(0.05));
  // Dealt out in turn, each token reaches all of 8 ranks with one choice of 8; of 16 ranks half see it.
  kernel.computes_absent = true;
  CHECK(price(8, 0).compute_us == Approx(price(1, 0).compute_us).epsilon(0.05));
  CHECK(price(16, 0).compute_us == Approx(price(8, 0).compute_us / 2).epsilon(0.05));
  CHECK(price(8, 1.2).compute_us <= price(1, 1.2).compute_us * 1.05);
  kernel.computes_absent = false;
  // Of few experts only, of which then no rows are passed over.
  kernel.computes_absent_up_to = 8;
  CHECK(price(8, 0).compute_us == own.compute_us);
  layer.experts = 8;
  layer.top_k = 2;
  for (const double ranks : {2.0, 4.0, 8.0}) {
    CAPTURE(ranks);
    CHECK(price(ranks, 0).compute_us == Approx(2 * price(1, 0).compute_us / ranks).epsilon(0.05));
  }
  const cost::OpCost computed = price(8, 0);
  kernel.passes_absent = true;
  CHECK(price(8, 0).memory_us == computed.memory_us);
  layer.experts = 256;
  layer.top_k = 8;
  // Passed over only: no arithmetic, but the rows of all choices move.
  kernel.passes_absent = true;
  CHECK(price(8, 0).compute_us == own.compute_us);
  CHECK(price(8, 0).memory_us > 1.5 * own.memory_us);
  CHECK(price(1, 0).time_us >= price(8, 0).time_us);
}

TEST_CASE("weights that just fit into L2 leave it at once where it is in one part", "[cost]") {
  const auto gpu = gpu::find_gpu("l40s");  // 96 MiB
  REQUIRE(gpu);
  cost::ExpertLayer layer;
  layer.tokens = 8;
  layer.hidden = 4096;
  layer.experts = 8;
  layer.top_k = 1;
  gpu::MoeKernel kernel;
  kernel.dram_share = 1;
  kernel.resident_share = 1;
  kernel.resident_rate = 1;
  const auto us_per_width = [&](double width, double sharpness) {
    layer.intermediate = width;
    kernel.sharpness = sharpness;
    const auto loads = cost::expert_loads(layer, 0);
    return price_moe_kernel(*gpu, kernel, layer, loads, 2).memory_us / width;
  };
  // Experts of width 512 fill L2.
  CHECK(us_per_width(420, 40) < 0.5 * us_per_width(560, 40));
  CHECK(us_per_width(560, 40) == Approx(us_per_width(2000, 40)).epsilon(0.05));
  CHECK(us_per_width(560, 4) < 0.9 * us_per_width(2000, 4));
}

TEST_CASE("tiles that nothing was searched for hang on the number of tokens", "[cost]") {
  const auto gpu = gpu::find_gpu("l40s");
  REQUIRE(gpu);
  cost::ExpertLayer layer;  // Mixtral's
  layer.hidden = 4096;
  layer.intermediate = 14336;
  layer.top_k = 2;
  layer.experts = 8;
  gpu::MoeKernel kernel;
  kernel.least_tile = 16;
  kernel.most_tile = 64;
  const auto compute_us = [&](double tokens, bool by_tokens) {
    kernel.tiles_by_tokens = by_tokens;
    layer.tokens = tokens;
    return cost::price_moe_kernel(*gpu, kernel, layer, cost::expert_loads(layer, 0), 2).compute_us;
  };
  CHECK(compute_us(8, true) == compute_us(8, false));  // 16 rows, which are searched for first
  CHECK(compute_us(9, true) > 1.5 * compute_us(9, false));
  CHECK(compute_us(4096, true) == compute_us(4096, false));
}
