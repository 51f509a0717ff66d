// Files of projects with names of their own for sizes that others call otherwise.
#include <string>

#include "formats/read.hpp"
#include "model/lower/lower.hpp"
#include "model/reading.hpp"
#include "tests/catch.hpp"
#include "tests/formats/read_text.hpp"

using namespace shapelint;
using tests::read_text;

namespace {

// The file's models, of the format that is expected.
std::vector<model::Reading> readings(const std::string& path, const std::string& text,
                                     const std::string& dialect) {
  const formats::ReadResult result = read_text(path, text);
  CHECK(result.dialect == dialect);
  return result.readings;
}

}  // namespace

TEST_CASE("KempnerForge rounds the MLP's width up to 256", "[formats]") {
  // https://github.com/KempnerInstitute/KempnerForge, configs/train/7b_16gpu_fp8.toml: Llama 3's shape
  const auto models = readings("7b.toml", R"(
[model]
dim = 4096
n_layers = 32
n_heads = 32
n_kv_heads = 8
vocab_size = 128256
ffn_dim_multiplier = 1.3
[train]
batch_size = 8
seq_len = 4096
grad_accum_steps = 2
mixed_precision = "fp8"
activation_checkpointing = "full"
[distributed]
dp_shard = 8
dp_replicate = 2
)",
                               "kempnerforge");
  REQUIRE(models.size() == 1);
  const model::Setup& setup = models.front().setup;
  CHECK(setup.model.intermediate_size == 14336);
  CHECK(model::parameter_count(setup) == 8'030'261'248);
  CHECK(setup.plan.dtype == DType::fp8);
  CHECK(setup.plan.data == 16);
  CHECK(setup.plan.zero_ranks == 8);
  CHECK(setup.plan.weight_precision == model::WeightPrecision::half);
}

TEST_CASE("a model with weights for each modality is refused with the reason", "[formats]") {
  // configs/train/vlm_7b_mot.toml
  const auto result = read_text("mot.toml", R"(
[model]
dim = 4096
n_layers = 32
n_heads = 32
[vlm]
arch = "mot"
)");
  CHECK(result.readings.empty());
  REQUIRE_FALSE(result.notes.empty());
  CHECK(result.notes.back().message ==
        "KempnerForge TOML: recognized, but it holds no complete model (vlm.arch: separate weights for each "
        "modality)");
}

TEST_CASE("KAITO's workspaces divide a preset over the GPUs of their instances", "[formats]") {
  // https://github.com/kaito-project/kaito, examples/inference/kaito_workspace_llama-3.3_70b_instruct.yaml:
  // two nodes of two A100 (pkg/sku/azure_sku_handler.go)
  const auto models = readings("workspace.yaml", R"(
apiVersion: kaito.sh/v1beta1
kind: Workspace
metadata:
  name: workspace-llama-3-3-70b-instruct
resource:
  count: 2
  instanceType: "Standard_NC48ads_A100_v4"
inference:
  preset:
    name: llama-3.3-70b-instruct
)",
                               "vllm");
  REQUIRE(models.size() == 1);
  CHECK(models.front().setup.model.num_layers == 80);
  CHECK(models.front().setup.plan.tensor == 2);
  CHECK(models.front().setup.plan.pipeline == 2);
  // It stands for the instance's name, which a fix must not write over with a number.
  const Span place = models.front().origins[model::FieldId::tensor].span;
  CHECK(place.end - place.begin == 26);
}

TEST_CASE("diffusion-pipe's types have the shapes of diffusers", "[formats]") {
  // https://github.com/tdrussell/diffusion-pipe, examples/qwen_image_24gb_vram.toml; Qwen-Image has 20 B
  // parameters
  const auto models = readings("qwen_image.toml", R"(
dataset = '/data/dataset.toml'
micro_batch_size_per_gpu = 1
pipeline_stages = 1
gradient_accumulation_steps = 4
activation_checkpointing = true
[model]
type = 'qwen_image'
dtype = 'bfloat16'
transformer_dtype = 'float8'
[adapter]
type = 'lora'
rank = 32
)",
                               "diffusion-pipe");
  REQUIRE(models.size() == 1);
  const model::Setup& setup = models.front().setup;
  CHECK(static_cast<double>(model::parameter_count(setup)) == Approx(20.4e9).epsilon(0.01));
  CHECK(setup.plan.adapter_rank == 32);
  CHECK(setup.plan.weight_bits == 8);
  CHECK(setup.plan.recompute == model::Recompute::full);
}

TEST_CASE("stable-audio-tools' transformers read the frames of a latent", "[formats]") {
  // https://github.com/Stability-AI/stable-audio-tools, model_configs/txt2audio/stable_audio_2_0.json
  const auto models = readings("stable_audio_2_0.json", R"({
  "model_type": "diffusion_cond", "sample_size": 12582912, "sample_rate": 44100,
  "model": {
    "pretransform": {"type": "autoencoder", "config": {"latent_dim": 64, "downsampling_ratio": 2048}},
    "diffusion": {"type": "dit", "config": {"io_channels": 64, "embed_dim": 1536, "depth": 24, "num_heads": 24,
      "cond_token_dim": 768, "global_cond_dim": 1536}}
  }
})",
                               "stable-audio");
  REQUIRE(models.size() == 1);
  CHECK(models.front().setup.model.num_layers == 24);
  CHECK(models.front().setup.model.head_dim == 64);
  CHECK(models.front().setup.plan.sequence_length == 6144);

  const auto unet = read_text("dance_diffusion.json", R"({
  "model_type": "diffusion_uncond", "sample_size": 65536, "sample_rate": 48000,
  "model": {"type": "DAU1d", "config": {"n_attn_layers": 5}}
})");
  CHECK(unet.readings.empty());
  REQUIRE_FALSE(unet.notes.empty());
  CHECK(unet.notes.back().message.find("a model of convolutions") != std::string::npos);
}

