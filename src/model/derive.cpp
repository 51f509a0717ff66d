// The table of derivations and defaults.
#include "model/derive.hpp"

#include <algorithm>
#include <array>

#include "model/arithmetic.hpp"

namespace shapelint::model {

namespace {

constexpr auto derived = Origin::Kind::derived;
constexpr auto defaulted = Origin::Kind::defaulted;

// When a derivation applies.
struct Condition {
  std::string_view words;  // for the documentation
  bool (*applies)(const Setup&);
};

constexpr Condition always{"", [](const Setup&) { return true; }};
constexpr Condition gated{"with a gated MLP", [](const Setup& s) { return s.model.mlp_gated; }};
constexpr Condition latent{"with `[model.mla]`", [](const Setup& s) { return s.model.mla.kv_lora_rank > 0; }};
constexpr Condition mixture{"with `[model.moe]`", [](const Setup& s) { return s.model.moe.num_experts > 0; }};
constexpr Condition decoding{"for decode", [](const Setup& s) { return s.plan.mode == Mode::decode; }};
constexpr Condition crossing{"with `cross_attention`",
                             [](const Setup& s) { return s.model.cross_attention; }};
constexpr Condition heads_divide{"where it divides", [](const Setup& s) {
                                   return s.model.num_attention_heads < 1 ||
                                          s.model.hidden_size % s.model.num_attention_heads == 0;
                                 }};

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

std::int64_t has_bias(const Setup& s) {
  return s.model.norm == Norm::layernorm ? 1 : 0;
}

std::vector<Derivation> build() {
  std::vector<Derivation> out;
  const auto add = [&](std::string_view field, Origin::Kind kind, std::string_view note, Condition when,
                       std::int64_t (*value)(const Setup&)) {
    out.push_back({find_field(field), kind, note, when.words, when.applies, value});
  };
  const std::string_view own = "shapelint's default";
  const std::string_view none = "absent unless stated";

  add("mlp_gated", defaulted, own, always, constant<0>);
  add("moe_num_experts", defaulted, none, always, constant<0>);
  add("mla_kv_lora_rank", defaulted, none, always, constant<0>);
  add("mla_q_lora_rank", defaulted, none, always, constant<0>);
  add("mla_qk_nope_head_dim", defaulted, none, always, constant<0>);
  add("mla_qk_rope_head_dim", defaulted, none, always, constant<0>);
  add("mla_v_head_dim", defaulted, none, always, constant<0>);

  add("num_key_value_heads", derived, "num_attention_heads", always,
      [](const Setup& s) { return s.model.num_attention_heads; });
  add("head_dim", derived, "mla_qk_nope_head_dim + mla_qk_rope_head_dim", latent,
      [](const Setup& s) { return s.model.mla.qk_nope_head_dim + s.model.mla.qk_rope_head_dim; });
  add("head_dim", derived, "hidden_size / num_attention_heads", heads_divide,
      [](const Setup& s) { return divide_up(s.model.hidden_size, s.model.num_attention_heads); });
  add("head_dim", derived, "hidden_size / num_attention_heads, rounded up: it does not divide", always,
      [](const Setup& s) { return divide_up(s.model.hidden_size, s.model.num_attention_heads); });
  add("value_head_dim", derived, "mla_v_head_dim", latent,
      [](const Setup& s) { return s.model.mla.v_head_dim; });
  add("value_head_dim", derived, "head_dim", always, [](const Setup& s) { return s.model.head_dim; });
  add("intermediate_size", derived, "8 * hidden_size / 3 up to a multiple of 256, as Llama's reference code",
      gated, llama_intermediate_size);
  add("intermediate_size", derived, "4 * hidden_size", always,
      [](const Setup& s) { return times(4, s.model.hidden_size); });

  add("moe_experts_per_token", defaulted, "not used without experts", always, constant<1>);
  add("moe_intermediate_size", derived, "intermediate_size", always,
      [](const Setup& s) { return s.model.intermediate_size; });
  add("moe_num_shared_experts", defaulted, none, always, constant<0>);
  add("moe_shared_intermediate_size", derived, "moe_num_shared_experts * moe_intermediate_size", mixture,
      [](const Setup& s) { return times(s.model.moe.num_shared_experts, s.model.moe.intermediate_size); });
  add("moe_shared_intermediate_size", defaulted, none, always, constant<0>);
  add("moe_first_dense_layers", defaulted, none, always, constant<0>);
  add("moe_layer_interval", defaulted, own, always, constant<1>);
  add("moe_router_bias", defaulted, none, always, constant<0>);

  add("vocab_padding_multiple", defaulted, own, always, constant<1>);
  add("tie_word_embeddings", defaulted, "Hugging Face's default", always, constant<1>);
  add("parallel_block", defaulted, own, always, constant<0>);
  add("causal", defaulted, own, always, constant<1>);
  add("layers_without_attention", defaulted, none, always, constant<0>);
  add("layers_without_mlp", defaulted, none, always, constant<0>);
  add("cross_attention", defaulted, none, always, constant<0>);
  add("norm", derived, "mlp_gated: with a gate comes RMSNorm", {"", gated.applies},
      constant<static_cast<std::int64_t>(Norm::rmsnorm)>);
  add("norm", defaulted, own, always, constant<static_cast<std::int64_t>(Norm::layernorm)>);
  for (const std::string_view bias : {"norm_bias", "qkv_bias", "attention_output_bias", "mlp_bias"}) {
    add(bias, derived, "norm: RMSNorm comes without biases", always, has_bias);
  }
  add("qk_norm", defaulted, none, always, constant<0>);
  add("learned_positions", defaulted, none, always, constant<0>);
  add("norms_per_layer", defaulted, own, always, constant<2>);
  add("token_types", defaulted, none, always, constant<0>);
  add("final_norm", defaulted, own, always, constant<1>);
  add("embedding_norm", defaulted, none, always, constant<0>);
  add("pooler", defaulted, none, always, constant<0>);
  add("lm_head", defaulted, own, always, constant<1>);
  add("lm_head_bias", defaulted, none, always, constant<0>);
  add("lm_head_transform", defaulted, none, always, constant<0>);

  add("mode", defaulted, own, always, constant<static_cast<std::int64_t>(Mode::train)>);
  add("dtype", defaulted, own, always, constant<static_cast<std::int64_t>(DType::bf16)>);
  add("attention", defaulted, own, always, constant<static_cast<std::int64_t>(Attention::flash)>);
  add("recompute", defaulted, own, always, constant<static_cast<std::int64_t>(Recompute::none)>);
  add("fused_gradient_accumulation", defaulted, own, always, constant<0>);
  add("fusion", defaulted, own, always, constant<static_cast<std::int64_t>(Fusion::none)>);
  add("channels_last", defaulted, own, always, constant<1>);
  add("dropout", defaulted, own, always, constant<0>);
  add("context_length", defaulted, own, always, constant<0>);
  add("sequence_length", derived, "context_length", decoding,
      [](const Setup& s) { return s.plan.context_length; });
  for (const std::string_view zero :
       {"weight_bits", "weight_group_size", "kv_cache_bits", "speculative_tokens", "prefill_tokens"}) {
    add(zero, defaulted, own, always, constant<0>);
  }
  add("speculative_acceptance", defaulted, own, always, constant<70>);
  add("source_length", derived, "sequence_length", crossing,
      [](const Setup& s) { return s.plan.sequence_length; });
  add("source_length", defaulted, none, always, constant<0>);
  for (const std::string_view one :
       {"micro_batch_size", "gradient_accumulation", "tensor", "pipeline", "data", "expert", "context"}) {
    add(one, defaulted, own, always, constant<1>);
  }
  add("sequence_parallel", defaulted, own, always, constant<0>);
  add("zero", defaulted, own, always, constant<0>);
  return out;
}

std::int64_t value_of(const Derivation& derivation, const Setup& setup) {
  const FieldInfo& field = fields()[static_cast<std::size_t>(derivation.field)];
  return std::clamp(derivation.value(setup), field.minimum, field.maximum);
}

}  // namespace

const std::vector<Derivation>& derivations() {
  static const std::vector<Derivation> table = build();
  return table;
}

void complete(Reading& reading) {
  reading.origins.resize(fields().size());
  for (const Derivation& each : derivations()) {
    Origin& origin = reading.origins[static_cast<std::size_t>(each.field)];
    if (origin.kind != Origin::Kind::unknown || !each.applies(reading.setup)) continue;
    fields()[static_cast<std::size_t>(each.field)].set(reading.setup, value_of(each, reading.setup));
    origin.kind = each.kind;
    origin.note = std::string(each.note);
  }
}

bool derives_from_table(const Reading& reading, FieldId field) {
  const auto index = static_cast<std::size_t>(field);
  if (index >= reading.origins.size()) return false;
  const Origin& origin = reading.origins[index];
  const auto& table = derivations();
  return std::any_of(table.begin(), table.end(), [&](const Derivation& each) {
    return each.field == field && each.kind == origin.kind && each.note == origin.note;
  });
}

std::int64_t derived_intermediate_size(const Setup& setup) {
  return setup.model.mlp_gated ? llama_intermediate_size(setup) : times(4, setup.model.hidden_size);
}

void rederive(Setup& setup, const std::vector<Origin>& origins) {
  const std::vector<Derivation>& table = derivations();
  for (std::size_t i = 0; i < table.size();) {
    std::size_t next = i;  // entries of one field stand together
    while (next < table.size() && table[next].field == table[i].field) ++next;
    const std::size_t field = static_cast<std::size_t>(table[i].field);
    bool ours = false;
    for (std::size_t j = i; j < next && field < origins.size(); ++j) {
      ours = ours || (origins[field].kind == table[j].kind && origins[field].note == table[j].note);
    }
    for (std::size_t j = i; j < next && ours; ++j) {
      if (!table[j].applies(setup)) continue;
      fields()[field].set(setup, value_of(table[j], setup));
      ours = false;
    }
    i = next;
  }
}

bool concerns_networks(FieldId field) {
  constexpr std::array<std::string_view, 8> names{
      "mode", "dtype", "fusion", "channels_last", "micro_batch_size", "gradient_accumulation",
      "data", "zero"};
  const std::string_view name = fields()[static_cast<std::size_t>(field)].name;
  return std::find(names.begin(), names.end(), name) != names.end();
}

void complete_network(Reading& reading) {
  complete(reading);
  const Setup none;
  const auto table = fields();
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (!table[i].section.starts_with("model") && table[i].name != "sequence_length") continue;
    table[i].set(reading.setup, table[i].get(none));
    reading.origins[i] = {};
  }
}

}  // namespace shapelint::model
