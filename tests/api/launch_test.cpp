// Launches that say on how many GPUs they run, and what is said of those that cannot.
#include <shapelint/shapelint.hpp>

#include <algorithm>
#include <string>

#include "tests/catch.hpp"
#include "tests/replaced.hpp"

using namespace shapelint;
using tests::replaced;

namespace {

const std::string launch =
    "torchrun --nnodes 2 --nproc_per_node 8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 \\\n"
    "  --num-attention-heads 32 --seq-length 4096 --vocab-size 32000 --bf16 \\\n"
    "  --micro-batch-size 1 --global-batch-size 96 --tensor-model-parallel-size 2\n";

// Four layers on the first stage, three on most others: SL408.
const std::string neox =
    "num_layers: 25\nhidden_size: 4096\nnum_attention_heads: 32\nseq_length: 2048\n"
    "pipe_parallel_size: 8\nmodel_parallel_size: 1\ntrain_micro_batch_size_per_gpu: 1\n"
    "make_vocab_size_divisible_by: 1\nvocab_size: 50304\nattention_config: [[[\"flash\"], 25]]\n";

api::LintResult linted(const std::string& path, const std::string& text) {
  const auto files = api::memory_files({{path, text}});
  api::LintResult out = api::lint(*files, {{path}}, {.gpus = {{"a100"}}});
  REQUIRE(out.errors.empty());
  return out;
}

const api::Finding* find(const api::LintResult& result, const std::string& code) {
  const auto found = std::find_if(result.findings.begin(), result.findings.end(),
                                  [&](const api::Finding& each) { return each.code == code; });
  return found == result.findings.end() ? nullptr : &*found;
}

// The first proposal: "pipeline 2, tensor 4".
std::string proposed(const api::Finding& finding) {
  std::string out;
  if (finding.proposals.empty()) return out;
  for (const api::Change& change : finding.proposals.front().changes) {
    out +=
        (out.empty() ? "" : ", ") + change.field + ' ' + std::to_string(std::get<std::int64_t>(change.after));
  }
  return out;
}

}  // namespace

TEST_CASE("GPUs that replicas cannot share are an error, and what is proposed divides them", "[api]") {
  CHECK(find(linted("run.sh", launch), "SL422") == nullptr);
  const std::string uneven = replaced(launch, "--bf16", "--bf16 --pipeline-model-parallel-size 3");
  const api::LintResult result = linted("run.sh", uneven);
  const api::Finding* finding = find(result, "SL422");
  REQUIRE(finding != nullptr);
  CHECK(finding->certain_to_fail);
  CHECK(finding->field == "pipeline");
  // The nearest: how many ranks hold a model is no matter of speed alone.
  CHECK(proposed(*finding) == "pipeline 4");
  // A batch that only other degrees can share asks for both.
  const api::LintResult both =
      linted("run.sh", replaced(uneven, "--global-batch-size 96", "--global-batch-size 100"));
  const api::Finding* harder = find(both, "SL422");
  REQUIRE(harder != nullptr);
  CHECK_FALSE(harder->proposals.empty());
  for (const api::Proposal& proposal : harder->proposals) {
    std::int64_t tensor = 2;
    std::int64_t pipeline = 3;
    for (const api::Change& change : proposal.changes) {
      if (change.field == "tensor") tensor = std::get<std::int64_t>(change.after);
      if (change.field == "pipeline") pipeline = std::get<std::int64_t>(change.after);
    }
    CHECK(16 % (tensor * pipeline) == 0);
    CHECK(100 % (16 / (tensor * pipeline)) == 0);
  }
}

TEST_CASE("micro-batches that a batch is no multiple of become ones that it is", "[api]") {
  const std::string text = replaced(launch, "--micro-batch-size 1", "--micro-batch-size 5");
  const api::LintResult result = linted("run.sh", text);
  const api::Finding* finding = find(result, "SL423");
  REQUIRE(finding != nullptr);
  CHECK(finding->field == "micro_batch_size");
  REQUIRE_FALSE(finding->proposals.empty());
  for (const api::Change& change : finding->proposals.front().changes) {
    if (change.field == "micro_batch_size") CHECK(12 % std::get<std::int64_t>(change.after) == 0);
  }
}

