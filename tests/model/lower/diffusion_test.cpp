// Diffusion transformers, and what reads patches and frames.
#include "model/lower/lower.hpp"

#include "tests/catch.hpp"
#include "tests/model/workload_support.hpp"

using namespace shapelint;
using namespace shapelint::model;

namespace {

// FLUX.1 with 2 + 3 layers in the place of 19 + 38: 1024 x 1024 pixels, 512 tokens of text.
Setup flux() {
  Setup setup;
  ModelSpec& model = setup.model;
  model.hidden_size = 3072;
  model.num_layers = 5;
  model.num_attention_heads = model.num_key_value_heads = 24;
  model.head_dim = model.value_head_dim = 128;
  model.intermediate_size = 12288;
  model.parallel_block = true;
  model.causal = false;
  model.norms_per_layer = 1;
  model.qk_norm = true;
  model.norm_bias = false;
  model.lm_head = false;
  model.input = Input::patches;
  model.input_size = model.output_size = 64;
  model.diffusion = {.text_joined = true,
                     .joint_layers = 2,
                     .modulation = 6,
                     .modulation_shared = false,
                     .condition_size = 0,
                     .conditions = 3,
                     .text_size = 4096};
  setup.plan.mode = Mode::prefill;
  setup.plan.sequence_length = 4096;
  setup.plan.source_length = 512;
  return setup;
}

// PixArt: the text is read by cross-attention, one set of vectors steers all layers.
Setup pixart() {
  Setup setup = flux();
  ModelSpec& model = setup.model;
  model.hidden_size = 1152;
  model.num_attention_heads = model.num_key_value_heads = 16;
  model.head_dim = model.value_head_dim = 72;
  model.intermediate_size = 4608;
  model.parallel_block = false;
  model.cross_attention = true;
  model.input_size = 16;
  model.output_size = 32;
  model.diffusion = {.text_joined = false,
                     .joint_layers = 0,
                     .modulation = 6,
                     .modulation_shared = true,
                     .condition_size = 0,
                     .conditions = 1,
                     .text_size = 4096};
  return setup;
}

// The encoder of Whisper tiny: 30 s of sound.
Setup whisper() {
  Setup setup;
  ModelSpec& model = setup.model;
  model.hidden_size = 384;
  model.num_layers = 4;
  model.num_attention_heads = model.num_key_value_heads = 6;
  model.head_dim = model.value_head_dim = 64;
  model.intermediate_size = 1536;
  model.causal = false;
  model.lm_head = false;
  model.learned_positions = 1500;
  model.input = Input::frames;
  model.input_size = 80;
  setup.plan.micro_batch_size = 8;
  setup.plan.sequence_length = 1500;
  return setup;
}

}  // namespace

TEST_CASE("joint layers have products of the image and of the text, the others of both together", "[model]") {
  const Workload workload = lower(flux());
  CHECK(tests::table(workload, OpKind::gemm) == R"(
embedding.patches  forward  1 x 4096 x 3072 x 64  tn  *1
embedding.text  forward  1 x 512 x 3072 x 4096  tn  *1
embedding.condition  forward  3 x 1 x 3072 x 256  tn  *1
embedding.condition_up  forward  3 x 1 x 3072 x 3072  tn  *1
layer.image.modulation  forward  1 x 1 x 18432 x 3072  tn  *2
layer.image.attention.qkv  forward  1 x 4096 x 9216 x 3072  tn  *2
layer.image.attention.output  forward  1 x 4096 x 3072 x 3072  tn  *2
layer.image.mlp.up  forward  1 x 4096 x 12288 x 3072  tn  *2
layer.image.mlp.down  forward  1 x 4096 x 3072 x 12288  tn  *2
layer.text.modulation  forward  1 x 1 x 18432 x 3072  tn  *2
layer.text.attention.qkv  forward  1 x 512 x 9216 x 3072  tn  *2
layer.text.attention.output  forward  1 x 512 x 3072 x 3072  tn  *2
layer.text.mlp.up  forward  1 x 512 x 12288 x 3072  tn  *2
layer.text.mlp.down  forward  1 x 512 x 3072 x 12288  tn  *2
layer.modulation  forward  1 x 1 x 9216 x 3072  tn  *3
layer.attention.qkv  forward  1 x 4608 x 9216 x 3072  tn  *3
layer.attention.output  forward  1 x 4608 x 3072 x 3072  tn  *3
layer.mlp.up  forward  1 x 4608 x 12288 x 3072  tn  *3
layer.mlp.down  forward  1 x 4608 x 3072 x 12288  tn  *3
head.modulation  forward  1 x 1 x 6144 x 3072  tn  *1
head.patches  forward  1 x 4096 x 64 x 3072  tn  *1
)");
  CHECK(tests::table(workload, OpKind::attention) == R"(
layer.joint_attention.flash  forward  1, 24/24, 4608/4608, 128/128  *2
layer.attention.flash  forward  1, 24/24, 4608/4608, 128/128  *3
)");
}

