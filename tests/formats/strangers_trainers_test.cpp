// Trainers that name a published model, or torchtitan's flavor, in files of their own.
#include <string>

#include "formats/dialect/known.hpp"
#include "formats/read.hpp"
#include "model/lower/lower.hpp"
#include "model/reading.hpp"
#include "tests/catch.hpp"
#include "tests/formats/read_text.hpp"

using namespace shapelint;
using tests::read_text;

TEST_CASE("torchforge has torchtitan's tables, and its policy's engine beside them", "[formats]") {
  // https://github.com/meta-pytorch/torchforge, apps/grpo/qwen3_32b.yaml
  const auto result = read_text("qwen3_32b.yaml", R"(
group_size: 16
local_batch_size: 32
max_req_tokens: 1024
max_res_tokens: 1024
model: "Qwen/Qwen3-32B"
policy:
  engine_args: {model: "${model}", tensor_parallel_size: 4, pipeline_parallel_size: 1}
trainer:
  model: {name: qwen3, flavor: 32B, hf_assets_path: "hf://${model}"}
  optimizer: {lr: 1e-5}
  training:
    local_batch_size: ${local_batch_size}
    seq_len: ${sum:${max_req_tokens},${max_res_tokens}}
    dtype: bfloat16
  parallelism: {data_parallel_shard_degree: 1, tensor_parallel_degree: 8}
  activation_checkpoint: {mode: full}
actors:
  trainer: {procs: 8}
)");
  CHECK(result.dialect == "torchforge");
  REQUIRE(result.readings.size() == 2);
  const model::Plan& update = result.readings.front().setup.plan;
  CHECK(result.readings.front().setup.model.num_layers == 64);
  CHECK(update.tensor == 8);
  CHECK(update.sequence_length == 2048);
  CHECK(update.weight_precision == model::WeightPrecision::half);
  const model::Plan& rollout = result.readings.back().setup.plan;
  CHECK(rollout.mode == model::Mode::decode);
  CHECK(rollout.tensor == 4);
  // OmegaConf reads the rate as a number, as the command does.
  CHECK(result.remarks.empty());
}

TEST_CASE("ai-toolkit trains at the largest resolution of its data", "[formats]") {
  // https://github.com/ostris/ai-toolkit, config/examples/train_lora_qwen_image_24gb.yaml
  const auto result = read_text("lora.yaml", R"(
job: extension
config:
  process:
    - type: sd_trainer
      network: {type: lora, linear: 16}
      datasets:
        - resolution: [512, 768, 1024]
      train: {batch_size: 1, gradient_checkpointing: true, optimizer: adamw8bit, dtype: bf16}
      model: {name_or_path: Qwen/Qwen-Image, quantize: true, qtype: "uint3|x.safetensors"}
)");
  CHECK(result.dialect == "ai-toolkit");
  REQUIRE(result.readings.size() == 1);
  const model::Plan& plan = result.readings.front().setup.plan;
  CHECK(result.readings.front().setup.model.num_layers == 60);
  CHECK(plan.sequence_length == 4096);
  CHECK(plan.weight_bits == 3);
  CHECK(plan.adapter_rank == 16);
}

TEST_CASE("the size of images goes before the one that a diffusion model's page names", "[formats]") {
  // 512 / 16 squared, 832 x 480 of 81 frames
  const auto flux = read_text("train.sh",
                              "accelerate launch train_dreambooth_lora_flux.py "
                              "--pretrained_model_name_or_path black-forest-labs/FLUX.1-dev "
                              "--mixed_precision bf16 --resolution 512 --train_batch_size 1 --rank 16\n");
  REQUIRE(flux.readings.size() == 1);
  CHECK(flux.readings.front().setup.plan.sequence_length == 1024);
  // https://github.com/modelscope/DiffSynth-Studio, examples/wanvideo/model_training/lora/Wan2.1-T2V-14B.sh
  const auto wan =
      read_text("wan.sh",
                "accelerate launch examples/wanvideo/model_training/train.py --height 480 --width 832 "
                "--model_id_with_origin_paths \"Wan-AI/Wan2.1-T2V-14B:diffusion_pytorch_model*.safetensors\" "
                "--lora_base_model dit --lora_rank 32\n");
  CHECK(wan.dialect == "diffsynth");
  REQUIRE(wan.readings.size() == 1);
  CHECK(wan.readings.front().setup.plan.sequence_length == 32760);
  CHECK(wan.readings.front().setup.plan.recompute == model::Recompute::none);
}