TEST_CASE("DeepSpeed's batch that no number of ranks makes up is told of the model beside it", "[api]") {
  const std::string model =
      R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 2048,
          "num_hidden_layers": 16, "num_attention_heads": 16, "num_key_value_heads": 8,
          "intermediate_size": 5632, "vocab_size": 128256, "max_position_embeddings": 8192})";
  const auto told = [&](const std::string& batch) {
    const auto files = api::memory_files(
        {{"m/config.json", model},
         {"m/ds.json", R"({"train_batch_size": )" + batch +
                           R"(, "train_micro_batch_size_per_gpu": 3, "gradient_accumulation_steps": 4,
                             "zero_optimization": {"stage": 1}})"}});
    return api::lint(*files, {{"m/ds.json"}}, {.gpus = {{"a100"}}});
  };
  const api::LintResult refused = told("100");
  const api::Finding* finding = find(refused, "SL423");
  REQUIRE(finding != nullptr);
  CHECK(finding->message.find("not a multiple of 12 (`micro_batch_size` 3 x 4 micro-batches)") !=
        std::string::npos);
  CHECK(find(told("96"), "SL423") == nullptr);
}

// Megatron-LM's arguments.py: Megatron FSDP takes another checkpoint format and no
// CUDA_DEVICE_MAX_CONNECTIONS of 1, so that no flag alone shares gradients or weights.
TEST_CASE("a stage of ZeRO that no key sets alone is not proposed", "[api]") {
  const std::string large = replaced(replaced(launch, "--num-layers 32", "--num-layers 96"),
                                     "--tensor-model-parallel-size 2", "--use-distributed-optimizer");
  const api::LintResult result = linted("run.sh", large);
  const api::Finding* finding = find(result, "SL509");
  REQUIRE(finding != nullptr);
  REQUIRE(!finding->proposals.empty());
  for (const api::Proposal& each : finding->proposals) {
    for (const api::Change& change : each.changes) CHECK(change.field != "zero");
  }
}

TEST_CASE("what a run needs does not hang on whether its learning rate is told", "[api]") {
  const std::string large = replaced(
      replaced(launch, "--nnodes 2", "--nnodes 1"),
      "--num-layers 32 --hidden-size 4096 \\\n  --num-attention-heads 32",
      "--num-layers 80 --hidden-size 8192 \\\n  --num-attention-heads 64 --use-distributed-optimizer");
  CHECK(find(linted("run.sh", large), "SL509") != nullptr);
  CHECK(find(linted("run.sh", replaced(large, "--bf16", "--bf16 --train-iters 10 --lr 1e-4")), "SL509") !=
        nullptr);
  // It does on whether the run trains, and on how many GPUs.
  CHECK(find(linted("run.sh", replaced(large, "--bf16", "--bf16 --skip-train")), "SL509") == nullptr);
  CHECK(find(linted("run.sh", replaced(large, "--nnodes 1 --nproc_per_node 8", "")), "SL509") == nullptr);
}

TEST_CASE("the bubble of micro-batches that nobody counted is no cost", "[api]") {
  CHECK(find(linted("neox.yml", neox), "SL506") == nullptr);
  const api::LintResult open = linted("neox.yml", neox);
  for (const api::Finding& finding : open.findings) {
    if (finding.field == "pipeline") CHECK(finding.gain < 0.1);
  }
  // Where they are counted, it is.
  const api::LintResult few = linted("neox.yml", neox + "gradient_accumulation_steps: 4\n");
  CHECK(find(few, "SL506") != nullptr);
  const api::LintResult many = linted("neox.yml", neox + "train_batch_size: 64\n");
  const api::Finding* uneven = find(many, "SL408");
  REQUIRE(uneven != nullptr);
  CHECK(uneven->gain < 0.1);
}

TEST_CASE("a change of how many GPUs a replica takes is no part of all fixes", "[api]") {
  const api::LintResult result = linted("neox.yml", neox + "train_batch_size: 64\n");
  REQUIRE(find(result, "SL408") != nullptr);
  REQUIRE(result.steps.size() == 1);
  CHECK(result.steps.front().after.applied.empty());
}
