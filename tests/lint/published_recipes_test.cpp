// What is said of recipes that frameworks publish as running.
#include <set>
#include <string>

#include <fmt/format.h>

#include "base/units.hpp"
#include "lint/run.hpp"
#include "model/lower/lower.hpp"
#include "model/memory/training.hpp"
#include "suggest/edit/footprint.hpp"
#include "tests/catch.hpp"
#include "tests/formats/read_text.hpp"

using namespace shapelint;

namespace {

std::set<std::string> codes_of(const std::string& path, const std::string& text) {
  text::MemoryFileSystem files;
  files.files[path] = text;
  project::Request request;
  request.gpus.names = {"h100"};
  request.min_severity = rules::Severity::info;
  lint::RunRequest run;
  run.paths = {path};
  const project::Project project(request, files);
  const lint::RunOutcome out = lint::lint_files(run, project);
  CHECK(out.report.models.size() == 1);
  std::set<std::string> codes;
  for (const lint::ModelReport& model : out.report.models) {
    for (const rules::Finding& finding : model.result.findings) codes.emplace(finding.code);
  }
  return codes;
}

}  // namespace

// axolotl, examples/gemma4/README.md (067f987): FlashAttention-2 cannot serve Gemma 4's heads of 512 on its
// own; SDPA and flex attention do, and `gemma4_hybrid_attn_impl` gives those layers to SDPA.
TEST_CASE("only a kernel that the file names can reject wide heads", "[lint]") {
  const std::string axolotl =
      "base_model: google/gemma-4-31B\ndatasets: [{path: a, type: b}]\nsequence_len: 2048\nmicro_batch_size: "
      "1\n"
      "adapter: qlora\nlora_r: 16\nload_in_4bit: true\nattn_implementation: ";
  const std::string factory =
      "model_name_or_path: google/gemma-4-31B\nstage: sft\nfinetuning_type: lora\ncutoff_len: 2048\n"
      "per_device_train_batch_size: 1\nbf16: true\nflash_attn: ";
  const std::string config =
      R"({"model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32,
          "num_attention_heads": 8, "num_key_value_heads": 8, "head_dim": 512, "vocab_size": 32000,
          "_attn_implementation": )";
  CHECK(codes_of("axolotl.yaml", axolotl + "flash_attention_2\n").count("SL602") == 1);
  CHECK(codes_of("train.yaml", factory + "fa2\n").count("SL602") == 1);
  CHECK(codes_of("config.json", config + R"("flash_attention_2"})").count("SL602") == 1);
  for (const char* chooses : {"sdpa", "flex_attention", "flash_attention_2\ngemma4_hybrid_attn_impl: true"}) {
    INFO(chooses);
    CHECK(codes_of("axolotl.yaml", axolotl + chooses + "\n").count("SL602") == 0);
  }
  CHECK(codes_of("train.yaml", factory + "sdpa\n").count("SL602") == 0);
  CHECK(codes_of("train.yaml", factory + "auto\n").count("SL602") == 0);
  CHECK(codes_of("config.json", config + R"("sdpa"})").count("SL602") == 0);
  CHECK(codes_of("config.json", config + R"("sdpa"})").count("SL610") == 1);
}

// ms-swift, examples/models/gemma4/gemma4_unified.sh (3602360): 65 GiB on each of four GPUs, as it says.
// Without packing a batch is padded to its own longest text.
TEST_CASE("Megatron-SWIFT's max_length is a limit unless sequences are packed", "[lint]") {
  const std::string run =
      "NPROC_PER_NODE=4 megatron sft --model google/gemma-4-12B-it --dataset a --tuner_type full "
      "--tensor_model_parallel_size 4 --micro_batch_size 16 --global_batch_size 16 --recompute_granularity "
      "full "
      "--recompute_method uniform --recompute_num_layers 1 --cross_entropy_loss_fusion true --max_length "
      "4096 "
      "--sequence_parallel true --attention_backend unfused";
  CHECK(codes_of("run.sh", run + " --padding_free false\n").count("SL510") == 0);
  CHECK(codes_of("run.sh", run + " --padding_free false\n").count("SL514") == 1);
  CHECK(codes_of("run.sh", run + " --packing true\n").count("SL510") == 1);
}

namespace {

// Of what PyTorch's allocator takes from the GPU, tensors are so much in runs that compute activations again
// (bench/memory.py).
constexpr double reserved = 1.18;

// What the first model of a command takes at its fullest moment, with what lies between its tensors.
double reserved_gib(const std::string& command) {
  const auto result = tests::read_text("train.sh", command);
  REQUIRE_FALSE(result.readings.empty());
  CHECK(result.readings.front().complete);
  return reserved * suggest::memory_bytes(result.readings.front().setup) / bytes_per_gib;
}

const std::string swift_options =
    " --dataset a --torch_dtype bfloat16 --per_device_train_batch_size 1 --attn_impl flash_attn ";

}  // namespace

