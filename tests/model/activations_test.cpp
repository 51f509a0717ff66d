// What a layer keeps for its backward pass, by hand.
#include "model/training_bytes.hpp"

#include <string>

#include <rapidcheck.h>

#include "tests/catch.hpp"
#include "tests/rules/rules_support.hpp"

using namespace shapelint;
using tests::read;

namespace {

// Bytes of each token of one layer.
double kept(const std::string& model, const std::string& plan = "") {
  constexpr double tokens = 4 * 2048;
  const std::string run = "[run]\nmicro_batch_size = 4\nsequence_length = 2048\n";
  return model::layer_activations(
             read("[model]\nvocab_size = 32000\nnum_layers = 32\n" + model + run + plan).setup)
             .kept /
         tokens;
}

const std::string gpt = "hidden_size = 4096\nnum_attention_heads = 32\n";
const std::string llama =
    "hidden_size = 4096\nnum_attention_heads = 32\nnum_key_value_heads = 8\nintermediate_size = 14336\n"
    "mlp_gated = true\nnorm = \"rmsnorm\"\n";

const std::string deepseek =
    llama +
    "mla = { q_lora_rank = 1536, kv_lora_rank = 512, qk_nope_head_dim = 128, qk_rope_head_dim = 64, "
    "v_head_dim = 128 }\n"
    "moe = { num_experts = 64, experts_per_token = 6, intermediate_size = 1024, num_shared_experts = 1, "
    "first_dense_layers = 8 }\n";
constexpr double dense_share = 8.0 / 32;

// Of DeepSeek's kind of model, what a layer no longer keeps with that in its plan.
double spared(const std::string& plan, const std::string& format = "") {
  return kept(deepseek, format) - kept(deepseek, format + plan);
}

}  // namespace

TEST_CASE("GPT's layer keeps h (10 + 24 / t), and h 34 / t with sequence parallelism", "[memory]") {
  CHECK(kept(gpt) == Approx(34 * 4096));
  CHECK(kept(gpt, "[parallel]\ntensor = 8\n") == Approx((10 + 24.0 / 8) * 4096));
  CHECK(kept(gpt, "[parallel]\ntensor = 8\nsequence_parallel = true\n") == Approx(34.0 / 8 * 4096));
  CHECK(kept(gpt, "recompute = \"full\"\n") == Approx(2 * 4096));
  CHECK(kept(gpt, "recompute = \"full\"\n[parallel]\ntensor = 8\nsequence_parallel = true\n") ==
        Approx(2.0 / 8 * 4096));
}

// Equations 1 and 2 of arXiv 2205.05198: of 34 h two are masks, and of 5 a s three are a mask and what it
// leaves.
TEST_CASE("a dropout of 0 keeps neither a mask nor a copy", "[memory]") {
  CHECK(kept(gpt, "without_dropout = true\n") == Approx((34 - 2) * 4096));
  const auto scores = [](const std::string& plan) {
    const std::string run = "[run]\nmicro_batch_size = 1\nsequence_length = 2048\nattention = \"unfused\"\n";
    return model::layer_activations(
               read("[model]\nvocab_size = 32000\nnum_layers = 32\n" + gpt + run + plan).setup)
        .scores;
  };
  CHECK(scores("") == Approx(5.0 * 32 * 2048 * 2048));
  CHECK(scores("without_dropout = true\n") == Approx(2.0 * 32 * 2048 * 2048));
}

TEST_CASE("a layer without dropout keeps no masks, one with fewer key heads less of these", "[memory]") {
  const double norms_and_inputs = 2 * (2 + 2) * 4096;
  const double attention = 2 * (4096 + 2 * 1024 + 4096);
  const double mlp = 3 * 2 * 14336;
  CHECK(kept(llama) == Approx(norms_and_inputs + attention + mlp));
}

TEST_CASE("a recipe keeps products' inputs in its format", "[memory]") {
  const double norms = 2 * 2 * 4096;
  const double inputs = 2 * 4096;
  const double attention = 2 * (4096 + 2 * 1024 + 4096) + 4096;  // its output in 16 bits and in 8
  const double mlp = (2 * 2 + 1) * 14336;
  CHECK(kept(llama, "dtype = \"fp8\"\nrecipe = \"tensor\"\n") == Approx(norms + inputs + attention + mlp));
  const double scales = (2 * 4096 + 4096 + 14336) / 32.0;
  CHECK(kept(llama, "dtype = \"fp8\"\nrecipe = \"mxfp8\"\n") ==
        Approx(norms + inputs + attention + mlp + scales));
}

TEST_CASE("a mixture keeps a row for each of a token's experts, and nothing of them that runs again",
          "[memory]") {
  const std::string mixture =
      llama + "moe = { num_experts = 64, experts_per_token = 6, intermediate_size = 1024 }\n";
  const double dense = 3 * 2 * 14336 + 2 * 2 * 4096;
  const double experts = 2 * 2 * 4096 + 6 * (2 * 4096 + 3 * 2 * 1024);
  CHECK(kept(mixture) - kept(llama) == Approx(experts - dense));
  CHECK(kept(mixture, "recompute_experts = true\n") - kept(llama) == Approx(2 * 2 * 4096 - dense));
}

