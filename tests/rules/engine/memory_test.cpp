// Runs that do not fit, and what proposals do to memory.
#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <rapidcheck.h>

#include "formats/read.hpp"
#include "rules/engine/lint.hpp"
#include "suggest/edit/footprint.hpp"
#include "tests/catch.hpp"
#include "tests/rules/rules_support.hpp"
#include "text/files.hpp"

using namespace shapelint;
using namespace shapelint::tests;
using rules::builtin_rules;
using rules::Finding;
using rules::LintResult;
using rules::Proposal;

namespace {

const std::string llama_405b = R"([model]
hidden_size = 16384
num_layers = 126
num_attention_heads = 128
num_key_value_heads = 8
intermediate_size = 53248
mlp_gated = true
vocab_size = 128256
tie_word_embeddings = false
)";
const std::string llama_70b = R"([model]
hidden_size = 8192
num_layers = 80
num_attention_heads = 64
num_key_value_heads = 8
intermediate_size = 28672
mlp_gated = true
vocab_size = 128256
tie_word_embeddings = false
)";

model::Setup changed(const model::Reading& reading, const std::vector<rules::Change>& changes) {
  const auto setup = suggest::apply(reading.setup, suggest::links_of(reading), changes);
  REQUIRE(setup);
  return *setup;
}

bool fits(const model::Setup& setup, const gpu::Gpu& gpu) {
  return suggest::memory_bytes(setup) <= suggest::usable_bytes(gpu::memory_gib(gpu));
}

std::vector<std::string> proposals_of(const std::string& config, const std::string& gpu,
                                      std::string_view code) {
  rules::Options options;
  options.proposals = 4;
  const LintResult result = rules::lint(builtin_rules(), read(config), gpus({gpu}), options);
  const Finding* finding = find(result, code);
  REQUIRE(finding != nullptr);
  std::vector<std::string> out;
  for (const Proposal& proposal : finding->proposals) out.push_back(changes_text(proposal.changes));
  return out;
}

}  // namespace

TEST_CASE("a plan that cannot fit is an error, and is told which plans do") {
  const model::Reading reading = read(llama_405b + "[run]\nmicro_batch_size = 1\nsequence_length = 8192\n");
  const LintResult result = rules::lint(builtin_rules(), reading, gpus({"h100"}));
  const Finding* finding = find(result, "SL509");
  REQUIRE(finding != nullptr);
  CHECK(finding->severity == rules::Severity::error);
  CHECK(finding->certain_to_fail);
  CHECK(finding->message == "out of memory: weights, gradients and optimizer states need 6,048 GiB per GPU");
  CHECK(finding->label == "before any activation; NVIDIA H100 SXM5 80GB has 79.2 GiB");
  CHECK(find(result, "SL510") == nullptr);
  REQUIRE_FALSE(finding->proposals.empty());
  for (const Proposal& proposal : finding->proposals) {
    INFO(changes_text(proposal.changes));
    CHECK(proposal.gains.empty());  // nothing to compare with
    CHECK(proposal.memory_bytes == suggest::memory_bytes(changed(reading, proposal.changes)));
    CHECK(proposal.memory_bytes < 80e9);
  }
}

TEST_CASE("on a GPU that nobody named a plan that cannot fit is a warning") {
  model::Reading reading = read(llama_405b + "[run]\nmicro_batch_size = 1\nsequence_length = 8192\n");
  reading.extras.push_back({"gpu_is_assumed", 1, {}});
  const LintResult result = rules::lint(builtin_rules(), reading, gpus({"h100"}));
  CHECK(find(result, "SL509") == nullptr);
  const Finding* finding = find(result, "SL510");
  REQUIRE(finding != nullptr);
  CHECK(finding->severity == rules::Severity::warning);
  CHECK_FALSE(finding->certain_to_fail);
}