// ms-swift, examples/train/multi-gpu/device_map/train.sh (3602360): 76 GiB on each of two GPUs;
// examples/models/qwen3_vl/transformers.sh: layers of 235 B on eight.
TEST_CASE("with more GPUs than processes ms-swift spreads the layers over them", "[lint]") {
  const std::string options =
      "swift sft --model Qwen/Qwen2.5-VL-72B-Instruct --tuner_type lora --lora_rank 8 --target_modules "
      "all-linear --gradient_accumulation_steps 16 --max_length 2048" +
      swift_options;
  const auto result = tests::read_text("train.sh", "CUDA_VISIBLE_DEVICES=0,1 " + options + "\n");
  REQUIRE(result.readings.size() == 1);
  const model::Plan& plan = result.readings.front().setup.plan;
  CHECK(plan.pipeline == 2);
  CHECK(plan.pipeline_schedule == model::PipelineSchedule::in_turn);
  CHECK(suggest::memory_bytes(result.readings.front().setup) / bytes_per_gib == Approx(76).epsilon(0.12));
  CHECK(codes_of("train.sh", "CUDA_VISIBLE_DEVICES=0,1 " + options + "\n").count("SL516") == 1);
  CHECK(codes_of("train.sh", "CUDA_VISIBLE_DEVICES=0 " + options + "\n").count("SL516") == 0);
  // A process for each GPU has all layers; one for every two has them on both.
  const auto pipeline = [&](const std::string& variables) {
    return tests::read_text("train.sh", variables + options + "\n").readings.front().setup.plan.pipeline;
  };
  CHECK(pipeline("NPROC_PER_NODE=2 CUDA_VISIBLE_DEVICES=0,1 ") == 1);
  CHECK(pipeline("NPROC_PER_NODE=2 CUDA_VISIBLE_DEVICES=0,1,2,3 ") == 2);
  CHECK(pipeline("") == 1);
}

// ms-swift, examples/train/packing/dpo.sh (3602360): 50 GiB; swift/dataset/packing.py: a pair counts with the
// sum of its lengths.
TEST_CASE("a packed row of preferences holds both answers", "[lint]") {
  const std::string run =
      "NPROC_PER_NODE=4 swift rlhf --rlhf_type dpo --model Qwen/Qwen2.5-7B-Instruct --tuner_type full "
      "--max_length 8192 --deepspeed zero3 --gradient_accumulation_steps 1" +
      swift_options;
  const auto batch = [&](const std::string& more) {
    return tests::read_text("train.sh", run + more).readings.front().setup.plan.micro_batch_size;
  };
  CHECK(batch("--packing true\n") == 1);
  CHECK(batch("--packing false\n") == 2);
  CHECK(reserved_gib(run + "--packing true\n") == Approx(50).epsilon(0.2));
}

// ms-swift, examples/megatron/moe/deepseek_v3.sh and moe.sh (3602360): 60 and 57 GiB on each of eight GPUs;
// examples/megatron/rlhf/rm/moe.sh: 45 GiB on each of two.
TEST_CASE("a compiled loss over a whole vocabulary is most of what a mixture's step adds in Megatron",
          "[lint]") {
  const std::string options =
      " --moe_permute_fusion true --moe_grouped_gemm true --micro_batch_size 1 --packing true --dataset a "
      "--recompute_granularity full --recompute_method uniform --recompute_num_layers 1 --max_length 8192 "
      "--sequence_parallel true --attention_backend flash --cross_entropy_loss_fusion ";
  const auto sft = [&](const std::string& model, int last_layers) {
    return fmt::format(
        "NPROC_PER_NODE=8 megatron sft --model {} --global_batch_size 16 --pipeline_model_parallel_size 2 "
        "--decoder_last_pipeline_num_layers {} --expert_model_parallel_size 4{}",
        model, last_layers, options);
  };
  const std::string moonlight = sft("moonshotai/Moonlight-16B-A3B-Instruct", 13);
  CHECK(reserved_gib(moonlight + "true\n") == Approx(60).epsilon(0.1));
  CHECK(reserved_gib(moonlight + "false\n") < 53);
  const std::string qwen = sft("Qwen/Qwen1.5-MoE-A2.7B", 11);
  CHECK(reserved_gib(qwen + "true\n") == Approx(57).epsilon(0.1));
  CHECK(reserved_gib("NPROC_PER_NODE=2 megatron rlhf --rlhf_type rm --model Qwen/Qwen3-30B-A3B --tuner_type "
                     "lora --lora_rank 8 --target_modules all-linear --expert_model_parallel_size 2 "
                     "--global_batch_size 4" +
                     options + "true\n") == Approx(45).epsilon(0.1));
}

