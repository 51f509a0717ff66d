// GPUs by the names that drivers print.
#include "gpu/registry.hpp"

#include <string>
#include <utility>

#include "tests/catch.hpp"

using namespace shapelint;

TEST_CASE("GPUs are found by the names that nvidia-smi and rocm-smi print", "[gpu]") {
  const std::pair<const char*, const char*> printed[] = {
      {"NVIDIA H100 80GB HBM3", "h100-sxm5"},
      {"NVIDIA H100 PCIe", "h100-pcie"},
      {"NVIDIA H100 NVL", "h100-nvl"},
      {"NVIDIA H200", "h200-sxm"},
      {"NVIDIA A100-SXM4-80GB", "a100-sxm4-80gb"},
      {"NVIDIA A100-SXM4-40GB", "a100-sxm4-40gb"},
      {"NVIDIA A100-PCIE-40GB", "a100-pcie-40gb"},
      {"NVIDIA A100 80GB PCIe", "a100-pcie-80gb"},
      {"NVIDIA A10G", "a10g"},
      {"NVIDIA L40S", "l40s"},
      {"NVIDIA B200", "b200-sxm"},
      {"NVIDIA GB200", "gb200"},
      {"NVIDIA GH200 480GB", "gh200-96gb"},
      {"NVIDIA GH200 144G HBM3e", "gh200-144gb"},
      {"NVIDIA GeForce RTX 4090", "rtx-4090"},
      {"NVIDIA GeForce RTX 2080 Ti", "rtx-2080-ti"},
      {"NVIDIA RTX 6000 Ada Generation", "rtx-6000-ada"},
      {"NVIDIA RTX PRO 6000 Blackwell Workstation Edition", "rtx-pro-6000-blackwell"},
      {"NVIDIA RTX PRO 6000 Blackwell Server Edition", "rtx-pro-6000-blackwell-server"},
      {"NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition", "rtx-pro-6000-blackwell-max-q"},
      {"Tesla V100-SXM2-32GB", "v100-sxm2-32gb"},
      {"Tesla V100-SXM2-16GB", "v100-sxm2-16gb"},
      {"Tesla T4", "t4"},
      {"Quadro RTX 8000", "quadro-rtx-8000"},
      {"AMD Instinct MI300X", "mi300x"},
      {"AMD Instinct MI300X OAM", "mi300x"},
      {"AMD Instinct MI325X", "mi325x"},
      {"AMD Instinct MI250X / MI250", "mi250x"},
  };
  for (const auto& [name, id] : printed) {
    CAPTURE(name);
    const auto gpu = gpu::find_gpu(name);
    REQUIRE(gpu);
    CHECK(gpu->id == id);
  }
}

TEST_CASE("a product of another memory or for laptops is another GPU", "[gpu]") {
  for (const char* name : {"NVIDIA A100-SXM-64GB", "NVIDIA GeForce RTX 4090 Laptop GPU", "NVIDIA",
                           "NVIDIA A100-SXM4-80GB MIG 1g.10gb"}) {
    CAPTURE(name);
    CHECK_FALSE(gpu::find_gpu(name));
  }
  CHECK(gpu::without_vendor("h100").empty());
  REQUIRE(gpu::without_vendor("NVIDIA GH200 480GB").size() == 2);
  CHECK(gpu::without_vendor("NVIDIA GH200 480GB")[1].memory_gb == 480.0);
}
