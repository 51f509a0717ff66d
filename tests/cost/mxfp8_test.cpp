// What MXFP8 costs beyond products and passes with one scale for each operand.
#include "cost/engines/kernels.hpp"
#include "cost/step.hpp"
#include "gpu/registry.hpp"
#include "tests/catch.hpp"

using namespace shapelint;

namespace {

model::Op product(Recipe recipe) {
  model::Op op;
  op.kind = model::OpKind::gemm;
  op.dtype = DType::fp8;
  op.recipe = recipe;
  op.m.value = op.n.value = op.k.value = 8192;
  return op;
}

}  // namespace

TEST_CASE("a scale for every 32 elements slows products where nobody timed them", "[cost]") {
  struct Row {
    const char* gpu;
    double tensor_us;
    double mxfp8_us;
  };
  constexpr Row rows[] = {{"b200", 437.2, 487.1}, {"gb200", 426.3, 475.0}, {"gb300", 369.8, 418.2}};
  for (const Row& row : rows) {
    INFO(row.gpu);
    const auto gpu = gpu::find_gpu(row.gpu);
    REQUIRE(gpu);
    CHECK(cost::price(*gpu, product(Recipe::tensor)).time_us == Approx(row.tensor_us).epsilon(1e-3));
    const cost::OpCost slowed = cost::price(*gpu, product(Recipe::mxfp8));
    CHECK(slowed.time_us == Approx(row.mxfp8_us).epsilon(1e-3));
    CHECK(slowed.compute_us > cost::price(*gpu, product(Recipe::tensor)).compute_us);
  }
}

TEST_CASE("passes to MXFP8 reach 0.58 of DRAM's bandwidth at most", "[cost]") {
  const auto gpu = gpu::find_gpu("b200");
  REQUIRE(gpu);
  model::Op op;
  op.kind = model::OpKind::elementwise;
  op.dtype = DType::fp8;
  op.recipe = Recipe::mxfp8;
  op.quantizes = true;
  op.bytes = 7.7e9;  // of 7700 GB/s: 1 ms
  CHECK(cost::price_quantizing(*gpu, op)->memory_us == Approx(1000 / 0.58));
  op.recipe = Recipe::row;
  CHECK(cost::price_quantizing(*gpu, op)->memory_us == Approx(1581.69).epsilon(1e-4));
}
