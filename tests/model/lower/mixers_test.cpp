// Models with several kinds of layers without softmax attention.
#include <rapidcheck.h>

#include "model/derive.hpp"
#include "model/lower/lower.hpp"
#include "model/mixer.hpp"
#include "model/stages.hpp"
#include "tests/catch.hpp"
#include "tests/formats/native/native_support.hpp"
#include "tests/model/workload_support.hpp"

using namespace shapelint;
using namespace shapelint::model;
using tests::find;
using tests::native_errors;
using tests::setup_of;
using tests::table;

namespace {

const std::string both = R"([model]
hidden_size = 1024
num_layers = 8
num_attention_heads = 8
intermediate_size = 4096
vocab_size = 1024
layers = "2 mamba2, 1 delta_net, 1 attention"
[model.mixer]
num_key_heads = 8
num_value_heads = 32
key_head_dim = 128
value_head_dim = 64
[model.second_mixer]
kind = "delta_net"
num_key_heads = 4
num_value_heads = 4
key_head_dim = 256
value_head_dim = 256
)";

}  // namespace

TEST_CASE("each kind of layer has a table of its own", "[model]") {
  const Setup setup = setup_of(both, "sequence_length = 4096\nmode = \"prefill\"\n");
  CHECK(setup.model.layers_without_attention == 6);
  CHECK(setup.model.mixers[0].kind == MixerKind::mamba2);
  CHECK(num_mixer_layers(setup.model, 0) == 4);
  CHECK(setup.model.mixers[1].kind == MixerKind::delta_net);
  CHECK(num_mixer_layers(setup.model, 1) == 2);
  CHECK(num_mixer_layers(setup.model) == 6);
  // Mamba-2: 2 * 8 * 128 of B and C, 2 * 32 * 64 of values and gate, 32 steps. Delta net: 2 * 1024 of queries
  // and keys, 1024 of values, a gate for each of 4 heads.
  CHECK(table(lower(setup), OpKind::gemm) == R"(
layer.attention.qkv  forward  1 x 4096 x 3072 x 1024  tn  *2
layer.attention.output  forward  1 x 4096 x 1024 x 1024  tn  *2
layer.mamba2.in  forward  1 x 4096 x 6176 x 1024  tn  *4
layer.mamba2.out  forward  1 x 4096 x 1024 x 2048  tn  *4
layer.delta_net.in  forward  1 x 4096 x 3072 x 1024  tn  *2
layer.delta_net.gates  forward  1 x 4096 x 4 x 1024  tn  *2
layer.delta_net.out  forward  1 x 4096 x 1024 x 1024  tn  *2
layer.mlp.up  forward  1 x 4096 x 4096 x 1024  tn  *8
layer.mlp.down  forward  1 x 4096 x 1024 x 4096  tn  *8
head.logits  forward  1 x 1 x 1024 x 1024  tn  *1
)");
  const Op* in = find(lower(setup), "layer.delta_net.in");
  REQUIRE(in != nullptr);
}

TEST_CASE("an operation of the second kind says its own fields", "[model]") {
  Setup setup = setup_of(both);
  setup.plan.tensor = 2;
  const Workload workload = lower(setup);
  const Op* in = find(workload, "layer.delta_net.in");
  REQUIRE(in != nullptr);
  CHECK(in->n.value == 1536);
  CHECK(in->n.expression ==
        "2 * (second_mixer_key_heads / tensor * second_mixer_key_dim) + second_mixer_value_heads / tensor * "
        "second_mixer_value_dim");
}

TEST_CASE("tables that `layers` does not name are contradictions", "[formats]") {
  CHECK(native_errors("[model]\nlayers = \"2 mamba2, 1 attention\"\nnum_layers = 3\n[model.second_mixer]\n"
                      "kind = \"rwkv7\"\n[run]\nsequence_length = 4096\n")
            .find("`layers` has no rwkv7, but `[model.second_mixer]` describes one; name it in `layers`, or "
                  "leave "
                  "the table out") != std::string::npos);
  CHECK(native_errors("[model]\nnum_layers = 4\nlayers = \"1 mamba2, 1 rwkv7, 1 hyena, 1 mlstm\"\n"
                      "[run]\nsequence_length = 4096\n")
            .find("`layers` has 4 kinds of layers without attention") != std::string::npos);
}

TEST_CASE("a gated memory reads what an earlier layer remembered", "[model]") {
  const Setup setup = setup_of(R"([model]
hidden_size = 1024
num_layers = 4
num_attention_heads = 8
vocab_size = 1024
layers = "1 mamba, 1 attention, 1 gated_memory, 1 attention"
)",
                               "mode = \"decode\"\ncontext_length = 4096\n");
  const Workload workload = lower(setup);
  const Op* in = find(workload, "layer.gated_memory.in");
  REQUIRE(in != nullptr);
  CHECK(in->n.value == 2048);
  CHECK(find(workload, "layer.gated_memory.chunk") == nullptr);
  CHECK(mixer_state(setup.model.mixers[1]).recurrent_elements == 0);
}

