// How many matrix products are predicted in a second on one core. The bar is 2 million.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "cost/kernels/gemm.hpp"
#include "gpu/registry.hpp"

namespace {

using namespace shapelint;

// Products as training and inference have them: a grid of widths, and rows from 1 to 32768 with odd ones.
std::vector<cost::GemmShape> shapes(DType dtype) {
  std::vector<cost::GemmShape> all;
  for (const std::int64_t m : {1, 7, 16, 33, 64, 128, 129, 512, 1000, 2048, 4097, 8192, 32768}) {
    for (const std::int64_t n : {64, 512, 1024, 4096, 11008, 50257, 65536}) {
      for (const std::int64_t k : {64, 512, 1024, 4096, 5461, 16384}) {
        all.push_back({1, m, n, k, dtype, model::Layout::tn});
      }
    }
  }
  return all;
}

void predict(benchmark::State& state, const char* gpu_name, DType dtype) {
  const auto gpu = gpu::find_gpu(gpu_name);
  const cost::GemmModel model = cost::gemm_model(*gpu, dtype);
  const std::vector<cost::GemmShape> all = shapes(dtype);
  for (auto _ : state) {
    for (const cost::GemmShape& shape : all) benchmark::DoNotOptimize(predict_gemm(model, shape));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(all.size()));
}

void prepare(benchmark::State& state, const char* gpu_name) {
  const auto gpu = gpu::find_gpu(gpu_name);
  for (auto _ : state) benchmark::DoNotOptimize(cost::gemm_model(*gpu, DType::bf16));
}

}  // namespace

BENCHMARK_CAPTURE(predict, a100_bf16, "a100", DType::bf16);
BENCHMARK_CAPTURE(predict, h100_bf16, "h100", DType::bf16);
BENCHMARK_CAPTURE(predict, h100_fp8, "h100", DType::fp8);
BENCHMARK_CAPTURE(predict, b200_bf16, "b200", DType::bf16);
BENCHMARK_CAPTURE(predict, l40s_bf16, "l40s", DType::bf16);
BENCHMARK_CAPTURE(prepare, h100, "h100");
BENCHMARK_MAIN();
