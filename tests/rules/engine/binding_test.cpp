// What changes of a model may not bring, whatever they save.
#include <algorithm>

#include "rules/engine/constraints.hpp"
#include "tests/catch.hpp"
#include "tests/formats/read_text.hpp"

using namespace shapelint;

namespace {

bool allows(const rules::HardRules& hard, const model::Setup& setup) {
  const auto& all = hard.constraints();
  return std::all_of(all.begin(), all.end(),
                     [&](const suggest::Constraint& each) { return each.holds(setup); });
}

}  // namespace

TEST_CASE("a file is not changed so that it contradicts itself", "[rules]") {
  // Hugging Face, configuration_nemotron_h.py: the pattern must have the same length as num_hidden_layers
  const auto read = tests::read_text("config.json", R"({"model_type": "nemotron_h", "hidden_size": 4096,
 "intermediate_size": 21504, "num_hidden_layers": 8, "num_attention_heads": 32, "num_key_value_heads": 8,
 "vocab_size": 131072, "hybrid_override_pattern": "M-M-M*M-", "mamba_num_heads": 128, "mamba_head_dim": 64,
 "ssm_state_size": 128, "n_groups": 8})");
  REQUIRE(read.readings.size() == 1);
  const model::Reading& reading = read.readings.front();
  const rules::HardRules hard(rules::builtin_rules(), reading);
  model::Setup setup = reading.setup;
  CHECK(allows(hard, setup));
  setup.model.num_layers = 7;
  CHECK_FALSE(allows(hard, setup));
}