// ms-swift, examples/train/tuners/galore/train_galore.sh and lisa/train.sh (3602360): 38 and 29 GiB on one
// GPU.
TEST_CASE("GaLore keeps all gradients, LISA trains the tables", "[lint]") {
  const std::string run =
      "CUDA_VISIBLE_DEVICES=0 swift sft --model Qwen/Qwen2.5-7B-Instruct --tuner_type full --dataset a "
      "--per_device_train_batch_size 1 --gradient_accumulation_steps 16 ";
  const auto galore =
      tests::read_text("train.sh", run + "--use_galore true --galore_optim_per_parameter true\n");
  CHECK(galore.readings.front().setup.plan.gradient_storage == model::GradientStorage::freed);
  CHECK(suggest::memory_bytes(galore.readings.front().setup) / bytes_per_gib == Approx(38).epsilon(0.1));
  CHECK(reserved_gib(run + "--lisa_activated_layers 2\n") == Approx(29).epsilon(0.1));
}

// ms-swift, examples/train/agent/loss_scale/train.sh (3602360): 20 GB on one GPU.
TEST_CASE("what modules_to_save names is trained whole beside adapters", "[lint]") {
  const std::string run =
      "CUDA_VISIBLE_DEVICES=0 swift sft --model Qwen/Qwen2.5-3B --tuner_type lora --lora_rank 8 "
      "--target_modules all-linear --max_length 2048 --use_liger_kernel true --gradient_accumulation_steps "
      "16" +
      swift_options;
  CHECK(reserved_gib(run + "--modules_to_save embed_tokens lm_head\n") == Approx(20 / 1.074).epsilon(0.15));
  CHECK(reserved_gib(run + "\n") < 10);
  const auto tables = [](const std::string& path, const std::string& text) {
    return tests::read_text(path, text).readings.front().setup.plan.learning_tables;
  };
  CHECK(
      tables(
          "lora.yml",
          "base_model: Qwen/Qwen2.5-3B\ndatasets: [{path: a, type: b}]\nsequence_len: 2048\n"
          "micro_batch_size: 1\nadapter: lora\nlora_r: 8\nlora_modules_to_save: [embed_tokens, lm_head]\n") ==
      2);
  CHECK(tables("sft.yaml",
               "model_name_or_path: Qwen/Qwen2.5-3B\nstage: sft\nfinetuning_type: lora\ncutoff_len: 2048\n"
               "additional_target: embed_tokens\nper_device_train_batch_size: 1\n") == 1);
  CHECK(tables("sft.yaml",
               "model_name_or_path: Qwen/Qwen2.5-3B\nstage: sft\nfinetuning_type: full\ncutoff_len: 2048\n"
               "additional_target: embed_tokens\nper_device_train_batch_size: 1\n") == 0);
}

// LLaVA, scripts/v1_5/pretrain.sh, runs on 8 A100 of 80 GB (README.md, Train); InternVL, Qwen-VL, MiniCPM-V.
TEST_CASE("a language model that is frozen has weights alone", "[lint]") {
  const auto plan = [](const std::string& command) {
    return tests::read_text("train.sh", command + "\n").readings.front().setup;
  };
  const std::string llava =
      "deepspeed llava/train/train_mem.py --deepspeed ./scripts/zero2.json --model_name_or_path "
      "lmsys/vicuna-13b-v1.5 --vision_tower openai/clip-vit-large-patch14-336 --bf16 True "
      "--per_device_train_batch_size 32 --model_max_length 2048 --gradient_checkpointing True ";
  const model::Setup pretraining = plan(llava + "--tune_mm_mlp_adapter True");
  CHECK(pretraining.plan.frozen);
  const model::HeldStates states =
      model::held_states(pretraining, 8, model::parameters_per_rank(pretraining));
  CHECK(states.weights == Approx(2 * 13.016e9).epsilon(0.001));
  CHECK(states.gradients + states.optimizer == 0);
  CHECK(suggest::memory_bytes(pretraining) / bytes_per_gib < 79);
  CHECK_FALSE(plan(llava).plan.frozen);
  CHECK(plan(llava + "--lora_enable True").plan.adapter_rank == 64);

  const std::string internvl =
      "torchrun --nproc_per_node=8 internvl/train/internvl_chat_finetune.py --model_name_or_path "
      "OpenGVLab/InternVL2_5-8B --bf16 True --per_device_train_batch_size 4 --max_seq_length 8192 "
      "--grad_checkpoint True ";
  CHECK(plan(internvl + "--freeze_llm True --freeze_backbone False").plan.frozen);
  CHECK_FALSE(plan(internvl + "--freeze_llm False --freeze_backbone True").plan.frozen);
  CHECK_FALSE(plan(internvl + "--freeze_llm True --freeze_backbone True --use_llm_lora 16").plan.frozen);

  const std::string qwen =
      "torchrun --nproc_per_node=8 qwenvl/train/train_qwen.py --model_name_or_path "
      "Qwen/Qwen2.5-VL-3B-Instruct --bf16 --per_device_train_batch_size 4 --model_max_length 8192 ";
  CHECK(plan(qwen + "--tune_mm_llm False --tune_mm_mlp True").plan.frozen);
  CHECK_FALSE(plan(qwen + "--tune_mm_llm True --tune_mm_vision False").plan.frozen);
  CHECK(
      plan("deepspeed src/train/train_sft.py --model_id Qwen/Qwen2.5-VL-3B-Instruct --freeze_llm True "
           "--freeze_merger False --bf16 True --per_device_train_batch_size 1 --gradient_checkpointing True")
          .plan.frozen);
  const std::string swift = "swift sft --model Qwen/Qwen2.5-VL-7B-Instruct --max_length 2048" + swift_options;
  CHECK(plan(swift + "--tuner_type full --freeze_llm true --freeze_aligner false").plan.frozen);
  CHECK_FALSE(plan(swift + "--tuner_type full --freeze_vit true").plan.frozen);
}