TEST_CASE("HyperPod's recipes hold OpenRLHF's arguments, or verl's configuration", "[formats]") {
  // https://github.com/aws/sagemaker-hyperpod-recipes, llmft_llama3_3_70b_instruct_seq4k_gpu_sft_fft.yaml
  const auto result = read_text("sft.yaml", R"(
run: {model_type: llm_finetuning_aws}
trainer: {devices: 8, num_nodes: 4}
training_config:
  model_config: {model_name_or_path: meta-llama/Llama-3.3-70B-Instruct, attn_implementation: sdpa, peft_config: null}
  training_args:
    max_len: 4096
    micro_train_batch_size: 1
    train_batch_size: 32
    gradient_checkpointing: true
    strategy: {fsdp_config: {sharding_strategy: FULL_SHARD, cpu_offload: false}}
)");
  CHECK(result.dialect == "hyperpod");
  REQUIRE(result.readings.size() == 1);
  CHECK(result.readings.front().setup.model.num_layers == 80);
  CHECK(result.readings.front().setup.plan.data == 32);
  CHECK(result.readings.front().setup.plan.zero == 3);
  CHECK_FALSE(result.readings.front().setup.plan.adapters);

  const auto verl = read_text("grpo.yaml", R"(
run: {model_type: verl}
training_config:
  actor_rollout_ref:
    actor: {ppo_mini_batch_size: 32, ppo_micro_batch_size_per_gpu: 2, fsdp_config: {fsdp_size: 4}}
    model: {path: meta-llama/Llama-3.1-8B-Instruct}
    rollout: {tensor_model_parallel_size: 2, n: 8}
  data: {train_batch_size: 128, max_prompt_length: 512, max_response_length: 1024}
  algorithm: {adv_estimator: grpo}
  critic: {model: {path: deepseek-ai/deepseek-llm-7b-chat}}
  trainer: {n_gpus_per_node: 8, nnodes: 1}
)");
  CHECK(verl.dialect == "verl");
  REQUIRE(verl.readings.size() == 2);
  CHECK(verl.readings.front().setup.plan.sequence_length == 1536);
  CHECK(verl.readings.front().setup.plan.zero_ranks == 4);
  CHECK(verl.readings.back().setup.plan.zero_ranks == 0);
}