TEST_CASE("a joint layer has the weights of both streams", "[model]") {
  const std::int64_t hidden = 3072;
  const auto grown = [](std::int64_t layers, std::int64_t joint) {
    Setup setup = flux();
    setup.model.num_layers = layers;
    setup.model.diffusion.joint_layers = joint;
    setup.model.qkv_bias = setup.model.attention_output_bias = setup.model.mlp_bias = false;
    setup.model.qk_norm = false;
    return parameter_count(setup);
  };
  // 3 vectors, 4 projections, an MLP of four times the width: 15 hidden^2, and the biases of the vectors
  CHECK(grown(6, 2) - grown(5, 2) == 15 * hidden * hidden + 3 * hidden);
  // twice 6 vectors, 4 projections and the MLP: 36 hidden^2 in the place of 15
  CHECK(grown(5, 3) - grown(5, 2) == 21 * hidden * hidden + 9 * hidden);
}

TEST_CASE("the arithmetic of joint layers is that of their products and attention", "[model]") {
  Setup setup = flux();
  setup.plan.attention = Attention::unfused;
  const Workload workload = lower(setup);
  double flops = 0;
  for (const Op& op : workload.ops) {
    const bool counts = op.name.starts_with("layer.") && op.kind == OpKind::gemm && op.m.value > 1;
    if (counts) flops += op.count * op_flops(op);
  }
  CHECK(workload.model_flops == Approx(flops));
}

TEST_CASE("vectors that are shared by all layers are made once, and the text is read across", "[model]") {
  const Workload workload = lower(pixart());
  CHECK(tests::find(workload, "layer.modulation") == nullptr);
  REQUIRE(tests::find(workload, "embedding.modulation") != nullptr);
  CHECK(tests::find(workload, "embedding.modulation")->n.value == 6 * 1152);
  CHECK(tests::find(workload, "layer.cross_attention.flash")->attention.key_length.value == 512);
  CHECK(tests::find(workload, "layer.attention.flash")->attention.key_length.value == 4096);
}

TEST_CASE("frames come in through two convolutions, whose input has no gradient", "[model]") {
  Setup setup = whisper();
  CHECK(tests::table(lower(setup), OpKind::gemm).starts_with(R"(
embedding.frames  forward  1 x 24000 x 384 x 240  tn  *1
embedding.frames  grad_weight  1 x 384 x 240 x 24000  nt  *1
embedding.frames_halved  forward  1 x 12000 x 384 x 1152  tn  *1
embedding.frames_halved  grad_input  1 x 12000 x 1152 x 384  nn  *1
embedding.frames_halved  grad_weight  1 x 384 x 1152 x 12000  nt  *1
)"));
  // Whisper tiny's encoder without its table of positions, which does not learn.
  setup.model.learned_positions = 0;
  // 7,632,384 are published: its keys have no bias.
  CHECK(parameter_count(setup) == 7632384 + 4 * 384);
}
