// What a layer keeps for its backward pass, by hand.
#include "model/activations.hpp"

#include <string>

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

}  // namespace

TEST_CASE("GPT's layer keeps h (10 + 24 / t), and h 34 / t with sequence parallelism", "[memory]") {
  CHECK(kept(gpt) == Approx(34 * 4096));
  CHECK(kept(gpt, "[parallel]\ntensor = 8\n") == Approx((10 + 24.0 / 8) * 4096));
  CHECK(kept(gpt, "[parallel]\ntensor = 8\nsequence_parallel = true\n") == Approx(34.0 / 8 * 4096));
  CHECK(kept(gpt, "recompute = \"full\"\n") == Approx(2 * 4096));
  CHECK(kept(gpt, "recompute = \"full\"\n[parallel]\ntensor = 8\nsequence_parallel = true\n") ==
        Approx(2.0 / 8 * 4096));
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
