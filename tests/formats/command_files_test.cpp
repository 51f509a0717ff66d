// Commands whose arguments stand in a file.
#include <string>

#include "formats/read.hpp"
#include "tests/catch.hpp"
#include "tests/formats/read_text.hpp"

using namespace shapelint;

namespace {

formats::ReadResult read(const std::string& command, const std::string& path, const std::string& text) {
  text::MemoryFileSystem files;
  files.files["run.sh"] = command;
  files.files[path] = text;
  return formats::read_any(files, "run.sh");
}

}  // namespace

TEST_CASE("axolotl's and LLaMA-Factory's commands are their files, and what differs", "[formats]") {
  const std::string file =
      "base_model: NousResearch/Meta-Llama-3-8B\nmicro_batch_size: 2\nsequence_len: 8192\n";
  for (const std::string command :
       {"axolotl train examples/x.yml\n", "accelerate launch -m axolotl.cli.train examples/x.yml\n"}) {
    const auto result = read(command, "examples/x.yml", file);
    CHECK(result.dialect == "axolotl-command");
    REQUIRE(result.readings.size() == 1);
    CHECK(result.readings.front().setup.model.num_layers == 32);
    CHECK(result.readings.front().setup.plan.micro_batch_size == 2);
  }
  const auto differs = read("axolotl train examples/x.yml --micro-batch-size 4\n", "examples/x.yml", file);
  REQUIRE(differs.readings.size() == 1);
  CHECK(differs.readings.front().setup.plan.micro_batch_size == 4);

  const auto factory =
      read("llamafactory-cli train examples/x.yaml\n", "examples/x.yaml",
           "model_name_or_path: Qwen/Qwen2.5-7B\nstage: sft\nfinetuning_type: lora\ncutoff_len: 2048\n"
           "per_device_train_batch_size: 2\nbf16: true\n");
  CHECK(factory.dialect == "llama-factory-command");
  REQUIRE(factory.readings.size() == 1);
  CHECK(factory.readings.front().setup.plan.sequence_length == 2048);
}

TEST_CASE("Oumi's, torchtune's and NeMo RL's commands are their files, and what differs", "[formats]") {
  const auto oumi = read("oumi distributed torchrun -m oumi train -c configs/x.yaml\n", "configs/x.yaml",
                         "model:\n  model_name: Qwen/Qwen3-8B\n  model_max_length: 4096\ntraining:\n"
                         "  trainer_type: TRL_SFT\n  per_device_train_batch_size: 2\n");
  CHECK(oumi.dialect == "oumi-command");
  REQUIRE(oumi.readings.size() == 1);
  CHECK(oumi.readings.front().setup.plan.sequence_length == 4096);

  const auto tune =
      read("tune run --nproc_per_node 4 full_finetune_distributed --config x.yaml batch_size=8\n", "x.yaml",
           "model:\n  _component_: torchtune.models.llama3_1.llama3_1_8b\ntokenizer:\n  max_seq_len: 2048\n"
           "optimizer: {_component_: torch.optim.AdamW}\nbatch_size: 2\nepochs: 1\ndtype: bf16\n");
  CHECK(tune.dialect == "torchtune-command");
  REQUIRE(tune.readings.size() == 1);
  CHECK(tune.readings.front().setup.model.num_layers == 32);
  CHECK(tune.readings.front().setup.plan.micro_batch_size == 8);
  CHECK(tune.readings.front().setup.plan.data == 4);

  const auto nemo = read(
      "uv run python examples/run_grpo_math.py --config examples/configs/x.yaml "
      "policy.model_name=Qwen/Qwen2.5-7B "
      "cluster.num_nodes=2\n",
      "examples/configs/x.yaml",
      "policy:\n  model_name: Qwen/Qwen2.5-1.5B\n  train_global_batch_size: 512\n  train_micro_batch_size: "
      "4\n"
      "  max_total_sequence_length: 4096\n  dtensor_cfg: {enabled: true, tensor_parallel_size: 1, "
      "context_parallel_size: 1}\n"
      "cluster: {gpus_per_node: 8, num_nodes: 1}\n");
  CHECK(nemo.dialect == "nemo-rl-command");
  REQUIRE(nemo.readings.size() == 1);
  CHECK(nemo.readings.front().setup.model.hidden_size == 3584);
  CHECK(nemo.readings.front().setup.plan.micro_batch_size == 4);
}

// https://github.com/basetenlabs/truss-examples (dc9c166): a server's command in `sh -c`, and engines that
// TensorRT-LLM builds, with the options of the second engine beside the build.
TEST_CASE("Truss starts a server, or an engine of TensorRT-LLM", "[formats]") {
  const model::Setup server = tests::one_setup(
      "config.yaml",
      "model_name: chat\ndocker_server:\n  start_command: sh -c \"truss-transfer-cli && vllm serve "
      "Qwen/Qwen3-30B-A3B --tensor-parallel-size 2\"\nresources: {accelerator: H100:2}\n");
  CHECK(server.plan.tensor == 2);
  CHECK(server.model.moe.num_experts == 128);

  const model::Setup built = tests::one_setup(
      "config.yaml",
      "trt_llm:\n  build:\n    base_model: decoder\n    checkpoint_repository: {source: HF, repo: "
      "Qwen/Qwen2.5-72B-Instruct}\n    quantization_type: fp8_kv\n    max_seq_len: 32768\n"
      "    tensor_parallel_count: 2\n");
  CHECK(built.plan.tensor == 2);
  CHECK(built.plan.dtype == DType::fp8);
  CHECK(built.plan.context_length == 16384);

  const model::Setup second = tests::one_setup(
      "config.yaml",
      "trt_llm:\n  inference_stack: v2\n  build:\n    checkpoint_repository: {repo: "
      "deepseek-ai/DeepSeek-V3}\n  runtime: {max_batch_size: 64, tensor_parallel_size: 8, patch_kwargs: "
      "{moe_expert_parallel_size: 4}}\n");
  CHECK(second.plan.tensor == 8);
  CHECK(second.plan.expert == 4);
}

// https://github.com/bentoml/BentoVLLM (3b69b26), .github/deepseek-v3.1-671b.yaml and service.py: `-tp` of
// vLLM.
TEST_CASE("BentoVLLM's arguments are vLLM's", "[formats]") {
  const auto result = tests::read_text(
      "args.yaml",
      "args:\n  name: a\n  gpu_type: nvidia-h200-141gb\n  tp: 8\n  model_id: deepseek-ai/DeepSeek-V3.1\n"
      "  max_model_len: 16384\n  cli_args: [--max-num-seqs, '64']\n");
  REQUIRE(result.readings.size() == 1);
  CHECK(result.dialect == "vllm");
  CHECK(result.readings.front().setup.plan.tensor == 8);
  CHECK(result.readings.front().setup.model.num_layers == 61);
}