// verl, recipe/dapo/run_dapo_qwen2.5_32b.sh, leaves the nodes to the environment: NNODES=${NNODES:-16}. What
// a script falls back on is no statement of the launch, and none of these fails for certain on more nodes.
TEST_CASE("nodes that a script falls back on make no error certain", "[lint]") {
  const std::string train =
      "torchrun --nproc_per_node 8 --nnodes $NNODES pretrain_gpt.py --num-layers 80 --hidden-size 8192 "
      "--num-attention-heads 64 --group-query-attention --num-query-groups 8 --ffn-hidden-size 28672 "
      "--swiglu "
      "--seq-length 4096 --max-position-embeddings 4096 --micro-batch-size 1 --global-batch-size 256 "
      "--tensor-model-parallel-size 8 --sequence-parallel --bf16 --use-distributed-optimizer "
      "--vocab-size 128256 --untie-embeddings-and-output-weights ";
  const auto has = [&](const std::string& nodes, const std::string& more, const char* code) {
    return codes_of("train.sh", nodes + "\n" + train + more + "\n").contains(code);
  };
  const std::string staged = "--pipeline-model-parallel-size 4";
  CHECK(has("NNODES=1", staged, "SL422"));
  CHECK_FALSE(has("NNODES=${NNODES:-1}", staged, "SL422"));
  CHECK(has("NNODES=1", "", "SL509"));
  CHECK_FALSE(has("NNODES=${NNODES:-1}", "", "SL509"));
  const std::string experts = "--num-experts 64 --moe-router-topk 6 --expert-model-parallel-size 32";
  CHECK(has("NNODES=2", experts, "SL415"));
  CHECK_FALSE(has("NNODES=${1:-2}", experts, "SL415"));
}

// modelscope/ms-swift and Megatron-LM's examples: GPUS_PER_NODE=${GPUS_PER_NODE:-8}, NPROC_PER_NODE alike.
TEST_CASE("GPUs of a node that a script falls back on make no error certain", "[lint]") {
  const auto has = [&](const std::string& gpus, const std::string& rest) {
    return codes_of("train.sh", gpus + rest).contains("SL422");
  };
  const std::string megatron =
      "torchrun --nproc_per_node $GPUS pretrain_gpt.py --num-layers 80 --hidden-size 8192 "
      "--num-attention-heads 64 --seq-length 4096 --max-position-embeddings 4096 --micro-batch-size 1 "
      "--global-batch-size 256 --tensor-model-parallel-size 8 --pipeline-model-parallel-size 4 --bf16 "
      "--use-distributed-optimizer --vocab-size 128256\n";
  CHECK(has("GPUS=8\n", megatron));
  CHECK_FALSE(has("GPUS=${GPUS:-8}\n", megatron));
  const std::string swift =
      "NPROC_PER_NODE=$GPUS megatron sft --model Qwen/Qwen2.5-72B --dataset d --tensor_model_parallel_size 8 "
      "--pipeline_model_parallel_size 4 --micro_batch_size 1 --global_batch_size 64 --max_length 4096\n";
  CHECK(has("GPUS=8\n", swift));
  CHECK_FALSE(has("GPUS=${GPUS:-8}\n", swift));
}
