// Parameter and FLOP counts against published ones.
#include <string>

#include "base/number.hpp"
#include "model/lower/lower.hpp"
#include "tests/catch.hpp"
#include "tests/formats/native/native_support.hpp"
#include "tests/model/workload_support.hpp"

using namespace shapelint;
using namespace shapelint::model;

namespace {

struct Published {
  std::string name;
  std::int64_t parameters;
  std::string model;  // the table [model] and its parts; `[run]` is added
};

Setup published_setup(const std::string& model) {
  return tests::model_setup(model, "sequence_length = 2048\n");
}

// A checkpoint's exact count is the number of elements in its safetensors files, as the model's page on
// huggingface.co shows it, unless something else is named.
const Published published[] = {
    {"GPT-2 124M", 124'439'808,  // openai-community/gpt2 (without the stored attention masks)
     "hidden_size = 768\nnum_layers = 12\nnum_attention_heads = 12\nvocab_size = 50257\n"
     "learned_positions = 1024\n"},
    {"GPT-2 1.5B", 1'557'611'200,  // openai-community/gpt2-xl
     "hidden_size = 1600\nnum_layers = 48\nnum_attention_heads = 25\nvocab_size = 50257\n"
     "learned_positions = 1024\n"},
    {"Pythia-410M", 405'334'016,  // arXiv 2304.01373, table 4
     "hidden_size = 1024\nnum_layers = 24\nnum_attention_heads = 16\nvocab_size = 50304\n"
     "tie_word_embeddings = false\n"},
    {"Pythia-1B", 1'011'781'632,  // arXiv 2304.01373, table 4
     "hidden_size = 2048\nnum_layers = 16\nnum_attention_heads = 8\nvocab_size = 50304\n"
     "tie_word_embeddings = false\n"},
    {"Pythia-12B", 11'846'072'320,  // arXiv 2304.01373, table 4
     "hidden_size = 5120\nnum_layers = 36\nnum_attention_heads = 40\nvocab_size = 50688\n"
     "tie_word_embeddings = false\n"},
    {"GPT-NeoX-20B", 20'554'567'680,  // arXiv 2204.06745, section 2.1
     "hidden_size = 6144\nnum_layers = 44\nnum_attention_heads = 64\nvocab_size = 50432\n"
     "tie_word_embeddings = false\n"},
    {"BLOOM-176B", 176'247'271'424,  // bigscience/bloom, model card
     "hidden_size = 14336\nnum_layers = 70\nnum_attention_heads = 112\nvocab_size = 250880\n"
     "embedding_norm = true\n"},
    {"GPT-Neo 2.7B",
     2'651'307'520,  // EleutherAI/gpt-neo-2.7B: GPT-3 2.7B without biases on queries, keys, values
     "hidden_size = 2560\nnum_layers = 32\nnum_attention_heads = 32\nvocab_size = 50257\n"
     "learned_positions = 2048\nqkv_bias = false\n"},
    {"Llama-2-7B", 6'738'415'616,  // meta-llama/Llama-2-7b-hf
     "hidden_size = 4096\nnum_layers = 32\nnum_attention_heads = 32\nintermediate_size = 11008\n"
     "mlp_gated = true\nvocab_size = 32000\ntie_word_embeddings = false\n"},
    {"Llama-2-70B", 68'976'648'192,  // meta-llama/Llama-2-70b-hf
     "hidden_size = 8192\nnum_layers = 80\nnum_attention_heads = 64\nnum_key_value_heads = 8\n"
     "intermediate_size = 28672\nmlp_gated = true\nvocab_size = 32000\ntie_word_embeddings = false\n"},
    {"Llama-3-8B", 8'030'261'248,  // meta-llama/Meta-Llama-3-8B
     "hidden_size = 4096\nnum_layers = 32\nnum_attention_heads = 32\nnum_key_value_heads = 8\n"
     "intermediate_size = 14336\nmlp_gated = true\nvocab_size = 128256\ntie_word_embeddings = false\n"},
    {"Llama-3-70B", 70'553'706'496,  // meta-llama/Meta-Llama-3-70B
     "hidden_size = 8192\nnum_layers = 80\nnum_attention_heads = 64\nnum_key_value_heads = 8\n"
     "intermediate_size = 28672\nmlp_gated = true\nvocab_size = 128256\ntie_word_embeddings = false\n"},
    {"Qwen2.5-7B", 7'615'616'512,  // Qwen/Qwen2.5-7B: biases on queries, keys and values only
     "hidden_size = 3584\nnum_layers = 28\nnum_attention_heads = 28\nnum_key_value_heads = 4\n"
     "intermediate_size = 18944\nmlp_gated = true\nvocab_size = 152064\ntie_word_embeddings = false\n"
     "qkv_bias = true\n"},
    {"Qwen3-8B", 8'190'735'360,  // Qwen/Qwen3-8B: norms over queries and keys
     "hidden_size = 4096\nnum_layers = 36\nnum_attention_heads = 32\nnum_key_value_heads = 8\nhead_dim = "
     "128\n"
     "intermediate_size = 12288\nmlp_gated = true\nvocab_size = 151936\ntie_word_embeddings = false\n"
     "qk_norm = true\n"},
    {"Gemma-7B", 8'537'680'896,  // google/gemma-7b: heads together wider than the stream
     "hidden_size = 3072\nnum_layers = 28\nnum_attention_heads = 16\nhead_dim = 256\n"
     "intermediate_size = 24576\nmlp_gated = true\nvocab_size = 256000\n"},
    {"Falcon-7B as stored", 7'217'189'760,  // tiiuae/falcon-7b: the files hold the tied head a second time
     "hidden_size = 4544\nnum_layers = 32\nnum_attention_heads = 71\nnum_key_value_heads = 1\n"
     "vocab_size = 65024\nparallel_block = true\nnorms_per_layer = 1\nqkv_bias = false\n"
     "attention_output_bias = false\nmlp_bias = false\ntie_word_embeddings = false\n"},
    {"Mixtral-8x7B", 46'702'792'704,  // mistralai/Mixtral-8x7B-v0.1
     "hidden_size = 4096\nnum_layers = 32\nnum_attention_heads = 32\nnum_key_value_heads = 8\n"
     "intermediate_size = 14336\nmlp_gated = true\nvocab_size = 32000\ntie_word_embeddings = false\n"
     "[model.moe]\nnum_experts = 8\nexperts_per_token = 2\n"},
    {"BERT-large with pooler", 335'141'888,  // Hugging Face's BertModel of google-bert/bert-large-uncased
     "hidden_size = 1024\nnum_layers = 24\nnum_attention_heads = 16\nvocab_size = 30522\ncausal = false\n"
     "learned_positions = 512\ntoken_types = 2\nembedding_norm = true\nfinal_norm = false\npooler = true\n"
     "lm_head = false\n"},
    {"BERT-large for masked words", 335'174'458,  // Hugging Face's BertForMaskedLM, same checkpoint
     "hidden_size = 1024\nnum_layers = 24\nnum_attention_heads = 16\nvocab_size = 30522\ncausal = false\n"
     "learned_positions = 512\ntoken_types = 2\nembedding_norm = true\nfinal_norm = false\n"
     "lm_head_bias = true\nlm_head_transform = true\n"},
};

struct Example {
  std::string file;
  std::int64_t parameters;
};

const Example examples[] = {
    {"gpt2-124m", 124'439'808},
    {"pythia-410m", 405'334'016},
    {"pythia-1b", 1'011'781'632},
    {"llama-2-7b", 6'738'415'616},
    {"llama-3-8b", 8'030'261'248},
    {"llama-3-70b", 70'553'706'496},
    {"bert-large", 335'174'458},
    {"mixtral-8x7b", 46'702'792'704},
    {"falcon-7b", 6'921'720'704},      // as run: transformers counts the tied head once
    {"deepseek-v3", 671'026'419'200},  // deepseek-ai/DeepSeek-V3 without layer 61, the MTP module; "671B"
    {"gpt3-2.7b", 2'651'553'280},      // published rounded: 2.7B (arXiv 2005.14165); see below
    {"gpt3-2.7b-flash", 2'651'553'280},
    {"bigscience-104b", 103'958'515'600},  // by 64 (12 h^2 + 13 h) + (v + s) h + 4 h; published rounded: 104B
};

}  // namespace

TEST_CASE("parameter counts agree with published ones to the last digit", "[model]") {
  for (const Published& each : published) {
    INFO(each.name);
    CHECK(with_commas(parameter_count(published_setup(each.model))) == with_commas(each.parameters));
  }
}

TEST_CASE("each example has its model's parameters", "[model]") {
  for (const Example& each : examples) {
    INFO(each.file);
    const Setup setup = tests::native_file("examples/" + each.file + ".toml").readings[0].setup;
    CHECK(with_commas(parameter_count(setup)) == with_commas(each.parameters));
  }
}

TEST_CASE("GPT-3's sizes are published rounded, and follow from 12 h^2 L + 13 h L + (v + s) h + 2 h",
          "[model]") {
  const auto gpt3 = [](const std::string& hidden, const std::string& layers, const std::string& heads) {
    return parameter_count(published_setup("hidden_size = " + hidden + "\nnum_layers = " + layers +
                                           "\nnum_attention_heads = " + heads +
                                           "\nvocab_size = 50257\nlearned_positions = 2048\n"));
  };
  CHECK(count_short(static_cast<double>(gpt3("2560", "32", "32"))) ==
        "2.652 B");  // "2.7B", 2.65B in table D.1
  CHECK(count_short(static_cast<double>(gpt3("12288", "96", "96"))) ==
        "174.6 B");  // "175B", 174.6B in table D.1
}

TEST_CASE("mixtures count the experts that one token visits", "[model]") {
  // Mistral: "46.7B total parameters but only uses 12.9B parameters per token"
  const Setup mixtral = tests::native_file("examples/mixtral-8x7b.toml").readings[0].setup;
  CHECK(with_commas(active_parameter_count(mixtral)) == "12,879,925,248");
  CHECK(with_commas(expert_parameter_count(mixtral)) == "45,097,156,608");
  // arXiv 2412.19437: "671B total parameters with 37B activated for each token"; both embeddings are in ours
  const Setup deepseek_v3 = tests::native_file("examples/deepseek-v3.toml").readings[0].setup;
  CHECK(with_commas(active_parameter_count(deepseek_v3)) == "37,552,297,472");
  const Setup dense = tests::native_file("examples/llama-3-8b.toml").readings[0].setup;
  CHECK(active_parameter_count(dense) == parameter_count(dense));
  CHECK(expert_parameter_count(dense) == 0);
}

TEST_CASE("FLOPs are those of the published formulas", "[model]") {
  // Megatron-LM (2104.04473, eq. 3): 96 B s L h^2 (1 + s / 6h + v / 16 L h), with one recomputed forward
  // pass; a third of 3/4 of it is the forward pass.
  const double h = 2560;
  const double L = 32;
  const double s = 2048;
  const double v = 50257;
  Setup setup = tests::native_file("examples/gpt3-2.7b-flash.toml").readings[0].setup;
  setup.plan.attention = Attention::unfused;
  const double megatron = 96 * L * h * h * (1 + s / (6 * h)) / 4 + 6 * h * v / 3;
  CHECK(forward_flops_per_token(setup) == Approx(megatron).epsilon(1e-12));
  CHECK(forward_flops_per_token(setup, CausalFlops::half) == Approx(megatron - 2 * s * h * L).epsilon(1e-12));
  CHECK(head_flops_per_token(setup) == 2 * h * v);

  const double tokens = 4 * s;
  CHECK(lower(setup).model_flops == Approx(3 * tokens * megatron).epsilon(1e-12));
  CHECK(lower(setup).hardware_flops == Approx(3 * tokens * megatron).epsilon(1e-12));
  setup.plan.recompute = Recompute::full;
  CHECK(lower(setup).model_flops == Approx(3 * tokens * megatron).epsilon(1e-12));
  CHECK(lower(setup).hardware_flops == Approx(tokens * (4 * megatron - 2 * h * v)).epsilon(1e-12));
  setup.plan.recompute = Recompute::selective;
  CHECK(lower(setup).hardware_flops == Approx(tokens * (3 * megatron + 4 * s * h * L)).epsilon(1e-12));
}

// FlashAttention-2 (2307.08691, section 4.1) divides the arithmetic of causal attention by two, since masked
// blocks are passed over: 4 s^2 d heads forward, and 2.5 times that backward.
TEST_CASE("fused attention runs what the mask leaves, whatever MFU counts", "[model]") {
  Setup setup = tests::native_file("examples/gpt3-2.7b-flash.toml").readings[0].setup;
  const double s = static_cast<double>(setup.plan.sequence_length);
  const double forward = 4 * s * s * static_cast<double>(setup.model.hidden_size * setup.model.num_layers) *
                         static_cast<double>(setup.plan.micro_batch_size);
  const double causal = lower(setup).hardware_flops;
  setup.model.causal = false;
  const double whole = lower(setup).hardware_flops;
  CHECK(whole - causal == Approx(3.5 * forward * (s - 1) / (2 * s)).epsilon(1e-9));
  CHECK(whole ==
        Approx(lower(setup).model_flops + 0.5 * forward).epsilon(1e-9));  // scores once more backward
}
