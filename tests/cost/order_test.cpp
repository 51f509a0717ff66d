// GPUs in the order of their data sheets: one with at least another's SMs, peaks, L2 and bandwidth is not
// slower, unless something that is known of the two says why.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "cost/kernels/attention.hpp"
#include "cost/kernels/memory.hpp"
#include "cost/step.hpp"
#include "gpu/registry.hpp"
#include "model/lower/lower.hpp"
#include "tests/catch.hpp"
#include "tests/model/workload_support.hpp"

using namespace shapelint;

namespace {

// Two campaigns differ by as much on one GPU (docs/explanation/accuracy.md), and so do constants of their
// fits.
constexpr double like_times = 1.03;

bool is_at_least(const gpu::Gpu& a, const gpu::Gpu& b) {
  return a.id != b.id && a.vendor == b.vendor && a.sm_count >= b.sm_count && a.l2_size_mib >= b.l2_size_mib &&
         a.dram_bandwidth_gb_s >= b.dram_bandwidth_gb_s &&
         gpu::peak_tflops(a, DType::fp16) >= gpu::peak_tflops(b, DType::fp16) &&
         a.peak_fp32_cuda_tflops >= b.peak_fp32_cuda_tflops;
}

// What a better GPU may be slower by.
bool is_explained(const gpu::Gpu& better, const gpu::Gpu& other, double times) {
  // Nobody timed one of them, or anything of its architecture.
  if (better.calibration.status == "uncalibrated" || other.calibration.status == "uncalibrated") return true;
  // Benchmarks of both drew less from its DRAM, or drew more from the other's where this one is assumed.
  if (times < 1.1 &&
      cost::achieved_dram_bytes_per_us(better) < 1.01 * cost::achieved_dram_bytes_per_us(other))
    return true;
  // FlashAttention-2, whose kernel reads a group's keys once, needs Ampere or later.
  const auto has_flash = [](const gpu::Gpu& gpu) {
    return !cost::attention_kernels(gpu, model::AttentionLibrary::flash_attention).buckets.empty();
  };
  if (!has_flash(better) && has_flash(other)) return true;
  // Timings show that it loses that much more of its clock to the power limit than the other.
  const auto kept = [](const gpu::Gpu& gpu) {
    return 1 - gpu::gemm_calibration(gpu.calibration, DType::fp16).constants.power_drop;
  };
  return times <= like_times * kept(other) / kept(better);
}

struct Step {
  std::string_view name;
  model::Workload workload;
};
Step step(std::string_view name, const std::string& run) {
  // Mistral-7B's config.json.
  return {name, model::lower(tests::model_setup(
                    "hidden_size = 4096\nnum_layers = 32\nnum_attention_heads = 32\nnum_key_value_heads = 8\n"
                    "intermediate_size = 14336\nmlp_gated = true\nvocab_size = 32000\n",
                    "dtype = \"fp16\"\n" + run))};
}

}  // namespace

TEST_CASE("GPUs are in the order of their data sheets", "[cost]") {
  std::vector<gpu::Gpu> gpus;
  for (const std::string_view id : gpu::gpu_ids()) gpus.push_back(*gpu::find_gpu(id));
  const std::array steps{
      step("train", "mode = \"train\"\nsequence_length = 4096\n"),
      step("prefill", "mode = \"prefill\"\nmicro_batch_size = 4\nsequence_length = 2048\n"),
      step("decode one", "mode = \"decode\"\nmicro_batch_size = 1\ncontext_length = 1024\n"),
      step("decode", "mode = \"decode\"\nmicro_batch_size = 64\ncontext_length = 2048\n")};
  std::size_t pairs = 0;
  for (const Step& each : steps) {
    std::vector<double> time_us(gpus.size());
    std::transform(gpus.begin(), gpus.end(), time_us.begin(),
                   [&](const gpu::Gpu& gpu) { return cost::price(gpu, each.workload, DType::fp16).time_us; });
    for (std::size_t a = 0; a < gpus.size(); ++a) {
      for (std::size_t b = 0; b < gpus.size(); ++b) {
        if (!is_at_least(gpus[a], gpus[b])) continue;
        ++pairs;
        const double times = time_us[a] / time_us[b];
        if (times <= like_times) continue;
        INFO(each.name << ": " << gpus[a].id << " takes " << times << " times as long as " << gpus[b].id);
        CHECK(is_explained(gpus[a], gpus[b], times));
      }
    }
  }
  CHECK(pairs > 7000);
}

