// The table of derivations and defaults.
#include "model/derive.hpp"

#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include "model/arithmetic.hpp"
#include "model/lower/lower.hpp"
#include "model/mixer.hpp"

namespace shapelint::model {

namespace {

constexpr auto derived = Origin::Kind::derived;
constexpr auto defaulted = Origin::Kind::defaulted;

// When a derivation applies.
struct Condition {
  std::string_view words;  // for the documentation
  bool (*applies)(const Setup&);
  std::array<FieldId, 2> inputs{no_field, no_field};  // that it looks at
};

constexpr Condition always{"", [](const Setup&) { return true; }};
constexpr Condition gated{
    "with a gated MLP", [](const Setup& s) { return s.model.mlp_gated; }, {FieldId::mlp_gated, no_field}};
constexpr Condition latent{"with `[model.mla]`",
                           [](const Setup& s) { return s.model.mla.kv_lora_rank > 0; },
                           {FieldId::mla_kv_lora_rank, no_field}};
constexpr Condition with_mixture{"with `[model.moe]`",
                                 [](const Setup& s) { return s.model.moe.num_experts > 0; },
                                 {FieldId::moe_num_experts, no_field}};
constexpr Condition whole_groups{
    "with `[model.moe]` and `expert` 1",
    [](const Setup& s) { return s.model.moe.num_experts > 0 && s.plan.expert <= 1; },
    {FieldId::moe_num_experts, FieldId::expert}};
constexpr Condition for_decode{
    "for decode", [](const Setup& s) { return s.plan.mode == Mode::decode; }, {FieldId::mode, no_field}};
constexpr Condition of_known_positions{
    "for decode, if the model's positions are known",
    [](const Setup& s) { return s.plan.mode == Mode::decode && s.model.max_positions > 0; },
    {FieldId::mode, FieldId::max_positions}};
template <std::size_t which>
bool mixes(const Setup& s) {
  return s.model.mixers[which].kind != MixerKind::none;
}
template <std::size_t which>
const Condition& with_mixer() {
  static const std::string words = fmt::format("with `[{}]`", info(mixer_fields[which].kind).section);
  static const Condition out{words, mixes<which>, {mixer_fields[which].kind, no_field}};
  return out;
}
constexpr Condition beside_attention{"with `[model.mixer]` and `parallel`",
                                     [](const Setup& s) { return mixes<0>(s) && s.model.mixers[0].parallel; },
                                     {FieldId::mixer, FieldId::mixer_parallel}};
constexpr Condition one_of_several{"with several kinds",
                                   [](const Setup& s) { return mixes<1>(s) || mixes<2>(s); },
                                   {mixer_fields[1].kind, mixer_fields[2].kind}};
constexpr Condition choosing_by_means{
    "of MoBA",
    [](const Setup& s) { return s.model.sparse.blocks > 0 && s.model.sparse.kind == SparseKind::moba; },
    {FieldId::sparse_blocks, FieldId::sparse_kind}};
constexpr Condition choosing{"with `[model.sparse]`",
                             [](const Setup& s) { return s.model.sparse.blocks > 0; },
                             {FieldId::sparse_blocks, no_field}};
constexpr Condition windowed{"with `[model.window]`",
                             [](const Setup& s) { return s.model.window.size > 0; },
                             {FieldId::window_size, no_field}};
constexpr Condition crossing{"with `cross_attention`",
                             [](const Setup& s) { return s.model.cross_attention; },
                             {FieldId::cross_attention, no_field}};
constexpr Condition diffusing{"with `[model.diffusion]`",
                              [](const Setup& s) { return is_diffusion(s.model); },
                              {FieldId::diffusion_modulation, FieldId::diffusion_text_joined}};
constexpr Condition embedding_layers{"with `layer_embedding_size`",
                                     [](const Setup& s) { return s.model.layer_embedding_size > 0; },
                                     {FieldId::layer_embedding_size, no_field}};
constexpr Condition without_tokens{"with patches or frames",
                                   [](const Setup& s) { return s.model.input != Input::vocabulary; },
                                   {FieldId::input, no_field}};
constexpr Condition hearing{"with a spectrogram",
                            [](const Setup& s) { return s.model.input == Input::spectrogram; },
                            {FieldId::input, no_field}};
constexpr Condition joining{"with `joint_layers`",
                            [](const Setup& s) { return s.model.diffusion.joint_layers > 0; },
                            {FieldId::diffusion_joint_layers, no_field}};
constexpr Condition joined{"with `text_joined`",
                           [](const Setup& s) { return s.model.diffusion.text_joined; },
                           {FieldId::diffusion_text_joined, no_field}};
constexpr Condition norm_over_all{"with `qk_norm_whole`",
                                  [](const Setup& s) { return s.model.qk_norm_whole; },
                                  {FieldId::qk_norm_whole, no_field}};
constexpr Condition freezing{
    "with `frozen`", [](const Setup& s) { return s.plan.frozen; }, {FieldId::frozen, no_field}};
constexpr Condition adapting{"with `adapter_rank`",
                             [](const Setup& s) { return s.plan.adapter_rank > 0; },
                             {FieldId::adapter_rank, no_field}};
constexpr Condition heads_divide{"if divisible",
                                 [](const Setup& s) {
                                   return s.model.num_attention_heads < 1 ||
                                          s.model.hidden_size % s.model.num_attention_heads == 0;
                                 },
                                 {FieldId::hidden_size, FieldId::num_attention_heads}};

template <std::int64_t number>
std::int64_t constant(const Setup&) {
  return number;
}

// Width of a gated MLP that has the parameters of a plain one with 4 * hidden_size, rounded up as Llama's
// reference code does with its default multiple_of (model.py: int(2 * 4h / 3), then up to a multiple of 256).
std::int64_t llama_intermediate_size(const Setup& s) {
  constexpr std::int64_t multiple_of = 256;
  return ceil_to(times(8, s.model.hidden_size) / 3, multiple_of);
}

std::int64_t usual_context(const Setup& s) {
  constexpr std::int64_t most = 4096;
  return std::min(s.model.max_positions, most);
}

std::int64_t has_bias(const Setup& s) {
  return s.model.norm == Norm::layernorm ? 1 : 0;
}

// What a kind's first paper or reference code has.
template <std::size_t which, std::int64_t Mixer::*size>
std::int64_t usual(const Setup& s) {
  return usual_sizes(s.model, s.model.mixers[which].kind).*size;
}

template <std::size_t which, class Add>
void add_mixer(const Add& add) {
  const MixerFields& fields = mixer_fields[which];
  const std::string_view none = "not stated";
  const std::string_view first = "as the kind's first paper or reference code has it";
  const std::vector<FieldId> inputs{fields.kind, FieldId::hidden_size, FieldId::num_attention_heads,
                                    FieldId::head_dim};
  const auto size = [&](FieldId field, std::int64_t (*value)(const Setup&)) {
    add(field, derived, first, with_mixer<which>(), value, inputs);
    add(field, defaulted, none, always, constant<0>);
  };
  size(fields.key_dim, usual<which, &Mixer::key_dim>);
  size(fields.value_dim, usual<which, &Mixer::value_dim>);
  size(fields.value_heads, usual<which, &Mixer::value_heads>);
  size(fields.key_heads, usual<which, &Mixer::key_heads>);
  size(fields.conv_kernel, usual<which, &Mixer::conv_kernel>);
  size(fields.chunk, usual<which, &Mixer::chunk>);
  size(fields.gate_rank, usual<which, &Mixer::gate_rank>);
  size(fields.bias, [](const Setup& s) -> std::int64_t {
    return usual_sizes(s.model, s.model.mixers[which].kind).bias ? 1 : 0;
  });
}

template <class Add>
void add_mixers(const Add& add) {
  const std::string_view none = "not stated";
  for (const MixerFields& each : mixer_fields) {
    add(each.kind, defaulted, none, always, constant<0>);
    add(each.parallel, defaulted, none, always, constant<0>);
    add(each.joined, defaulted, none, always, constant<0>);
  }
  for (std::size_t which = 1; which < most_mixers; ++which)
    add(mixer_fields[which].layers, defaulted, none, always, constant<0>);
  add(FieldId::mixer_layers, derived, "num_layers", beside_attention,
      [](const Setup& s) { return s.model.num_layers; }, {FieldId::num_layers});
  add(FieldId::mixer_layers, derived, "layers_without_attention, less those of the other kinds",
      one_of_several,
      [](const Setup& s) -> std::int64_t {
        const ModelSpec& model = s.model;
        if (!mixes<0>(s)) return 0;
        return std::max<std::int64_t>(
            0, model.layers_without_attention - model.mixers[1].layers - model.mixers[2].layers);
      },
      {FieldId::mixer, FieldId::layers_without_attention, mixer_fields[1].layers, mixer_fields[2].layers});
  add(FieldId::mixer_layers, derived, "layers_without_attention", with_mixer<0>(),
      [](const Setup& s) { return s.model.layers_without_attention; }, {FieldId::layers_without_attention});
  add(FieldId::mixer_layers, defaulted, none, always, constant<0>);
  add_mixer<0>(add);
  add_mixer<1>(add);
  add_mixer<2>(add);
  for (const FieldId no : {FieldId::shared_blocks, FieldId::shared_input_size, FieldId::shared_adapter_rank,
                           FieldId::shared_adapts_attention, FieldId::shared_projection}) {
    add(no, defaulted, none, always, constant<0>);
  }
  add(FieldId::sparse_blocks, defaulted, none, always, constant<0>);
  add(FieldId::sparse_kind, defaulted, none, always, constant<0>);
  add(FieldId::sparse_shared, derived, "the chosen keys are the only ones", choosing_by_means, constant<1>);
  add(FieldId::sparse_shared, defaulted, none, always, constant<0>);
  // As the first papers have them: 2502.11089, section 4.1; 2502.13189, section 3.1.
  struct Usual {
    FieldId field;
    std::int64_t (*value)(const Setup&);
    std::int64_t (*by_means)(const Setup&);
  };
  constexpr auto block_size = [](const Setup& s) { return s.model.sparse.block_size; };
  for (const Usual& each : {Usual{FieldId::sparse_block_size, constant<64>, constant<512>},
                            Usual{FieldId::sparse_compressed_size, constant<32>, block_size},
                            Usual{FieldId::sparse_compressed_stride, constant<16>, block_size},
                            Usual{FieldId::sparse_window, constant<512>, constant<0>}}) {
    add(each.field, derived, "as MoBA has it", choosing_by_means, each.by_means,
        each.field == FieldId::sparse_block_size ? std::vector<FieldId>{}
                                                 : std::vector<FieldId>{FieldId::sparse_block_size});
    add(each.field, derived, "as the kind's first paper has it", choosing, each.value);
    add(each.field, defaulted, none, always, constant<0>);
  }
}

std::vector<Derivation> build() {
  std::vector<Derivation> out;
  const auto add = [&](FieldId field, Origin::Kind kind, std::string_view note, Condition when,
                       std::int64_t (*value)(const Setup&), std::vector<FieldId> inputs = {}) {
    out.push_back({field, kind, note, when.words, when.applies, value, when.inputs, std::move(inputs)});
  };
  const std::string_view own = "shapelint's default";
  const std::string_view none = "not stated";

  add(FieldId::mlp_gated, defaulted, own, always, constant<0>);
  add(FieldId::moe_num_experts, defaulted, none, always, constant<0>);
  add(FieldId::mla_kv_lora_rank, defaulted, none, always, constant<0>);
  add(FieldId::mla_q_lora_rank, defaulted, none, always, constant<0>);
  add(FieldId::mla_qk_nope_head_dim, defaulted, none, always, constant<0>);
  add(FieldId::mla_qk_rope_head_dim, defaulted, none, always, constant<0>);
  add(FieldId::mla_v_head_dim, defaulted, none, always, constant<0>);

  add(FieldId::num_key_value_heads, derived, "num_attention_heads", always,
      [](const Setup& s) { return s.model.num_attention_heads; }, {FieldId::num_attention_heads});
  add(FieldId::head_dim, derived, "mla_qk_nope_head_dim + mla_qk_rope_head_dim", latent,
      [](const Setup& s) { return s.model.mla.qk_nope_head_dim + s.model.mla.qk_rope_head_dim; },
      {FieldId::mla_qk_nope_head_dim, FieldId::mla_qk_rope_head_dim});
  add(FieldId::head_dim, derived, "hidden_size / num_attention_heads", heads_divide,
      [](const Setup& s) { return divide_up(s.model.hidden_size, s.model.num_attention_heads); },
      {FieldId::hidden_size, FieldId::num_attention_heads});
  add(FieldId::head_dim, derived, "hidden_size / num_attention_heads, rounded up: it does not divide", always,
      [](const Setup& s) { return divide_up(s.model.hidden_size, s.model.num_attention_heads); },
      {FieldId::hidden_size, FieldId::num_attention_heads});
  add(FieldId::value_head_dim, derived, "mla_v_head_dim", latent,
      [](const Setup& s) { return s.model.mla.v_head_dim; }, {FieldId::mla_v_head_dim});
  add(FieldId::value_head_dim, derived, "head_dim", always, [](const Setup& s) { return s.model.head_dim; },
      {FieldId::head_dim});
  add(FieldId::intermediate_size, derived,
      "8 * hidden_size / 3 up to a multiple of 256, as Llama's reference code", gated,
      llama_intermediate_size, {FieldId::hidden_size});
  add(FieldId::intermediate_size, derived, "4 * hidden_size", always,
      [](const Setup& s) { return times(4, s.model.hidden_size); }, {FieldId::hidden_size});

  add(FieldId::moe_experts_per_token, defaulted, "unused without experts", always, constant<1>);
  add(FieldId::moe_intermediate_size, derived, "intermediate_size", always,
      [](const Setup& s) { return s.model.intermediate_size; }, {FieldId::intermediate_size});
  add(FieldId::moe_num_shared_experts, defaulted, none, always, constant<0>);
  add(FieldId::moe_shared_intermediate_size, derived, "moe_num_shared_experts * moe_intermediate_size",
      with_mixture,
      [](const Setup& s) { return times(s.model.moe.num_shared_experts, s.model.moe.intermediate_size); },
      {FieldId::moe_num_shared_experts, FieldId::moe_intermediate_size});
  add(FieldId::moe_shared_intermediate_size, defaulted, none, always, constant<0>);
  add(FieldId::moe_first_dense_layers, defaulted, none, always, constant<0>);
  add(FieldId::moe_layer_interval, defaulted, own, always, constant<1>);
  add(FieldId::moe_router_bias, defaulted, none, always, constant<0>);
  add(FieldId::moe_router_fp32, defaulted, none, always, constant<0>);
  for (const FieldId no : {FieldId::moe_latent_size, FieldId::moe_groups, FieldId::moe_groups_per_token}) {
    add(no, defaulted, none, always, constant<0>);
  }

  add(FieldId::vocab_padding_multiple, defaulted, own, always, constant<1>);
  add(FieldId::layer_embedding_size, defaulted, none, always, constant<0>);
  add(FieldId::layer_embedding_rows, derived, "vocab_size", embedding_layers,
      [](const Setup& s) { return s.model.vocab_size; }, {FieldId::vocab_size});
  add(FieldId::layer_embedding_rows, defaulted, none, always, constant<0>);
  add(FieldId::parallel_block, defaulted, own, always, constant<0>);
  add(FieldId::mlps_per_layer, defaulted, own, always, constant<1>);
  for (const FieldId no : {FieldId::input_separable, FieldId::shared_key_value_layers,
                           FieldId::convolution_kernel, FieldId::relative_positions}) {
    add(no, defaulted, none, always, constant<0>);
  }
  for (const FieldId no :
       {FieldId::input, FieldId::input_size, FieldId::output_size, FieldId::diffusion_joint_layers,
        FieldId::diffusion_condition_size, FieldId::diffusion_modulation,
        FieldId::diffusion_modulation_shared, FieldId::diffusion_conditions, FieldId::diffusion_text_size}) {
    add(no, defaulted, none, always, constant<0>);
  }
  add(FieldId::tie_word_embeddings, derived, "input: it reads no vocabulary", without_tokens, constant<0>);
  add(FieldId::tie_word_embeddings, defaulted, "Hugging Face's default", always, constant<1>);
  add(FieldId::input_channels, derived, "hidden_size", hearing,
      [](const Setup& s) { return s.model.hidden_size; }, {FieldId::hidden_size});
  add(FieldId::input_channels, defaulted, none, always, constant<1>);
  add(FieldId::input_reduction, derived, "as the first conformers", hearing, constant<4>);
  add(FieldId::input_reduction, defaulted, none, always, constant<2>);
  add(FieldId::diffusion_text_joined, derived, "diffusion_joint_layers", joining, constant<1>);
  add(FieldId::diffusion_text_joined, defaulted, none, always, constant<0>);
  add(FieldId::causal, derived, "no diffusion transformer is causal", diffusing, constant<0>);
  add(FieldId::causal, defaulted, own, always, constant<1>);
  add(FieldId::layers_without_attention, defaulted, none, always, constant<0>);
  add(FieldId::layers_without_mlp, defaulted, none, always, constant<0>);
  add(FieldId::mtp_layers, defaulted, none, always, constant<0>);
  add(FieldId::residual_streams, defaulted, own, always, constant<1>);
  for (const FieldId no :
       {FieldId::residual_mixing, FieldId::laurel_rank, FieldId::shared_key_value_weights}) {
    add(no, defaulted, none, always, constant<0>);
  }
  add(FieldId::cross_attention, defaulted, none, always, constant<0>);
  add(FieldId::norm, derived, "mlp_gated: with a gate comes RMSNorm", {"", gated.applies, gated.inputs},
      constant<static_cast<std::int64_t>(Norm::rmsnorm)>);
  add(FieldId::norm, defaulted, own, always, constant<static_cast<std::int64_t>(Norm::layernorm)>);
  for (const FieldId bias :
       {FieldId::norm_bias, FieldId::qkv_bias, FieldId::attention_output_bias, FieldId::mlp_bias}) {
    add(bias, derived, "norm: layer norm has biases, RMSNorm none", always, has_bias, {FieldId::norm});
  }
  add(FieldId::qk_norm_whole, defaulted, none, always, constant<0>);
  add(FieldId::qk_norm, derived, "qk_norm_whole", norm_over_all, constant<1>);
  add(FieldId::qk_norm, defaulted, none, always, constant<0>);
  add(FieldId::attention_gate, defaulted, none, always, constant<0>);
  add(FieldId::attention_gate_rank, defaulted, none, always, constant<0>);
  add(FieldId::learned_positions, defaulted, none, always, constant<0>);
  add(FieldId::max_positions, defaulted, none, always, constant<0>);
  add(FieldId::norms_per_layer, defaulted, own, always, constant<2>);
  add(FieldId::token_types, defaulted, none, always, constant<0>);
  add(FieldId::final_norm, defaulted, own, always, constant<1>);
  add(FieldId::embedding_norm, defaulted, none, always, constant<0>);
  add(FieldId::pooler, defaulted, none, always, constant<0>);
  add(FieldId::tower_parameters, defaulted, none, always, constant<0>);
  add(FieldId::lm_head, derived, "input: it reads no vocabulary", without_tokens, constant<0>);
  add(FieldId::lm_head, defaulted, own, always, constant<1>);
  add(FieldId::lm_head_bias, defaulted, none, always, constant<0>);
  add(FieldId::lm_head_transform, defaulted, none, always, constant<0>);

  add_mixers(add);
  add(FieldId::window_size, defaulted, none, always, constant<0>);
  add(FieldId::window_layers, derived, "num_layers - layers_without_attention", windowed,
      [](const Setup& s) { return num_attention_layers(s.model); },
      {FieldId::num_layers, FieldId::layers_without_attention});
  add(FieldId::window_layers, defaulted, none, always, constant<0>);
  for (const FieldId no :
       {FieldId::window_chunked, FieldId::attention_sinks, FieldId::indexer_keys, FieldId::indexer_heads,
        FieldId::indexer_head_dim, FieldId::compressed_ratio, FieldId::compressed_q_lora_rank,
        FieldId::compressed_output_groups, FieldId::compressed_output_rank, FieldId::key_values}) {
    add(no, defaulted, none, always, constant<0>);
  }

  add(FieldId::mode, defaulted, own, always, constant<static_cast<std::int64_t>(Mode::train)>);
  add(FieldId::dtype, defaulted, own, always, constant<static_cast<std::int64_t>(DType::bf16)>);
  add(FieldId::recipe, defaulted, own, always, constant<static_cast<std::int64_t>(Recipe::none)>);
  add(FieldId::software, defaulted, own, always, constant<static_cast<std::int64_t>(Software::newest)>);
  add(FieldId::tensor_overlap, defaulted, own, always, constant<0>);
  add(FieldId::engine, defaulted, own, always, constant<static_cast<std::int64_t>(ServingEngine::fastest)>);
  add(FieldId::expert_kernels, defaulted, own, always,
      constant<static_cast<std::int64_t>(ExpertKernels::default_ones)>);
  add(FieldId::attention, defaulted, own, always, constant<static_cast<std::int64_t>(Attention::flash)>);
  add(FieldId::recompute, defaulted, own, always, constant<static_cast<std::int64_t>(Recompute::none)>);
  for (const FieldId no :
       {FieldId::recompute_layers, FieldId::recompute_norms, FieldId::recompute_up_projections,
        FieldId::recompute_mlp, FieldId::recompute_experts, FieldId::recompute_expert_activations,
        FieldId::recompute_shared_experts}) {
    add(no, defaulted, own, always, constant<0>);
  }
  add(FieldId::recompute_unit, defaulted, own, always, constant<1>);
  add(FieldId::loss, defaulted, own, always, constant<static_cast<std::int64_t>(Loss::unfused)>);
  add(FieldId::cuda_graphs, defaulted, own, always,
      constant<static_cast<std::int64_t>(CudaGraphScope::by_release)>);
  add(FieldId::fused_gradient_accumulation, defaulted, own, always, constant<0>);
  add(FieldId::fusion, defaulted, own, always, constant<static_cast<std::int64_t>(Fusion::none)>);
  add(FieldId::channels_last, defaulted, own, always, constant<1>);
  add(FieldId::dropout, defaulted, own, always, constant<0>);
  add(FieldId::without_dropout, defaulted, own, always, constant<0>);
  add(FieldId::adapter_rank, defaulted, none, always, constant<0>);
  for (const FieldId first :
       {FieldId::adapted, FieldId::optimizer, FieldId::optimizer_rank, FieldId::optimizer_bits,
        FieldId::wide_embedding_states, FieldId::paged_optimizer, FieldId::weight_precision,
        FieldId::master_bits, FieldId::gradient_bits, FieldId::gradient_storage, FieldId::eager,
        FieldId::compiled, FieldId::offload_optimizer, FieldId::offload_gradients, FieldId::offload_weights,
        FieldId::document_length, FieldId::offload_activations}) {
    add(first, defaulted, own, always, constant<0>);
  }
  add(FieldId::frozen, defaulted, own, always, constant<0>);
  add(FieldId::adapters, derived, "adapter_rank", adapting, constant<1>);
  add(FieldId::adapters, derived, "frozen", freezing, constant<1>);
  add(FieldId::adapters, defaulted, own, always, constant<0>);
  // A server's cache is not empty. As formats of servers have it where nothing is said.
  add(FieldId::context_length, defaulted, "assumed: the model's maximum, at most 4096", of_known_positions,
      usual_context, {FieldId::max_positions});
  add(FieldId::context_length, defaulted, own, always, constant<0>);
  add(FieldId::sequence_length, derived, "context_length", for_decode,
      [](const Setup& s) { return s.plan.context_length; }, {FieldId::context_length});
  for (const FieldId zero :
       {FieldId::weight_bits, FieldId::weight_group_size, FieldId::kv_cache_bits, FieldId::speculative_tokens,
        FieldId::prefill_tokens, FieldId::colocated_mib, FieldId::learning_layers, FieldId::learning_tables,
        FieldId::frozen_towers, FieldId::reference_models, FieldId::memory_percent, FieldId::cache_percent,
        FieldId::expert_weight_bits, FieldId::expert_weight_group_size, FieldId::unknown_weights,
        FieldId::longest_sequence, FieldId::step_tokens, FieldId::most_sequences,
        FieldId::position_table_bytes}) {
    add(zero, defaulted, own, always, constant<0>);
  }
  add(FieldId::speculative_acceptance, defaulted, own, always, constant<70>);
  add(FieldId::source_length, derived, "sequence_length", crossing,
      [](const Setup& s) { return s.plan.sequence_length; }, {FieldId::sequence_length});
  add(FieldId::source_length, defaulted, "a long prompt of T5's encoder", joined, constant<512>);
  add(FieldId::source_length, defaulted, none, always, constant<0>);
  for (const FieldId one :
       {FieldId::micro_batch_size, FieldId::gradient_accumulation, FieldId::tensor, FieldId::pipeline,
        FieldId::virtual_pipeline, FieldId::data, FieldId::expert, FieldId::context}) {
    add(one, defaulted, own, always, constant<1>);
  }
  // Without expert parallelism every tensor rank has its part of every expert.
  add(FieldId::expert_tensor, derived, "tensor", whole_groups, [](const Setup& s) { return s.plan.tensor; },
      {FieldId::tensor});
  add(FieldId::expert_tensor, defaulted, own, always, constant<1>);
  add(FieldId::routing, defaulted, own, always, constant<static_cast<std::int64_t>(Routing::even)>);
  add(FieldId::token_dispatcher, defaulted, own, always,
      constant<static_cast<std::int64_t>(Dispatcher::fused)>);
  add(FieldId::overlap, defaulted, own, always, constant<static_cast<std::int64_t>(Overlap::none)>);
  add(FieldId::sequence_parallel, defaulted, own, always, constant<0>);
  for (const FieldId no :
       {FieldId::pipeline_schedule, FieldId::zero, FieldId::zero_ranks, FieldId::dispatch_bits,
        FieldId::activation_input_bits, FieldId::wide_attention, FieldId::wide_layers}) {
    add(no, defaulted, own, always, constant<0>);
  }
  add(FieldId::embedding_stages, defaulted, none, always, constant<0>);
  add(FieldId::stage_layers, defaulted, none, always, constant<0>);
  return out;
}

}  // namespace

const std::vector<Derivation>& derivations() {
  static const std::vector<Derivation> table = build();
  return table;
}

std::int64_t derived_intermediate_size(const Setup& setup) {
  return setup.model.mlp_gated ? llama_intermediate_size(setup) : times(4, setup.model.hidden_size);
}

}  // namespace shapelint::model
