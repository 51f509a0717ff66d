// Fixes that their framework takes, and that leave the run as it was.
#include "tests/lint/first_fix.hpp"

#include <string>

#include "tests/catch.hpp"
#include "tests/cli/run_support.hpp"

using namespace shapelint;
using tests::first_fix;
using tests::how_of_first;

namespace {

// EleutherAI/gpt-neox, configs/pythia/1B.yml.
std::string pythia(const std::string& more) {
  return "{\n  \"pipe_parallel_size\": 1, \"model_parallel_size\": 1, \"num_layers\": 16,\n"
         "  \"hidden_size\": 2048, \"num_attention_heads\": 8, \"seq_length\": 2048,\n"
         "  \"max_position_embeddings\": 2048, \"pos_emb\": \"rotary\", \"no_weight_tying\": true,\n"
         "  \"train_micro_batch_size_per_gpu\": 4, \"fp16\": {\"enabled\": true}" +
         more + "\n}\n";
}

// deepspeedai/Megatron-DeepSpeed, examples_deepspeed.
std::string megatron_deepspeed(const std::string& more) {
  return "deepspeed --num_nodes 8 --num_gpus 8 pretrain_gpt.py --num-layers 24 --hidden-size 2048 "
         "--num-attention-heads 16 --seq-length 8192 --max-position-embeddings 8192 --micro-batch-size 1 "
         "--global-batch-size 256 --train-iters 100 --lr 1e-4 --vocab-size 50304 --bf16 --deepspeed "
         "--deepspeed_config ds_config.json --zero-stage 1 " +
         more + "\n";
}

// axolotl-ai-cloud/axolotl, examples/llama-3/qlora-fsdp-70b.yaml.
const std::string qlora_70b =
    "base_model: meta-llama/Llama-3.1-70B\nload_in_4bit: true\nadapter: qlora\nlora_r: 8\n"
    "lora_target_linear: true\ndatasets: [{path: a, type: alpaca}]\nsequence_len: 512\n"
    "gradient_accumulation_steps: 4\nmicro_batch_size: 1\nbf16: auto\n"
    "attn_implementation: flash_attention_2\ngradient_checkpointing: true\n"
    "fsdp_config:\n  offload_params: true\n  reshard_after_forward: true\n";

}  // namespace

TEST_CASE("a fused kernel is the newest that the framework calls", "[lint]") {
  CHECK(first_fix("1B.yml", pythia(""), "SL604") ==
        "attention unfused → flash2: attention_config: [[[\"flash\"], 16]], by hand");
  CHECK(first_fix("1B.yml", pythia(", \"attention_config\": [[[\"flash\"], 16]]"), "SL608") == "nothing");
  CHECK(first_fix("pretrain.sh", megatron_deepspeed(""), "SL604") ==
        "attention unfused → flash2: --use-flash-attn-v2, by hand");
  CHECK(first_fix("pretrain.sh", megatron_deepspeed("--pp-partition-method 'type:transformer'"), "SL604") ==
        "nothing");
  // DeepSpeedExamples, Megatron-LM-v1.1.5-3D_parallelism, whose argument it is.
  CHECK(first_fix("pretrain.sh", megatron_deepspeed("--gas 8"), "SL604") == "nothing");
}

// DeepSeek-V3's widths: 192 of queries and keys, 128 of values.
TEST_CASE("latent attention is fused by a kernel that takes its widths", "[lint]") {
  const std::string latent =
      "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 12 --hidden-size 2048 --num-attention-heads "
      "16 "
      "--seq-length 4096 --max-position-embeddings 4096 --micro-batch-size 1 --global-batch-size 64 "
      "--train-iters 100 --lr 1e-4 --vocab-size 129280 --bf16 --multi-latent-attention --kv-lora-rank 512 "
      "--qk-head-dim 128 --qk-pos-emb-head-dim 64 --v-head-dim 128 --attention-backend unfused\n";
  CHECK(first_fix("pretrain.sh", latent, "SL604", "a100") ==
        "attention unfused → flash: --attention-backend fused, unsafe");
}

// src/maxtext/layers/attention_op.py: `Decode not supported with flash attention. Use dot_product instead.`
TEST_CASE("MaxText's inference keeps the attention that decodes", "[lint]") {
  const auto with_base = [](const std::string& base) {
    return first_fix(
        "llama2.yml",
        "base_config: \"" + base +
            "\"\nbase_emb_dim: 4096\nbase_num_query_heads: 32\nbase_num_kv_heads: 32\n"
            "base_mlp_dim: 11008\nbase_num_decoder_layers: 32\nhead_dim: 128\nvocab_size: 32000\n"
            "attention: dot_product\nper_device_batch_size: 2\nmax_target_length: 2048\n",
        "SL604");
  };
  CHECK(with_base("base.yml").starts_with("attention unfused → flash: "));
  CHECK(with_base("inference/inference_jetstream.yml") == "nothing");
}

// meta-llama/Llama-3.1-405B: 126 layers, the embedding and the head as two more (arXiv 2407.21783,
// section 3.3.2).
TEST_CASE("a fix of stages needs no price of a step", "[lint]") {
  const std::string preset =
      "extends:\n  - llama3_base.yaml\nffn_hidden_size: 53248\nhidden_size: 16384\nnum_attention_heads: 128\n"
      "num_layers: 126\nnum_query_groups: 8\nmicro_batch_size: 1\nglobal_batch_size: 256\nseq_length: 8192\n"
      "tensor_model_parallel_size: 8\npipeline_model_parallel_size: 8\n";
  const auto files = tests::with({{"llama3.1_405B.yaml", preset}});
  const std::string out = tests::run({"llama3.1_405B.yaml", "--gpu", "h100"}, files).out;
  CHECK(out.find("SL451") != std::string::npos);
  CHECK(out.find("fix: account_for_embedding_in_pipeline_split and\n") != std::string::npos);
}

TEST_CASE("a server on fewer GPUs is another server", "[lint]") {
  CHECK(first_fix("serve.sh", "vllm serve meta-llama/Llama-3.1-8B-Instruct --tensor-parallel-size 2\n",
                  "SL502", "a100") == "tensor 2 → 1: --tensor-parallel-size 1, unsafe");
}

TEST_CASE("weights of four bits are not sharded by tensor parallelism", "[lint]") {
  const std::string long_70b =
      "base_model: meta-llama/Llama-3.1-70B\nload_in_4bit: true\nadapter: qlora\nlora_r: 32\n"
      "lora_target_linear: true\ndatasets: [{path: a, type: alpaca}]\nsequence_len: 32768\n"
      "sample_packing: true\nmicro_batch_size: 1\nbf16: auto\nattn_implementation: flash_attention_2\n";
  CHECK(first_fix("qlora.yaml", long_70b, "SL510", "a100").find("tensor") == std::string::npos);
}

TEST_CASE("weights that the GPU can hold are not copied from the host", "[lint]") {
  const std::string first = first_fix("qlora.yaml", qlora_70b, "SL504");
  CHECK(first.starts_with("offload_optimizer 100 → 0, offload_gradients true → false, offload_weights true"));
  CHECK(first.ends_with(", by hand"));
  // One key stands for all three.
  CHECK(how_of_first("qlora.yaml", qlora_70b, "SL504") == "turn off `offload_params`");
  CHECK(first_fix("qlora.yaml", qlora_70b, "SL501") == "nothing");
}
