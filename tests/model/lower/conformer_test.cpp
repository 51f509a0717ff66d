// Speech encoders: what reads a spectrogram, convolution modules, relative positions.
#include "model/lower/lower.hpp"

#include <array>

#include "tests/catch.hpp"
#include "tests/model/workload_support.hpp"

using namespace shapelint;
using namespace shapelint::model;

namespace {

// NeMo's Conformer-CTC large with 2 layers: 10 s of sound at 100 frames a second, 4 of them to a token.
Setup conformer() {
  Setup setup;
  ModelSpec& model = setup.model;
  model.hidden_size = 512;
  model.num_layers = 2;
  model.num_attention_heads = model.num_key_value_heads = 8;
  model.head_dim = model.value_head_dim = 64;
  model.intermediate_size = 2048;
  model.mlps_per_layer = 2;
  model.norms_per_layer = 5;
  model.convolution_kernel = 31;
  model.relative_positions = true;
  model.causal = model.lm_head = model.final_norm = model.tie_word_embeddings = false;
  model.input = Input::spectrogram;
  model.input_size = 80;
  model.front = {.channels = 512, .reduction = 4, .separable = false};
  setup.plan.mode = Mode::prefill;
  setup.plan.attention = Attention::unfused;
  setup.plan.sequence_length = 250;
  return setup;
}

}  // namespace

TEST_CASE("a conformer has two MLPs, a convolution module, and scores over distances", "[model]") {
  const Workload workload = lower(conformer());
  CHECK(tests::table(workload, OpKind::gemm) == R"(
embedding.convolution  forward  1 x 20000 x 512 x 9  tn  *1
embedding.convolution  forward  1 x 5000 x 512 x 4608  tn  *1
embedding.bands  forward  1 x 250 x 512 x 10240  tn  *1
layer.attention.qkv  forward  1 x 250 x 1536 x 512  tn  *2
layer.attention.positions  forward  1 x 500 x 512 x 512  tn  *2
layer.attention.distances  forward  8 x 250 x 500 x 64  tn  *2
layer.attention.scores  forward  8 x 250 x 250 x 64  tn  *2
layer.attention.values  forward  8 x 250 x 64 x 250  nn  *2
layer.attention.output  forward  1 x 250 x 512 x 512  tn  *2
layer.convolution.in  forward  1 x 250 x 1024 x 512  tn  *2
layer.convolution.out  forward  1 x 250 x 512 x 512  tn  *2
layer.mlp.up  forward  1 x 250 x 2048 x 512  tn  *4
layer.mlp.down  forward  1 x 250 x 512 x 2048  tn  *4
)");
}

TEST_CASE("what moves memory in a conformer", "[model]") {
  // 250 tokens of 512 elements of 2 bytes are 256,000; of the first convolution 250 x 2 frames x 40 bands x
  // 512 are 20,480,000.
  CHECK(tests::table(lower(conformer()), OpKind::elementwise) == R"(
embedding.activation  forward  40960000  *1
embedding.activation  forward  10240000  *1
layer.norm  forward  512000  *10
layer.attention.shift  forward  4000000  *2
layer.attention.mask  forward  2000000  *2
layer.attention.softmax  forward  2000000  *2
layer.attention.residual  forward  768000  *2
layer.convolution.glu  forward  768000  *2
layer.convolution.depthwise  forward  512000  *2
layer.convolution.norm  forward  512000  *2
layer.convolution.residual  forward  768000  *2
layer.mlp.activation  forward  2048000  *4
layer.mlp.residual  forward  768000  *4
)");
}

TEST_CASE("a separable front has depthwise convolutions and products", "[model]") {
  Setup setup = conformer();
  setup.model.front = {.channels = 256, .reduction = 8, .separable = true};
  setup.plan.sequence_length = 125;
  const Workload workload = lower(setup);
  const auto row = [&](std::size_t i) {
    const Op& op = workload.ops[i];
    return std::string(op.name) + " " + std::to_string(op.m.value) + " x " + std::to_string(op.k.value);
  };
  CHECK(row(0) == "embedding.convolution 20000 x 9");
  CHECK(row(3) == "embedding.pointwise 5000 x 256");
  CHECK(row(6) == "embedding.pointwise 1250 x 256");
  CHECK(row(8) == "embedding.bands 125 x 2560");
}