TEST_CASE("Fast-LLM counts tokens of a micro-batch", "[formats]") {
  // https://github.com/ServiceNow/Fast-LLM, examples/mistral.yaml: Mistral 7B
  const auto result = read_text("mistral.yaml", R"(
data: {micro_batch_size: 8192, maximum_document_length: 4096}
model:
  base_model:
    embeddings: {vocab_size: 32000}
    decoder:
      num_blocks: 32
      block:
        mixer: {type: attention, heads: 32, head_groups: 8, head_size: 128, add_linear_biases: false, window_size: 4096}
        mlp: {intermediate_size: 14336, gated: true, add_linear_biases: false}
        normalization: {type: rms_norm}
    hidden_size: 4096
    tied_embedding_weight: false
  multi_stage: {zero_stage: 2}
  distributed: {compute_dtype: bf16}
)");
  CHECK(result.dialect == "fast-llm");
  REQUIRE(result.readings.size() == 1);
  CHECK(model::parameter_count(result.readings.front().setup) == 7'241'732'096);
  CHECK(result.readings.front().setup.plan.sequence_length == 8192);
  CHECK(result.readings.front().setup.plan.document_length == 4096);
  CHECK(result.readings.front().setup.plan.zero == 2);
}

TEST_CASE("PipelineRL trains on its share of a node", "[formats]") {
  // https://github.com/ServiceNow/PipelineRL, conf/base.yaml and conf/math.yaml
  text::MemoryFileSystem files;
  files.files["conf/base.yaml"] =
      "defaults:\n  - finetune: base\n  - _self_\nmodel_path: Qwen/Qwen2.5-7B\n"
      "deepspeed_config: deepspeed_stage3_bf16\n"
      "world: {actor_fraction: 4, preprocessor_fraction: 0, finetune_fraction: 4}\n"
      "vllm_config:\n  vllm_kwargs: {tensor-parallel-size: 1, max-num-seqs: 64, max_model_len: 10000}\n";
  files.files["conf/finetune/base.yaml"] =
      "seq_length: 12000\ntrain_batch_size: 1\ngradient_accumulation_passes: 1024\n"
      "gradient_checkpointing: true\n";
  files.files["conf/math.yaml"] =
      "defaults:\n  - base\n  - _self_\ndataset_loader: pipelinerl.domains.math.load_datasets\n"
      "finetune: {seq_length: 20000}\nvllm_config:\n  vllm_kwargs: {max_model_len: 20000}\n";
  const auto result = formats::read_any(files, "conf/math.yaml");
  CHECK(result.dialect == "pipelinerl");
  REQUIRE(result.readings.size() == 2);
  const model::Plan& update = result.readings.front().setup.plan;
  CHECK(update.sequence_length == 20000);
  CHECK(update.data == 4);
  CHECK(update.zero == 3);
  CHECK(result.readings.back().setup.plan.longest_sequence == 20000);
}

TEST_CASE("Wan's own configuration is its transformer", "[formats]") {
  // https://github.com/Wan-Video/Wan2.2, wan/configs/wan_t2v_A14B.py: 14 B parameters each
  const auto result =
      read_text("wan_t2v_A14B.py",
                "from easydict import EasyDict\nt2v_A14B = EasyDict(__name__='Config: Wan T2V A14B')\n"
                "t2v_A14B.patch_size = (1, 2, 2)\nt2v_A14B.dim = 5120\nt2v_A14B.ffn_dim = 13824\n"
                "t2v_A14B.freq_dim = 256\nt2v_A14B.num_heads = 40\nt2v_A14B.num_layers = 40\n");
  CHECK(result.dialect == "wan");
  REQUIRE(result.readings.size() == 1);
  CHECK(static_cast<double>(model::parameter_count(result.readings.front().setup)) ==
        Approx(14.3e9).epsilon(0.01));
}

TEST_CASE("LEAP Finetune names Liquid's models", "[formats]") {
  // https://github.com/Liquid4All/leap-finetune, job_configs/sft_example.yaml
  const auto result = read_text("sft.yaml",
                                "project_name: p\nmodel_name: LFM2-1.2B\ntraining_type: sft\n"
                                "training_config: {extends: DEFAULT_SFT, per_device_train_batch_size: 2}\n"
                                "peft_config: {use_peft: true}\n");
  CHECK(result.dialect == "leap");
  REQUIRE(result.readings.size() == 1);
  CHECK(result.readings.front().setup.model.num_layers == 16);
  CHECK(result.readings.front().setup.plan.adapters);
}

TEST_CASE("a name that nobody knows is told with what will do", "[formats]") {
  const auto why = [](const std::string& name) {
    const auto result = read_text("serve.sh", "vllm serve " + name + " --tensor-parallel-size 2\n");
    REQUIRE(result.readings.size() == 1);
    return formats::why_unknown(result.readings.front());
  };
  CHECK(
      why("Qwen/Qwne3-8B") ==
      "`Qwen/Qwne3-8B` is not in the table of known models; did you mean `Qwen/Qwen3-8B`? otherwise pass the "
      "model's config.json");
  // Another size, version or family was not meant.
  for (const std::string name :
       {"Qwen/Qwen3-7B", "Qwen/Qwen3.7-27B", "moonshotai/Kimi-K9-Instruct", "deepseek-ai/deepseek-vl2-tiny",
        "mistralai/Mistral-Medium-3", "google/gemma-5-31b"})
    CHECK(why(name) == "`" + name + "` is not in the table of known models; pass the model's config.json");
}

TEST_CASE("an engine in Python is what its class makes, and nothing else with an argument", "[formats]") {
  // https://github.com/McGill-NLP/nano-aha-moment, nano_r1_script.py
  const auto result = read_text("r1.py", R"(
import argparse
from transformers import AutoTokenizer
from vllm import LLM

parser = argparse.ArgumentParser()
parser.add_argument("--model_name", type=str, default="Qwen/Qwen2.5-3B")
args = parser.parse_args()
tokenizer = AutoTokenizer.from_pretrained(args.model_name)
EOS_TOKEN = tokenizer.convert_ids_to_tokens(tokenizer.eos_token_id)
engine = LLM(model=args.model_name, max_model_len=2048)
)");
  CHECK(result.dialect == "vllm-python");
  REQUIRE(result.readings.size() == 1);
  CHECK(result.readings.front().setup.model.num_layers == 36);

  // https://github.com/InternLM/lmdeploy, docs/en/multi_modal and lmdeploy/api.py
  const auto lmdeploy = read_text("generate.py",
                                  "from lmdeploy import TurbomindEngineConfig, pipeline\n"
                                  "config = TurbomindEngineConfig(tp=4, session_len=32768)\n"
                                  "pipe = pipeline(\"internlm/internlm2_5-7b-chat\", backend_config=config)\n"
                                  "print(pipe([\"Hello\"]))\n");
  CHECK(lmdeploy.dialect == "lmdeploy-python");
  REQUIRE(lmdeploy.readings.size() == 1);
  CHECK(lmdeploy.readings.front().setup.plan.tensor == 4);
  CHECK(lmdeploy.readings.front().setup.plan.longest_sequence == 32768);
}

TEST_CASE("EXAONE 4's pattern of windows is a number or letters", "[formats]") {
  // transformers, models/exaone4/configuration_exaone4.py; LGAI-EXAONE/EXAONE-4.0-32B: 32.0 B parameters
  const std::string begin =
      R"({"model_type": "exaone4", "hidden_size": 5120, "intermediate_size": 27392, "num_hidden_layers": 64,
          "num_attention_heads": 40, "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 102400,
          "tie_word_embeddings": false, "hidden_act": "silu", "sliding_window": 4096, "sliding_window_pattern": )";
  for (const std::string pattern : {"\"LLLG\"", "4"}) {
    const auto result = read_text("config.json", begin + pattern + "}");
    REQUIRE(result.readings.size() == 1);
    const model::Setup& setup = result.readings.front().setup;
    CHECK(setup.model.window.layers == 48);
    CHECK(static_cast<double>(model::parameter_count(setup)) == Approx(32.0e9).epsilon(0.001));
  }
  // 1.28 B: no windows at all
  const auto small = read_text("config.json", R"({
    "model_type": "exaone4", "hidden_size": 2048, "intermediate_size": 4096, "num_hidden_layers": 30,
    "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 102400, "tie_word_embeddings": true,
    "hidden_act": "silu", "sliding_window": null, "sliding_window_pattern": null})");
  REQUIRE(small.readings.size() == 1);
  CHECK(small.readings.front().setup.model.window.layers == 0);
  CHECK(static_cast<double>(model::parameter_count(small.readings.front().setup)) ==
        Approx(1.28e9).epsilon(0.001));
}

