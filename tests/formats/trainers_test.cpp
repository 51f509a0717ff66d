// Trainers whose files name a model and say how it is trained: Oumi, RLinf, SpecForge, F5-TTS, PLM.
#include <string>

#include "formats/read.hpp"
#include "model/lower/lower.hpp"
#include "model/reading.hpp"
#include "tests/catch.hpp"
#include "tests/formats/read_text.hpp"

using namespace shapelint;
using tests::read_text;

TEST_CASE("Oumi trains in the format that it loads, unless precision is mixed", "[formats]") {
  // https://github.com/oumi-ai/oumi, configs/recipes/llama3_1/sft/70b_full/train.yaml
  const auto result = read_text("train.yaml", R"(
model:
  model_name: "meta-llama/Llama-3.1-70B-Instruct"
  model_max_length: 2048
  torch_dtype_str: "bfloat16"
training:
  trainer_type: "TRL_SFT"
  per_device_train_batch_size: 7
  enable_gradient_checkpointing: True
  optimizer: "adamw_torch_fused"
fsdp:
  enable_fsdp: True
  cpu_offload: True
)");
  CHECK(result.dialect == "oumi");
  REQUIRE(result.readings.size() == 1);
  const model::Plan& plan = result.readings.front().setup.plan;
  CHECK(result.readings.front().setup.model.num_layers == 80);
  CHECK(plan.weight_precision == model::WeightPrecision::half);
  CHECK(plan.zero == 3);
  CHECK(plan.offload_optimizer == 100);
  CHECK(plan.micro_batch_size == 7);
  CHECK(plan.sequence_length == 2048);
  CHECK(plan.recompute == model::Recompute::full);
}

TEST_CASE("Oumi's verl takes its batch from verl's settings", "[formats]") {
  // configs/examples/grpo_verl_geometry3k/train.yaml: 128 * 5 answers over 4 GPUs, 10 at a time.
  const auto result = read_text("train.yaml", R"(
model:
  model_name: "Qwen/Qwen2.5-VL-3B-Instruct"
training:
  trainer_type: "VERL_GRPO"
  output_dir: out
  grpo: {max_completion_length: 1024}
  verl_config_overrides:
    data: {train_batch_size: 512, max_prompt_length: 1024, max_response_length: 2048}
    actor_rollout_ref:
      actor: {ppo_mini_batch_size: 128, ppo_micro_batch_size_per_gpu: 10}
      rollout: {tensor_model_parallel_size: 2, n: 5}
    trainer: {n_gpus_per_node: 4, nnodes: 1}
)");
  REQUIRE(result.readings.size() == 1);
  const model::Plan& plan = result.readings.front().setup.plan;
  CHECK(plan.sequence_length == 3072);
  CHECK(plan.micro_batch_size == 10);
  CHECK(plan.data == 4);
  CHECK(plan.gradient_accumulation == 16);
}

TEST_CASE("RLinf's actor and rollout have degrees of their own", "[formats]") {
  // https://github.com/RLinf/RLinf, examples/reasoning/config/math; rlinf/config.py: the global batch is
  // rollout_batch_size * group_size / n_minibatches.
  const auto result = read_text("grpo.yaml", R"(
cluster:
  num_nodes: 1
  component_placement: {"actor,rollout,reward": 0-7}
runner: {task_type: reasoning, seq_length: 8192}
algorithm: {group_size: 8, n_minibatches: 4, training_batch_size_per_gpu: 1}
rollout:
  gpu_memory_utilization: 0.55
  rollout_backend: sglang
  tensor_parallel_size: 2
  max_running_requests: 64
  model: {model_path: /models/Qwen3-30B-A3B-Base/, precision: "${actor.model.precision}"}
data: {max_prompt_length: 1024, rollout_batch_size: 128}
actor:
  training_backend: megatron
  model:
    precision: bf16
    tensor_model_parallel_size: 4
    expert_model_parallel_size: 8
    expert_tensor_parallel_size: 1
    encoder_seq_length: ${runner.seq_length}
    moe_router_topk: 2
  optim: {use_distributed_optimizer: True}
)");
  CHECK(result.dialect == "rlinf");
  REQUIRE(result.readings.size() == 2);
  const model::Setup& update = result.readings[0].setup;
  CHECK(update.model.moe.num_experts == 128);
  // The checkpoint's, not the file's (rlinf/config.py).
  CHECK(update.model.moe.experts_per_token == 8);
  CHECK(update.plan.tensor == 4);
  CHECK(update.plan.data == 2);
  CHECK(update.plan.gradient_accumulation == 128);
  CHECK(update.plan.zero == 1);
  CHECK(update.plan.sequence_length == 8192);
  const model::Plan& rollout = result.readings[1].setup.plan;
  CHECK(rollout.tensor == 2);
  CHECK(rollout.memory_percent == 55);
  CHECK(rollout.micro_batch_size == 64);
}