TEST_CASE("RWKV before 7 gates its MLP by a square product", "[model]") {
  Setup setup = setup_of(R"([model]
hidden_size = 2048
num_layers = 1
num_attention_heads = 8
intermediate_size = 7168
vocab_size = 1024
layers = "rwkv6"
)",
                         "sequence_length = 4096\nmode = \"prefill\"\n");
  // 2 * 2048 of queries and keys, as many of values and gate; the decay by 64.
  CHECK(table(lower(setup), OpKind::gemm) == R"(
layer.rwkv6.in  forward  1 x 4096 x 8192 x 2048  tn  *1
layer.rwkv6.gate_down  forward  1 x 4096 x 64 x 2048  tn  *1
layer.rwkv6.gate_up  forward  1 x 4096 x 2048 x 64  tn  *1
layer.rwkv6.out  forward  1 x 4096 x 2048 x 2048  tn  *1
layer.rwkv6.receptance  forward  1 x 4096 x 2048 x 2048  tn  *1
layer.mlp.up  forward  1 x 4096 x 7168 x 2048  tn  *1
layer.mlp.down  forward  1 x 4096 x 2048 x 7168  tn  *1
head.logits  forward  1 x 1 x 1024 x 2048  tn  *1
)");
  setup.plan.tensor = 2;
  CHECK(find(lower(setup), "layer.rwkv6.receptance")->n.value == 1024);
}

TEST_CASE("an sLSTM's gates read the stream and its last output, within heads", "[model]") {
  const Setup setup = setup_of(R"([model]
hidden_size = 1024
num_layers = 1
num_attention_heads = 4
intermediate_size = 1408
mlp_gated = true
vocab_size = 1024
layers = "slstm"
)",
                               "sequence_length = 2048\nmode = \"prefill\"\n");
  CHECK(table(lower(setup), OpKind::gemm) == R"(
layer.slstm.block_gates  forward  4 x 2048 x 1024 x 256  tn  *1
layer.mlp.gate_up  forward  1 x 2048 x 2816 x 1024  tn  *1
layer.mlp.down  forward  1 x 2048 x 1024 x 1408  tn  *1
head.logits  forward  1 x 1 x 1024 x 1024  tn  *1
)");
  // Four gates of 1024 channels: 256 inputs each, twice, and a bias; four taps and a bias; the norm of heads.
  CHECK(mixer_parameters(setup.model, setup.model.mixers[0]) ==
        2 * 4 * 1024 * 256 + 4 * 1024 + 5 * 1024 + 1024);
  // Cell, normalizer, stabilizer, output.
  CHECK(mixer_state(setup.model.mixers[0]).recurrent_elements == 4 * 1024);
}

TEST_CASE("layers that share a block have its weights once, and what each adds of its own", "[model]") {
  const std::string text = R"([model]
hidden_size = 1024
num_layers = 12
num_attention_heads = 8
head_dim = 256
intermediate_size = 4096
mlp_gated = true
vocab_size = 1024
norms_per_layer = 1
layers_without_attention = 9
layers_without_mlp = 9
[model.mixer]
kind = "mamba2"
parallel = true
[model.shared_block]
blocks = 2
input_size = 2048
adapter_rank = 128
projection = true
)";
  const Setup setup = setup_of(text, "sequence_length = 2048\nmode = \"prefill\"\n");
  CHECK(num_mixer_layers(setup.model, 0) == 12);
  CHECK(weight_sets(setup.model, ModelComponent::attention).sets == 2);
  const std::string gemms = table(lower(setup), OpKind::gemm);
  CAPTURE(gemms);
  CHECK(gemms.find("layer.attention.qkv  forward  1 x 2048 x 6144 x 2048  tn  *3") != std::string::npos);
  CHECK(gemms.find("layer.shared_block.project  forward  1 x 2048 x 1024 x 1024  tn  *3") !=
        std::string::npos);
  CHECK(gemms.find("layer.shared_block.mlp_up  forward  1 x 2048 x 8192 x 128  tn  *3") != std::string::npos);
  CHECK(gemms.find("layer.mlp.down  forward  1 x 2048 x 1024 x 4096  tn  *3") != std::string::npos);
  Setup apart = setup;
  apart.model.shared_block.blocks = 3;
  // One block: queries, keys, values and output; the MLP; a norm of what attention reads, and of what the MLP
  // does.
  constexpr std::int64_t block = 2048 * 6144 + 2048 * 1024 + 3 * 1024 * 4096 + 2048 + 1024;
  CHECK(std::abs(parameter_count(apart) - parameter_count(setup) - block) <= 6);
  // Muon makes an update of each set of weights, not of each layer: queries and output twice, keys and values
  // four times, gate and up four times, down twice.
  Setup training = setup;
  training.plan.mode = Mode::train;
  training.plan.optimizer = Optimizer::muon;
  double attention = 0;
  const Workload workload = lower(training);
  for (const Op& op : workload.ops) {
    if (op.name == "optimizer.muon.gram" && op.k.expression.find("mixer") == std::string_view::npos &&
        op.m.expression.find("mixer") == std::string_view::npos)
      attention += op.count / 5;
  }
  CHECK(attention == Approx(2 * (2 + 2 + 3)));
}

