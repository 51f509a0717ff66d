// The list of a model's weights against what the lowering multiplies, and what is counted of it.
#include <cmath>
#include <string>

#include <rapidcheck.h>

#include "model/end_weights.hpp"
#include "model/layer_weights.hpp"
#include "model/lower/learning/learning.hpp"
#include "tests/catch.hpp"
#include "tests/model/expression_support.hpp"
#include "tests/model/workload_support.hpp"

using namespace shapelint;
using namespace shapelint::model;
using tests::model_setup;

namespace {

std::int64_t some(std::int64_t least, std::int64_t most) {
  return *rc::gen::inRange<std::int64_t>(least, most + 1);
}
bool maybe() {
  return *rc::gen::arbitrary<bool>();
}

// What a layer mixes tokens by; the rest is on top of each.
enum class Kind : std::uint8_t { plain, latent, compressed, indexed, sparse, shared, crossing, conformer };

void give_attention(ModelSpec& model, Kind kind) {
  model.num_attention_heads = 4 * some(1, 8);
  model.num_key_value_heads = *rc::gen::element<std::int64_t>(1, 2, model.num_attention_heads);
  model.head_dim = some(1, 100);
  model.value_head_dim = maybe() ? model.head_dim : some(1, 100);
  model.qkv_bias = maybe();
  model.attention_output_bias = maybe();
  model.qk_norm = maybe();
  model.qk_norm_whole = model.qk_norm && maybe();
  model.window.sinks = maybe();
  model.attention_gate = kind != Kind::crossing && maybe();
  model.attention_gate_rank = model.attention_gate && maybe() ? some(1, 100) : 0;
  const auto narrow = [&] {
    model.key_values = *rc::gen::element(KeyValues::apart, KeyValues::one_projection, KeyValues::one_tensor);
    model.compressed.q_lora_rank = maybe() ? some(1, 200) : 0;
  };
  switch (kind) {
    case Kind::plain:
      if (maybe()) narrow();
      model.shared_key_value_layers = some(0, model.num_layers - 1);
      break;
    case Kind::latent:
      model.mla = {maybe() ? some(1, 200) : 0, some(1, 200), some(1, 100), some(1, 100), some(1, 100)};
      if (maybe()) model.indexer = {some(1, 100), some(1, 8), some(1, 100)};
      break;
    case Kind::compressed:
      narrow();
      model.compressed.ratio = some(2, 128);
      model.compressed.output_groups = maybe() ? *rc::gen::element<std::int64_t>(1, 2, 4) : 0;
      model.compressed.output_rank = some(1, 100);
      if (maybe()) model.indexer = {some(1, 100), some(1, 8), some(1, 100)};
      break;
    case Kind::indexed:
      model.indexer = {some(1, 100), some(1, 8), some(1, 100)};
      break;
    case Kind::sparse:
      model.sparse = {some(1, 16), 16, some(1, 32), some(1, 16), some(0, 128), maybe()};
      if (maybe()) model.sparse = {some(1, 16), 16, 16, 16, 0, true, SparseKind::moba};
      break;
    case Kind::shared:
      model.shared_block = {some(1, model.num_layers), maybe() ? 2 * model.hidden_size : 0, some(0, 64),
                            maybe(), maybe()};
      break;
    case Kind::crossing:
      model.cross_attention = true;
      break;
    case Kind::conformer:
      model.convolution_kernel = some(1, 31);
      model.relative_positions = true;
      break;
  }
}

// A model of one of the kinds, with all else that goes with each, one GPU, 2048 tokens.
Setup any_model() {
  Setup setup = tests::smallest_setup();
  ModelSpec& model = setup.model;
  model.hidden_size = 8 * some(1, 100);
  model.num_layers = some(1, 20);
  model.vocab_size = some(1, 5000);
  model.intermediate_size = some(1, 3000);
  model.mlp_gated = maybe();
  model.mlp_bias = maybe();
  model.norm_bias = maybe();
  model.norm = *rc::gen::element(Norm::layernorm, Norm::rmsnorm);
  model.norms_per_layer = some(0, 4);
  const auto kind = static_cast<Kind>(some(0, static_cast<std::int64_t>(Kind::conformer)));
  give_attention(model, kind);
  if (kind != Kind::crossing && kind != Kind::conformer) {
    model.residual_streams = some(1, 4);
    model.residual_mixing = *rc::gen::element(ResidualMixing::hyper_connections, ResidualMixing::altup);
    model.laurel_rank = maybe() ? some(1, 32) : 0;
  }
  model.shared_key_value_weights = maybe();
  if (maybe()) {
    model.moe.num_experts = some(2, 16);
    model.moe.experts_per_token = some(1, 2);
    model.moe.intermediate_size = some(1, 500);
    model.moe.shared_intermediate_size = maybe() ? some(1, 500) : 0;
    model.moe.latent_size = maybe() ? some(1, 100) : 0;
    model.moe.router_bias = maybe();
    model.moe.router_fp32 = maybe();
  }
  Mixer mixer = usual_sizes(model, static_cast<MixerKind>(some(0, mixer_kinds - 1)));
  mixer.kind = static_cast<MixerKind>(some(0, mixer_kinds - 1));
  if (mixer.kind != MixerKind::none) {
    const std::int64_t hidden = model.hidden_size;
    const bool is_narrow = form_of(mixer.kind).in.keys == 0 && form_of(mixer.kind).in.values == 0;
    mixer.key_heads = some(1, 8);
    mixer.value_heads = mixer.key_heads * some(1, 3);
    mixer.key_dim = some(1, 64);
    mixer.value_dim = is_narrow ? hidden / 8 : some(1, 64);
    mixer.gate_rank = 2 * some(1, 30);
    mixer.conv_kernel = some(0, 4);
    mixer.bias = maybe();
    mixer.layers = some(0, model.num_layers - 1);
    model.mixers[0] = mixer;
    model.layers_without_attention = mixer.layers;
    model.shared_key_value_layers = 0;
  }
  model.final_norm = maybe();
  model.lm_head = maybe();
  model.tie_word_embeddings = maybe();
  model.lm_head_bias = maybe();
  model.lm_head_transform = maybe();
  model.pooler = maybe();
  model.embedding_norm = maybe();
  model.learned_positions = maybe() ? some(1, 100) : 0;
  model.layer_embedding_size = maybe() ? some(1, 64) : 0;
  model.layer_embedding_rows = some(1, 100);
  model.input = *rc::gen::element(Input::vocabulary, Input::patches, Input::frames, Input::spectrogram);
  model.input_size = some(8, 100);
  model.output_size = maybe() ? some(1, 100) : 0;
  model.front = {some(1, 32), std::int64_t{1} << some(1, 3), maybe()};
  if (model.input == Input::patches && maybe()) {
    model.diffusion.modulation = 6;
    model.diffusion.modulation_shared = maybe();
    model.diffusion.condition_size = maybe() ? some(1, 300) : 0;
    model.diffusion.conditions = some(0, 3);
    model.diffusion.text_size = maybe() ? some(1, 300) : 0;
  }
  setup.plan.mode = *rc::gen::element(Mode::train, Mode::prefill);
  setup.plan.attention = Attention::flash;
  setup.plan.sequence_length = 2048;
  setup.plan.source_length = 64;
  return setup;
}

// Elements of weights that the products of a part read: each as often as the part of a layer has it.
double multiplied(const Setup& setup, ModelComponent part) {
  Workload workload;
  lower_part(setup, part, workload);
  double sum = 0;
  for (const Op& op : workload.ops) {
    // Products of two activations.
    const bool has_none = op.name == "layer.attention.index_scores" ||
                          op.name == "layer.attention.block_scores" || op.name == "layer.attention.distances";
    if (op.kind != OpKind::gemm || op.pass != Pass::forward || has_none) continue;
    RC_LOG() << op.name << " " << op.batch.value << " x " << op.n.value << " x " << op.k.value << "\n";
    sum += op.count * real(op.batch.value) * real(op.n.value) * real(op.k.value);
  }
  return sum;
}

double listed(const Setup& setup, ModelComponent part) {
  const ModelSpec& model = setup.model;
  double sum = 0;
  const auto add = [&](const Weight& weight) {
    if (weight.kind < WeightKind::product) return;
    RC_LOG() << "  " << weight.name << " " << weight.copies << " x " << weight.outputs.size << " x "
             << weight.inputs.size << "\n";
    const double present =
        part == ModelComponent::attention && weight.is_lent ? share_of_layers_with_own_keys(model) : 1;
    sum += present * (weight.rows == Rows::experts ? real(model.moe.num_experts) : 1) * products_of(weight);
  };
  visit_weights(model, part, {}, add);
  if (part != ModelComponent::ends) return sum;
  visit_embedding(model, add);
  visit_head(model, add);
  return sum;
}

bool has(const ModelSpec& model, ModelComponent part) {
  if (part == ModelComponent::mixture) return model.moe.num_experts > 0;
  return mixer_of(part) >= most_mixers || model.mixers[mixer_of(part)].kind != MixerKind::none;
}

}  // namespace