TEST_CASE("a type that is not listed is taken to have a gate with SiLU and RMSNorm", "[formats]") {
  const std::string begin =
      R"({"model_type": "something_new", "architectures": ["SomethingNewForCausalLM"], "hidden_size": 1024,
          "intermediate_size": 2816, "num_hidden_layers": 4, "num_attention_heads": 8, "vocab_size": 32000,)";
  const auto gated = read_text("config.json", begin + R"("hidden_act": "silu", "rms_norm_eps": 1e-6})");
  REQUIRE(gated.readings.size() == 1);
  CHECK(gated.readings.front().setup.model.mlp_gated);
  const auto plain = read_text("config.json", begin + R"("hidden_act": "gelu", "layer_norm_eps": 1e-6})");
  REQUIRE(plain.readings.size() == 1);
  CHECK_FALSE(plain.readings.front().setup.model.mlp_gated);
}

TEST_CASE("a U-Net is refused, and why", "[formats]") {
  const auto result = read_text("config.json", R"({"_class_name": "UNet2DConditionModel",
    "block_out_channels": [320, 640, 1280], "cross_attention_dim": 2048, "sample_size": 128})");
  CHECK(result.dialect == "diffusers-unet");
  CHECK(result.readings.empty());
  REQUIRE_FALSE(result.notes.empty());
  CHECK(result.notes.back().message.find("a U-Net has no one width") != std::string::npos);
}

