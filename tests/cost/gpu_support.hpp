// Round-number GPUs for tests of the cost model: every expected time can be worked out by hand.
#pragma once

#include "gpu/gpu.hpp"

namespace shapelint::test {

// 100 SMs, 100 TFLOP/s, 1000 GB/s of DRAM (800 reached), 10 MiB of L2 at 4000 GB/s, 100 GB/s links, 3 us to
// launch. Attention kernels: head dims 64 and 128 in tiles of 128 x 64, 50 % of the peak forward, 40 %
// backward.
gpu::Gpu plain_gpu();

}  // namespace shapelint::test