namespace {

using Edit = void (*)(model::Setup&);

struct Bound {
  const char* what;
  const char* file;
  const char* text;
  Edit edit;
  bool allowed;
};

void without_pipeline(model::Setup& setup) {
  setup.plan.pipeline = 1;
}
void with_flash(model::Setup& setup) {
  setup.plan.attention = model::Attention::flash;
}
void with_second_flash(model::Setup& setup) {
  setup.plan.attention = model::Attention::flash2;
}
void with_joined_loss(model::Setup& setup) {
  setup.plan.loss = model::Loss::chunked;
}
void with_two_sequences(model::Setup& setup) {
  setup.plan.micro_batch_size = 2;
}
void with_context(model::Setup& setup) {
  setup.plan.context = 2;
}
void with_two_ranks(model::Setup& setup) {
  setup.plan.tensor = 2;
}
void with_half_the_heads(model::Setup& setup) {
  setup.model.num_attention_heads /= 2;
  setup.model.num_key_value_heads /= 2;
  setup.model.head_dim *= 2;
}

// Where each is from, its config format says.
const Bound bounds[] = {
    {"stages that are stated", "sft.sh",
     "NPROC_PER_NODE=8 megatron sft --model Qwen/Qwen3-32B --pipeline_model_parallel_size 4 "
     "--decoder_last_pipeline_num_layers 13 --micro_batch_size 1 --global_batch_size 16 --max_length 4096\n",
     without_pipeline, false},
    {"stages that are not", "sft.sh",
     "NPROC_PER_NODE=8 megatron sft --model Qwen/Qwen3-32B --pipeline_model_parallel_size 4 "
     "--micro_batch_size 1 --global_batch_size 16 --max_length 4096\n",
     without_pipeline, true},
    {"NeMo's BERT", "bert.yaml",
     "trainer:\n  devices: 8\nexp_manager: {}\nmodel:\n  micro_batch_size: 4\n  global_batch_size: 32\n"
     "  tensor_model_parallel_size: 1\n  encoder_seq_length: 512\n  num_layers: 24\n  hidden_size: 1024\n"
     "  num_attention_heads: 16\n  bert_binary_head: true\n",
     with_second_flash, false},
    {"NeMo's GPT", "gpt.yaml",
     "trainer:\n  devices: 8\nexp_manager: {}\nmodel:\n  micro_batch_size: 4\n  global_batch_size: 32\n"
     "  tensor_model_parallel_size: 1\n  encoder_seq_length: 512\n  num_layers: 24\n  hidden_size: 1024\n"
     "  num_attention_heads: 16\n",
     with_second_flash, true},
    {"DPO of LLaMA-Factory", "dpo.yaml",
     "model_name_or_path: meta-llama/Llama-3.1-8B\nstage: dpo\nfinetuning_type: full\ntemplate: llama3\n"
     "cutoff_len: 8192\nper_device_train_batch_size: 1\n",
     with_joined_loss, false},
    {"SFT of LLaMA-Factory", "sft.yaml",
     "model_name_or_path: meta-llama/Llama-3.1-8B\nstage: sft\nfinetuning_type: full\ntemplate: llama3\n"
     "cutoff_len: 8192\nper_device_train_batch_size: 1\n",
     with_joined_loss, true},
    {"LLaVA", "finetune.sh",
     "deepspeed llava/train/train_mem.py --deepspeed zero3.json --model_name_or_path lmsys/vicuna-7b-v1.5 "
     "--vision_tower openai/clip-vit-large-patch14-336 --mm_projector_type mlp2x_gelu --bf16 True "
     "--per_device_train_batch_size 16 --model_max_length 2048\n",
     with_joined_loss, false},
    {"packed sequences over ranks in axolotl", "cp.yaml",
     "base_model: NousResearch/Llama-2-7b-hf\ndatasets: []\nsequence_len: 8192\nmicro_batch_size: 1\n"
     "context_parallel_size: 4\nsample_packing: true\nflash_attention: true\n",
     with_two_sequences, false},
    {"the same whole in axolotl", "whole.yaml",
     "base_model: NousResearch/Llama-2-7b-hf\ndatasets: []\nsequence_len: 8192\nmicro_batch_size: 1\n"
     "sample_packing: true\nflash_attention: true\n",
     with_two_sequences, true},
    {"several packed sequences in axolotl", "several.yaml",
     "base_model: NousResearch/Llama-2-7b-hf\ndatasets: []\nsequence_len: 8192\nmicro_batch_size: 4\n"
     "sample_packing: true\nflash_attention: true\n",
     with_context, false},
    {"sinks without padding in ms-swift's Megatron", "oss.sh",
     "NPROC_PER_NODE=8 megatron sft --model openai/gpt-oss-20b --micro_batch_size 1 --global_batch_size 16 "
     "--max_length 4096 --attention_backend unfused\n",
     with_flash, false},
    {"AutoTP under ZeRO 3", "sft.sh",
     "deepspeed --module openrlhf.cli.train_sft --max_len 4096 --pretrain Qwen/Qwen3-8B --train_batch_size "
     "128 "
     "--micro_train_batch_size 2 --zero_stage 3 --bf16\n",
     with_two_ranks, false},
    {"AutoTP under ZeRO 2", "sft.sh",
     "deepspeed --module openrlhf.cli.train_sft --max_len 4096 --pretrain Qwen/Qwen3-8B --train_batch_size "
     "128 "
     "--micro_train_batch_size 2 --zero_stage 2 --bf16\n",
     with_two_ranks, true},
    {"an architecture by name", "vitl16.yaml",
     "student:\n  arch: vit_large\n  patch_size: 16\ntrain:\n  batch_size_per_gpu: 64\n"
     "crops:\n  global_crops_size: 224\n",
     with_half_the_heads, false},
};

}  // namespace

TEST_CASE("what no key of such a run sets is not changed", "[rules]") {
  for (const Bound& each : bounds) {
    CAPTURE(each.what);
    const auto read = tests::read_text(each.file, each.text);
    REQUIRE(read.readings.size() == 1);
    const rules::HardRules hard(rules::builtin_rules(), read.readings.front());
    model::Setup setup = read.readings.front().setup;
    CHECK(allows(hard, setup));
    each.edit(setup);
    CHECK(allows(hard, setup) == each.allowed);
  }
}
