// What models of one file keep on the same GPUs while one of them runs.
#include "formats/colocated.hpp"

#include <string>

#include "formats/read.hpp"
#include "tests/catch.hpp"
#include "text/files.hpp"

using namespace shapelint;

namespace {

std::vector<model::Reading> readings_of(const std::string& flags) {
  const std::string command =
      "python3 -m verl.trainer.main_ppo data.train_batch_size=256 data.max_prompt_length=512 "
      "data.max_response_length=512 actor_rollout_ref.model.path=Qwen/Qwen2.5-7B-Instruct "
      "actor_rollout_ref.actor.ppo_mini_batch_size=64 actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4 "
      "actor_rollout_ref.rollout.name=vllm trainer.n_gpus_per_node=8 trainer.nnodes=1 ";
  return formats::read(text::MemoryFileSystem{}, formats::parse("run.sh", command + flags + "\n")).readings;
}

const model::Reading& part_of(const std::vector<model::Reading>& readings, const std::string& part) {
  for (const model::Reading& each : readings) {
    if (each.part == part) return each;
  }
  FAIL("no part " << part);
  return readings.front();
}

// In GiB.
double beside(const std::vector<model::Reading>& readings, const std::string& part) {
  return static_cast<double>(part_of(readings, part).setup.plan.colocated_mib) / 1024;
}

// FSDP keeps 4 bytes of each weight and 8 of Adam's states, over eight ranks (verl v0.9.0,
// trainer/config/engine/fsdp.yaml: model_dtype fp32); the critic has no head over the vocabulary.
constexpr double gib = 1024.0 * 1024 * 1024;
constexpr double policy = 7'615'616'512 * 12.0 / 8 / gib;
constexpr double critic = (7'615'616'512 - 152'064 * 3584.0) * 12 / 8 / gib;

}  // namespace

TEST_CASE("policy and critic keep weights and optimizer states while the other runs", "[formats]") {
  const auto ppo = readings_of("algorithm.adv_estimator=gae critic.model.path=Qwen/Qwen2.5-7B-Instruct");
  REQUIRE(ppo.size() == 3);
  CHECK(beside(ppo, "update") == Approx(critic).epsilon(0.001));
  CHECK(beside(ppo, "critic") == Approx(policy).epsilon(0.001));
  CHECK(beside(ppo, "rollout") == Approx(policy + critic).epsilon(0.001));
  CHECK_FALSE(part_of(ppo, "critic").setup.model.lm_head);
}

TEST_CASE("what is moved away between turns takes nothing, and neither does what has GPUs of its own",
          "[formats]") {
  const std::string away =
      "algorithm.adv_estimator=grpo actor_rollout_ref.actor.fsdp_config.param_offload=True "
      "actor_rollout_ref.actor.fsdp_config.optimizer_offload=";
  CHECK(beside(readings_of(away + "True"), "rollout") == 0);
  CHECK(beside(readings_of(away + "False"), "rollout") == Approx(policy * 8 / 12).epsilon(0.001));
  CHECK(beside(readings_of("algorithm.adv_estimator=grpo"), "update") == 0);  // the engine frees its part
  CHECK(beside(readings_of("algorithm.adv_estimator=grpo actor_rollout_ref.rollout.nnodes=1"), "rollout") ==
        0);
}

TEST_CASE("only GAE has a critic, unless it is asked for", "[formats]") {
  const std::string named = "critic.model.path=Qwen/Qwen2.5-7B-Instruct ";
  CHECK(readings_of(named + "algorithm.adv_estimator=grpo").size() == 2);
  CHECK(readings_of(named + "algorithm.adv_estimator=gae critic.enable=False").size() == 2);
  CHECK(readings_of(named).size() == 3);  // GAE is the default
}

TEST_CASE("a critic of Megatron's has the actor's degrees", "[formats]") {
  // verl v0.7.0, workers/megatron_workers.py: the first worker of a process makes the groups.
  const auto ppo = readings_of(
      "actor_rollout_ref.actor.strategy=megatron critic.strategy=megatron "
      "actor_rollout_ref.actor.megatron.tensor_model_parallel_size=4 "
      "critic.model.path=Qwen/Qwen2.5-7B-Instruct");
  const model::Plan& plan = part_of(ppo, "critic").setup.plan;
  CHECK(plan.tensor == 4);
  CHECK(plan.data == 2);
}