TEST_CASE("a draft model has the head of its own vocabulary, and parts that are not costed", "[formats]") {
  // https://github.com/sgl-project/SpecForge, configs/qwen3-8b-eagle3.json;
  // specforge/modeling/draft/llama3_eagle.py
  const auto result =
      read_text("config.json", R"({"architectures": ["LlamaForCausalLMEagle3"], "model_type": "llama",
    "hidden_size": 4096, "intermediate_size": 12288, "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128,
    "num_hidden_layers": 1, "vocab_size": 151936, "draft_vocab_size": 32000, "tie_word_embeddings": false})");
  REQUIRE(result.readings.size() == 1);
  CHECK(result.readings.front().setup.model.vocab_size == 32000);
  CHECK(model::extra_named(result.readings.front(), "uncosted_parts") == 1);
}

TEST_CASE("F5-TTS' heads have 64 columns whatever the width", "[formats]") {
  // https://github.com/SWivid/F5-TTS, src/f5_tts/configs/F5TTS_v1_Base.yaml: 22 layers of 1024, about 336 M
  // parameters with the convolutions over text and positions.
  const auto result = read_text("F5TTS_v1_Base.yaml", R"(
datasets: {batch_size_per_gpu: 38400, batch_size_type: frame, max_samples: 64}
optim: {grad_accumulation_steps: 1}
model:
  name: F5TTS_v1_Base
  backbone: DiT
  arch: {dim: 1024, depth: 22, heads: 16, ff_mult: 2, text_dim: 512}
  mel_spec: {n_mel_channels: 100}
)");
  CHECK(result.dialect == "f5-tts");
  REQUIRE(result.readings.size() == 1);
  const model::Setup& setup = result.readings.front().setup;
  CHECK(setup.model.head_dim == 64);
  CHECK(setup.model.intermediate_size == 2048);
  CHECK(static_cast<double>(model::parameter_count(setup)) == Approx(336e6).epsilon(0.05));
  CHECK(setup.plan.micro_batch_size * setup.plan.sequence_length == 38400);
}

TEST_CASE("a Perception Language Model is read with its tower", "[formats]") {
  // https://github.com/facebookresearch/perception_models, apps/plm/configs/stage_2/plm_8b.yaml;
  // PE-Lang-G14-448 has 1.7 B parameters.
  const auto result = read_text("plm_8b.yaml", R"(
dump_dir: out
distributed: {fsdp_type: full_shard, model_dtype: bf16, full_activation_checkpointing: true, tp_size: 1}
model:
  dim: 4096
  n_layers: 32
  n_heads: 32
  n_kv_heads: 8
  vocab_size: 128256
  ffn_dim_multiplier: 1.3
  multiple_of: 1024
  max_seqlen: 6144
  vision_model: {image_size: 448, patch_size: 14, width: 1536, layers: 47, heads: 16, use_cls_token: false,
                 use_abs_posemb: true, mlp_ratio: 5.833333334}
data: {batch_size: 2, max_num_tiles: 16}
)");
  REQUIRE(result.readings.size() == 2);
  CHECK(result.readings[0].setup.plan.recompute == model::Recompute::full);
  const model::Setup& tower = result.readings[1].setup;
  CHECK(tower.model.intermediate_size == 8960);
  CHECK(tower.plan.sequence_length == 1024);
  CHECK(tower.plan.micro_batch_size == 34);
  CHECK(static_cast<double>(model::parameter_count(tower)) == Approx(1.74e9).epsilon(0.01));
}