TEST_CASE("the parameters of a conformer's layer and front by hand", "[model]") {
  const std::int64_t d = 512;
  Setup setup = conformer();
  const std::int64_t two = parameter_count(setup);
  setup.model.num_layers = 3;
  // queries, keys, values, output with biases; distances and two biases of theirs; two MLPs; the module:
  // 3 d^2, taps, batch norm, biases; five norms
  const std::int64_t layer =
      4 * (d * d + d) + d * d + 2 * d + 2 * (8 * d * d + 5 * d) + 3 * d * d + (31 + 2 + 5) * d + 10 * d;
  CHECK(parameter_count(setup) - two == layer);
  const std::int64_t front = 10 * d + (9 * d + 1) * d + (20 * d + 1) * d;
  CHECK(two == 2 * layer + front);
}

TEST_CASE("layers that borrow keys and values make queries alone, and cache nothing", "[model]") {
  Setup setup = tests::example("llama-3-8b");
  const std::int64_t all = parameter_count(setup);
  const double cached = cache_bytes_per_token(setup);
  const double flops = forward_flops_per_token(setup);
  setup.model.shared_key_value_layers = 16;
  const Workload workload = lower(setup);
  const Op* qkv = tests::find(workload, "layer.attention.qkv");
  const Op* query = tests::find(workload, "layer.attention.query");
  REQUIRE(qkv != nullptr);
  REQUIRE(query != nullptr);
  CHECK(query->count == qkv->count);
  CHECK(query->n.value == 4096 / setup.plan.tensor);
  CHECK(parameter_count(setup) == all - std::int64_t{16} * 4096 * 2048);
  CHECK(cache_bytes_per_token(setup) == Approx(cached / 2));
  CHECK(flops - forward_flops_per_token(setup) == Approx(2.0 * 16 * 4096 * 2048));
}

TEST_CASE("offloaded activations are copied once each way, and leave memory", "[model]") {
  Setup setup = tests::example("llama-3-8b");
  setup.plan.offload_activations = true;
  setup.plan.recompute = Recompute::full;
  const Workload workload = lower(setup);
  const Op* out = tests::find(workload, "layer.offload");
  const Op* in = tests::find(workload, "layer.offload", Pass::backward);
  REQUIRE(out != nullptr);
  REQUIRE(in != nullptr);
  CHECK(out->overlapped);
  CHECK(out->collective == CollectiveKind::host_copy);
  // the layer's input, two bytes each
  CHECK(out->bytes == Approx(2.0 * static_cast<double>(setup.plan.micro_batch_size) *
                             static_cast<double>(setup.plan.sequence_length) * 4096));
  setup.plan.mode = Mode::prefill;
  CHECK(tests::find(lower(setup), "layer.offload") == nullptr);
}

TEST_CASE("local attention is products of windows, each half of one against two", "[model]") {
  Setup setup = conformer();
  setup.plan.sequence_length = 2048;
  setup.model.window.size = 257;  // 128 on each side
  setup.model.window.layers = 2;
  const Workload workload = lower(setup);
  const auto sizes = [&](std::string_view name) {
    const Op* op = tests::find(workload, name);
    REQUIRE(op != nullptr);
    return std::array{op->batch.value, op->m.value, op->n.value, op->k.value};
  };
  // 8 windows in 2048 tokens, twice as many chunks, of 8 heads
  CHECK(sizes("layer.attention.window_scores") == std::array<std::int64_t, 4>{128, 257, 257, 64});
  CHECK(sizes("layer.attention.window_values") == std::array<std::int64_t, 4>{128, 257, 64, 257});
  CHECK(sizes("layer.attention.distances") == std::array<std::int64_t, 4>{8, 2048, 257, 64});
  CHECK(sizes("layer.attention.positions") == std::array<std::int64_t, 4>{1, 257, 512, 512});
  CHECK(tests::find(workload, "layer.attention.scores") == nullptr);

  setup.model.window.size = 4096;  // wider than the sequence
  CHECK(tests::find(lower(setup), "layer.attention.window_scores")->m.value == 2048);
}