TEST_CASE("a mixer joined with attention leaves the projection back to it", "[model]") {
  const std::string text = R"([model]
hidden_size = 1600
num_layers = 4
num_attention_heads = 25
num_key_value_heads = 5
value_head_dim = 128
intermediate_size = 5504
mlp_gated = true
vocab_size = 1024
[model.mixer]
kind = "mamba"
parallel = true
joined = )";
  const Setup joined = setup_of(text + "true\n");
  const Setup apart = setup_of(text + "false\n");
  CHECK(parameter_count(apart) - parameter_count(joined) == 4 * 3200 * 1600);
  CHECK(find(lower(joined), "layer.mamba.out") == nullptr);
  CHECK(find(lower(apart), "layer.mamba.out") != nullptr);
}

TEST_CASE("what several kinds take is the sum of what each takes", "[model]") {
  CHECK(rc::check([] {
    Setup setup;
    ModelSpec& model = setup.model;
    model.hidden_size = 64 * *rc::gen::inRange(1, 32);
    model.num_attention_heads = 8;
    model.num_key_value_heads = 8;
    model.head_dim = model.value_head_dim = 64;
    model.intermediate_size = 1024;
    model.vocab_size = 1024;
    setup.plan.sequence_length = 1024;
    setup.plan.tensor = *rc::gen::element(1, 2, 4);
    model.num_layers = *rc::gen::inRange(1, 4);
    const std::int64_t attention = model.num_layers;
    const auto without = static_cast<double>(parameter_count(setup));
    const double cache = cache_bytes(setup, 1000);
    const double frame = static_cast<double>(part_size(setup, ModelComponent::frame).parameters +
                                             part_size(setup, ModelComponent::mlp).parameters);
    double expected = without;
    double states = 0;
    for (std::size_t which = 0; which < most_mixers; ++which) {
      const auto kind = static_cast<MixerKind>(*rc::gen::inRange<std::size_t>(0, mixer_kinds));
      Mixer mixer = usual_sizes(model, kind);
      mixer.kind = kind;
      mixer.layers = kind == MixerKind::none ? 0 : *rc::gen::inRange(0, 4);
      mixer.value_heads *= 4;  // whole heads on each rank
      model.mixers[which] = mixer;
      model.num_layers += mixer.layers;
      model.layers_without_attention += mixer.layers;
      expected +=
          static_cast<double>(mixer.layers) * (static_cast<double>(mixer_parameters(model, mixer)) + frame);
      const MixerState state = mixer_state(mixer);
      states +=
          static_cast<double>(mixer.layers) * (4 * state.recurrent_elements + 2 * state.convolution_elements);
    }
    RC_ASSERT(num_attention_layers(model) == attention);
    RC_ASSERT(static_cast<double>(parameter_count(setup)) == expected);
    const double tensor = static_cast<double>(setup.plan.tensor);
    const double kept = cache_bytes(setup, 1000) - cache;
    RC_ASSERT(std::abs(kept * tensor - states) <= 1e-9 * states);

    // A step is the sum of its parts, each as often as its layers.
    const LayerRuns runs = layer_runs(setup);
    double flops = 0;
    const auto add = [&](ModelComponent part, double times) {
      Workload one;
      lower_part(setup, part, one);
      for (const Op& op : one.ops) flops += times * op.count * op_flops(op);
    };
    add(ModelComponent::attention, runs.attention);
    for (const ModelComponent part : mixer_parts) add(part, runs.mixers[mixer_of(part)]);
    add(ModelComponent::mlp, runs.mlp);
    add(ModelComponent::frame, runs.all);
    const bool is_last = setup.plan.pipeline > 1 && slowest_stage(setup).heads > 0;
    add(is_last ? ModelComponent::last_ends : ModelComponent::ends, 1);
    const double whole = lower(setup).hardware_flops;
    RC_ASSERT(std::abs(flops - whole) <= 1e-9 * whole);
  }));
}
