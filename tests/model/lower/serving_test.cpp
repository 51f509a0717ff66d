// What a decoding step runs beside plain decoding: prompts that it reads along, fused kernels.
#include "model/lower/lower.hpp"
#include "tests/catch.hpp"
#include "tests/model/expression_support.hpp"
#include "tests/model/workload_support.hpp"

using namespace shapelint;
using namespace shapelint::model;
using tests::example;
using tests::find;
using tests::replica;

namespace {

Setup decoding(const std::string& name, std::int64_t prompt) {
  Setup setup = example(name);
  setup.plan.mode = Mode::decode;
  setup.plan.micro_batch_size = 6;
  setup.plan.context_length = 1001;
  setup.plan.prefill_tokens = prompt;
  setup.plan.tensor = 1;
  setup.plan.sequence_parallel = false;
  return setup;
}

}  // namespace

TEST_CASE("a prompt beside decodes unfolds its latent keys, and only decodes absorb them", "[model][moe]") {
  Setup setup = decoding("deepseek-v3", 96);
  const Workload workload = lower(setup);
  const Op* prompt = find(workload, "layer.attention.prompt_flash");
  REQUIRE(prompt != nullptr);
  CHECK(prompt->attention.key_value_heads.value == setup.model.num_attention_heads);
  CHECK(prompt->attention.head_dim.value == 128 + 64);
  CHECK(prompt->attention.value_head_dim.value == 128);
  CHECK(find(workload, "layer.attention.prompt_kv_up")->m.value == prompt->attention.key_length.value);
  CHECK(find(workload, "layer.attention.absorb_q")->m.value == 6);
  CHECK(find(workload, "layer.attention.flash")->attention.key_value_heads.value == 1);
  CHECK(find(lower(decoding("deepseek-v3", 0)), "layer.attention.prompt_kv_up") == nullptr);
}

// vLLM packs prompts into one call with the first query of each (`query_start_loc`): none sees another's
// keys.
TEST_CASE("more prompt tokens than the cache is long are several prompts", "[model][moe]") {
  for (const std::string name : {"llama-3-8b", "deepseek-v3"}) {
    const Setup setup = decoding(name, 4004);
    const Workload workload = lower(setup);
    const Op* prompt = find(workload, "layer.attention.prompt_flash");
    REQUIRE(prompt != nullptr);
    for (const auto& [dim, value] :
         {std::pair(prompt->attention.sequences, 4), std::pair(prompt->attention.query_length, 1001),
          std::pair(prompt->attention.key_length, 1001)}) {
      CHECK(dim.value == value);
      CHECK(tests::evaluate(dim.expression, setup) == value);
    }
    if (name == "deepseek-v3") CHECK(find(workload, "layer.attention.prompt_kv_up")->m.value == 4004);
  }
}

TEST_CASE("a prompt's tokens share the products and have an attention of their own", "[model]") {
  const Workload workload = lower(decoding("llama-3-8b", 96));
  CHECK(find(workload, "layer.attention.qkv")->m.value == 102);
  CHECK(find(workload, "layer.mlp.down")->m.value == 102);
  CHECK(find(workload, "head.logits")->m.value == 6);
  const Op* decodes = find(workload, "layer.attention.flash");
  CHECK(decodes->attention.sequences.value == 6);
  CHECK(decodes->attention.query_length.value == 1);
  CHECK_FALSE(decodes->attention.causal);
  const Op* prompt = find(workload, "layer.attention.prompt_flash");
  REQUIRE(prompt != nullptr);
  CHECK(prompt->attention.sequences.value == 1);
  CHECK(prompt->attention.query_length.value == 96);
  CHECK(prompt->attention.key_length.value == (1001 + 96 + 1) / 2);  // the middle part of a prompt of 1001
  CHECK(prompt->attention.key_value_heads.value == 8);
  CHECK(prompt->attention.causal);
  CHECK(find(lower(decoding("llama-3-8b", 0)), "layer.attention.prompt_flash") == nullptr);
  const Workload whole = lower(decoding("llama-3-8b", 1001));  // all of it at once
  CHECK(find(whole, "layer.attention.prompt_flash")->attention.key_length.value == 1001);
  // Only a decode reads prompts along.
  Setup training = replica("llama-3-8b");
  const double before = lower(training).model_flops;
  training.plan.prefill_tokens = 96;
  CHECK(lower(training).model_flops == before);
}