TEST_CASE("HRM's and TRM's modules are the layers that have weights", "[formats]") {
  // 27 million parameters: arXiv 2506.21734; https://github.com/sapientinc/HRM, config/arch/hrm_v1.yaml
  const std::string hrm =
      "name: hrm.hrm_act_v1@HierarchicalReasoningModel_ACTV1\nH_cycles: 2\nL_cycles: 2\nH_layers: 4\n"
      "L_layers: 4\nhidden_size: 512\nnum_heads: 8\nexpansion: 4\n";
  const auto first = readings("hrm_v1.yaml", hrm, "hrm");
  REQUIRE(first.size() == 1);
  CHECK(first.front().setup.model.intermediate_size == 1536);
  CHECK(static_cast<double>(model::parameter_count(first.front().setup)) == Approx(27e6).epsilon(0.02));

  // 7 million parameters: arXiv 2510.04871; SamsungSAILMontreal/TinyRecursiveModels, config/arch/trm.yaml
  text::MemoryFileSystem files;
  files.files["config/arch/trm.yaml"] =
      "name: trm\nH_cycles: 3\nL_cycles: 6\nH_layers: 0\nL_layers: 2\nhidden_size: 512\nnum_heads: 8\n"
      "expansion: 4\npuzzle_emb_len: 16\n";
  files.files["config/cfg_pretrain.yaml"] =
      "defaults:\n  - arch: trm\n  - _self_\ndata_paths: ['data/sudoku']\nglobal_batch_size: 768\n"
      "puzzle_emb_lr: 1e-2\n";
  const auto result = formats::read_any(files, "config/cfg_pretrain.yaml");
  CHECK(result.dialect == "hrm");
  REQUIRE(result.readings.size() == 1);
  CHECK(static_cast<double>(model::parameter_count(result.readings.front().setup)) ==
        Approx(7e6).epsilon(0.03));
  CHECK(result.readings.front().setup.plan.sequence_length == 97);
}

TEST_CASE("Open-Reasoner-Zero's class of settings is read with its defaults", "[formats]") {
  // https://github.com/Open-Reasoner-Zero/Open-Reasoner-Zero, playground/orz_7b_ppo.py
  const auto models = readings("orz_7b_ppo.py", R"(
from dataclasses import dataclass
from typing import Optional

@dataclass
class PPOExpConfig:
    actor_num_nodes: int = 32
    actor_num_gpus_per_node: int = 1
    adam_offload: bool = False
    zero_stage: int = 3
    pretrain: Optional[str] = "Qwen/Qwen2.5-7B"
    micro_train_batch_size: int = 1
    prompt_max_len: int = 2048
    generate_max_len: int = 8000
    packing_max_len: int = 16384
)",
                               "orz");
  REQUIRE(models.size() == 1);
  const model::Setup& setup = models.front().setup;
  CHECK(setup.model.num_layers == 28);
  CHECK(setup.plan.sequence_length == 16384);
  CHECK(setup.plan.data == 32);
  CHECK(setup.plan.zero == 3);
  CHECK(setup.plan.offload_optimizer == 0);
}

TEST_CASE("nanoVLM's dataclass holds a language model and a tower", "[formats]") {
  // https://github.com/huggingface/nanoVLM, models/config.py
  const auto models = readings("config.py", R"(
from dataclasses import dataclass

@dataclass
class VLMConfig:
    vit_hidden_dim: int = 768
    vit_inter_dim: int = 4 * vit_hidden_dim
    vit_patch_size: int = 16
    vit_img_size: int = 512
    vit_n_heads: int = 12
    vit_n_blocks: int = 12
    lm_hidden_dim: int = 960
    lm_inter_dim: int = 2560
    lm_base_vocab_size: int = 49152
    extra_token_amount: int = 66
    lm_vocab_size: int = lm_base_vocab_size + extra_token_amount
    lm_n_heads: int = 15
    lm_n_kv_heads: int = 5
    lm_n_blocks: int = 32
    lm_tie_weights: bool = True
)",
                               "nanovlm");
  REQUIRE(models.size() == 2);
  CHECK(models.front().setup.model.vocab_size == 49218);
  CHECK(models.front().setup.model.num_key_value_heads == 5);
  CHECK(models.back().setup.model.intermediate_size == 3072);
  CHECK(models.back().setup.plan.sequence_length == 1024);
}

TEST_CASE("Moshi has 12.5 frames a second", "[formats]") {
  // https://github.com/kyutai-labs/moshi-finetune, example/moshi_7B.yaml
  const auto models = readings("moshi_7B.yaml", R"(
moshi_paths:
  hf_repo_id: "kyutai/moshiko-pytorch-bf16"
full_finetuning: false
lora: {enable: true, rank: 128}
duration_sec: 100
batch_size: 16
gradient_checkpointing: true
)",
                               "moshi-finetune");
  REQUIRE(models.size() == 1);
  CHECK(models.front().setup.plan.sequence_length == 1250);
  CHECK(models.front().setup.plan.adapter_rank == 128);
  CHECK(models.front().setup.model.intermediate_size == 11264);
}