TEST_CASE("BLT's model of bytes is the one that is trained", "[formats]") {
  // https://github.com/facebookresearch/blt, bytelatent/configs/entropy_model.yaml
  const auto result = read_text("entropy.yaml", R"(
distributed: {fsdp_type: full_shard, model_dtype: bf16}
train_entropy_model: true
model: null
entropy_model: {dim: 768, n_layers: 14, n_heads: 12, vocab_size: 260, ffn_dim_multiplier: 1.0, sliding_window: 512}
data: {batch_size: 2, seq_len: 8192}
)");
  CHECK(result.dialect == "lingua");
  REQUIRE(result.readings.size() == 1);
  CHECK(result.readings.front().setup.model.intermediate_size == 2048);
  CHECK(result.readings.front().setup.model.window.size == 512);
  CHECK(result.readings.front().setup.plan.sequence_length == 8192);
}

TEST_CASE("a class that stands for a config.json does not refuse heads that do not divide", "[formats]") {
  // transformers, models/glm4_moe: 96 heads of a width of 4096, and config.json has a head_dim
  const auto result = read_text("configuration_glm4_moe.py", R"(
from transformers.configuration_utils import PretrainedConfig

class Glm4MoeConfig(PretrainedConfig):
    model_type = "glm4_moe"

    def __init__(self, vocab_size=151552, hidden_size=4096, intermediate_size=10944, num_hidden_layers=46,
                 num_attention_heads=96, num_key_value_heads=8, hidden_act="silu", **kwargs):
        self.vocab_size = vocab_size
        self.hidden_size = hidden_size
        self.intermediate_size = intermediate_size
        self.num_hidden_layers = num_hidden_layers
        self.num_attention_heads = num_attention_heads
        self.num_key_value_heads = num_key_value_heads
        self.hidden_act = hidden_act
        super().__init__(**kwargs)

config = Glm4MoeConfig()
)");
  CHECK(result.dialect == "transformers-python");
  REQUIRE(result.readings.size() == 1);
  CHECK(model::extra(result.readings.front(), "cuts_heads") == 1);
  CHECK(result.readings.front().setup.model.head_dim == 42);
}

