// Trainers and servers of 2025 and 2026 in files of their own: the update, and the engine beside it.
#include <string>

#include "formats/read.hpp"
#include "model/lower/lower.hpp"
#include "tests/catch.hpp"
#include "tests/formats/read_text.hpp"

using namespace shapelint;
using tests::one_setup;
using tests::read_text;

TEST_CASE("Cosmos-RL's replicas share a batch, and its rollouts have an engine", "[formats]") {
  // https://github.com/nvidia-cosmos/cosmos-rl, configs/qwen2-5/qwen2-5-7b-p-fsdp2-cp2-r-tp2-pp1-grpo.toml
  const auto result = read_text("grpo.toml", R"(
[train]
param_dtype = "bfloat16"
train_batch_per_replica = 128
sync_weight_interval = 1
[rollout]
gpu_memory_utilization = 0.7
max_response_length = 2048
n_generation = 16
batch_size = 4
[policy]
model_name_or_path = "Qwen/Qwen2.5-7B-Instruct"
model_max_length = 4096
model_gradient_checkpointing = true
[train.train_policy]
type = "grpo"
[rollout.parallelism]
tp_size = 2
[policy.parallelism]
tp_size = 1
cp_size = 2
dp_shard_size = 2
)");
  CHECK(result.dialect == "cosmos-rl");
  REQUIRE(result.readings.size() == 2);
  const model::Plan& update = result.readings.front().setup.plan;
  CHECK(result.readings.front().setup.model.num_layers == 28);
  CHECK(update.tensor == 1);
  CHECK(update.context == 2);
  CHECK(update.data == 2);
  CHECK(update.zero == 3);
  CHECK(update.sequence_length == 4096);
  // mini_batch is 2 by default.
  CHECK(update.micro_batch_size == 2);
  CHECK(update.gradient_accumulation == 32);
  CHECK(update.weight_precision == model::WeightPrecision::fp32);
  const model::Plan& rollout = result.readings.back().setup.plan;
  CHECK(rollout.mode == model::Mode::decode);
  CHECK(rollout.tensor == 2);
  CHECK(rollout.micro_batch_size == 64);
  CHECK(rollout.memory_percent == 70);
}

TEST_CASE("oat's learners have half of a node unless they share it", "[formats]") {
  // https://github.com/sail-sg/oat, examples/math_rl.sh
  const std::string shared =
      "python -m oat.experiment.run_math_rl --critic_type drgrpo --gpus 8 --collocate --vllm_gpu_ratio 0.35 "
      "--gradient-checkpointing --flash-attn --bf16 --pretrain Qwen/Qwen2.5-1.5B --zero-stage 2 "
      "--prompt_max_length 1024 --generate_max_length 4096 --train_batch_size 128 "
      "--train_batch_size_per_device 1\n";
  const model::Plan reward = one_setup("math_rl.sh", shared).plan;
  CHECK(reward.sequence_length == 5120);
  CHECK(reward.micro_batch_size == 1);
  CHECK(reward.data == 8);
  CHECK(reward.gradient_accumulation == 16);
  CHECK(reward.zero == 2);
  // benchmark/llama3_oat.sh: pairs, and actors of their own.
  const model::Plan pairs =
      one_setup("llama3.sh",
                "python -m oat.experiment.main --flash-attn --gradient-checkpointing --gpus 8 "
                "--vllm-gpu-ratio 0.55 "
                "--zero-stage 3 --dap-algo DPO --pretrain meta-llama/Meta-Llama-3-8B-Instruct "
                "--prompt-max-length 1800 --generate-max-length 1024 --train-batch-size 128 "
                "--train-batch-size-per-device 1\n")
          .plan;
  CHECK(pairs.micro_batch_size == 2);
  CHECK(pairs.data == 4);
  CHECK(pairs.gradient_accumulation == 32);
  CHECK(pairs.sequence_length == 2824);
}

TEST_CASE("the operator of vLLM's production stack says what its chart does", "[formats]") {
  // https://github.com/vllm-project/production-stack,
  // operator/config/samples/production-stack_v1alpha1_vllmruntime.yaml
  const model::Plan nested = one_setup("runtime.yaml", R"(
apiVersion: production-stack.vllm.ai/v1alpha1
kind: VLLMRuntime
spec:
  model: {modelURL: "meta-llama/Llama-3.1-8B-Instruct", maxModelLen: 4096, dtype: bfloat16, maxNumSeqs: 32}
  vllmConfig: {tensorParallelSize: 2, gpuMemoryUtilization: "0.8", v1: true}
)")
                                 .plan;
  CHECK(nested.tensor == 2);
  CHECK(nested.memory_percent == 80);
  CHECK(nested.longest_sequence == 4096);
  CHECK(nested.most_sequences == 32);
  // src/gateway_inference_extension/configs/vllm/vllm-runtime.yaml: the same beside the model.
  const model::Plan flat = one_setup("flat.yaml", R"(
apiVersion: production-stack.vllm.ai/v1alpha1
kind: VLLMRuntime
spec:
  tensorParallelSize: 4
  extraArgs: ["--max-num-seq", "1024"]
  model: {modelURL: "meta-llama/Llama-3.2-1B-Instruct", maxModelLen: 4096}
)")
                               .plan;
  CHECK(flat.tensor == 4);
  CHECK(flat.most_sequences == 1024);
}

