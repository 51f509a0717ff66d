// Which matrices a layer has.
#include "model/lower/learning/matrices.hpp"

#include <string>
#include <utility>

#include "model/mixer.hpp"

namespace shapelint::model {

namespace {

#define ADAPTER(product)                                                                   \
  {                                                                                        \
    product "_lora_down", product "_lora_up", product "_lora_add", product "_lora_gather", \
        product "_lora_reduce", product "_lora_output"                                     \
  }
#define MIXER_ADAPTERS(kind) \
  { ADAPTER("layer." kind ".in"), ADAPTER("layer." kind ".out") }

struct MixerAdapters {
  AdapterNames in;
  AdapterNames out;
};
// In the order of MixerKind.
constexpr std::array<MixerAdapters, mixer_kinds> mixer_adapters{
    {MIXER_ADAPTERS("mixer"), MIXER_ADAPTERS("gated_delta_net"), MIXER_ADAPTERS("kimi_delta_attention"),
     MIXER_ADAPTERS("mamba"), MIXER_ADAPTERS("mamba2"), MIXER_ADAPTERS("gated_linear_attention"),
     MIXER_ADAPTERS("retention"), MIXER_ADAPTERS("rwkv7"), MIXER_ADAPTERS("lightning_attention"),
     MIXER_ADAPTERS("rg_lru"), MIXER_ADAPTERS("short_convolution"), MIXER_ADAPTERS("delta_net"),
     MIXER_ADAPTERS("mlstm"), MIXER_ADAPTERS("hyena"), MIXER_ADAPTERS("gated_memory"),
     MIXER_ADAPTERS("rwkv4"), MIXER_ADAPTERS("rwkv5"), MIXER_ADAPTERS("rwkv6"), MIXER_ADAPTERS("slstm")}};

// Of the mixers' last products: their inputs, and those on one rank.
struct InputTexts {
  std::string_view whole, local;
};
constexpr std::array<InputTexts, most_mixers> mixer_inputs{
    {{"mixer_value_heads * mixer_value_dim", "mixer_value_heads / tensor * mixer_value_dim"},
     {"second_mixer_value_heads * second_mixer_value_dim",
      "second_mixer_value_heads / tensor * second_mixer_value_dim"},
     {"third_mixer_value_heads * third_mixer_value_dim",
      "third_mixer_value_heads / tensor * third_mixer_value_dim"}}};

// An expression without its divisions by `tensor`: that of the whole matrix.
std::string without_tensor(std::string_view expression) {
  constexpr std::string_view division = " / tensor";
  std::string out(expression);
  for (std::size_t at = out.find(division); at != std::string::npos; at = out.find(division, at))
    out.erase(at, division.size());
  return out;
}
// Those of the mixers' first projections.
std::string_view whole_columns(MixerKind kind, std::size_t which) {
  static const auto all = [] {
    std::array<std::array<std::string, mixer_kinds>, most_mixers> out;
    for (std::size_t mixer = 0; mixer < most_mixers; ++mixer) {
      for (std::size_t i = 1; i < mixer_kinds; ++i)
        out[mixer][i] = without_tensor(mixer_inputs_text(static_cast<MixerKind>(i), mixer));
    }
    return out;
  }();
  return all[which][static_cast<std::size_t>(kind)];
}

class Matrices {
 public:
  explicit Matrices(const Shared& shared) : shared_(shared), model_(shared.model) {}

  std::vector<Matrix> of(StepPart part) {
    switch (part) {
      case StepPart::attention:
        model_.mla.kv_lora_rank > 0 ? latent_attention() : attention();
        break;
      case StepPart::mixer:
      case StepPart::second_mixer:
      case StepPart::third_mixer:
        if (model_.mixers[mixer_of(part)].kind != MixerKind::none) mixer(mixer_of(part));
        break;
      case StepPart::mlp:
        mlp();
        break;
      case StepPart::mixture:
        mixture();
        break;
      case StepPart::frame:
      case StepPart::ends:
        break;
    }
    return std::move(out_);
  }