TEST_CASE("verl's trainer of examples is read from its engine's keys", "[formats]") {
  // https://github.com/volcengine/verl (b178a3c), verl/trainer/config/sft_trainer_engine.yaml and
  // engine/megatron.yaml, tests/special_e2e/sft/run_sft_engine.sh
  const std::string run =
      "torchrun --standalone --nnodes=1 --nproc-per-node=8 -m verl.trainer.sft_trainer "
      "data.train_files=train.parquet data.train_batch_size=128 data.max_length=2048 "
      "model.path=Qwen/Qwen2.5-7B ";
  const model::Plan megatron =
      tests::one_setup("sft.sh", run +
                                     "engine=megatron engine.tensor_model_parallel_size=2 "
                                     "engine.pipeline_model_parallel_size=2 data.use_dynamic_bsz=False "
                                     "data.micro_batch_size_per_gpu=4 "
                                     "engine.override_transformer_config.recompute_granularity=full "
                                     "engine.override_transformer_config.recompute_method=block "
                                     "engine.override_transformer_config.recompute_num_layers=3\n")
          .plan;
  CHECK(megatron.tensor == 2);
  CHECK(megatron.pipeline == 2);
  CHECK(megatron.data == 2);
  CHECK(megatron.zero == 1);
  CHECK(megatron.micro_batch_size == 4);
  CHECK(megatron.gradient_accumulation == 16);
  CHECK(megatron.recompute == model::Recompute::full);
  CHECK(megatron.recompute_layers == 6);
  // Micro-batches are cut by tokens unless told otherwise, 8192 of them.
  const model::Plan fsdp =
      tests::one_setup("sft.sh",
                       run + "engine=fsdp engine.ulysses_sequence_parallel_size=2 engine.fsdp_size=4\n")
          .plan;
  CHECK(fsdp.zero == 3);
  CHECK(fsdp.zero_ranks == 4);
  CHECK(fsdp.context == 2);
  CHECK(fsdp.data == 4);
  CHECK(fsdp.micro_batch_size == 8);
  // https://github.com/agentica-project/rllm, verl/examples/sft/gsm8k/run_gemma_7b.sh
  const auto old =
      read_text("run_gemma_7b.sh",
                "torchrun --standalone --nnodes=1 --nproc_per_node=4 -m verl.trainer.fsdp_sft_trainer "
                "data.train_files=$HOME/train.parquet data.prompt_key=prompt data.micro_batch_size=8 "
                "model.partial_pretrain=google/gemma-1.1-7b-it trainer.total_epochs=4\n");
  CHECK(old.dialect == "verl");
  REQUIRE(old.readings.size() == 1);
  CHECK(old.readings.front().setup.model.num_layers == 28);
  CHECK(old.readings.front().setup.plan.data == 4);
}

TEST_CASE("the method of Megatron-LM 2.5 says that whole layers are computed again", "[formats]") {
  // https://github.com/epfLLM/Megatron-LLM, examples/pretrain_gpt_distributed_with_mp.sh, as Megatron-LM 2.5
  // to 2.7
  const std::string run =
      "python -m torch.distributed.launch --nproc_per_node 8 pretrain_gpt.py --tensor_model_parallel_size 2 "
      "--pipeline_model_parallel_size 2 --num_layers 24 --hidden_size 1024 --num_attention_heads 16 "
      "--micro_batch_size 4 --global_batch_size 16 --seq_length 1024 --max_position_embeddings 1024 "
      "--vocab_file gpt2-vocab.json --fp16 ";
  CHECK(tests::one_setup("pretrain.sh", run + "--activations_checkpoint_method uniform\n").plan.recompute ==
        model::Recompute::full);
  CHECK(tests::one_setup("pretrain.sh", run + "\n").plan.recompute == model::Recompute::none);
  const model::Plan blocks =
      tests::one_setup("pretrain.sh",
                       run + "--activations_checkpoint_method block --activations_checkpoint_num_layers 2\n")
          .plan;
  CHECK(blocks.recompute == model::Recompute::full);
  CHECK(blocks.recompute_layers == 4);
}

TEST_CASE("followers of LLaVA name the parts that learn", "[formats]") {
  // https://github.com/LLaVA-VL/LLaVA-NeXT (df17966), llava/train/train.py; scripts/train/pretrain_siglip.sh
  // and finetune_ov.sh
  const std::string run =
      "torchrun --nproc_per_node=8 llava/train/train_mem.py --deepspeed scripts/zero3.json "
      "--model_name_or_path "
      "Qwen/Qwen2-7B-Instruct --vision_tower google/siglip-so400m-patch14-384 --bf16 True "
      "--per_device_train_batch_size 16 --model_max_length 8192 --gradient_checkpointing True ";
  CHECK(tests::one_setup("train.sh", run + "--mm_tunable_parts=\"mm_mlp_adapter\"\n").plan.frozen);
  CHECK(tests::one_setup("train.sh", run + "--mm_tunable_parts=\"mm_vision_tower,mm_mlp_adapter\"\n")
            .plan.frozen);
  CHECK_FALSE(
      tests::one_setup("train.sh",
                       run + "--mm_tunable_parts=\"mm_vision_tower,mm_mlp_adapter,mm_language_model\"\n")
          .plan.frozen);
  CHECK_FALSE(tests::one_setup("train.sh", run + "--mm_tunable_parts=mm_mlp_adapter --lora_enable True\n")
                  .plan.frozen);
  // https://github.com/DAMO-NLP-SG/VideoLLaMA2, scripts/custom/finetune_qlora.sh
  const auto qlora =
      read_text("finetune_qlora.sh",
                "torchrun --nnodes 1 --nproc_per_node 8 videollama2/train.py --lora_enable True --lora_r 128 "
                "--bits 4 --deepspeed scripts/zero2.json --model_type videollama2_qwen2 --model_path "
                "Qwen/Qwen2-7B-Instruct --vision_tower google/siglip-so400m-patch14-384 --bf16 True "
                "--per_device_train_batch_size 4 --gradient_accumulation_steps 4 --model_max_length 2048 "
                "--gradient_checkpointing True\n");
  CHECK(qlora.dialect == "trl-command");
  REQUIRE(qlora.readings.size() == 1);
  CHECK(qlora.readings.front().setup.model.num_layers == 28);
  CHECK(qlora.readings.front().setup.plan.adapter_rank == 128);
  CHECK(qlora.readings.front().setup.plan.weight_bits == 4);
  CHECK(qlora.readings.front().setup.plan.data == 8);
}