TEST_CASE("groups of a node's GPUs share weights where FSDP is hybrid", "[formats]") {
  // https://huggingface.co/docs/accelerate/usage_guides/fsdp: HYBRID_SHARD shards within a node
  const auto accelerate = read_text("fsdp.yaml", R"(
compute_environment: LOCAL_MACHINE
distributed_type: FSDP
fsdp_config: {fsdp_sharding_strategy: HYBRID_SHARD}
mixed_precision: bf16
num_machines: 4
num_processes: 32
)");
  REQUIRE(accelerate.readings.size() == 1);
  CHECK(accelerate.readings.front().setup.plan.zero_ranks == 8);

  // torchtitan, distributed/parallel_dims.py: dp_replicate x dp_shard x cp
  const auto titan = read_text("llama3_8b.toml", R"(
[model]
name = "llama3"
flavor = "8B"
[training]
local_batch_size = 1
seq_len = 8192
[parallelism]
data_parallel_replicate_degree = 2
data_parallel_shard_degree = 8
context_parallel_degree = 2
)");
  REQUIRE(titan.readings.size() == 1);
  CHECK(titan.readings.front().setup.plan.data == 16);
  CHECK(titan.readings.front().setup.plan.zero_ranks == 16);
}

TEST_CASE("GPT-NeoX computes attention without a fused kernel unless it is told to", "[formats]") {
  // https://github.com/EleutherAI/gpt-neox at ea7aefd8, megatron/neox_arguments/arguments.py: [[["global"],
  // num_layers]]
  const std::string text =
      R"({"num_layers": 12, "hidden_size": 768, "num_attention_heads": 12, "seq_length": 2048,
 "max_position_embeddings": 2048, "pos_emb": "rotary", "pipe_parallel_size": 1, "model_parallel_size": 1)";
  const auto plain = read_text("125M.yml", text + "}");
  REQUIRE(plain.readings.size() == 1);
  CHECK(plain.readings.front().setup.plan.attention == model::Attention::unfused);
  const auto flash = read_text("125M.yml", text + R"(, "attention_config": [[["flash"], 12]]})");
  REQUIRE(flash.readings.size() == 1);
  CHECK(flash.readings.front().setup.plan.attention == model::Attention::flash2);
}

TEST_CASE("Primus and FlagScale state the rank of LoRA adapters", "[formats]") {
  // https://github.com/AMD-AGI/Primus, examples/megatron/configs/MI355X/llama3_8B-BF16-sft.yaml
  const auto primus = read_text("sft.yaml", R"(
work_group: amd
user_name: root
exp_name: sft
modules:
  post_trainer:
    framework: megatron
    model: llama3_8B.yaml
    overrides:
      num_layers: 32
      hidden_size: 4096
      num_attention_heads: 32
      micro_batch_size: 1
      seq_length: 8192
      lora: {enabled: true, dim: 32, alpha: 32}
)");
  REQUIRE(primus.readings.size() == 1);
  CHECK(primus.readings.front().setup.plan.adapter_rank == 32);
  // https://github.com/FlagOpen/FlagScale, examples/deepseek_v3/conf/train/16b_a3b_finetune.yaml
  const auto flagscale = read_text("finetune.yaml", R"(
system:
  tensor_model_parallel_size: 1
  precision: {bf16: true}
model:
  num_layers: 27
  hidden_size: 2048
  num_attention_heads: 16
  seq_length: 4096
  micro_batch_size: 1
  peft_type: lora
  lora_target_modules: ["linear_proj"]
  lora_dim: 32
)");
  REQUIRE(flagscale.readings.size() == 1);
  CHECK(flagscale.readings.front().setup.plan.adapter_rank == 32);
}

// google/gemma-3n-E2B-it, config.json: MobileNetV5 (transformers, Gemma3nVisionConfig), which has no heads.
TEST_CASE("a vision tower that timm knows by its name is no transformer of 12 heads", "[formats]") {
  const auto result =
      read_text("config.json", R"({"model_type": "gemma3n", "text_config": {"model_type": "gemma3n_text",
    "hidden_size": 2048, "num_hidden_layers": 30, "num_attention_heads": 8, "num_key_value_heads": 2, "head_dim": 256,
    "intermediate_size": 8192, "vocab_size": 262400},
    "vision_config": {"model_type": "gemma3n_vision", "architecture": "mobilenetv5_300m_enc", "hidden_size": 2048}})");
  REQUIRE(!result.readings.empty());
  for (const model::Reading& each : result.readings) CHECK(each.part != "vision");
}

TEST_CASE("a vision tower that quantization leaves alone stays in 16 bits", "[formats]") {
  // https://huggingface.co/Qwen/Qwen3.5-122B-A10B-FP8, config.json: its 27 blocks are listed one by one.
  const auto result = read_text("config.json", R"({"model_type": "qwen3_vl",
 "text_config": {"model_type": "qwen3_vl_text", "dtype": "bfloat16", "hidden_size": 2048, "intermediate_size": 6144,
  "num_attention_heads": 16, "num_key_value_heads": 8, "num_hidden_layers": 28, "vocab_size": 151936},
 "vision_config": {"depth": 27, "hidden_size": 1152, "intermediate_size": 4304, "num_heads": 16, "patch_size": 16},
 "quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128],
  "modules_to_not_convert": ["lm_head", "model.visual.blocks.0.attn.qkv", "model.visual.blocks.0.mlp.linear_fc1"]}})");
  REQUIRE(result.readings.size() == 2);
  for (const model::Reading& each : result.readings)
    CHECK(each.setup.plan.dtype == (each.part == "vision" ? DType::bf16 : DType::fp8));
}

