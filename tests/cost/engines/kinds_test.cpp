// Single kernels of engines: what any prediction of them must be, whatever its constants.
#include "cost/engines/kinds.hpp"

#include <map>
#include <set>
#include <string>

#include "cost/engines/kernels.hpp"
#include "gpu/registry.hpp"
#include "tests/catch.hpp"
#include "tests/cost/engines/row_support.hpp"

using namespace shapelint;
using tests::price;
using tests::Sizes;
using tests::with;

namespace {

const Sizes prefilled{{"batch_size", "8"},
                      {"isl", "4096"},
                      {"num_heads", "32"},
                      {"num_key_value_heads", "8"},
                      {"head_dim", "128"}};
const Sizes cached{
    {"batch_size", "64"}, {"isl", "1"},     {"num_heads", "32"},        {"num_key_value_heads", "8"},
    {"head_dim", "128"},  {"step", "8191"}, {"attn_dtype", "bfloat16"}, {"kv_cache_dtype", "bfloat16"}};

}  // namespace

TEST_CASE("kinds have names of their own, and columns too", "[kernels]") {
  std::set<std::string_view> kinds;
  for (const cost::KernelKind& kind : cost::kernel_kinds()) {
    INFO(kind.name);
    CHECK(kinds.insert(kind.name).second);
    CHECK(cost::find_kernel_kind(kind.name) == &kind);
    CHECK_FALSE(kind.summary.empty());
    std::set<std::string_view> columns;
    for (const cost::KernelColumn& column : kind.columns) {
      CHECK(columns.insert(column.name).second);
      CHECK_FALSE(column.meaning.empty());
    }
  }
  CHECK(kinds.size() == 17);
  CHECK(cost::find_kernel_kind("gemm") == nullptr);
}

TEST_CASE("prefill grows with what is computed, and a window makes it less", "[kernels]") {
  for (const char* gpu : {"a100", "h100", "h200", "b200", "l40s", "mi300x", "v100"}) {
    INFO(gpu);
    const double base = price(gpu, "attention-prefill", prefilled);
    CHECK(price(gpu, "attention-prefill", with(prefilled, "isl", "8192")) > 3 * base);
    CHECK(price(gpu, "attention-prefill", with(prefilled, "batch_size", "16")) > 1.6 * base);
    CHECK(price(gpu, "attention-prefill", with(prefilled, "step", "4096")) > 1.8 * base);
  }
  for (const char* gpu : {"a100", "h100", "b200", "l40s"}) {
    INFO(gpu);
    const double base = price(gpu, "attention-prefill", prefilled);
    CHECK(price(gpu, "attention-prefill", with(prefilled, "window_size", "256")) < 0.6 * base);
    CHECK(price(gpu, "attention-prefill", with(prefilled, "window_size", "4096")) ==
          Approx(base).epsilon(0.1));
  }
}

TEST_CASE("decoding a long cache takes the bytes at about DRAM's speed", "[kernels]") {
  // 64 sequences x 8192 keys x 8 heads x 2 x 128 x 2 bytes = 2.15 GB
  const double bytes = 64.0 * 8192 * 8 * 2 * 128 * 2;
  for (const auto& [gpu, gb_s] :
       std::map<const char*, double>{{"h100", 3350}, {"h200", 4800}, {"b200", 7700}}) {
    INFO(gpu);
    const double at_dram_us = bytes / (gb_s * 1e3);
    const double time_us = price(gpu, "attention-decode", cached);
    CHECK(time_us > at_dram_us);
    CHECK(time_us < 1.3 * at_dram_us);
    CHECK(price(gpu, "attention-decode", with(cached, "kv_cache_dtype", "fp8")) < 0.75 * time_us);
  }
}

TEST_CASE("engines differ where their kernels do", "[kernels]") {
  // 48 heads that share keys: TensorRT-LLM packs at most 32 and reads the keys again for each.
  const auto wide = with(with(with(cached, "num_heads", "48"), "num_key_value_heads", "1"), "step", "255");
  const auto one = with(wide, "framework", "trtllm");
  const auto other = with(wide, "framework", "vllm");
  CHECK(price("h100", "attention-decode", with(one, "batch_size", "512")) >
        2 * price("h100", "attention-decode", with(other, "batch_size", "512")));
}

TEST_CASE("kernels that only mask a window compute all keys", "[kernels]") {
  const auto masked = with(with(prefilled, "framework", "sglang"), "kernel_source", "triton");
  const double all_us = price("l40s", "attention-prefill", masked);
  CHECK(price("l40s", "attention-prefill", with(masked, "window_size", "256")) == Approx(all_us));
}

