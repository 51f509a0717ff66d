// Files that change what another describes: recipes, Hydra's parts, and lists of layers beside a count.
#include <string>

#include "formats/read.hpp"
#include "model/lower/lower.hpp"
#include "model/reading.hpp"
#include "tests/catch.hpp"
#include "tests/formats/read_text.hpp"

using namespace shapelint;
using model::FieldId;
using tests::read_text;

TEST_CASE("Megatron-Bridge's overrides name a recipe, which has what they leave out", "[formats]") {
  // https://github.com/NVIDIA-NeMo/Nemotron, src/nemotron/recipes/omni3/stage0_sft/config/default.yaml
  const auto omni = read_text("default.yaml", R"(
run: {nproc_per_node: 8}
recipe: {name: nemotron_omni_cord_v2_sft_config, step_func: nemotron_omni_step, dataset: vlm-hf}
checkpoint:
  pretrained_checkpoint: ${oc.env:HF_MODEL_PATH,nvidia/Nemotron-3-Nano-Omni-30B-A3B-Reasoning-BF16}
dataset: {hf_processor_path: nvidia/Nemotron-3-Nano-Omni-30B-A3B-Reasoning-BF16, seq_length: 1024}
model:
  tensor_model_parallel_size: 4
  expert_model_parallel_size: 8
  expert_tensor_parallel_size: 1
  recompute_granularity: full
  recompute_method: uniform
  recompute_num_layers: 1
  seq_length: 1024
  freeze_language_model: true
train: {train_iters: 1000, global_batch_size: 8, micro_batch_size: 1}
)");
  CHECK(omni.dialect == "bridge-yaml");
  REQUIRE(omni.readings.size() == 1);
  const model::Reading& read = omni.readings.front();
  CHECK(read.setup.model.num_layers == 52);
  CHECK(read.setup.plan.tensor == 4);
  CHECK(read.setup.plan.expert == 8);
  CHECK(read.setup.plan.sequence_length == 1024);
  CHECK(read.setup.plan.micro_batch_size == 1);
  CHECK(read.setup.plan.frozen);
  CHECK_FALSE(model::is_stated(read, FieldId::pipeline));

  // src/nemotron/steps/sft/megatron_bridge/config, of a recipe by its function
  const auto by_target = read_text("sft.yaml", R"(
recipe: {_target_: megatron.bridge.recipes.qwen.qwen3.qwen3_8b_finetune_config}
model: {tensor_model_parallel_size: 2, seq_length: 4096}
train: {global_batch_size: 64}
)");
  REQUIRE(by_target.readings.size() == 1);
  CHECK(by_target.readings.front().setup.model.intermediate_size == 12288);
  CHECK_FALSE(model::is_stated(by_target.readings.front(), FieldId::micro_batch_size));
  const auto lightning = read_text("sft.yaml", R"(
recipe: {_target_: megatron.bridge.recipes.nemotronh.nemotron_3_5_lightning_sft_config}
model: {tensor_model_parallel_size: 2, seq_length: 4096}
train: {global_batch_size: 64}
)");
  REQUIRE(lightning.readings.size() == 1);
  CHECK(lightning.readings.front().setup.model.moe.num_experts == 128);

  // recipes/lightning35/stage1_sft/config/tiny.yaml: layers of its own
  const model::Setup tiny = tests::one_setup("tiny.yaml", R"(
run: {model: lightning35-pretrain-model-tiny}
recipe: {_target_: megatron.bridge.recipes.nemotronh.nemotron_3_5_lightning_sft_config}
train: {global_batch_size: 8, micro_batch_size: 2}
model:
  seq_length: 4096
  hybrid_layer_pattern: "M*EE"
  num_layers: 4
  hidden_size: 512
  ffn_hidden_size: 512
  num_attention_heads: 8
  tensor_model_parallel_size: 1
  pipeline_model_parallel_size: 1
)");
  CHECK(tiny.model.num_layers == 4);
  CHECK(tiny.plan.micro_batch_size == 2);
  CHECK(tiny.plan.attention != model::Attention::unfused);
}

TEST_CASE("dense layers before experts stay where the file lists windows", "[formats]") {
  // https://huggingface.co/arcee-ai/Trinity-Nano-Preview, config.json: 6 B, 1 B active
  std::string kinds;
  for (int i = 0; i < 56; ++i)
    kinds += std::string(i > 0 ? ", " : "") + (i % 4 == 3 ? R"("full_attention")" : R"("sliding_attention")");
  const model::Setup setup = tests::one_setup("config.json", R"({
    "architectures": ["AfmoeForCausalLM"], "model_type": "afmoe", "head_dim": 128, "hidden_act": "silu",
    "hidden_size": 1024, "intermediate_size": 3072, "moe_intermediate_size": 256, "n_group": 1,
    "num_attention_heads": 8, "num_dense_layers": 2, "num_experts": 128, "num_experts_per_tok": 8,
    "num_hidden_layers": 56, "num_key_value_heads": 2, "num_shared_experts": 1, "rms_norm_eps": 1e-5,
    "sliding_window": 2048, "tie_word_embeddings": false, "topk_group": 1, "vocab_size": 200192,
    "max_position_embeddings": 131072, "layer_types": [)" + kinds +
                                                                 "]}");
  CHECK(static_cast<double>(model::parameter_count(setup)) == Approx(6.12e9).epsilon(0.001));
}

