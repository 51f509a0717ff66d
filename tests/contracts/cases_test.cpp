// What people met on a cluster, as the threads that contracts cite tell it: the configuration, and the sum
// that is answered before the cluster is rented.
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "contracts/check.hpp"
#include "formats/read.hpp"
#include "gpu/registry.hpp"
#include "tests/catch.hpp"
#include "text/files.hpp"

using namespace shapelint;

namespace {

struct Case {
  std::string thread;  // where it was met, or the source that says it
  std::string model;
  std::string run;       // `[run]`
  std::string parallel;  // `[parallel]`
  std::string gpu;
  std::string contract;
  std::string sum;  // empty: it is met
};

const std::map<std::string, std::string> models{
    {"qwen3-235b",
     "hidden_size = 4096\nnum_layers = 94\nnum_attention_heads = 64\nnum_key_value_heads = 4\nhead_dim = "
     "128\n"
     "vocab_size = 151936\nmlp_gated = true\n[model.moe]\nnum_experts = 128\nexperts_per_token = 8\n"
     "intermediate_size = 1536\n"},
    {"gpt-oss-120b",
     "hidden_size = 2880\nnum_layers = 36\nnum_attention_heads = 64\nnum_key_value_heads = 8\nhead_dim = 64\n"
     "vocab_size = 201088\nmlp_gated = true\n[model.moe]\nnum_experts = 128\nexperts_per_token = 4\n"
     "intermediate_size = 2880\n"},
    {"glm-4.7",
     "hidden_size = 5120\nnum_layers = 92\nnum_attention_heads = 96\nnum_key_value_heads = 8\nhead_dim = "
     "128\n"
     "intermediate_size = 12288\nvocab_size = 151552\nmlp_gated = true\n[model.moe]\nnum_experts = 160\n"
     "experts_per_token = 8\nintermediate_size = 1536\nfirst_dense_layers = 3\n"},
    {"nemotron-3-nano",
     "hidden_size = 2688\nnum_layers = 52\nnum_attention_heads = 32\nnum_key_value_heads = 2\nhead_dim = "
     "128\n"
     "vocab_size = 131072\n[model.moe]\nnum_experts = 128\nexperts_per_token = 6\nintermediate_size = "
     "1856\n"},
    {"deepseek-v3",
     "hidden_size = 7168\nnum_layers = 61\nnum_attention_heads = 128\nintermediate_size = 18432\n"
     "vocab_size = 129280\nmlp_gated = true\n[model.mla]\nq_lora_rank = 1536\nkv_lora_rank = 512\n"
     "qk_nope_head_dim = 128\nqk_rope_head_dim = 64\nv_head_dim = 128\n[model.moe]\nnum_experts = 256\n"
     "experts_per_token = 8\nintermediate_size = 2048\nfirst_dense_layers = 3\nnum_shared_experts = 1\n"
     "shared_intermediate_size = 2048\n"},
    {"deepseek-v4-pro",
     "hidden_size = 7168\nnum_layers = 61\nnum_attention_heads = 128\nvocab_size = 129280\nmlp_gated = true\n"
     "[model.moe]\nnum_experts = 384\nexperts_per_token = 6\nintermediate_size = 3072\n"
     "num_shared_experts = 1\nshared_intermediate_size = 3072\n"},
    {"step-3.5-flash",
     "hidden_size = 4096\nnum_layers = 45\nnum_attention_heads = 64\nnum_key_value_heads = 8\nhead_dim = "
     "128\n"
     "vocab_size = 128896\nmlp_gated = true\n[model.moe]\nnum_experts = 288\nexperts_per_token = 8\n"
     "intermediate_size = 1280\nnum_shared_experts = 1\nshared_intermediate_size = 1280\n"},
    {"qwen3.8-flash",
     "hidden_size = 2048\nnum_layers = 48\nnum_attention_heads = 32\nnum_key_value_heads = 4\nhead_dim = "
     "128\n"
     "vocab_size = 151936\nmlp_gated = true\n[model.moe]\nnum_experts = 512\nexperts_per_token = 10\n"
     "intermediate_size = 320\n"},
    {"llama-70b",
     "hidden_size = 8192\nnum_layers = 80\nnum_attention_heads = 64\nnum_key_value_heads = 8\n"
     "intermediate_size = 28672\nmlp_gated = true\nvocab_size = 128256\n"},
    {"llama-33b",
     "hidden_size = 6656\nnum_layers = 60\nnum_attention_heads = 52\nintermediate_size = 17920\nmlp_gated = "
     "true\n"
     "vocab_size = 32000\n"},
    {"qwen1.5-32b",
     "hidden_size = 5120\nnum_layers = 64\nnum_attention_heads = 40\nnum_key_value_heads = 8\n"
     "intermediate_size = 27392\nmlp_gated = true\nvocab_size = 152064\n"},
    {"llama-2-13b",
     "hidden_size = 5120\nnum_layers = 40\nnum_attention_heads = 40\nintermediate_size = 13824\nmlp_gated = "
     "true\n"
     "vocab_size = 32000\n"},
    {"gpt2-xl",
     "hidden_size = 1600\nnum_layers = 48\nnum_attention_heads = 25\nintermediate_size = 6400\nvocab_size = "
     "50257\n"},
    {"phi-3-medium",
     "hidden_size = 5120\nnum_layers = 40\nnum_attention_heads = 40\nnum_key_value_heads = 10\n"
     "intermediate_size = 17920\nmlp_gated = true\nvocab_size = 32064\n"},
    {"qwen2-72b",
     "hidden_size = 8192\nnum_layers = 80\nnum_attention_heads = 64\nnum_key_value_heads = 8\n"
     "intermediate_size = 29568\nmlp_gated = true\nvocab_size = 152064\n"},
    {"qwen2.5-7b",
     "hidden_size = 3584\nnum_layers = 28\nnum_attention_heads = 28\nnum_key_value_heads = 4\n"
     "intermediate_size = 18944\nmlp_gated = true\nvocab_size = 152064\n"},
    {"heads-160",
     "hidden_size = 5120\nnum_layers = 32\nnum_attention_heads = 32\nhead_dim = 160\nintermediate_size = "
     "20480\n"
     "vocab_size = 50304\n"},
    {"heads-192",
     "hidden_size = 6144\nnum_layers = 32\nnum_attention_heads = 32\nhead_dim = 192\nintermediate_size = "
     "20480\n"
     "vocab_size = 50304\n"},
    {"heads-512",
     "hidden_size = 4096\nnum_layers = 24\nnum_attention_heads = 8\nhead_dim = 512\nintermediate_size = "
     "16384\n"
     "vocab_size = 50304\n"},
    {"width-11000",
     "hidden_size = 4096\nnum_layers = 32\nnum_attention_heads = 32\nintermediate_size = 11000\nmlp_gated = "
     "true\n"
     "vocab_size = 32000\n"},
};

const std::string decode = "mode = \"decode\"\nmicro_batch_size = 16\ncontext_length = 4096\n";
const std::string prefill = "mode = \"prefill\"\nsequence_length = 4096\n";
const std::string train = "micro_batch_size = 1\nsequence_length = 4096\n";
const std::string block = "dtype = \"fp8\"\nrecipe = \"block128\"\n";
const std::string awq = "weight_bits = 4\nweight_group_size = 128\n";
const std::string nvfp4_weights = "weight_bits = 4\nweight_group_size = 16\n";
const std::string mxfp4_weights = "weight_bits = 4\nweight_group_size = 32\n";

const std::vector<Case> cases{
    {"vllm#17569", "qwen3-235b", decode + block, "tensor = 8", "h100", "vllm/block-fp8-experts",
     "1536 / 8 = 192"},
    {"vllm#17569", "qwen3-235b", decode + block, "tensor = 4", "h100", "vllm/block-fp8-experts", ""},
    {"vllm#17569", "qwen3-235b", decode + block, "tensor = 8\nexpert = 8", "h100", "vllm/block-fp8-experts",
     ""},
    {"ATOM#442", "qwen3-235b", decode + block, "tensor = 8", "mi300x", "vllm/block-fp8-experts",
     "1536 / 8 = 192"},
    {"vllm#54178", "qwen3.8-flash", decode + block, "tensor = 8", "l40s", "vllm/block-fp8-experts",
     "320 / 8 = 40"},
    {"vllm#54178", "qwen3.8-flash", decode + block, "tensor = 2", "l40s", "vllm/block-fp8-experts",
     "320 / 2 = 160"},
    {"vllm#54178", "qwen3.8-flash", decode + block, "tensor = 4", "l40s", "vllm/block-fp8-experts",
     "320 / 4 = 80"},
    {"vllm#12256", "deepseek-v3", decode + block, "tensor = 32", "h100", "vllm/block-fp8-mlp",
     "18432 / 32 = 576"},
    {"vllm#12256", "deepseek-v3", decode + block, "tensor = 16", "h100", "vllm/block-fp8-mlp", ""},
    {"vllm#42384", "deepseek-v4-pro", decode + block, "tensor = 16\nexpert = 16", "h100",
     "vllm/block-fp8-shared-experts", "3072 / 16 = 192"},
    {"vllm#42384", "deepseek-v4-pro", decode + block, "tensor = 8\nexpert = 8", "h100",
     "vllm/block-fp8-shared-experts", ""},
    {"vllm#52915", "deepseek-v3", decode + block, "tensor = 32\nexpert = 32", "h100",
     "vllm/block-fp8-shared-experts", "2048 / 32 = 64"},
    {"vllm#49949", "nemotron-3-nano", decode + nvfp4_weights, "tensor = 8", "h100",
     "vllm/nvfp4-groups-of-experts", "1856 / 8 = 232"},
    {"vllm#49949", "nemotron-3-nano", decode + nvfp4_weights, "tensor = 4", "h100",
     "vllm/nvfp4-groups-of-experts", ""},
    {"vllm#49949", "nemotron-3-nano", decode + nvfp4_weights, "tensor = 8\nexpert = 8", "h100",
     "vllm/nvfp4-groups-of-experts", "-"},
    {"vllm#31474", "glm-4.7", decode, "tensor = 6", "h20", "vllm/vocabulary-over-tensor",
     "ceil_to(151552, 64) / 6 = 25258.67"},
    {"vllm#31474", "glm-4.7", decode, "tensor = 6", "h20", "vllm/heads-over-tensor", ""},
    {"vllm#31474", "glm-4.7", decode, "tensor = 6", "h20", "vllm/key-value-heads-over-tensor",
     "8 / 6 = 1.33"},
    {"vllm#414", "llama-33b", decode, "tensor = 3", "v100-sxm2-32gb", "vllm/heads-over-tensor",
     "52 / 3 = 17.33"},
    {"vllm#2652", "llama-33b", decode, "tensor = 8", "a100", "vllm/heads-over-tensor", "52 / 8 = 6.50"},
    {"vllm#596", "llama-2-13b", decode, "tensor = 3", "rtx-3090", "vllm/heads-over-tensor", "40 / 3 = 13.33"},
    {"vllm#4232", "qwen1.5-32b", decode, "tensor = 6", "t4", "vllm/heads-over-tensor", "40 / 6 = 6.67"},
    {"vllm#11147", "llama-70b", decode, "tensor = 6", "rtx-a6000", "vllm/heads-over-tensor",
     "64 / 6 = 10.67"},
    {"vllm#11797", "llama-70b", decode, "tensor = 7", "h100", "vllm/heads-over-tensor", "64 / 7 = 9.14"},
    {"vllm#11797", "llama-70b", decode, "pipeline = 7", "h100", "vllm/heads-over-tensor", "-"},
    {"vllm#1705", "gpt2-xl", decode, "tensor = 2", "a100", "vllm/heads-over-tensor", "25 / 2 = 12.50"},
    {"vllm#1705", "gpt2-xl", decode, "tensor = 5", "a100", "vllm/vocabulary-over-tensor",
     "ceil_to(50257, 64) / 5 = 10060.80"},
    {"vllm#5951", "phi-3-medium", decode, "tensor = 4", "a100", "vllm/key-value-heads-over-tensor",
     "10 / 4 = 2.50"},
    {"vllm#5951", "phi-3-medium", decode, "tensor = 2", "a100", "vllm/key-value-heads-over-tensor", ""},
    {"vllm#11671", "qwen2-72b", decode + awq, "tensor = 4", "a100", "vllm/marlin-groups", "29568 / 4 = 7392"},
    {"vllm#11671", "qwen2-72b", decode + awq, "tensor = 3", "a100", "vllm/marlin-groups", ""},
    {"vllm#17604", "qwen3-235b", decode + awq, "tensor = 8", "a100", "vllm/packed-groups-of-experts",
     "1536 / 8 = 192"},
    {"sglang#3345", "deepseek-v3", decode + block, "tensor = 32", "h100", "sglang/block-fp8-mlp",
     "18432 / 32 = 576"},
    {"sglang#4791", "deepseek-v3", prefill + block, "tensor = 32", "h20", "sglang/block-fp8-mlp",
     "18432 / 32 = 576"},
    {"sglang#26107", "step-3.5-flash", decode + block, "tensor = 4\nexpert = 4", "h100",
     "sglang/block-fp8-shared-experts", "1280 / 4 = 320"},
    {"DeepEP#532", "gpt-oss-120b", decode, "data = 8\nexpert = 8", "h100", "deep-ep/low-latency-hidden",
     "2880"},
    {"DeepEP#593", "gpt-oss-120b", decode, "data = 8\nexpert = 8", "h100", "deep-ep/low-latency-warp",
     "2880 % 512 = 320"},
    {"DeepEP#506", "gpt-oss-120b", prefill, "data = 16\nexpert = 16", "h100",
     "deep-ep/internode-combine-warp", "2880 / 8 % 32 = 8"},
    {"DeepEP#532", "deepseek-v3", decode, "data = 8\nexpert = 8", "h100", "deep-ep/low-latency-hidden", ""},
    {"DeepEP, launch.cuh", "qwen3-235b", prefill, "data = 6\nexpert = 6", "h100", "deep-ep/intranode-ranks",
     "6"},
    {"DeepEP, intranode.cu", "qwen3-235b", prefill, "data = 24\nexpert = 24", "h100",
     "deep-ep/intranode-experts", "128 / 24 = 5.33"},
    {"vllm#48624", "gpt-oss-120b", decode + mxfp4_weights, "tensor = 4", "h100",
     "flashinfer/cutlass-mxfp4-experts", "2880 / 4 = 720"},
    {"vllm#46880", "qwen3-235b", decode + block, "tensor = 8", "b200-sxm",
     "flashinfer/trtllm-block-fp8-experts", "1536 / 8 = 192"},
    {"DeepSpeed#4674", "qwen2.5-7b", train, "context = 8", "a100", "deepspeed/ulysses-heads",
     "28 / 8 = 3.50"},
    {"verl#1226", "phi-3-medium", train, "context = 4", "a100", "deepspeed/ulysses-key-value-heads",
     "10 / 4 = 2.50"},
    {"pytorch#108308", "width-11000", train + "dtype = \"fp8\"\n", "tensor = 2", "h100",
     "transformer-engine/fp8-rows", "11000 / 2 = 5500"},
    {"torchtitan#1207", "qwen3-235b", train + "dtype = \"fp8\"\n", "tensor = 2", "h100",
     "torchao/float8-narrow", "4 * 128 / 2 = 256"},
    {"flash-attention 4", "heads-160", train, "tensor = 1", "b200-sxm", "flash-attn-4/blackwell-head-dim",
     "160"},
    {"flash-attention 4", "heads-192", train, "tensor = 1", "b200-sxm", "flash-attn-4/blackwell-head-dim",
     "192"},
    {"flash-attention 4", "heads-192", train, "tensor = 1", "h100", "flash-attn-4/hopper-head-dim", ""},
    {"flash-attention 2", "heads-512", train + "attention = \"flash2\"\n", "tensor = 1", "a100",
     "flash-attn/head-dim", "512"},
    {"Megatron-LM", "qwen3-235b", train + "dtype = \"fp4\"\n", "tensor = 1", "b200-sxm",
     "megatron-core/nvfp4-token-groups", "256"},
    {"torchtitan, nvfp4.md", "qwen2-72b", train + "dtype = \"fp4\"\n", "tensor = 2", "b200-sxm",
     "torchtitan/nvfp4-rows-of-a-rank", "29568 / 2 = 14784"},
};

}  // namespace

TEST_CASE("what people met on a cluster is told of their configuration", "[contracts]") {
  contracts::Checker checker(contracts::builtin_contracts());
  const text::MemoryFileSystem files;
  std::size_t answered = 0;
  for (const Case& each : cases) {
    const std::string config =
        fmt::format("[model]\n{}[run]\n{}[parallel]\n{}\n", models.at(each.model), each.run, each.parallel);
    INFO(each.thread << ": " << each.contract << " on " << each.gpu << '\n' << config);
    const formats::ReadResult file = formats::read(files, formats::parse("model.toml", config, true));
    REQUIRE(file.readings.size() == 1);
    const model::Reading& reading = file.readings.front();
    const auto gpu = gpu::find_gpu(each.gpu);
    REQUIRE(gpu);
    std::string answer = "-";  // it does not bind
    for (const contracts::Verdict& verdict : checker.check(reading, reading.setup, *gpu)) {
      if (verdict.contract->id == each.contract) answer = verdict.meets ? "" : verdict.numbers;
    }
    CHECK(answer == each.sum);
    ++answered;
  }
  CHECK(answered >= 50);
}
