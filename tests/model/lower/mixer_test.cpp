// The lowering of layers without softmax attention, and of attention that does not see every key.
#include "model/mixer.hpp"

#include <rapidcheck.h>

#include "model/derive.hpp"
#include "model/lower/lower.hpp"
#include "tests/catch.hpp"
#include "tests/formats/native/native_support.hpp"
#include "tests/model/workload_support.hpp"

using namespace shapelint;
using namespace shapelint::model;
using tests::find;
using tests::setup_of;
using tests::table;

namespace {

// Qwen3-Next's layers, without its mixture.
const std::string hybrid = R"([model]
hidden_size = 2048
num_layers = 8
num_attention_heads = 16
num_key_value_heads = 2
head_dim = 256
intermediate_size = 5120
mlp_gated = true
vocab_size = 1024
layers = "3 gated_delta_net, 1 attention"
)";

}  // namespace

TEST_CASE("three of four layers are a gated delta net", "[model]") {
  const Setup setup = setup_of(hybrid, "sequence_length = 4096\nmode = \"prefill\"\n");
  CHECK(setup.model.layers_without_attention == 6);
  CHECK(num_mixer_layers(setup.model) == 6);
  // queries and keys 2 * 16 * 128, values and their gate 2 * 32 * 128 columns; two gates per head of values
  CHECK(table(lower(setup), OpKind::gemm) == R"(
layer.attention.qkv  forward  1 x 4096 x 5120 x 2048  tn  *2
layer.attention.output  forward  1 x 4096 x 2048 x 4096  tn  *2
layer.gated_delta_net.in  forward  1 x 4096 x 12288 x 2048  tn  *6
layer.gated_delta_net.gates  forward  1 x 4096 x 64 x 2048  tn  *6
layer.gated_delta_net.out  forward  1 x 4096 x 2048 x 4096  tn  *6
layer.mlp.gate_up  forward  1 x 4096 x 10240 x 2048  tn  *8
layer.mlp.down  forward  1 x 4096 x 2048 x 5120  tn  *8
head.logits  forward  1 x 1 x 1024 x 2048  tn  *1
)");
  const Op* chunk = find(lower(setup), "layer.gated_delta_net.chunk");
  REQUIRE(chunk != nullptr);
}

TEST_CASE("a scan has its sizes, of one rank", "[model]") {
  Setup setup = setup_of(hybrid);
  setup.plan.tensor = 4;
  const Workload workload = lower(setup);
  const Op* chunk = find(workload, "layer.gated_delta_net.chunk");
  REQUIRE(chunk != nullptr);
  CHECK(chunk->kind == OpKind::scan);
  CHECK(chunk->mixer == MixerKind::gated_delta_net);
  CHECK(chunk->attention.heads.value == 8);
  CHECK(chunk->attention.key_value_heads.value == 4);
  CHECK(chunk->attention.query_length.value == 4096);
  CHECK(chunk->attention.key_length.value == 64);  // the chunk
  CHECK(chunk->attention.head_dim.value == 128);
  CHECK(find(workload, "layer.gated_delta_net.chunk", Pass::backward) != nullptr);
}

TEST_CASE("a letter per layer makes each of them one part", "[model]") {
  const Setup setup = setup_of(R"([model]
hidden_size = 1024
num_attention_heads = 8
intermediate_size = 4096
vocab_size = 1024
layers = "M-M*-M"
[model.mixer]
num_key_heads = 8
num_value_heads = 32
key_head_dim = 128
value_head_dim = 64
)",
                               "sequence_length = 4096\nmode = \"prefill\"\n");
  CHECK(setup.model.num_layers == 6);
  CHECK(setup.model.norms_per_layer == 1);
  CHECK(table(lower(setup), OpKind::gemm) == R"(
layer.attention.qkv  forward  1 x 4096 x 3072 x 1024  tn  *1
layer.attention.output  forward  1 x 4096 x 1024 x 1024  tn  *1
layer.mamba2.in  forward  1 x 4096 x 6176 x 1024  tn  *3
layer.mamba2.out  forward  1 x 4096 x 1024 x 2048  tn  *3
layer.mlp.up  forward  1 x 4096 x 4096 x 1024  tn  *2
layer.mlp.down  forward  1 x 4096 x 1024 x 4096  tn  *2
head.logits  forward  1 x 1 x 1024 x 1024  tn  *1
)");
}

TEST_CASE("layers with a window have an operation of their own", "[model]") {
  const Setup setup = setup_of(R"([model]
hidden_size = 1024
num_layers = 6
num_attention_heads = 8
vocab_size = 1024
layers = "5 window_attention, 1 attention"
[model.window]
size = 512
)",
                               "sequence_length = 4096\nmode = \"prefill\"\n");
  const Workload workload = lower(setup);
  const Op* windowed = find(workload, "layer.attention.window_flash");
  const Op* whole = find(workload, "layer.attention.flash");
  REQUIRE(windowed != nullptr);
  REQUIRE(whole != nullptr);
  CHECK(windowed->attention.window == 512);
  CHECK(windowed->count == 5);
  CHECK(whole->attention.window == 0);
  CHECK(whole->count == 1);
}

TEST_CASE("a full window takes no more memory, and a state takes as much for any length", "[model]") {
  const Setup windowed = setup_of(R"([model]
hidden_size = 1024
num_layers = 4
num_attention_heads = 8
vocab_size = 1024
[model.window]
size = 512
layers = 3
)",
                                  "mode = \"decode\"\ncontext_length = 4096\n");
  const double layer = 2 * 1024 * 2;  // keys and values of a token, in 16 bits
  CHECK(cache_bytes(windowed, 512) == 4 * 512 * layer);
  CHECK(cache_bytes(windowed, 4096) == (4096 + 3 * 512) * layer);

  Setup mixed = setup_of(hybrid, "mode = \"decode\"\ncontext_length = 4096\n");
  // of each of six layers 32 states of 128 x 128 in fp32, and three inputs of 8192 channels
  const double state = 6 * (32 * 128 * 128 * 4 + 3 * 8192 * 2);
  const double cached = 2 * 2 * (256 + 256) * 2;
  CHECK(cache_bytes(mixed, 0) == state);
  CHECK(cache_bytes(mixed, 1000) == state + 1000 * cached);
}

TEST_CASE("parameters and arithmetic of every kind grow with its sizes", "[model]") {
  CHECK(rc::check([] {
    ModelSpec model;
    model.hidden_size = *rc::gen::inRange(64, 4096);
    model.num_attention_heads = *rc::gen::inRange(1, 32);
    model.head_dim = 64;
    const auto kind = static_cast<MixerKind>(*rc::gen::inRange<std::size_t>(1, mixer_kinds));
    Mixer mixer = usual_sizes(model, kind);
    mixer.kind = kind;
    Plan plan;
    // Transforms of a short sequence take fewer than Hyena's recurrence of 16 states does.
    const std::int64_t shortest = kind == MixerKind::hyena ? 512 : 128;
    plan.sequence_length = *rc::gen::inRange<std::int64_t>(shortest, 8192);
    Plan decoding = plan;
    decoding.mode = Mode::decode;
    const std::int64_t parameters = mixer_parameters(model, mixer);
    const double products = mixer_macs_per_token(model, mixer, plan);
    RC_ASSERT(parameters > 0);
    RC_ASSERT(products > 0);
    RC_ASSERT(mixer_macs_per_token(model, mixer, decoding) <= products);
    mixer.value_heads *= 2;
    RC_ASSERT(mixer_parameters(model, mixer) > parameters);
    RC_ASSERT(mixer_macs_per_token(model, mixer, plan) > products);
  }));
}