TEST_CASE("verl's offload_policy is FSDP2's", "[formats]") {
  // https://github.com/volcengine/verl, workers/engine/fsdp/transformer_impl.py, _build_fsdp_module: an actor
  // of FSDP has no offload, whatever the policy says
  const std::string run =
      "python3 -m verl.trainer.main_ppo data.train_batch_size=8 data.max_prompt_length=512 "
      "data.max_response_length=4096 actor_rollout_ref.model.path=Qwen/Qwen3-0.6B trainer.n_gpus_per_node=2 "
      "trainer.nnodes=1 actor_rollout_ref.actor.ppo_mini_batch_size=8 "
      "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=2 "
      "actor_rollout_ref.actor.fsdp_config.offload_policy=True ";
  const auto update = [&](const std::string& strategy) {
    const auto result = read_text("run.sh", run + strategy);
    REQUIRE_FALSE(result.readings.empty());
    return result.readings.front().setup.plan;
  };
  CHECK_FALSE(update("").offload_weights);
  CHECK_FALSE(update("actor_rollout_ref.actor.strategy=fsdp").offload_weights);
  CHECK(update("actor_rollout_ref.actor.strategy=fsdp2").offload_weights);
}

TEST_CASE("VeOmni offloads by FSDP2, and block diffusion doubles the sequence", "[formats]") {
  // https://github.com/inclusionAI/dFactory, configs/sft/llada2_mini_bd_sft.yaml and
  // tasks/train_llada2_bd.py; https://github.com/ByteDance-Seed/VeOmni, veomni/arguments/arguments_types.py:
  // fsdp_config.offload
  const model::Plan plan = tests::one_setup("sft.yaml", R"(
model: {model_path: Qwen/Qwen3-8B, attn_implementation: sdpa}
data: {train_path: gsm8k.jsonl, data_type: conversation, max_seq_len: 2048}
train:
  accelerator: {fsdp_config: {fsdp_mode: fsdp2, offload: true}}
  global_batch_size: 8
  micro_batch_size: 1
  block_diffusion_mode: true
)")
                               .plan;
  CHECK(plan.sequence_length == 4096);
  CHECK(plan.offload_weights);
}

TEST_CASE("a loss of single sequences is not one of pairs", "[formats]") {
  // trl/trainer/sft_config.py: loss_type is nll, dft or chunked_nll; dpo_config.py: sigmoid, hinge, …
  const auto batch = [](const std::string& loss) {
    return tests::one_setup("sft.sh",
                            "accelerate launch train.py --model_name_or_path Qwen/Qwen3-0.6B "
                            "--per_device_train_batch_size 4 --max_length 1024 --bf16 "
                            "--learning_rate 1e-5 --loss_type " +
                                loss)
        .plan.micro_batch_size;
  };
  CHECK(batch("cross_entropy") == 4);
  CHECK(batch("dft") == 4);
  CHECK(batch("kto") == 4);
  CHECK(batch("sigmoid") == 8);
  CHECK(batch("ipo") == 8);
}

TEST_CASE("a part of a Hydra configuration is named as such", "[formats]") {
  // https://github.com/verl-project/verl-recipe, rep_exp/config/critic/dp_critic.yaml
  const auto result = read_text("dp_critic.yaml", R"(
defaults:
  - ../optim@optim: fsdp
  - critic
  - _self_
strategy: fsdp
grad_clip: 1.0
)");
  CHECK_FALSE(result.recognised);
  REQUIRE(result.notes.size() == 1);
  CHECK(result.notes.front().message ==
        "unrecognized config format: a part of a Hydra configuration, whose `defaults` name other files");
}

TEST_CASE("a class of one's own that leaves the width open is not given that of another", "[formats]") {
  // https://github.com/inclusionAI/dFactory, models/llada2_moe/configuration_llada2_moe.py
  const auto result = read_text("configuration_llada2_moe.py", R"(
from transformers.configuration_utils import PretrainedConfig

class LLaDA2MoeConfig(PretrainedConfig):
    model_type = "llada2_moe_veomni"

    def __init__(self, vocab_size=30592, hidden_size=1024, intermediate_size=None, num_hidden_layers=24,
                 num_attention_heads=16, hidden_act="silu", **kwargs):
        self.vocab_size = vocab_size
        self.hidden_size = hidden_size
        self.intermediate_size = intermediate_size
        self.num_hidden_layers = num_hidden_layers
        self.num_attention_heads = num_attention_heads
        self.hidden_act = hidden_act
        super().__init__(**kwargs)
)");
  REQUIRE(result.readings.size() == 1);
  CHECK(result.readings.front().setup.model.hidden_size == 1024);
  CHECK_FALSE(model::is_known(result.readings.front(), FieldId::intermediate_size));
}

TEST_CASE("verl's val_only trains nothing", "[formats]") {
  // verl/trainer/ppo/ray_trainer.py, fit: validates and returns
  const auto result = read_text("run.sh",
                                "python3 -m verl.trainer.main_ppo data.train_batch_size=8 "
                                "data.max_prompt_length=512 data.max_response_length=4096 "
                                "actor_rollout_ref.model.path=Qwen/Qwen3-0.6B trainer.n_gpus_per_node=2 "
                                "trainer.nnodes=1 trainer.val_only=True actor_rollout_ref.rollout.name=vllm "
                                "actor_rollout_ref.rollout.tensor_model_parallel_size=1 "
                                "actor_rollout_ref.actor.ppo_mini_batch_size=8");
  REQUIRE(result.readings.size() == 1);
  CHECK(result.readings.front().part == "rollout");
}
