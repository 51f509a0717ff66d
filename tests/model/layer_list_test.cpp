// Models as lists of layers.
#include "model/layer_list.hpp"

#include <rapidcheck.h>

#include "model/lower/lower.hpp"
#include "model/training_bytes.hpp"
#include "tests/catch.hpp"
#include "tests/formats/native/native_support.hpp"
#include "tests/model/workload_support.hpp"

using namespace shapelint;
using namespace shapelint::model;
using tests::model_setup;

namespace {

// Five layers with a window, and one that sees all and has other heads, ten times.
const std::string gemma = R"(
hidden_size = 5376
num_layers = 60
num_attention_heads = 32
intermediate_size = 21504
mlp_gated = true
vocab_size = 262144
layers = "5 local, 1 global"
[model.layer.local]
window = 1024
num_key_value_heads = 16
head_dim = 256
[model.layer.global]
num_key_value_heads = 4
head_dim = 512
)";

std::string text_of(const ModelSpec& model) {
  return layers_text(model);
}

double flops(const Setup& setup) {
  return lower(setup).hardware_flops;
}

std::string order(std::string_view text, std::int64_t layers) {
  std::string problem;
  std::string out;
  for (const auto& [count, kind] : layer_order(text, layers, problem))
    out += std::to_string(count) + " " + std::string(kind) + ";";
  return problem.empty() ? out : problem;
}

}  // namespace

TEST_CASE("an order of layers names kinds and how many follow each other", "[model]") {
  CHECK(order("a", 3) == "1 a;1 a;1 a;");
  CHECK(order("5 local, 1 global", 12) == "5 local;1 global;5 local;1 global;");
  CHECK(order("5 local, 1 global", 8) == "5 local;1 global;2 local;");
  CHECK(order("3 dense, rest moe", 5) == "3 dense;2 moe;");
  CHECK(order("2 w, rest (c, h)", 5) == "2 w;1 c;1 h;1 c;");
  CHECK(order("2 (c, h)", 4) == "1 c;1 h;1 c;1 h;");
  CHECK(order("3 dense, rest moe", 3) == "nothing is left for `rest`");
  CHECK(order("7 a, 1 b", 4) == "8 layers are named, and num_layers is 4");
}

TEST_CASE("layers of the native file have keys of their own", "[model]") {
  const Setup setup = model_setup(gemma);
  CHECK(setup.model.layers_differ);
  CHECK(num_window_layers(setup.model) == 50);
  CHECK(text_of(setup.model) ==
        "60 layers = 10 x (5 x [attention 32/16 heads, head_dim 256, window 1024 + MLP 21504], 1 x "
        "[attention 32/4 heads, head_dim 512 + MLP 21504])");
  // Of each layer the projections, the MLP and two norms; one table.
  const std::int64_t local = 5376 * 256 * (32 + 2 * 16) + 32 * 256 * 5376;
  const std::int64_t global = 5376 * 512 * (32 + 2 * 4) + 32 * 512 * 5376;
  const std::int64_t others = 3 * 5376 * 21504 + 2 * 5376;
  CHECK(parameter_count(setup) == 50 * local + 10 * global + 60 * others + 262144 * 5376 + 5376);
}

TEST_CASE("each layer caches keys and values of its own sizes", "[model]") {
  // vllm-project/vllm#43308: 11,576,279,040 bytes at 131,072 tokens.
  const Setup setup = model_setup(gemma, "mode = \"decode\"\ncontext_length = 131072\n");
  const double local = 2.0 * 16 * 256 * 2 * 1024;
  const double global = 2.0 * 4 * 512 * 2 * 131072;
  CHECK(cache_bytes(setup, 131072) == Approx(50 * local + 10 * global));
}

TEST_CASE("numbers that vary from layer to layer are lists", "[model]") {
  const Setup setup = model_setup(R"(
hidden_size = 1280
num_layers = 4
head_dim = 64
num_attention_heads = [12, 12, 16, 20]
num_key_value_heads = [3, 3, 4, 5]
intermediate_size = [768, 1024, 1536, 2048]
mlp_gated = true
vocab_size = 32000
)");
  CHECK(setup.model.num_attention_heads == 20);
  CHECK(setup.model.layers.size() == 4);
  const std::int64_t attention = 1280 * 64 * (2 * (12 + 12 + 16 + 20) + 2 * (3 + 3 + 4 + 5));
  const std::int64_t mlp = 3 * 1280 * (768 + 1024 + 1536 + 2048);
  CHECK(parameter_count(setup) == attention + mlp + 4 * 2 * 1280 + 32000 * 1280 + 1280);
}

