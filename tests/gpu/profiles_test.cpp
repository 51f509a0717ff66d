// The catalogue itself: every profile is complete, consistent and has its sources.
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "gpu/registry.hpp"
#include "tests/catch.hpp"

using namespace shapelint;
using namespace shapelint::gpu;

namespace {

std::string folded(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c != '-' && c != '_') out += c;
  }
  return out;
}

}  // namespace

TEST_CASE("every profile and every architecture reads without an error") {
  CHECK(gpu_ids().size() == 92);
  for (const text::Document& document : catalog::builtin("gpus")) {
    std::vector<Error> errors;
    const Gpu gpu = read_gpu(document, errors);
    INFO(document.path());
    for (const Error& error : errors) UNSCOPED_INFO(error.message);
    CHECK(errors.empty());
    CHECK_FALSE(gpu.architecture.tiles.empty());
    CHECK(gpu.dram_bandwidth_gb_s > 0);
    CHECK(gpu.l2_size_mib > 0);
    for (const DType dtype : {DType::fp32, DType::tf32, DType::fp16, DType::bf16}) {
      CHECK(peak_tflops(gpu, dtype) > 0);
    }
  }
  for (const text::Document& document : catalog::builtin("gpus/architectures")) {
    std::vector<Error> errors;
    const Architecture architecture = read_architecture(document, errors);
    INFO(document.path());
    for (const Error& error : errors) UNSCOPED_INFO(error.message);
    CHECK(errors.empty());
    CHECK(architecture.fp32_lanes_per_sm > 0);
  }
}

TEST_CASE("every id and alias names one profile") {
  std::map<std::string, std::string> owners;
  for (const std::string_view id : gpu_ids()) {
    const Gpu gpu = *find_gpu(id);
    CHECK(gpu.id == id);
    std::vector<std::string> names = gpu.aliases;
    names.emplace_back(id);
    for (const std::string& name : names) {
      INFO(name);
      const auto [place, is_new] = owners.emplace(folded(name), gpu.id);
      CHECK(is_new);
      CHECK(find_gpu(name)->id == gpu.id);
    }
  }
}

TEST_CASE("the names that data sets and users have for GPUs are known") {
  for (const char* name : {"a100",
                           "h100",
                           "h200",
                           "b200",
                           "b300",
                           "gb200",
                           "l40s",
                           "l4",
                           "t4",
                           "v100",
                           "p100",
                           "a100-sxm4-80gb",
                           "a100-sxm4-40gb",
                           "a100-pcie-40gb",
                           "rtx-a6000",
                           "rtx-3090",
                           "v100-sxm2-16gb",
                           "v100-pcie-32gb",
                           "p100-pcie",
                           "gtx-1080-ti",
                           "h100-sxm5",
                           "mi250x",
                           "mi300x",
                           "mi325x",
                           "mi350x",
                           "mi355x",
                           "4090",
                           "5090",
                           "3060",
                           "rtx 3080",
                           "RTX A5000",
                           "GeForce RTX 4070 Ti SUPER",
                           "rtx-5070-ti",
                           "rtx 5000 ada",
                           "dgx-spark",
                           "h200-nvl",
                           "mi210"}) {
    INFO(name);
    CHECK(find_gpu(name));
  }
}

TEST_CASE("published peaks are SMs x rate x clock within 3 %") {
  // Published figures that do not fit, and are doubted in their profiles.
  const std::set<std::string> fp32_does_not_fit = {"h20"};
  for (const std::string_view id : gpu_ids()) {
    const Gpu gpu = *find_gpu(id);
    INFO(id);
    const double sms = static_cast<double>(gpu.sm_count);
    if (gpu.fp16_flops_per_clock_per_sm > 0) {
      const double rate = static_cast<double>(gpu.fp16_flops_per_clock_per_sm);
      const double tflops = sms * rate * gpu.tensor_clock_mhz / 1e6;
      CHECK(peak_tflops(gpu, DType::fp16) == Approx(tflops).epsilon(0.03));
    }
    const double lanes = static_cast<double>(gpu.architecture.fp32_lanes_per_sm);
    const double fp32 = sms * lanes * 2 * gpu.boost_clock_mhz / 1e6;
    if (fp32_does_not_fit.count(gpu.id) == 0) {
      CHECK(gpu.peak_fp32_cuda_tflops == Approx(fp32).epsilon(0.03));
    } else {
      CHECK(std::fabs(gpu.peak_fp32_cuda_tflops / fp32 - 1) > 0.03);
    }
    CHECK((gpu.sm_count_full_die == 0 || gpu.sm_count <= gpu.sm_count_full_die));
  }
}

TEST_CASE("rates of other types follow from fp16's") {
  for (const std::string_view id : gpu_ids()) {
    const Gpu gpu = *find_gpu(id);
    INFO(id);
    const double fp16 = peak_tflops(gpu, DType::fp16);
    if (on_tensor_cores(gpu, DType::bf16)) CHECK(peak_tflops(gpu, DType::bf16) == Approx(fp16));
    // 1.5 %, because the L40S rates tf32 and fp8 at a higher clock.
    if (gpu.architecture.array_depth > 0) continue;  // arrays take each type at a rate of its own
    if (on_tensor_cores(gpu, DType::tf32))
      CHECK(peak_tflops(gpu, DType::tf32) == Approx(fp16 / 2).epsilon(0.015));
    if (on_tensor_cores(gpu, DType::fp8))
      CHECK(peak_tflops(gpu, DType::fp8) == Approx(fp16 * 2).epsilon(0.015));
  }
}

TEST_CASE("a tile's stages fit into what a CTA may have of shared memory") {
  for (const text::Document& document : catalog::builtin("gpus/architectures")) {
    std::vector<Error> errors;
    const Architecture architecture = read_architecture(document, errors);
    for (const Tile& tile : architecture.tiles) {
      INFO(architecture.id << " " << tile.m << "x" << tile.n << "x" << tile.k);
      // A pair of CTAs shares the operands of its tile.
      const double kib =
          static_cast<double>(tile.stages * (tile.m + tile.n) * tile.k * 2 / tile.sms) / 1024.0;
      CHECK(kib <= architecture.shared_max_per_block_kib);
      CHECK(kib * static_cast<double>(tile.ctas_per_sm) <= architecture.shared_max_per_sm_kib);
    }
  }
}