TEST_CASE("where a path is the run's, the name that is served tells the model", "[formats]") {
  // https://github.com/sgl-project/ome, config/runtimes/srt/mistral-7b-instruct-pd-rt.yaml
  const model::Setup served = one_setup("serve.sh",
                                        "python3 -m sglang.launch_server --model-path $MODEL_PATH --tp-size "
                                        "2 --mem-frac 0.9 --served-model-name "
                                        "mistralai/Mistral-7B-Instruct-v0.2\n");
  CHECK(served.model.num_layers == 32);
  CHECK(served.plan.tensor == 2);
  CHECK(one_setup("vllm.sh", "vllm serve $1 --served-model-name Qwen3-8B -tp 2\n").model.num_layers == 36);
  // The model itself goes before what it is called.
  CHECK(one_setup("both.sh", "vllm serve Qwen/Qwen3-14B --served-model-name Qwen3-8B\n").model.num_layers ==
        40);
}

TEST_CASE("AIAK's sizes are those of the model that it names", "[formats]") {
  // https://github.com/EvolvingLMMs-Lab/LLaVA-OneVision-1.5,
  // examples/qwen2_5_vl/finetuning/sft_qwen2_5_vl_7b.sh
  const std::string rest =
      " --training-phase sft --seq-length 1024 --max-position-embeddings 4096 --micro-batch-size 1 "
      "--global-batch-size 16 --optimizer adam --bf16 --use-distributed-optimizer --lr 0.0002 --train-iters "
      "10 ";
  const model::Setup small = one_setup("sft.sh",
                                       "torchrun --nproc_per_node 8 --nnodes 1 train.py --model-name "
                                       "qwen2_5-vl-7b --tensor-model-parallel-size 1" +
                                           rest + "\n");
  CHECK(model::parameter_count(small) == 7'615'616'512);
  CHECK(small.plan.data == 8);
  CHECK(small.plan.gradient_accumulation == 2);
  // pretrain_qwen2_5_vl_72b.sh runs on WORLD_SIZE nodes, "at least 4", of which it states one.
  const auto large =
      read_text("pretrain.sh",
                "torchrun --nproc_per_node 8 --nnodes ${WORLD_SIZE:-\"1\"} train.py --model-name "
                "qwen2_5-vl-72b --tensor-model-parallel-size 4 --pipeline-model-parallel-size 4" +
                    rest + "\n");
  REQUIRE(large.readings.size() == 1);
  CHECK(large.readings.front().setup.model.num_layers == 80);
  CHECK(model::extra(large.readings.front(), "world_size") == 0);
}

TEST_CASE("MaxText shards weights over two axes, and recomputes what it does not name", "[formats]") {
  // https://github.com/AI-Hypercomputer/tpu-recipes, training/ironwood/gemma4-31b/8k-bf16-tpu7x-4x4x4/k8s
  const model::Plan plan =
      one_setup(
          "train.sh",
          "python3 -m MaxText.train MaxText/configs/base.yml model_name=llama3.1-70b per_device_batch_size=4 "
          "max_target_length=8192 ici_fsdp_parallelism=16 ici_fsdp_transpose_parallelism=8 "
          "remat_policy=custom out_proj=device dtype=bfloat16 steps=30\n")
          .plan;
  CHECK(plan.data == 128);
  CHECK(plan.zero == 3);
  CHECK(plan.recompute == model::Recompute::full);
}

TEST_CASE("Tunix' mesh says how many ranks shard weights and split heads", "[formats]") {
  // https://github.com/google/tunix, examples/rl/grpo/gsm8k/configs/gemma3_4b.yaml
  const model::Setup file = one_setup("grpo.yaml", R"yaml(
model_config:
  model_name: "gemma-3-4b-it"
  model_id: "google/gemma-3-4b-it"
  mesh: {shape: "(2,4)", axis_names: "('fsdp','tp')"}
actor_model_config:
  lora_config: {rank: 64, alpha: 64.0}
  mesh: {shape: "(2,4)", axis_names: "('fsdp','tp')"}
batch_size: 8
rl_training_config: {max_steps: 3738}
rollout_config: {total_generation_steps: 768, max_prompt_length: 256}
grpo_config: {num_generations: 2}
)yaml");
  CHECK(file.model.num_layers == 34);
  CHECK(file.plan.data == 2);
  CHECK(file.plan.tensor == 4);
  CHECK(file.plan.sequence_length == 1024);
  CHECK(file.plan.micro_batch_size == 8);
  CHECK(file.plan.adapter_rank == 64);
  // examples/sft/mtnt/run_llama3.2_3b.sh
  const model::Plan command =
      one_setup("sft.sh",
                "python3 -m tunix.cli.peft_main base_config.yaml model_config.model_name=\"llama-3.2-3b\" "
                "model_config.model_id=\"meta-llama/Llama-3.2-3B\" model_config.lora_config={} "
                "model_config.mesh.shape=\"(2,2)\" model_config.mesh.axis_names=\"('fsdp','tp')\" "
                "max_target_length=512 batch_size=8 optimizer_config.opt_type=\"adamw\"\n")
          .plan;
  CHECK(command.data == 2);
  CHECK(command.tensor == 2);
  CHECK(command.sequence_length == 512);
  CHECK(command.micro_batch_size == 4);
  CHECK_FALSE(command.adapters);
}