TEST_CASE("the model's value stands where the layer's does that it is of", "[model]") {
  const Reading reading = tests::native(
                              "[model]\nhidden_size = 1280\nnum_layers = 3\nhead_dim = 64\n"
                              "num_attention_heads = [12, 20, 16]\nvocab_size = 32000\n"
                              "intermediate_size = [768, 1536, 2048]\n"
                              "[run]\nsequence_length = 128\n")
                              .readings.front();
  CHECK(reading.origins[FieldId::num_attention_heads].key_path == "model.num_attention_heads[1]");
  CHECK(reading.origins[FieldId::intermediate_size].key_path == "model.intermediate_size[2]");
}

TEST_CASE("layers stand where a table says", "[model]") {
  const Setup setup = model_setup(R"(
hidden_size = 1024
num_layers = 6
num_attention_heads = 8
vocab_size = 32000
layers = { wide = [1, 4], rest = "narrow" }
[model.layer.wide]
intermediate_size = 8192
[model.layer.narrow]
intermediate_size = 1024
)");
  CHECK(text_of(setup.model) ==
        "6 layers = 1 x [attention 8/8 heads, head_dim 128 + MLP 1024], 1 x [attention 8/8 heads, head_dim "
        "128 + MLP "
        "8192], 2 x [attention 8/8 heads, head_dim 128 + MLP 1024], 1 x [attention 8/8 heads, head_dim 128 + "
        "MLP "
        "8192], 1 x [attention 8/8 heads, head_dim 128 + MLP 1024]");
}

TEST_CASE("a layer may have no attention, no MLP, or one product in the place of either", "[model]") {
  const Setup setup = model_setup(R"(
hidden_size = 1024
num_layers = 3
num_attention_heads = 8
intermediate_size = 4096
mlp_gated = true
vocab_size = 32000
layers = "a, b, c"
[model.layer.a]
mixer = "none"
[model.layer.b]
ffn = "none"
[model.layer.c]
mixer = "linear"
ffn = "linear"
)");
  const std::int64_t mlp = 3 * 1024 * 4096;
  const std::int64_t attention = 4 * 1024 * 1024;
  const std::int64_t linear = 2 * 1024 * 1024;
  CHECK(parameter_count(setup) == mlp + attention + linear + (1 + 1 + 2 + 1) * 1024 + 32000 * 1024);
}

TEST_CASE("a group of layers that is split in two is the same model", "[model]") {
  CHECK(rc::check("split", [] {
    Setup setup = model_setup(gemma);
    const Setup whole = setup;
    const auto at = *rc::gen::inRange<std::size_t>(0, setup.model.layers.size());
    std::vector<LayerGroup>& layers = setup.model.layers;
    if (layers[at].count > 1) {
      const LayerGroup rest{layers[at].count - 1, layers[at].layer};
      layers[at].count = 1;
      layers.insert(layers.begin() + static_cast<std::ptrdiff_t>(at) + 1, rest);
    }
    RC_ASSERT(parameter_count(setup) == parameter_count(whole));
    RC_ASSERT(forward_flops_per_token(setup) == forward_flops_per_token(whole));
    RC_ASSERT(flops(setup) == flops(whole));
    RC_ASSERT(cache_bytes(setup, 5000) == cache_bytes(whole, 5000));
    RC_ASSERT(layer_activations(setup).kept == layer_activations(whole).kept);
  }));
}

TEST_CASE("a layer's values as the model's own are the same model", "[model]") {
  CHECK(rc::check("common", [] {
    Setup setup = model_setup(gemma);
    for (LayerGroup& group : setup.model.layers) {
      if (*rc::gen::arbitrary<bool>()) group.layer.intermediate_size = *rc::gen::element(8192, 21504, 21510);
    }
    setup.model.layers_differ = true;
    const auto at = *rc::gen::inRange<std::size_t>(0, setup.model.layers.size());
    Setup other = setup;
    for (const LayerKey& key : layer_keys()) {
      if (key.field == no_field || own_size(key.field) == nullptr) continue;
      const std::int64_t own = setup.model.layers[at].layer.*key.member;
      if (own < 0) continue;
      make_common(other.model, key, own);
      RC_ASSERT(get(other, key.field) == own);
      const std::int64_t left = other.model.layers[at].layer.*key.member;
      RC_ASSERT(left == -1);
    }
    RC_ASSERT(parameter_count(other) == parameter_count(setup));
    RC_ASSERT(forward_flops_per_token(other) == Approx(forward_flops_per_token(setup)));
    RC_ASSERT(flops(other) == Approx(flops(setup)));
    RC_ASSERT(cache_bytes(other, 5000) == Approx(cache_bytes(setup, 5000)));
  }));
}