TEST_CASE("Megatron's reference stays beside the policy unless it is moved away", "[formats]") {
  const auto references = [](const std::string& flags) {
    return part_of(
               readings_of("actor_rollout_ref.actor.strategy=megatron algorithm.adv_estimator=grpo " + flags),
               "update")
        .setup.plan.reference_models;
  };
  CHECK(references("actor_rollout_ref.actor.use_kl_loss=True") == 1);
  CHECK(references("algorithm.use_kl_in_reward=True") == 1);
  CHECK(references("actor_rollout_ref.actor.use_kl_loss=False") == 0);
  CHECK(references("actor_rollout_ref.actor.use_kl_loss=True actor_rollout_ref.model.lora_rank=8") == 0);
  CHECK(references("actor_rollout_ref.actor.use_kl_loss=True "
                   "actor_rollout_ref.ref.megatron.param_offload=True") == 0);
  // FSDP's is in the host's memory.
  CHECK(part_of(readings_of("actor_rollout_ref.actor.use_kl_loss=True"), "update")
            .setup.plan.reference_models == 0);
}

TEST_CASE("of rollouts that quantize what they are sent, weights are not known", "[formats]") {
  // verl v0.9.0, workers/rollout/vllm_rollout/vllm_async_server.py, _apply_quantization
  const auto unknown = [](const std::string& flags) {
    return part_of(readings_of("algorithm.adv_estimator=grpo " + flags), "rollout")
        .setup.plan.unknown_weights;
  };
  CHECK_FALSE(unknown(""));
  CHECK_FALSE(unknown("actor_rollout_ref.rollout.quantization=fp8"));
  CHECK(unknown("actor_rollout_ref.rollout.quantization=torchao"));
  CHECK(unknown(
      "actor_rollout_ref.actor.megatron.qat.enable=True actor_rollout_ref.actor.megatron.qat.mode=w4a16"));
  CHECK_FALSE(unknown("actor_rollout_ref.actor.megatron.qat.enable=False"));
  // A checkpoint in fewer bits, of which the engine's are those that its config.json states or what was taken
  // out of it (1dda039, docs/low_precision/fp8.md; examples/grpo_trainer/run_deepseek_v4_veomni.sh and
  // run_deepseek_v3_671b_megatron.sh).
  CHECK(unknown("actor_rollout_ref.model.path=deepseek-ai/DeepSeek-V4-Flash"));
  CHECK(unknown(
      "actor_rollout_ref.model.path=deepseek-ai/DeepSeek-V3 actor_rollout_ref.rollout.quantization=null"));
  CHECK_FALSE(unknown(
      "actor_rollout_ref.model.path=deepseek-ai/DeepSeek-V3 actor_rollout_ref.rollout.quantization=fp8"));
}

TEST_CASE("slime's trainer and engine move away between turns unless they are told not to", "[formats]") {
  const auto rollout = [](const std::string& flags) {
    const std::string command =
        "python3 train.py --actor-num-nodes 1 --actor-num-gpus-per-node 8 --hf-checkpoint models/Qwen3-4B "
        "--rollout-batch-size 32 --n-samples-per-prompt 8 --rollout-num-gpus-per-engine 2 "
        "--sglang-mem-fraction-static 0.7 --tensor-model-parallel-size 2 --use-dynamic-batch-size "
        "--max-tokens-per-gpu 9216 --lr 1e-6 " +
        flags + "\n";
    return formats::read(text::MemoryFileSystem{}, formats::parse("run.sh", command)).readings;
  };
  const auto colocated = rollout("--colocate");
  REQUIRE(colocated.size() == 2);
  const model::Plan& plan = part_of(colocated, "rollout").setup.plan;
  CHECK(plan.mode == model::Mode::decode);
  CHECK(plan.engine == model::ServingEngine::sglang);
  CHECK(plan.tensor == 2);
  CHECK(plan.memory_percent == 70);
  CHECK(plan.colocated_mib == 0);
  CHECK(beside(rollout("--colocate --no-offload-train"), "rollout") > 1);
  CHECK(beside(rollout(""), "rollout") == 0);
  CHECK(rollout("--debug-train-only").size() == 1);
}