TEST_CASE("a step with a prompt in it runs exactly the model's arithmetic", "[model]") {
  for (const char* name : {"llama-3-8b", "mixtral-8x7b", "deepseek-v3"}) {
    INFO(name);
    Setup setup = decoding(name, 32);
    setup.plan.micro_batch_size = 32;  // as many tokens for each expert
    setup.plan.context_length = 1000;
    setup.plan.attention = Attention::unfused;
    setup.plan.pipeline = 1;
    const Workload workload = lower(setup);
    CHECK(workload.hardware_flops == Approx(workload.model_flops).epsilon(1e-12));
  }
}

TEST_CASE("expressions of a step with a prompt in it give its dimensions", "[model]") {
  for (const char* name : {"llama-3-8b", "mixtral-8x7b", "deepseek-v3"}) {
    for (const std::int64_t drafted : {0, 3}) {
      Setup setup = decoding(name, 40);
      setup.plan.speculative_tokens = drafted;
      setup.plan.expert = 1;
      for (const Op& op : lower(setup).ops) {
        INFO(name << " " << op.name);
        const AttentionShape& a = op.attention;
        std::vector<Dim> dims;
        if (op.kind == OpKind::gemm) dims = {op.batch, op.m, op.n, op.k};
        if (op.kind == OpKind::attention)
          dims = {a.sequences, a.heads, a.key_value_heads, a.query_length, a.key_length};
        for (const Dim& dim : dims) CHECK(tests::evaluate(dim.expression, setup) == dim.value);
      }
    }
  }
}

TEST_CASE("fusion takes norms and activations away, and what is left of their bytes moves with additions",
          "[model]") {
  Setup setup = decoding("llama-3-8b", 0);
  const Workload apart = lower(setup);
  const double stream = 6.0 * 4096 * 2;
  CHECK(find(apart, "layer.norm")->bytes == 2 * stream);
  CHECK(find(apart, "layer.attention.residual")->bytes == 3 * stream);
  setup.plan.fusion = Fusion::norms;
  const Workload norms = lower(setup);
  CHECK(find(norms, "layer.norm") == nullptr);
  CHECK(find(norms, "layer.mlp.activation") != nullptr);
  CHECK(find(norms, "layer.attention.residual")->bytes == 4 * stream);  // two in, the sum and its norm out
  CHECK(find(norms, "layer.mlp.residual")->bytes == 4 * stream);
  setup.plan.fusion = Fusion::full;
  CHECK(find(lower(setup), "layer.mlp.activation") == nullptr);
  // More norms than additions: those beyond stay (Gemma 2 has four).
  setup.model.norms_per_layer = 4;
  CHECK(find(lower(setup), "layer.norm")->count == 2.0 * 32);
  // Side by side one addition takes one norm.
  setup.model.norms_per_layer = 2;
  setup.model.parallel_block = true;
  CHECK(find(lower(setup), "layer.norm")->count == 32);
}

TEST_CASE("engines that fuse run latent attention's projections down as one product", "[model]") {
  Setup setup = decoding("deepseek-v3", 0);
  CHECK(find(lower(setup), "layer.attention.q_down")->n.value == 1536);
  CHECK(find(lower(setup), "layer.attention.kv_down")->n.value == 512 + 64);
  setup.plan.fusion = Fusion::norms;
  const Workload fused = lower(setup);
  CHECK(find(fused, "layer.attention.q_down") == nullptr);
  CHECK(find(fused, "layer.attention.kv_down") == nullptr);
  CHECK(find(fused, "layer.attention.qkv_down")->n.value == 1536 + 512 + 64);
  CHECK(find(fused, "layer.attention.qkv_down")->n.expression ==
        "mla_q_lora_rank + mla_kv_lora_rank + mla_qk_rope_head_dim");
  CHECK(fused.hardware_flops == Approx(lower(decoding("deepseek-v3", 0)).hardware_flops).epsilon(1e-3));
  // Training keeps them apart, whose gradients are.
  setup.plan.mode = Mode::train;
  CHECK(find(lower(setup), "layer.attention.qkv_down") == nullptr);
}