TEST_CASE("a list says the same as the fields that count its kinds", "[model]") {
  const std::string attention = "attention 8/8 heads, head_dim 64";
  const std::string mlp = " + MLP 2048";
  const std::string experts = " + 8 experts x 256";
  const std::string some = "moe = { num_experts = 8, experts_per_token = 2, intermediate_size = 256, ";
  struct Counted {
    std::string keys;
    std::string layers;
    std::int64_t norms = 0;  // parameters before branches that are not there: a list has none of them
  };
  // What fields count is spread evenly; leading dense layers lead, and every n-th layer from the first on is
  // a mixture (Megatron-LM, --moe-layer-freq).
  for (const Counted& each : {
           Counted{"window = { size = 128, layers = 6 }\n",
                   "2 x (1 x [" + attention + mlp + "], 3 x [" + attention + ", window 128" + mlp + "])"},
           Counted{"shared_key_value_layers = 4\n",
                   "4 x (1 x [" + attention + mlp + "], 1 x [" + attention + ", shared KV" + mlp + "])"},
           Counted{"layers_without_attention = 2\n", "2 x (1 x [MLP 2048], 3 x [" + attention + mlp + "])",
                   2 * 2 * 512},
           Counted{"layers_without_mlp = 2\n", "2 x (1 x [" + attention + "], 3 x [" + attention + mlp + "])",
                   2 * 2 * 512},
           Counted{"layers_without_attention = 6\nmixer = { kind = \"mamba2\" }\n",
                   "2 x (3 x [mamba2 1/16 heads" + mlp + "], 1 x [" + attention + mlp + "])"},
           Counted{"layers_without_attention = 6\nmixer = { kind = \"mamba2\", layers = 3 }\n"
                   "second_mixer = { kind = \"mamba\", layers = 2 }\n"
                   "third_mixer = { kind = \"retention\", layers = 1 }\n",
                   "3 x [mamba2 1/16 heads" + mlp + "], 1 x [" + attention + mlp +
                       "], 2 x [mamba 1/1024 heads" + mlp + "], 1 x [retention 8/8 heads" + mlp + "], 1 x [" +
                       attention + mlp + "]"},
           Counted{"mixer = { kind = \"mamba2\", parallel = true }\n",
                   "8 x [" + attention + " in parallel with mamba2 1/16 heads" + mlp + "]"},
           // Zamba: a shared block of attention and an MLP beside some of the scans.
           Counted{"layers_without_attention = 6\nlayers_without_mlp = 6\nnorms_per_layer = 1\n"
                   "mixer = { kind = \"mamba2\", parallel = true }\n"
                   "shared_block = { blocks = 1, input_size = 1024 }\n",
                   "2 x (3 x [mamba2 1/16 heads], 1 x [" + attention +
                       ", weights of one block in parallel with mamba2 1/16 heads" + mlp + "])"},
           // Nemotron-H: a layer is attention, a scan or an MLP.
           Counted{"layers_without_attention = 6\nlayers_without_mlp = 4\nnorms_per_layer = 1\n"
                   "mixer = { kind = \"mamba2\", layers = 2 }\n",
                   "2 x (1 x [mamba2 1/16 heads], 1 x [MLP 2048], 1 x [" + attention + "], 1 x [MLP 2048])"},
           // Zamba2: two blocks take turns.
           Counted{"shared_block = { blocks = 2, input_size = 1024, adapter_rank = 16 }\n",
                   "8 x [" + attention + ", weights of one of 2 blocks" + mlp + "]"},
           Counted{"mlps_per_layer = 2\nconvolution_kernel = 31\n",
                   "8 x [" + attention + " + 2 MLPs x 2048]"},
           // MMDiT: the first layers have weights for each stream.
           Counted{"diffusion = { text_joined = true, joint_layers = 3, modulation = 6 }\n",
                   "3 x [" + attention + ", separate image and text weights" + mlp + "], 5 x [" + attention +
                       mlp + "]"},
           Counted{some + "first_dense_layers = 3 }\n",
                   "3 x [" + attention + mlp + "], 5 x [" + attention + experts + "]"},
           Counted{some + "layer_interval = 2 }\n",
                   "4 x (1 x [" + attention + experts + "], 1 x [" + attention + mlp + "])"},
       }) {
    CAPTURE(each.keys);
    const Setup counted = model_setup(
        "hidden_size = 512\nnum_layers = 8\nnum_attention_heads = 8\nintermediate_size = 2048\n"
        "vocab_size = 1024\n" +
        each.keys);
    CHECK(text_of(counted.model) == "8 layers = " + each.layers);
    Setup listed = counted;
    listed.model.layers = layer_list(counted.model);
    listed.model.layers_differ = true;
    CHECK(parameter_count(listed) + each.norms == parameter_count(counted));
    CHECK(active_parameter_count(listed) + each.norms == active_parameter_count(counted));
    CHECK(expert_parameter_count(listed) == expert_parameter_count(counted));
    CHECK(forward_flops_per_token(listed) == Approx(forward_flops_per_token(counted)));
    CHECK(flops(listed) == Approx(flops(counted)));
    CHECK(cache_bytes(listed, 3000) == Approx(cache_bytes(counted, 3000)));
    CHECK(layer_activations(listed).kept == Approx(layer_activations(counted).kept));
  }
}