 private:
  Dim hidden_per_rank() const {
    return dim(divide_up(model_.hidden_size, shared_.plan.tensor), "hidden_size / tensor");
  }

  // Split along its outputs, its inputs, or not at all.
  Matrix& column(const AdapterNames& names, Role role, Dim inputs, Dim outputs, Dim rank_outputs) {
    return out_.emplace_back(Matrix{names, role, Split::outputs, inputs, outputs, inputs, rank_outputs});
  }
  Matrix& row(const AdapterNames& names, Role role, Dim inputs, Dim rank_inputs) {
    return out_.emplace_back(
        Matrix{names, role, Split::inputs, inputs, shared_.hidden, rank_inputs, hidden_per_rank()});
  }
  Matrix& whole(const AdapterNames& names, Role role, Dim inputs, Dim outputs) {
    return out_.emplace_back(Matrix{names, role, Split::none, inputs, outputs, inputs, outputs});
  }

  // Queries, keys and values apart, as Hugging Face, nanochat and (splitting its joint matrix for Muon)
  // Megatron-LM have them; the gate of attention's output belongs to the queries' (Qwen3-Next).
  void heads(const AdapterNames& query, const AdapterNames& key_value, const AdapterNames& key,
             const AdapterNames& value, bool is_cross) {
    const std::int64_t all = model_.num_attention_heads;
    const std::int64_t groups = model_.num_key_value_heads;
    const bool gated = model_.attention_gate && !is_cross;
    const std::int64_t width = gated ? plus(model_.head_dim, model_.value_head_dim) : model_.head_dim;
    const SharedBlock& block = model_.shared_block;
    const Dim inputs = block.blocks > 0 && block.input_size > 0 && !is_cross
                           ? dim(block.input_size, "shared_input_size")
                           : shared_.hidden;
    const Compressed& narrow = model_.compressed;
    const bool is_narrow = narrow.q_lora_rank > 0 && !is_cross;
    const Dim rank = dim(narrow.q_lora_rank, "compressed_q_lora_rank");
    if (is_narrow) whole(ADAPTER("layer.attention.q_down"), Role::attention, inputs, rank);
    column(is_narrow ? AdapterNames ADAPTER("layer.attention.q_up") : query, Role::query,
           is_narrow ? rank : inputs,
           dim(times(all, width), gated ? "num_attention_heads * (head_dim + value_head_dim)"
                                        : "num_attention_heads * head_dim"),
           dim(times(shared_.heads.value, width),
               gated ? "num_attention_heads / tensor * (head_dim + value_head_dim)"
                     : "num_attention_heads / tensor * head_dim"));
    const auto add = [&](const AdapterNames& names, Role role, double alike, bool is_value) {
      const std::int64_t each = is_value ? model_.value_head_dim : model_.head_dim;
      Matrix& matrix = column(names, role, inputs,
                              dim(times(groups, each), is_value ? "num_key_value_heads * value_head_dim"
                                                                : "num_key_value_heads * head_dim"),
                              dim(times(shared_.key_value_heads.value, each),
                                  is_value ? "num_key_value_heads / tensor * value_head_dim"
                                           : "num_key_value_heads / tensor * head_dim"));
      matrix.alike = alike;
      matrix.reads_again = !is_cross || role == Role::value;
      matrix.reads_source = is_cross;
    };
    if (model_.key_values != KeyValues::apart && !is_cross) return add(key, Role::key, 1, false);
    const bool apart =
        model_.head_dim != model_.value_head_dim || shared_.plan.adapted == Adapted::query_value;
    if (!apart) return add(key_value, Role::attention, 2, false);
    add(key, Role::key, 1, false);
    add(value, Role::value, 1, true);
  }

