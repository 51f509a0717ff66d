// Time of memory-bound ops: exact small cases, then what must always hold.
#include "cost/kernels/memory.hpp"

#include <rapidcheck.h>

#include "tests/catch.hpp"
#include "tests/cost/gpu_support.hpp"
#include "tests/cost/kernels/number_support.hpp"

using namespace shapelint;
using namespace shapelint::cost;
using tests::any_number;

TEST_CASE("a large buffer streams at the share of DRAM bandwidth that is reached") {
  const gpu::Gpu gpu = test::plain_gpu();
  // 1.6 GB at 800 GB/s: 2000 us, and launch and latency of a few us.
  const OpCost cost = price_elementwise(gpu, 1.6e9, 0);
  CHECK(cost.time_us == Approx(2000 + 3 + 0.7));
  CHECK(cost.ideal_us == Approx(1600));
  CHECK(cost.bound == Bound::memory);
}

TEST_CASE("a measured bandwidth replaces the default share, but never exceeds the data sheet") {
  gpu::Gpu gpu = test::plain_gpu();
  gpu.dram_measured_gb_s = 900;
  CHECK(achieved_dram_bytes_per_us(gpu) == Approx(900e3));
  gpu.dram_measured_gb_s = 1200;
  CHECK(achieved_dram_bytes_per_us(gpu) == Approx(1000e3));
}

TEST_CASE("a small buffer is all launch, and comes from the L2") {
  const gpu::Gpu gpu = test::plain_gpu();
  const OpCost cost = price_elementwise(gpu, 4096, 0);
  CHECK(cost.bound == Bound::overhead);
  CHECK(cost.time_us < 4);
  // 1 MiB in L2 is faster than a GPU without one would be.
  gpu::Gpu without = gpu;
  without.l2_bandwidth_gb_s = 0;
  CHECK(price_elementwise(gpu, 1 << 20, 0).time_us < price_elementwise(without, 1 << 20, 0).time_us);
}

TEST_CASE("arithmetic on CUDA cores can be what takes longest") {
  const OpCost cost = price_elementwise(test::plain_gpu(), 1e8, 1e10);  // 125 us against 1000 us
  CHECK(cost.bound == Bound::compute);
  CHECK(cost.ideal_us == Approx(1000));
}

TEST_CASE("memory-bound prices: positive, finite, growing with bytes, losses multiply to the whole") {
  CHECK(rc::check([] {
    const gpu::Gpu gpu = test::plain_gpu();
    const double bytes = any_number(0);
    const double more = bytes + any_number(1);
    const double flops = any_number(0);
    const OpCost cost = price_elementwise(gpu, bytes, flops);
    RC_ASSERT(std::isfinite(cost.time_us) && cost.time_us > 0);
    RC_ASSERT(cost.efficiency.rest >= 0 && cost.efficiency.rest <= 1);
    RC_ASSERT(std::abs(cost.efficiency.rest * cost.time_us - cost.ideal_us) <= 1e-9 * cost.time_us);
    RC_ASSERT(price_elementwise(gpu, more, flops).time_us >= cost.time_us);
  }));
}

TEST_CASE("a profile that knows nothing still gives a finite time") {
  const gpu::Gpu unknown;
  CHECK(std::isfinite(price_elementwise(unknown, 1e6, 1e6).time_us));
  CHECK(peak_flops_per_us(unknown, DType::fp4) > 0);
}
