// Rows of experts, even and skewed, and their price.
#include "cost/kernels/experts.hpp"

#include "gpu/registry.hpp"
#include "tests/catch.hpp"

using namespace shapelint;
using cost::ExpertLayer;
using cost::ExpertLoad;

namespace {

ExpertLayer layer(double tokens, double top_k, double experts, double ranks) {
  ExpertLayer made;
  made.tokens = tokens;
  made.hidden = 4096;
  made.intermediate = 2048;
  made.top_k = top_k;
  made.experts = experts;
  made.expert = ranks;
  return made;
}

double rows(const std::vector<ExpertLoad>& loads) {
  double sum = 0;
  for (const ExpertLoad& load : loads) sum += load.rows * load.experts;
  return sum;
}

double visited(const std::vector<ExpertLoad>& loads) {
  double sum = 0;
  for (const ExpertLoad& load : loads) sum += load.experts;
  return sum;
}

double most(const std::vector<ExpertLoad>& loads) {
  double most = 0;
  for (const ExpertLoad& load : loads) most = std::max(most, load.rows);
  return most;
}

}  // namespace

TEST_CASE("even routing deals rows out in turn", "[experts]") {
  const auto loads = cost::expert_loads(layer(100, 8, 64, 1), 0);  // 800 rows over 64 experts
  REQUIRE(loads.size() == 2);
  CHECK(loads[0].rows == 13);
  CHECK(loads[0].experts == 32);
  CHECK(loads[1].rows == 12);
  CHECK(loads[1].experts == 32);
  // 2 tokens of 8 experts each reach 16 experts, 2 of each rank.
  CHECK(visited(cost::expert_loads(layer(2, 8, 64, 8), 0)) == 2);
  CHECK(rows(cost::expert_loads(layer(2, 8, 64, 8), 0)) == 2);
  // A rank has a row at least: it is the slowest that counts.
  CHECK(rows(cost::expert_loads(layer(1, 2, 64, 64), 0)) == 1);
}

TEST_CASE("skewed routing keeps the rows of all, and loads the slowest rank more", "[experts]") {
  for (const double tokens : {4.0, 64.0, 1000.0, 16384.0}) {
    INFO(tokens);
    const auto all = cost::expert_loads(layer(tokens, 8, 256, 1), 1.2);
    CHECK(rows(all) == tokens * 8);
    CHECK(most(all) <= tokens);
    CHECK(visited(all) <= visited(cost::expert_loads(layer(tokens, 8, 256, 1), 0)));
    const auto slowest = cost::expert_loads(layer(tokens, 8, 256, 8), 1.2);
    CHECK(rows(slowest) >= tokens);
    CHECK(rows(slowest) <= tokens * 8);
    CHECK(visited(slowest) <= 32);
  }
  CHECK(most(cost::expert_loads(layer(16384, 8, 256, 1), 1.2)) >
        8 * most(cost::expert_loads(layer(16384, 8, 256, 1), 0)));
}

TEST_CASE("experts that tokens visit by chance: E (1 - (1 - k/E)^T)", "[experts]") {
  CHECK(cost::visited_experts(layer(16, 8, 128, 1)) == Approx(82.4).margin(0.5));
  CHECK(cost::visited_experts(layer(1, 8, 128, 1)) == Approx(8));
  CHECK(cost::visited_experts(layer(100000, 8, 128, 4)) == Approx(32));
}

TEST_CASE("a GPU without units for the format has no price of its experts", "[experts]") {
  const auto gpu = gpu::find_gpu("a100");
  REQUIRE(gpu);
  ExpertLayer fp8 = layer(64, 8, 64, 1);
  fp8.dtype = DType::fp8;
  CHECK_FALSE(cost::price_experts(*gpu, fp8));
  fp8.dtype = DType::bf16;
  REQUIRE(cost::price_experts(*gpu, fp8));
  // Decoding takes what reading the visited experts takes: 64 experts x 3 x 4096 x 2048 x 2 bytes at 2039
  // GB/s.
  const double read_us = 64 * 3.0 * 4096 * 2048 * 2 / 2039e3;
  CHECK(cost::price_experts(*gpu, fp8)->time_us > read_us);
  CHECK(cost::price_experts(*gpu, fp8)->time_us < 1.6 * read_us);
}
