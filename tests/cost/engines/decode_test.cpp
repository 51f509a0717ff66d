// Attention of one token over a cache, as engines run it.
#include "cost/engines/kernels.hpp"
#include "gpu/registry.hpp"
#include "tests/catch.hpp"

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