// A decoding query over the keys of one head is a vector times a matrix: a V100, which has no fused kernel,
// reads all of the cache once for each query head (cuBLAS's gemv), and draws 0.4 to 1 of its 809 GB/s of
// copies (RRZE gpu-benches) for it, not 0.05.
TEST_CASE("decoding attention without a fused kernel is bound by memory", "[cost]") {
  const gpu::Gpu v100 = *gpu::find_gpu("v100-sxm2-16gb");
  const model::Workload workload =
      step("decode", "mode = \"decode\"\nmicro_batch_size = 64\ncontext_length = 2048\n").workload;
  const model::Op* attention = tests::find(workload, "layer.attention.flash");
  REQUIRE(attention != nullptr);
  const cost::OpCost cost = cost::price(v100, *attention);
  const double cache_bytes = 2.0 * 64 * 32 * 2048 * 128 * 2;
  const double min_us = cache_bytes / (809 * 1e3);
  CHECK(cost.bound == cost::Bound::memory);
  CHECK(cost.time_us > min_us);
  CHECK(cost.time_us < 2.5 * min_us);
}

// The V100's constants were fitted to GEMMs of 2304 rows and more alone, where it drew half of its bandwidth.
TEST_CASE("a V100 reads weights for one row as its DRAM allows", "[cost]") {
  for (const char* id : {"v100-sxm2-16gb", "v100-sxm2-32gb", "v100-pcie-16gb", "v100-pcie-32gb"}) {
    cost::GemmShape shape;
    shape.m = 1;
    shape.n = 22016;
    shape.k = 4096;
    shape.dtype = DType::fp16;
    const double bytes = 2.0 * 22016 * 4096;
    INFO(id);
    CHECK(cost::predict_gemm(*gpu::find_gpu(id), shape).time_us < bytes / (0.6 * 900 * 1e3));
  }
}

// flash-linear-attention, issue 32 (July 2024), 4 x 8192 tokens on one H100: RetNet trains at 24,046
// tokens/s, DeltaNet, which normalizes queries and keys by PyTorch's kernels (layers/delta_net.py of
// 5c41df15), at 22,723.
TEST_CASE("a DeltaNet of July 2024 trains slower than a RetNet", "[cost]") {
  const auto tokens_per_s = [](const std::string& model) {
    const model::Setup setup = tests::model_setup(
        "hidden_size = 2048\nnum_layers = 24\nmlp_gated = true\nvocab_size = 32000\n"
        "tie_word_embeddings = false\nlayers_without_attention = 24\n" +
            model,
        "mode = \"train\"\ndtype = \"bf16\"\nmicro_batch_size = 4\nsequence_length = "
        "8192\neager = true\n");
    return cost::price(*gpu::find_gpu("h100-pcie"), model::lower(setup), DType::bf16).tokens_per_s;
  };
  const double retention = tokens_per_s(
      "num_attention_heads = 8\nintermediate_size = 2816\nmixer = { kind = \"retention\", num_key_heads = 8, "
      "num_value_heads = 8, key_head_dim = 256, value_head_dim = 512 }\n");
  const double delta = tokens_per_s(
      "num_attention_heads = 16\nintermediate_size = 5632\nmixer = { kind = \"delta_net\", num_key_heads = "
      "16, "
      "num_value_heads = 16, key_head_dim = 128, value_head_dim = 128, conv_kernel = 4 }\n");
  CHECK(delta < retention);
  CHECK(std::abs(delta / 22723 - 1) < 0.1);
}