TEST_CASE("of each kind of plan the least that fits is proposed") {
  CHECK(proposals_of(llama_70b + "[run]\nmicro_batch_size = 1\nsequence_length = 4096\n[parallel]\n"
                                 "tensor = 8\ndata = 16\n",
                     "h100", "SL509")
            .front() == "zero 0 -> 1");
  CHECK(proposals_of(llama_70b + "[run]\nmode = \"decode\"\nmicro_batch_size = 1\ncontext_length = 4096\n",
                     "h100", "SL509")
            .front() == "tensor 1 -> 2");
}

// Qwen3-235B-A22B: 235e9 parameters of 16 bytes are 3.8 TB, 47 GPUs of 80 GB at least; 64 are the next that
// TP 2 and PP 2 make with a power of two of replicas.
TEST_CASE("experts lie over as few more replicas as hold them") {
  const auto proposals = proposals_of(
      "[model]\nhidden_size = 4096\nnum_layers = 94\nnum_attention_heads = 64\nnum_key_value_heads = 4\n"
      "head_dim = 128\nintermediate_size = 12288\nmlp_gated = true\nvocab_size = 151936\n"
      "moe = { num_experts = 128, experts_per_token = 8, intermediate_size = 1536 }\n"
      "[run]\nmicro_batch_size = 1\nsequence_length = 4096\n"
      "[parallel]\ntensor = 2\npipeline = 2\nexpert = 2\nzero = 1\nsequence_parallel = true\n",
      "h100", "SL509");
  CHECK(proposals.front().find("data 1 -> 16") != std::string::npos);
  CHECK(proposals.front().find("expert 2 -> 32") != std::string::npos);
}

TEST_CASE("a plan that its activations push over the edge is a warning, and says the margin") {
  const std::string config =
      "[model]\nhidden_size = 2560\nnum_layers = 32\nnum_attention_heads = 32\nvocab_size = 50304\n"
      "[run]\nmicro_batch_size = 4\nsequence_length = 2048\nattention = \"unfused\"\n";
  const LintResult result = rules::lint(builtin_rules(), read(config), gpus({"a100"}));
  const Finding* finding = find(result, "SL510");
  REQUIRE(finding != nullptr);
  CHECK(finding->severity == rules::Severity::warning);
  CHECK_FALSE(finding->certain_to_fail);
  CHECK(finding->label.find("GiB more in reserve") != std::string::npos);
  const auto proposals = proposals_of(config, "a100", "SL510");
  CHECK(proposals.front() == "recompute 0 -> 1");
  CHECK(std::count(proposals.begin(), proposals.end(), "recompute 0 -> 2") == 0);  // the least is enough
}

TEST_CASE("sequence parallelism, which costs no time, is proposed before recomputation") {
  const auto proposals = proposals_of(llama_70b +
                                          "[run]\nmicro_batch_size = 1\nsequence_length = 8192\n"
                                          "gradient_accumulation = 64\n[parallel]\ntensor = 8\npipeline = 4\n"
                                          "data = 2\nzero = 1\nsequence_parallel = false\n",
                                      "h100", "SL510");
  CHECK(proposals.front() == "sequence_parallel 0 -> 1");
}