TEST_CASE("a frozen tower runs forward alone", "[formats]") {
  // https://github.com/mlfoundations/open_clip, src/open_clip_train/params.py: lock-image, and groups that
  // stay unlocked
  const std::string run =
      "torchrun --nproc_per_node 4 -m open_clip_train.main --train-data 'data.tar' --model ViT-B-32 "
      "--batch-size 256 --precision amp_bf16 ";
  const auto locked = read_text("train.sh", run + "--lock-image\n");
  REQUIRE(locked.readings.size() == 2);
  CHECK(locked.readings.front().setup.plan.mode == model::Mode::prefill);
  CHECK(locked.readings.back().setup.plan.mode == model::Mode::train);
  const auto partly = read_text("train.sh", run + "--lock-image --lock-image-unlocked-groups 2\n");
  REQUIRE(partly.readings.size() == 2);
  CHECK(partly.readings.front().setup.plan.mode == model::Mode::train);
  // https://github.com/NVIDIA/Megatron-LM, examples/multimodal/multimodal_args.py
  CHECK(tests::one_setup(
            "pretrain.sh",
            "torchrun --nproc_per_node 8 examples/multimodal/train.py --num-layers 32 --hidden-size 4096 "
            "--num-attention-heads 32 --seq-length 2048 --micro-batch-size 1 --vocab-size 32000 --bf16 "
            "--freeze-LM --freeze-ViT\n")
            .plan.frozen);
}

TEST_CASE("slime's Gemma 4 takes from its plugin what the arguments leave out", "[formats]") {
  // https://github.com/THUDM/slime (91f8526), scripts/models/gemma4-31B.sh and gemma4-26B-A4B.sh;
  // google-deepmind/gemma, gemma/gm/nn/gemma4/_gemma4.py: 30.70 B and 25.23 B of text
  const auto parameters = [](const std::string& model) {
    return static_cast<double>(model::parameter_count(tests::one_setup(
        "train.sh",
        "torchrun --nproc_per_node 8 train.py --spec slime_plugins.models.gemma4 get_gemma4_spec " + model +
            " --group-query-attention --kv-channels 256 --use-rotary-position-embeddings "
            "--disable-bias-linear --normalization RMSNorm --vocab-size 262144 --qk-layernorm "
            "--seq-length 4096 --micro-batch-size 1 --global-batch-size 64 --bf16\n")));
  };
  CHECK(parameters("--num-layers 60 --hidden-size 5376 --ffn-hidden-size 21504 --num-attention-heads 32 "
                   "--num-query-groups 16") == Approx(30.7e9).epsilon(0.002));
  CHECK(parameters("--num-layers 30 --hidden-size 2816 --ffn-hidden-size 2112 --num-attention-heads 16 "
                   "--num-query-groups 8 --num-experts 128 --moe-ffn-hidden-size 704 --moe-router-topk 8") ==
        Approx(25.23e9).epsilon(0.002));
}
