// Fixes that their framework takes, and that leave the run as it was.
#include "tests/lint/first_fix.hpp"

#include <string>

#include "tests/catch.hpp"

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
}

TEST_CASE("weights that the GPU can hold are not copied from the host", "[lint]") {
  const std::string first = first_fix("qlora.yaml", qlora_70b, "SL504");
  CHECK(first.starts_with("offload_optimizer 100 → 0, offload_gradients true → false, offload_weights true"));
  CHECK(first.ends_with(", by hand"));
  // One key stands for all three.
  CHECK(how_of_first("qlora.yaml", qlora_70b, "SL504") == "turn off `offload_params`");
  CHECK(first_fix("qlora.yaml", qlora_70b, "SL501") == "nothing");
}