TEST_CASE("a way out keeps the GPUs that are launched, and the sequences of a step") {
  // 64 GPUs: 16 replicas of 4 become 2 of 32, which take 8 times as many micro-batches each.
  formats::ReadResult file = formats::read(
      text::MemoryFileSystem{},
      formats::parse("train.sh",
                     "torchrun --nproc_per_node 8 --nnodes 8 pretrain_gpt.py --num-layers 80 "
                     "--hidden-size 8192 --ffn-hidden-size 28672 --num-attention-heads 64 "
                     "--group-query-attention --num-query-groups 8 --swiglu --seq-length 8192 "
                     "--untie-embeddings-and-output-weights --vocab-size 128256 --micro-batch-size 1 "
                     "--global-batch-size 128 --bf16 --pipeline-model-parallel-size 4 "
                     "--sequence-parallel --use-distributed-optimizer\n"));
  REQUIRE(file.readings.size() == 1);
  const model::Reading& reading = file.readings.front();
  CHECK(reading.setup.plan.data == 16);
  CHECK(reading.setup.plan.gradient_accumulation == 8);
  const LintResult result = rules::lint(builtin_rules(), reading, gpus({"h100"}));
  const Finding* finding = find(result, "SL509");
  REQUIRE(finding != nullptr);
  REQUIRE_FALSE(finding->proposals.empty());
  for (const Proposal& proposal : finding->proposals) {
    INFO(changes_text(proposal.changes));
    model::Plan plan = reading.setup.plan;
    for (const auto* list : {&proposal.changes, &proposal.implied}) {
      for (const rules::Change& each : *list) {
        if (each.field == model::FieldId::tensor) plan.tensor = each.to;
        if (each.field == model::FieldId::pipeline) plan.pipeline = each.to;
        if (each.field == model::FieldId::data) plan.data = each.to;
        if (each.field == model::FieldId::gradient_accumulation) plan.gradient_accumulation = each.to;
      }
    }
    CHECK(plan.tensor * plan.pipeline * plan.data == 64);
    CHECK(plan.data * plan.gradient_accumulation == 128);
  }
}

TEST_CASE("a run that does not fit is still told of its shape, but not to ask for more memory") {
  // 70 billion parameters on a card of 24 GB.
  const model::Reading reading = read(llama_70b + "[run]\nmicro_batch_size = 1\nsequence_length = 2048\n");
  const LintResult result = rules::lint(builtin_rules(), reading, gpus({"rtx4090"}));
  CHECK(find(result, "SL509") != nullptr);
  CHECK(find(result, "SL501") == nullptr);
  std::string odd = llama_70b;
  odd.replace(odd.find("128256"), 6, "128255");
  const LintResult shapes = rules::lint(
      builtin_rules(), read(odd + "[run]\nmicro_batch_size = 1\nsequence_length = 2048\n"), gpus({"a10"}));
  CHECK(find(shapes, "SL509") != nullptr);
  CHECK(find(shapes, "SL101") != nullptr);
}

TEST_CASE("no proposal turns a run that fits into one that does not") {
  CHECK(rc::check("on cards of all sizes", [] {
    const auto gpu =
        gpus({*rc::gen::elementOf(std::vector<std::string>{"rtx4090", "a10", "l40", "a100", "h200"})});
    const model::Reading reading = read(random_config());
    const bool fitted = fits(reading.setup, gpu.front());
    const double needs = suggest::memory_bytes(reading.setup);
    const LintResult result = rules::lint(builtin_rules(), reading, gpu);
    RC_CLASSIFY(fitted);
    const auto check = [&](std::string_view code, const std::vector<rules::Change>& changes) {
      const model::Setup setup = changed(reading, changes);
      RC_LOG(fmt::format("{}: {}", code, changes_text(changes)));
      if (fitted) RC_ASSERT(fits(setup, gpu.front()));
      RC_ASSERT(fits(setup, gpu.front()) ||
                suggest::memory_bytes(setup) <= (1 + suggest::memory_slack) * needs);
    };
    for (const Finding& finding : result.findings) {
      const bool is_memory = finding.code == "SL509" || finding.code == "SL510";
      if (is_memory) RC_ASSERT(!fitted);
      for (const Proposal& proposal : finding.proposals) {
        check(finding.code, proposal.changes);
        // Nor into one that leaves less of the memory than the estimate can tell.
        const model::Setup setup = changed(reading, proposal.changes);
        const double usable = suggest::usable_bytes(gpu::memory_gib(gpu.front()), setup);
        if (fitted && !is_memory && !finding.certain_to_fail)
          RC_ASSERT(suggest::memory_bytes(setup) <= std::max(0.98 * usable, 1.01 * needs));
        if (is_memory) RC_ASSERT(fits(changed(reading, proposal.changes), gpu.front()));
      }
    }
    if (!result.gpus.front().applied.empty()) check("all", result.gpus.front().applied);
  }));
}
