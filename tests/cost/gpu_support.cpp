// The GPU with round numbers.
#include "tests/cost/gpu_support.hpp"

namespace shapelint::test {

gpu::Gpu plain_gpu() {
  gpu::Gpu gpu;
  gpu.id = "plain";
  gpu.sm_count = 100;
  for (double& peak : gpu.peak_tflops) peak = 100;
  gpu.peak_fp32_cuda_tflops = 10;
  gpu.dram_bandwidth_gb_s = 1000;
  gpu.l2_size_mib = 10;
  gpu.l2_bandwidth_gb_s = 4000;
  gpu.link_gb_s = 100;
  gpu.network_gb_s = 10;
  for (gpu::GemmCalibration& each : gpu.calibration.gemm) each.constants.launch_us = 3;
  gpu.attention.name = "plain attention";
  for (const std::int64_t head_dim : {64, 128}) {
    gpu::AttentionBucket bucket;
    bucket.head_dim = bucket.value_head_dim = head_dim;
    bucket.query_tile = 128;
    bucket.key_tile = 64;
    bucket.backward_query_tile = 64;
    bucket.backward_key_tile = 128;
    bucket.forward_efficiency = 0.5;
    bucket.backward_efficiency = 0.4;
    gpu.attention.buckets.push_back(bucket);
  }
  gpu.attention.wave_softness = 0;
  return gpu;
}

}  // namespace shapelint::test