TEST_CASE("the products of a step read the weights of the list, and all of them", "[model]") {
  CHECK(rc::check("lowered and listed", [] {
    const Setup setup = any_model();
    for (std::size_t i = 0; i < part_count; ++i) {
      const auto part = static_cast<ModelComponent>(i);
      if (!has(setup.model, part)) continue;
      RC_LOG() << "part " << i << "\n";
      const double some = multiplied(setup, part);
      const double all = listed(setup, part);
      RC_ASSERT(std::abs(some - all) <= 1e-12 * all);
    }
  }));
}

TEST_CASE("parameters are the elements of the weights of all layers and ends", "[model]") {
  CHECK(rc::check("listed and counted", [] {
    Setup setup = any_model();
    ModelSpec& model = setup.model;
    model.shared_block = {};
    model.shared_key_value_layers = 0;
    std::int64_t all = 0;
    std::int64_t experts = 0;
    const auto sum_up = [&](std::int64_t times_there) {
      return [&all, &experts, &model, times_there](const Weight& weight) {
        const bool is_expert = weight.rows == Rows::experts;
        const std::int64_t each = times_there * (is_expert ? model.moe.num_experts : 1) * elements_of(weight);
        all += each;
        if (is_expert) experts += each;
      };
    };
    for (std::size_t i = 0; i < part_count; ++i) {
      const auto part = static_cast<ModelComponent>(i);
      if (has(model, part)) visit_weights(model, part, {}, sum_up(times_in(model, part)));
    }
    visit_embedding(model, sum_up(1));
    visit_head(model, [&](const Weight& weight) { all += weight.is_lent ? 0 : elements_of(weight); });
    RC_ASSERT(parameter_count(setup) == all);
    RC_ASSERT(expert_parameter_count(setup) == experts);
  }));
}