  void output(const AdapterNames& names) {
    if (const Compressed& narrow = model_.compressed; narrow.output_groups > 0) {
      const std::int64_t groups = divide_up(narrow.output_groups, shared_.plan.tensor);
      const Dim rank = dim(narrow.output_rank, "compressed_output_rank");
      const std::int64_t each =
          divide_up(times(model_.num_attention_heads, model_.value_head_dim), narrow.output_groups);
      whole(ADAPTER("layer.attention.output_down"), Role::attention,
            dim(each, "num_attention_heads * value_head_dim / compressed_output_groups"), rank)
          .alike = static_cast<double>(groups);
      return static_cast<void>(row(names, Role::attention,
                                   dim(times(narrow.output_groups, narrow.output_rank),
                                       "compressed_output_groups * compressed_output_rank"),
                                   dim(times(groups, narrow.output_rank),
                                       "compressed_output_groups / tensor * compressed_output_rank")));
    }
    row(names, Role::attention,
        dim(times(model_.num_attention_heads, model_.value_head_dim), "num_attention_heads * value_head_dim"),
        dim(times(shared_.heads.value, model_.value_head_dim),
            "num_attention_heads / tensor * value_head_dim"));
  }

  void attention() {
    heads(ADAPTER("layer.attention.query"), ADAPTER("layer.attention.key_value"),
          ADAPTER("layer.attention.key"), ADAPTER("layer.attention.value"), false);
    output(ADAPTER("layer.attention.output"));
    if (!model_.cross_attention) return;
    heads(ADAPTER("layer.cross_attention.query"), ADAPTER("layer.cross_attention.key_value"),
          ADAPTER("layer.cross_attention.key"), ADAPTER("layer.cross_attention.value"), true);
    output(ADAPTER("layer.cross_attention.output"));
  }

  void latent_attention() {
    const Mla& mla = model_.mla;
    const std::int64_t all = model_.num_attention_heads;
    const std::int64_t mine = shared_.heads.value;
    const std::int64_t queries = plus(mla.qk_nope_head_dim, mla.qk_rope_head_dim);
    const Dim outputs =
        dim(times(all, queries), "num_attention_heads * (mla_qk_nope_head_dim + mla_qk_rope_head_dim)");
    const Dim rank_outputs = dim(
        times(mine, queries), "num_attention_heads / tensor * (mla_qk_nope_head_dim + mla_qk_rope_head_dim)");
    if (mla.q_lora_rank > 0) {
      const Dim rank = dim(mla.q_lora_rank, "mla_q_lora_rank");
      whole(ADAPTER("layer.attention.q_down"), Role::attention, shared_.hidden, rank);
      column(ADAPTER("layer.attention.q_up"), Role::attention, rank, outputs, rank_outputs);
    } else {
      column(ADAPTER("layer.attention.q"), Role::query, shared_.hidden, outputs, rank_outputs);
    }
    whole(ADAPTER("layer.attention.kv_down"), Role::attention, shared_.hidden,
          dim(plus(mla.kv_lora_rank, mla.qk_rope_head_dim), "mla_kv_lora_rank + mla_qk_rope_head_dim"));
    const std::int64_t columns = plus(mla.qk_nope_head_dim, mla.v_head_dim);
    column(
        ADAPTER("layer.attention.kv_up"), Role::attention, dim(mla.kv_lora_rank, "mla_kv_lora_rank"),
        dim(times(all, columns), "num_attention_heads * (mla_qk_nope_head_dim + mla_v_head_dim)"),
        dim(times(mine, columns), "num_attention_heads / tensor * (mla_qk_nope_head_dim + mla_v_head_dim)"));
    row(ADAPTER("layer.attention.output"), Role::attention,
        dim(times(all, mla.v_head_dim), "num_attention_heads * mla_v_head_dim"),
        dim(times(mine, mla.v_head_dim), "num_attention_heads / tensor * mla_v_head_dim"));
  }