TEST_CASE("AMD's experts are priced by the format of their weights", "[kernels][moe]") {
  const Sizes layer{
      {"tokens", "64"},   {"hidden", "7168"},       {"inter", "512"},         {"topk", "8"},
      {"experts", "256"}, {"q_a", "float8_e4m3fn"}, {"q_w", "float8_e4m3fn"}, {"q_type", "per_1x128"}};
  const double narrow = price("mi355x", "amd-moe", layer);
  const double packed = price("mi355x", "amd-moe", with(layer, "q_w", "float4_e2m1fn_x2"));
  const double four_bits =
      price("mi355x", "amd-moe", with(with(layer, "q_w", "float4_e2m1fn_x2"), "q_a", "float4_e2m1fn_x2"));
  CHECK(packed < 0.75 * narrow);  // weights are most of what moves
  CHECK(four_bits < 0.75 * narrow);
  CHECK(four_bits > 0);
  // Few tokens draw fewer experts than they choose: 13 of 16, of two tokens with 8 of 256 each nearly 16.
  CHECK(price("mi355x", "amd-moe", with(with(layer, "experts", "16"), "tokens", "2")) <
        price("mi355x", "amd-moe", with(layer, "tokens", "2")));
  CHECK(price("mi300x", "amd-moe", with(layer, "q_a", "bfloat16")) > 0);
}

TEST_CASE("a grouped GEMM computes whole tiles of rows, so that few rows take as long as 64",
          "[kernels][moe]") {
  const Sizes layer{{"num_experts", "112"}, {"num_gpus", "1"}, {"topk", "6"},
                    {"hidden", "2048"},     {"inter", "912"},  {"batch_or_seq_per_gpu", "128"}};
  const double few = price("h20", "grouped-gemm", layer);  // 7 rows of each expert
  CHECK(price("h20", "grouped-gemm", with(layer, "batch_or_seq_per_gpu", "512")) ==
        Approx(few).epsilon(0.02));
  CHECK(few == Approx(260).epsilon(0.15));  // us, as measured
  CHECK(price("h20", "grouped-gemm", with(layer, "batch_or_seq_per_gpu", "4096")) > 2.5 * few);
  CHECK(price("h20", "grouped-products", layer) == few);  // the kind's former name
}

TEST_CASE("a kernel for one number of heads is for no other", "[kernels]") {
  const Sizes latent{{"batch_size", "8"},       {"isl", "1"},
                     {"num_heads", "128"},      {"step", "16383"},
                     {"mla_dtype", "bfloat16"}, {"framework", "trtllm"},
                     {"kv_cache_dtype", "fp8"}, {"kernel_source", "default"}};
  const double all = price("rtx-pro-6000-blackwell-server", "mla-decode", latent);
  CHECK(price("rtx-pro-6000-blackwell-server", "mla-decode", with(latent, "num_heads", "64")) > 2 * all);
}

TEST_CASE("what no kernel is known of has no price", "[kernels]") {
  CHECK(price("h100", "attention-decode", with(cached, "attn_dtype", "int3")) == 0);
  CHECK(price("a100", "attention-decode", with(cached, "attn_dtype", "fp8")) == 0);  // no units for it
  CHECK(price("h100", "nccl", {{"op_name", "broadcast"}, {"num_gpus", "8"}, {"message_size", "1024"}}) == 0);
  CHECK(price("h100", "moe",
              {{"num_tokens", "1"},
               {"hidden_size", "64"},
               {"inter_size", "64"},
               {"topk", "1"},
               {"num_experts", "8"},
               {"moe_dtype", "int3"}}) == 0);
}

TEST_CASE("the largest sizes that a table may have are priced at once, or not at all", "[kernels]") {
  const std::string most = "1000000000000";
  for (const cost::KernelKind& kind : cost::kernel_kinds()) {
    INFO(kind.name);
    Sizes row;
    for (const cost::KernelColumn& column : kind.columns) {
      if (column.type == cost::CellType::whole) row[std::string(column.name)] = most;
    }
    price("h100", std::string(kind.name).c_str(), row);
    for (auto& [name, value] : row) value = "1";
    price("h100", std::string(kind.name).c_str(), row);
  }
}

TEST_CASE("a collective of eight GPUs ends at its link's speed", "[kernels]") {
  const Sizes row{
      {"op_name", "all_gather"}, {"num_gpus", "8"}, {"message_size", "268435456"}, {"nccl_dtype", "half"}};
  // 7/8 of 537 MB over 450 GB/s
  const double at_link_us = 7.0 / 8 * 268435456 * 2 / 450e3;
  CHECK(price("h100", "nccl", row) > at_link_us);
  CHECK(price("h100", "nccl", row) < 1.7 * at_link_us);
  CHECK(price("h200", "nccl", row) == Approx(price("h100", "nccl", row)));
}

TEST_CASE("NCCL on A100s ends where its own tuning says", "[kernels]") {
  // 235 of 300 GB/s: NCCL, src/graph/tuning.cc; ml-engineering, network/README.md, measures the same.
  const Sizes row{
      {"op_name", "all_reduce"}, {"num_gpus", "8"}, {"message_size", "2147483648"}, {"nccl_dtype", "half"}};
  const double sent_bytes = 2 * 7.0 / 8 * 2147483648 * 2;
  CHECK(sent_bytes / price("a100", "nccl", row) == Approx(235e3).epsilon(0.06));
}