// Of attention the scores that the mask leaves, as kernels compute them: MFU's own count has all.
TEST_CASE("no model needs more arithmetic than its operations do, whatever it is", "[model]") {
  CHECK(rc::check("model and hardware FLOPs", [] {
    Setup setup = any_model();
    setup.model.causal = true;
    double done = 0;
    for (const Op& op : lower(setup).ops)
      if (op.pass == Pass::forward && op.component != Component::head) done += op.count * op_flops(op);
    const double needed = forward_flops_per_token(setup, CausalFlops::half) - head_flops_per_token(setup);
    RC_ASSERT(needed * tokens_per_step(setup) <= done * (1 + 1e-9));
  }));
}

TEST_CASE("a part with weights keeps what it reads for its backward pass", "[model][memory]") {
  CHECK(rc::check("kept", [] {
    const Setup setup = any_model();
    for (const ModelComponent part : weighty_parts) {
      if (!has(setup.model, part)) continue;
      double elements = 0;
      int inputs = 0;
      const struct {
        double& elements;
        int& inputs;
        void operator()(const Activation& each) const { elements += real(each.elements); }
        void operator()(const Weight& weight) const {
          if (weight.kind < WeightKind::product || weight.reads_again) return;
          elements += real(weight.inputs.size);
          ++inputs;
        }
      } kept{elements, inputs};
      visit_weights(setup.model, part, {}, kept);
      RC_LOG() << "part " << static_cast<int>(part) << "\n";
      // At least the stream and one product's input.
      RC_ASSERT(inputs > 0);
      RC_ASSERT(elements >= 2 * real(setup.model.hidden_size));
    }
  }));
}