// Zamba2 2.7B (its config.json): 54 layers of Mamba-2, nine of which run one of two blocks of attention and
// an MLP beside it.
TEST_CASE("layers of a kind may use a block whose weights they share", "[model]") {
  const std::string sizes =
      "hidden_size = 2560\nnum_layers = 54\nvocab_size = 32000\nnorm = \"rmsnorm\"\nnorms_per_layer = 1\n"
      "mlp_gated = true\n";
  const std::string mixer =
      "kind = \"mamba2\"\nnum_value_heads = 80\nkey_head_dim = 64\nvalue_head_dim = 64\n";
  const std::string own =
      "mixer = { kind = \"mamba2\", num_value_heads = 80, key_head_dim = 64, value_head_dim = 64 }\n"
      "ffn = \"none\"\n";
  const Setup listed = model_setup(
      sizes + "layers = { hybrid = [6, 12, 18, 24, 30, 36, 42, 47, 51], rest = \"mamba\" }\n" +
      "[model.layer.mamba]\n" + own + "[model.layer.hybrid]\n" + own + "uses = \"block\"\n" +
      "[model.shared.block]\ncopies = 2\ninput_size = 5120\nnum_attention_heads = 32\nhead_dim = 160\n"
      "intermediate_size = 10240\nadapter_rank = 128\n");
  const Setup counted =
      model_setup(sizes +
                  "num_attention_heads = 32\nhead_dim = 160\nintermediate_size = 10240\n"
                  "layers_without_attention = 45\nlayers_without_mlp = 45\n[model.mixer]\nparallel = true\n" +
                  mixer + "[model.shared_block]\nblocks = 2\ninput_size = 5120\nadapter_rank = 128\n");
  CHECK(num_attention_layers(listed.model) == 9);
  CHECK(num_mixer_layers(listed.model, 0) == 54);
  CHECK(parameter_count(listed) == parameter_count(counted));
  CHECK(flops(listed) == flops(counted));
  CHECK(cache_bytes(listed, 4096) == cache_bytes(counted, 4096));
  CHECK(layer_activations(listed).kept == layer_activations(counted).kept);
  CHECK(text_of(listed.model).substr(0, 12) == "54 layers = ");
}

TEST_CASE("kinds without sizes of their own count among the layers", "[model]") {
  const Setup setup = model_setup(
      "hidden_size = 1024\nnum_layers = 8\nnum_attention_heads = 16\nvocab_size = 32000\n"
      "layers = \"1 delta, 2 space, 1 all\"\n[model.layer.delta]\nmixer = \"gated_delta_net\"\n"
      "[model.layer.space]\nmixer = \"mamba2\"\n[model.layer.all]\n");
  CHECK(num_attention_layers(setup.model) == 2);
  CHECK(num_mixer_layers(setup.model, 0) == 2);
  CHECK(num_mixer_layers(setup.model, 1) == 4);
}