TEST_CASE("latent attention keeps its latents whole on every rank", "[memory]") {
  const std::string mla = llama +
                          "mla = { q_lora_rank = 1536, kv_lora_rank = 512, qk_nope_head_dim = 128, "
                          "qk_rope_head_dim = 64, v_head_dim = 128 }\n";
  const double whole = 4 * (1536 + 512) + 2 * 64;
  const double heads = 2 * 32 * (2 * 192 + 128 + 128);
  const double attention = 2 * (4096 + 2 * 1024 + 4096);
  CHECK(kept(mla) - kept(llama) == Approx(whole + heads - attention));
  CHECK(kept(mla, "[parallel]\ntensor = 2\n") - kept(llama, "[parallel]\ntensor = 2\n") ==
        Approx(whole + (heads - attention) / 2));
}

TEST_CASE("a part that is computed again keeps what it reads, and not what it puts out", "[memory]") {
  // Both norms' outputs: attention's and the MLP's or experts' inputs.
  CHECK(spared("recompute_norms = true\n") == Approx(2 * 2 * 4096));
  // Queries and keys of 192, values of 128 for each head, and the normed latents that they are made of.
  CHECK(spared("recompute_up_projections = true\n") == Approx(2 * 32 * (2 * 192 + 128) + 2 * (1536 + 512)));
  CHECK(spared("recompute_mlp = true\n") == Approx(dense_share * 3 * 2 * 14336));
  CHECK(spared("recompute_expert_activations = true\n") == Approx((1 - dense_share) * 6 * 2 * 1024));
  CHECK(spared("recompute_shared_experts = true\n") == Approx((1 - dense_share) * 3 * 2 * 1024));
  CHECK(spared("recompute_experts = true\n") ==
        Approx((1 - dense_share) * (6 * (2 * 4096 + 3 * 2 * 1024) + 3 * 2 * 1024)));
}

TEST_CASE("an input that is computed again is not kept in 8 bits either", "[memory]") {
  const std::string fp8 = "dtype = \"fp8\"\nrecipe = \"tensor\"\n";
  CHECK(spared("recompute_expert_activations = true\n", fp8) == Approx((1 - dense_share) * 6 * 1024));
  // Of a dense layer both norms' outputs in 8 bits; a mixture's router reads 16.
  CHECK(spared("recompute_norms = true\n", fp8) ==
        Approx(4096 + dense_share * 4096 + (1 - dense_share) * 2 * 4096));
}

TEST_CASE("every second product is kept, and attention, or every product", "[memory]") {
  // Llama's: queries, values, the gate and what comes down; not keys, the output and the other branch.
  CHECK(kept(llama, "recompute = \"operations\"\n") ==
        Approx(2 * (4096 + 4096 + 1024 + 4096 + 14336 + 4096)));
  CHECK(kept(llama, "recompute = \"elementwise\"\n") ==
        Approx(2 * (4096 + 4096 + 2 * 1024 + 4096 + 2 * 14336 + 4096)));
}

TEST_CASE("some layers are computed again, or several of them together", "[memory]") {
  const double layer = kept(gpt);
  const std::string full = "recompute = \"full\"\n";
  CHECK(kept(gpt, full + "recompute_layers = 8\n") == Approx(0.25 * 2 * 4096 + 0.75 * layer));
  CHECK(kept(gpt, full + "recompute_unit = 4\n") == Approx(2 * 4096 / 4.0));
  const auto again = [&](const std::string& plan) {
    return model::layer_activations(read("[model]\nvocab_size = 32000\nnum_layers = 32\n" + gpt +
                                         "[run]\nsequence_length = 2048\n" + plan)
                                        .setup)
               .again /
           2048;
  };
  CHECK(again(full) == Approx(layer));
  CHECK(again(full + "recompute_unit = 4\n") == Approx(4 * layer));
  CHECK(again("") == 0);
}

TEST_CASE("more that is computed again never keeps more, and parts add up", "[memory]") {
  CHECK(rc::check([] {
    const std::string format = *rc::gen::element<std::string>("", "dtype = \"fp8\"\nrecipe = \"mxfp8\"\n",
                                                              "attention = \"unfused\"\n");
    std::string some = format;
    double each = 0;
    for (const std::string part : {"norms", "up_projections", "expert_activations", "shared_experts"}) {
      if (!*rc::gen::arbitrary<bool>()) continue;
      const std::string computed = "recompute_" + part + " = true\n";
      RC_ASSERT(spared(computed, some) >= 0);
      some += computed;
      each += spared(computed, format);
    }
    RC_ASSERT(kept(deepseek, format) - kept(deepseek, some) == Approx(each));
    for (const std::string more :
         {"recompute_mlp = true\n", "recompute_experts = true\n", "recompute = \"selective\"\n",
          "recompute = \"elementwise\"\n", "recompute = \"operations\"\n", "recompute = \"full\"\n"}) {
      RC_ASSERT(spared(more, some) >= 0);
    }
    RC_ASSERT(kept(deepseek, some + "recompute = \"full\"\n") <=
              kept(deepseek, some + "recompute = \"operations\"\n"));
  }));
}

TEST_CASE("what is beside attention is kept for its gradient, too", "[model]") {
  constexpr double heads = 4096;
  constexpr double groups = 8 * 128;
  // The gate and what it makes of attention's output; what the norms of queries and keys read; all streams
  // before each of two branches.
  CHECK(kept(llama + "attention_gate = true\n") - kept(llama) == Approx(2 * 2 * heads));
  CHECK(kept(llama + "qk_norm = true\n") - kept(llama) == Approx(2 * (heads + groups)));
  CHECK(kept(llama + "residual_streams = 4\n") - kept(llama) == Approx(2 * 2 * 4 * 4096));
  CHECK(kept(llama + "relative_positions = true\n") - kept(llama) == Approx(2 * heads));
}