TEST_CASE("a tensor that several products read is kept once", "[model][memory]") {
  const auto inputs_of = [](const std::string& keys, ModelComponent part) {
    std::int64_t elements = 0;
    const Setup setup = model_setup(
        "hidden_size = 512\nnum_layers = 4\nnum_attention_heads = 8\nnum_key_value_heads = 2\n"
        "intermediate_size = 2048\nmlp_gated = true\nvocab_size = 1024\n" +
        keys);
    visit_weights(setup.model, part, {}, [&](const Weight& weight) {
      if (weight.kind >= WeightKind::product && !weight.reads_again) elements += weight.inputs.size;
    });
    return elements;
  };
  // Queries, keys and values read the norm's output, the output's projection the heads; gate and up the same,
  // down what they make; latents apart from the stream.
  CHECK(inputs_of("", ModelComponent::attention) == 512 + 512);
  CHECK(inputs_of("", ModelComponent::mlp) == 512 + 2048);
  CHECK(
      inputs_of("mla = { q_lora_rank = 96, kv_lora_rank = 64, qk_nope_head_dim = 32, qk_rope_head_dim = 16, "
                "v_head_dim = 32 }\n",
                ModelComponent::attention) == 512 + 96 + 64 + 8 * 32);
  CHECK(inputs_of("cross_attention = true\n", ModelComponent::attention) == 2 * (512 + 512));
}

TEST_CASE("products down to latents are on every rank of tensor parallelism", "[model]") {
  // DeepSeek-V3 (its config.json): 61 layers with 7168 x 1536 to queries' latents and 7168 x (512 + 64) to
  // keys' and values'. Megatron-LM (multi_latent_attention.py, parallel_mode "duplicated") and vLLM
  // (deepseek_v2.py, ReplicatedLinear) have them on each.
  Setup setup = tests::decoding_deepseek_v3();
  constexpr std::int64_t down = 7168LL * (1536 + 512 + 64);
  CHECK(whole_parameter_count(setup) == 61 * down);
  setup.plan.tensor = 1;
  const RankParameters all = parameters_per_rank(setup);
  setup.plan.tensor = 8;
  CHECK(parameters_per_rank(setup).dense == Approx((all.dense + 7 * 61.0 * down) / 8));
}

TEST_CASE("what adapters add to a model does not depend on the ranks", "[model]") {
  CHECK(rc::check("adapters", [] {
    Setup setup = any_model();
    setup.plan.mode = Mode::train;
    setup.plan.adapters = true;
    setup.plan.adapter_rank = some(1, 64);
    setup.plan.adapted =
        *rc::gen::element(LoraTargets::all, LoraTargets::attention, LoraTargets::query_value);
    const AdapterSize alone = adapter_size(setup);
    setup.plan.tensor = setup.plan.expert_tensor = std::int64_t{1} << some(1, 3);
    const AdapterSize shared = adapter_size(setup);
    RC_ASSERT(shared.dense == alone.dense);
    RC_ASSERT(shared.expert == alone.expert);
  }));
}

TEST_CASE("layers that read an earlier layer's keys have no matrices to make their own", "[model]") {
  const std::string model =
      "hidden_size = 512\nnum_layers = 4\nnum_attention_heads = 8\nnum_key_value_heads = 2\n"
      "intermediate_size = 2048\nvocab_size = 1024\n";
  Setup setup = model_setup(model, "sequence_length = 512\nadapters = true\nadapter_rank = 8\n");
  const std::int64_t all = adapter_size(setup).dense;
  setup.model.shared_key_value_layers = 2;
  // of keys and of values, 512 to 128, in two of the layers
  CHECK(all - adapter_size(setup).dense == 2 * 2 * 8 * (512 + 128));
}