  void mixer(std::size_t which) {
    const Mixer& whole = model_.mixers[which];
    const MixerKind kind = whole.kind;
    const MixerForm& form = form_of(kind);
    const MixerAdapters& names = mixer_adapters[static_cast<std::size_t>(kind)];
    Mixer mine = whole;
    mine.key_heads = divide_up(mine.key_heads, shared_.plan.tensor);
    mine.value_heads = divide_up(mine.value_heads, shared_.plan.tensor);
    if (columns(whole, form.in) > 0)
      column(names.in, Role::other, shared_.hidden, dim(columns(whole, form.in), whole_columns(kind, which)),
             dim(columns(mine, form.in), mixer_inputs_text(kind, which)));
    if (has_output(whole))
      row(names.out, Role::other, dim(value_columns(whole), mixer_inputs[which].whole),
          dim(value_columns(mine), mixer_inputs[which].local));
  }

  void mlp() {
    const std::int64_t width = model_.intermediate_size;
    const Dim all = dim(width, "intermediate_size");
    const Dim mine = dim(divide_up(width, shared_.plan.tensor), "intermediate_size / tensor");
    const bool gated = model_.mlp_gated;
    column(gated ? AdapterNames ADAPTER("layer.mlp.gate_up") : AdapterNames ADAPTER("layer.mlp.up"),
           Role::other, shared_.hidden, all, mine)
        .alike = gated ? 2 : 1;
    row(ADAPTER("layer.mlp.down"), Role::other, all, mine);
  }

  void mixture() {
    const Moe& moe = model_.moe;
    const Plan& plan = shared_.plan;
    const bool gated = model_.mlp_gated;
    const Dim latent = dim(moe.latent_size, "moe_latent_size");
    if (moe.latent_size > 0)
      whole(ADAPTER("layer.moe.latent_down"), Role::other, shared_.hidden, latent).is_latent = true;
    const Dim outer = moe.latent_size > 0 ? latent : shared_.hidden;
    const Dim copies = dim(divide_up(moe.num_experts, plan.expert), "moe_num_experts / expert");
    const Dim all = dim(moe.intermediate_size, "moe_intermediate_size");
    const Dim mine =
        dim(divide_up(moe.intermediate_size, plan.expert_tensor), "moe_intermediate_size / expert_tensor");
    const auto expert = [&](Matrix& matrix) {
      matrix.is_expert = true;
      matrix.copies = copies;
    };
    Matrix& up =
        column(gated ? AdapterNames ADAPTER("layer.moe.gate_up") : AdapterNames ADAPTER("layer.moe.up"),
               Role::other, outer, all, mine);
    up.alike = gated ? 2 : 1;
    expert(up);
    Matrix& down = row(ADAPTER("layer.moe.down"), Role::other, all, mine);
    down.outputs = outer;
    down.rank_outputs =
        moe.latent_size > 0
            ? dim(divide_up(moe.latent_size, plan.expert_tensor), "moe_latent_size / expert_tensor")
            : dim(divide_up(model_.hidden_size, plan.expert_tensor), "hidden_size / expert_tensor");
    expert(down);
    if (moe.latent_size > 0)
      whole(ADAPTER("layer.moe.latent_up"), Role::other, latent, shared_.hidden).is_latent = true;
    if (moe.shared_intermediate_size <= 0) return;
    const Dim width = dim(moe.shared_intermediate_size, "moe_shared_intermediate_size");
    const Dim rank_width =
        dim(divide_up(moe.shared_intermediate_size, plan.tensor), "moe_shared_intermediate_size / tensor");
    column(gated ? AdapterNames ADAPTER("layer.moe.shared_gate_up")
                 : AdapterNames ADAPTER("layer.moe.shared_up"),
           Role::other, shared_.hidden, width, rank_width)
        .alike = gated ? 2 : 1;
    row(ADAPTER("layer.moe.shared_down"), Role::other, width, rank_width);
  }

  const Shared& shared_;
  const ModelSpec& model_;
  std::vector<Matrix> out_;
};

}  // namespace

std::vector<Matrix> matrices_of(const Shared& shared, StepPart part) {
  return Matrices(shared).of(part);
}

double number_of(const ModelSpec& model, const Matrix& matrix) {
  return matrix.alike * (matrix.is_expert ? static_cast<double>(model.moe.num_experts) : 1.0);
}

}  // namespace shapelint::model