TEST_CASE("axolotl's hybrid attention names no kernel for Gemma 4's wide heads", "[formats]") {
  // https://github.com/axolotl-ai-cloud/axolotl at 067b021, src/axolotl/loaders/patch_manager.py
  const std::string text = R"(
base_model: google/gemma-4-26B-A4B
datasets: [{path: mlabonne/FineTome-100k, type: chat_template}]
sequence_len: 4096
micro_batch_size: 1
attn_implementation: flash_attention_2
)";
  const auto hybrid = read_text("lora.yaml", text + "gemma4_hybrid_attn_impl: true\n");
  REQUIRE(hybrid.readings.size() == 1);
  // Layers with a window, five of six, run FlashAttention-2.
  CHECK(hybrid.readings.front().setup.plan.attention == model::Attention::flash2);
  CHECK_FALSE(model::is_stated(hybrid.readings.front(), model::FieldId::attention));
  const auto plain = read_text("lora.yaml", text);
  REQUIRE(plain.readings.size() == 1);
  CHECK(model::is_stated(plain.readings.front(), model::FieldId::attention));
}

TEST_CASE("axolotl's plugin joins head and loss unless told otherwise", "[formats]") {
  // https://github.com/axolotl-ai-cloud/axolotl at 067b021,
  // src/axolotl/integrations/cut_cross_entropy/args.py
  const std::string text = R"(
base_model: Qwen/Qwen3-8B
datasets: [{path: mlabonne/FineTome-100k, type: chat_template}]
plugins: [axolotl.integrations.liger.LigerPlugin, axolotl.integrations.cut_cross_entropy.CutCrossEntropyPlugin]
sequence_len: 4096
micro_batch_size: 1
)";
  const auto loss = [&](const std::string& more) {
    const auto result = read_text("full.yaml", text + more);
    REQUIRE(result.readings.size() == 1);
    return result.readings.front().setup.plan.loss;
  };
  CHECK(loss("") == model::Loss::chunked);
  CHECK(loss("cut_cross_entropy: true\n") == model::Loss::chunked);
  CHECK(loss("cut_cross_entropy: false\nliger_cross_entropy: true\n") == model::Loss::fused);
}

TEST_CASE("hf_bert of ModernBERT's files is the model that it names", "[formats]") {
  // https://github.com/AnswerDotAI/ModernBERT, yamls/baselines/deberta-v3-long-context.yaml
  const auto result = read_text("deberta.yaml", R"(
precision: amp_bf16
tokenizer_name: microsoft/deberta-v3-large
model:
  name: hf_bert
  use_pretrained: true
  pretrained_model_name: ${tokenizer_name}
  model_config: {}
tasks:
  eurlex: {seeds: [461]}
)");
  REQUIRE(result.readings.size() == 1);
  CHECK(result.readings.front().setup.model.hidden_size == 1024);
  CHECK(result.readings.front().setup.model.num_layers == 24);
  CHECK_FALSE(result.readings.front().setup.model.lm_head);
}

// NeMo, nemo/collections/nlp/models/language_modeling/megatron_gpt_model.py: cfg.get('hidden_dropout', 0.1)
TEST_CASE("NeMo drops unless told otherwise", "[formats]") {
  const std::string text =
      "trainer:\n  devices: 8\n  num_nodes: 1\nexp_manager: {}\nmodel:\n  micro_batch_size: 4\n"
      "  global_batch_size: 128\n  tensor_model_parallel_size: 1\n  pipeline_model_parallel_size: 1\n"
      "  encoder_seq_length: 2048\n  num_layers: 24\n  hidden_size: 2048\n  ffn_hidden_size: 8192\n"
      "  num_attention_heads: 16\n";
  CHECK_FALSE(tests::one_setup("gpt.yaml", text).plan.without_dropout);
  CHECK(tests::one_setup("gpt.yaml", text + "  hidden_dropout: 0.0\n  attention_dropout: 0.0\n")
            .plan.without_dropout);
}