TEST_CASE("attention over compressed keys reads and caches few of them", "[model]") {
  // DeepSeek-V4-Flash (its config.json): two layers with a window, then one key of 4 or of 128 tokens in
  // turns.
  const std::string model = R"toml(
hidden_size = 4096
num_layers = 43
num_attention_heads = 64
num_key_value_heads = 1
head_dim = 512
mlp_gated = true
vocab_size = 129280
tie_word_embeddings = false
residual_streams = 4
key_values = "one_tensor"
layers = "2 window, rest (csa, hca)"
window = { size = 128, sinks = true }
compressed = { q_lora_rank = 1024, output_groups = 8, output_rank = 1024 }
indexer = { num_heads = 64, head_dim = 128 }
moe = { num_experts = 256, experts_per_token = 6, intermediate_size = 2048, num_shared_experts = 1 }
[model.layer.window]
compressed_ratio = 0
[model.layer.csa]
compressed_ratio = 4
indexer_keys = 512
[model.layer.hca]
compressed_ratio = 128
)toml";
  const Setup setup = model_setup(model, "mode = \"decode\"\ncontext_length = 131072\nkv_cache_bits = 8\n");
  // The model's card: 284B, of which 13B are active.
  CHECK(static_cast<double>(parameter_count(setup)) / 1e9 == Approx(284).epsilon(0.005));
  CHECK(static_cast<double>(active_parameter_count(setup)) / 1e9 == Approx(13.5).epsilon(0.05));
  // 21 layers with a key of 512 for each 4 tokens and an indexer's key of 128 with a scale, 20 with one for
  // each 128, and a window of 128 in all.
  const double csa = 131072.0 / 4 * (512 + 128 + 4);
  const double hca = 131072.0 / 128 * 512;
  CHECK(cache_bytes(setup, 131072) == Approx(21 * csa + 20 * hca + 43 * 128 * 512.0));
  Setup brief = setup;
  brief.plan.context_length = 1024;
  // The indexer scores all keys; attention itself reads as many as before.
  CHECK(forward_flops_per_token(setup) < 3 * forward_flops_per_token(brief));
}

TEST_CASE("an indexer may choose among keys and values of every head", "[model]") {
  const std::string model =
      "hidden_size = 1024\nnum_layers = 4\nnum_attention_heads = 16\nnum_key_value_heads = 4\nvocab_size = "
      "32000\nindexer = { keys = 2048, num_heads = 4, head_dim = 64 }\n";
  const std::string run = "mode = \"decode\"\ncontext_length = 100000\n";
  const Setup sparse = model_setup(model, run);
  const double keys = 100000.0 * (2 * 4 * 64 * 2 + 64 + 4);
  CHECK(cache_bytes(sparse, 100000) == Approx(4 * keys));
  for (const Op& op : lower(sparse).ops) {
    if (op.kind == OpKind::attention) CHECK(op.attention.window == 2048);
  }
}

TEST_CASE("no model is said to need more arithmetic than its operations do", "[model]") {
  const std::vector<std::string> parts{"relative_positions = true\n",
                                       "convolution_kernel = 31\n",
                                       "attention_gate = true\n",
                                       "qk_norm = true\n",
                                       "mtp_layers = 1\n",
                                       "residual_streams = 4\n",
                                       "window = { size = 128 }\n",
                                       "sparse = { blocks = 4 }\n",
                                       "sparse = { kind = \"moba\", blocks = 4, block_size = 64 }\n",
                                       "attention_gate = true\nattention_gate_rank = 64\n",
                                       "key_values = \"one_projection\"\n",
                                       "compressed = { ratio = 4, q_lora_rank = 128, output_groups = 2, "
                                       "output_rank = 128 }\n",
                                       "indexer = { keys = 128, num_heads = 4, head_dim = 64 }\n",
                                       "layers_without_attention = 3\nmixer = { kind = \"mamba2\" }\n",
                                       "layers_without_attention = 4\nmixer = { kind = \"rg_lru\" }\n",
                                       "moe = { num_experts = 8, experts_per_token = 2 }\n",
                                       "cross_attention = true\n",
                                       "norm = \"rmsnorm\"\n"};
  for (const std::string& part : parts) {
    for (const char* mode : {"train", "prefill"}) {
      for (const char* recompute : {"none", "full"}) {
        CAPTURE(part, mode, recompute);
        const Setup setup = model_setup(
            "hidden_size = 512\nnum_layers = 8\nnum_attention_heads = 8\nvocab_size = 1024\n" + part,
            std::string("mode = \"") + mode +
                "\"\nsequence_length = 512\nmicro_batch_size = 4\nrecompute = \"" + recompute + "\"\n");
        const Workload work = lower(setup);
        // MFU counts causal attention in full; a fused kernel runs what the mask leaves, as mean keys say.
        const double passes = setup.plan.mode == Mode::train ? 3 : 1;
        const double masked =
            forward_flops_per_token(setup) - forward_flops_per_token(setup, CausalFlops::half);
        const double needed = work.model_flops - passes * masked * work.tokens_per_step;
        CHECK(needed <= work.hardware_flops * (1 + 1e-9));
      }
    }
  }
}