TEST_CASE("engines leave all-reduces of GPUs without a link to NCCL", "[kernels]") {
  // vLLM, device_communicators/custom_all_reduce.py: more than two GPUs on PCIe; TensorRT-LLM,
  // thop/allreduceOp.cpp, ifFallbackToNCCL: no NVLink.
  for (const char* ranks : {"4", "8"}) {
    const Sizes nccl{{"op_name", "all_reduce"},
                     {"num_gpus", ranks},
                     {"message_size", "1048576"},
                     {"nccl_dtype", "bfloat16"}};
    for (const char* engine : {"vllm", "sglang", "trtllm"}) {
      INFO(engine << ranks);
      const Sizes row{{"num_gpus", ranks},
                      {"message_size", "1048576"},
                      {"allreduce_dtype", "bfloat16"},
                      {"framework", engine}};
      CHECK(price("l40s", "all-reduce", row) == Approx(price("l40s", "nccl", nccl)));
    }
  }
}

TEST_CASE("more GPUs than a bridge joins meet over PCIe", "[kernels]") {
  // An A100 PCIe's bridge joins two (NVIDIA A100 PCIe product brief).
  const Sizes row{{"num_gpus", "4"},
                  {"message_size", "134217728"},
                  {"allreduce_dtype", "bfloat16"},
                  {"framework", "vllm"}};
  const double at_pcie_us = 2 * 3.0 / 4 * 134217728 * 2 / 31.5e3;
  CHECK(price("a100-pcie-80gb", "all-reduce", row) >= at_pcie_us);
  CHECK(price("a100-pcie-80gb", "all-reduce", with(row, "num_gpus", "2")) < at_pcie_us);
}

TEST_CASE("attention on half-rate tensor cores comes as close to their peak as products", "[kernels]") {
  // An L40S adds in fp32 at full rate, an RTX 4090 of the same architecture at half: its peak is 165 TFLOP/s.
  for (const char* engine : {"vllm", "sglang", "trtllm"}) {
    INFO(engine);
    const Sizes row = with(with(prefilled, "framework", engine), "isl", "16384");
    const double pair_flops = 4.0 * 8 * 32 * 128;
    const double flops = pair_flops * 16384.0 * 16385 / 2;
    const auto share = [&](const char* gpu, double peak_tflops) {
      return flops / price(gpu, "attention-prefill", row) / (peak_tflops * 1e6);
    };
    CHECK(share("rtx-4090", 165.2) > 1.3 * share("l40s", 362.05));
    CHECK(share("rtx-4090", 165.2) < 1);
  }
}

TEST_CASE("keys outside of a window cost what leaving them out takes, at most what computing them takes",
          "[cost][engines]") {
  const auto gpu = gpu::find_gpu("rtx-pro-6000-blackwell-server");
  REQUIRE(gpu);
  cost::KernelAttention shape;
  shape.sequences = 4;
  shape.tokens = 8192;
  shape.heads = shape.key_value_heads = 8;
  shape.window = 1024;
  gpu::PrefillKernel kernel;
  kernel.query_tile = kernel.key_tile = 64;
  kernel.efficiency_128 = 0.4;
  const auto time = [&] { return cost::price_prefill(*gpu, kernel, shape).time_us; };
  const double none = time();
  kernel.masked_us = 0.5;
  const double some = time();
  kernel.head_masked_us = 1000;
  const double as_computed = time();
  CHECK(none < some);
  CHECK(some < as_computed);
  kernel.masked_us = kernel.head_masked_us = 0;
  kernel.skips_window = false;
  CHECK(as_computed == Approx(time()).epsilon(1e-9));
  // Half the speed under a window, but not of Llama 4's chunks.
  kernel.skips_window = true;
  kernel.window_share = 0.5;
  CHECK(time() > 1.5 * none);
  shape.window = 8192;
  const double chunk = time();
  kernel.window_share = 1;
  CHECK(time() == chunk);
}

TEST_CASE("a tile of queries whose first keys a window cuts off takes longer", "[cost]") {
  const auto gpu = gpu::find_gpu("h100");
  gpu::PrefillKernel kernel;
  kernel.efficiency_64 = 0.5;
  kernel.query_tile = 64;
  kernel.key_tile = 64;
  cost::KernelAttention shape;
  shape.sequences = 64;
  shape.heads = shape.key_value_heads = 32;
  shape.head_dim = shape.value_head_dim = 64;
  shape.window = 128;
  const auto more_us = [&](double tokens) {
    shape.tokens = tokens;
    kernel.cut_tile_us = 0;
    const double plain_us = cost::price_prefill(*gpu, kernel, shape).time_us;
    kernel.cut_tile_us = 2;
    return cost::price_prefill(*gpu, kernel, shape).time_us - plain_us;
  };
  // Up to the window nothing is cut; of 256 tokens the third tile still begins with the first key.
  CHECK(more_us(128) == 0);
  CHECK(more_us(256) > 0);
  CHECK(more_us(1024) > 6 * more_us(256));
}
