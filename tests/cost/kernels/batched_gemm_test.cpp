// Products in a batch where a library has kernels of their own for them.
#include "cost/kernels/gemm.hpp"
#include "gpu/registry.hpp"
#include "tests/catch.hpp"

using namespace shapelint;

TEST_CASE("products in a batch run at batch_speed, single ones as before", "[gemm]") {
  gpu::Gpu gpu = *gpu::find_gpu("mi300x");
  auto& constants = gpu.calibration.gemm[static_cast<std::size_t>(gpu::ConstantSet::row)].constants;
  const auto time_us = [&](std::int64_t batch) {
    const cost::GemmShape shape{
        .batch = batch, .m = 4096, .n = 1280, .k = 8192, .dtype = DType::fp8, .recipe = Recipe::row};
    return cost::predict_gemm(gpu, shape, cost::Timing::as_measured).time_us;
  };
  // aiter's tuned table of batched products in fp8 by rows: 1490 us (a8w8_tuned_batched_gemm.csv, e404860)
  CHECK(constants.batch_speed == 0.59);
  CHECK(time_us(16) == Approx(1490).epsilon(0.15));
  const double one_us = time_us(1);
  const double launch_us = constants.launch_us;
  const double slow_us = time_us(16) - launch_us;
  constants.batch_speed = 1;
  CHECK(time_us(1) == one_us);
  CHECK(time_us(16) - launch_us == Approx(0.59 * slow_us).epsilon(0.02));
}
