// What each kind of mixer is made of, as a table: the columns of its projections, its convolution and gates.
//
//   gated_delta_net       Yang et al. 2024, arXiv 2412.06464; Hugging Face, modeling_qwen3_next.py
//   kimi_delta_attention  Kimi Team 2025, arXiv 2510.26692; flash-linear-attention, layers/kda.py
//   mamba, mamba2         Gu and Dao 2023, 2312.00752; Dao and Gu 2024, 2405.21060; mamba_ssm/modules
//   gated_linear_attention, retention
//                         Yang et al. 2023, 2312.06635; Sun et al. 2023, 2307.08621; flash-linear-attention
//   rwkv7                 Peng et al. 2025, 2503.14456; flash-linear-attention, layers/rwkv7.py
//   lightning_attention   MiniMax 2025, 2501.08313; Hugging Face, modeling_minimax.py
//   rg_lru                De et al. 2024, 2402.19427; Hugging Face, modeling_recurrent_gemma.py
//   short_convolution     Liquid AI, LFM2, 2511.23404; Hugging Face, modeling_lfm2.py
//   delta_net             Yang et al. 2024, 2406.06484; flash-linear-attention, layers/delta_net.py
//   mlstm                 Beck et al. 2025, xLSTM 7B, 2503.13427; Hugging Face, modeling_xlstm.py
//   hyena                 Poli et al. 2023, 2302.10866; safari, src/models/sequence/hyena.py
//   rwkv4                 Peng et al. 2023, 2305.13048; RWKV-LM, RWKV-v4/src/model.py
//   rwkv5, rwkv6          Peng et al. 2024, 2404.05892; RWKV-LM, RWKV-v5/src/model.py
//   slstm                 Beck et al. 2024, xLSTM, 2405.04517, section 2.2; NX-AI/xlstm, blocks/slstm
//   gated_memory          Ren et al. 2025, SambaY, 2507.06607: an earlier layer's output, gated
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/fields.hpp"
#include "model/spec.hpp"

namespace shapelint::model {

// Columns that are so many times those of all keys, of all values, and heads of values.
struct MixerColumns {
  std::int64_t keys = 0;
  std::int64_t values = 0;
  std::int64_t heads = 0;
};

// How gates are compressed: down from the hidden size (Mamba: from its own width) to gate_rank, and up again.
enum class GateForm : std::uint8_t {
  none,
  keys,             // one gate as wide as the keys (GLA)
  keys_and_values,  // two, of the decay and of the output, of half the rank each (Kimi)
  values,           // as wide as the values, the ranks of all of them together (RWKV-7)
  time_step         // Mamba: its time step, next to what reads and writes the state
};

struct MixerTraits {
  std::string_view name = {};
  MixerColumns in = {};         // the projection from the hidden size
  MixerColumns convolved = {};  // channels of the convolution
  bool conv_bias = false;
  std::int64_t head_gates = 0;  // scalars per head of values, by a small projection of their own
  GateForm gate = GateForm::none;
  double elementwise_tensors =
      0;                  // elementwise: tensors as wide as the values read and written around the scan
  bool is_delta = false;  // the delta rule: what a key finds in the state is subtracted first
  bool has_state = true;  // a recurrence with a state, in a kernel of its own
  bool is_matrix = true;  // its state is a matrix per head, updated by products of chunks of tokens
  std::int64_t block_gates = 0;  // as wide as the values, by square products within each head (RG-LRU, sLSTM)
  bool has_output = true;        // a projection back to the hidden size
  bool gates_mlp = false;        // a square product gates the MLP behind it (RWKV before 7: its receptance)
  bool is_long = false;          // a convolution as long as the sequence, by Fourier transforms (Hyena)
  // Its backward pass runs the convolution and the time step again (mamba_ssm, selective_scan_interface.py:
  // MambaInnerFn, checkpoint_lvl 1; ssd_combined.py: MambaSplitConv1dScanCombinedFn).
  bool convolves_again = false;
};

// For a kind other than none.
const MixerTraits& form_of(MixerKind kind);
// Whether it has a projection back to the hidden size.
inline bool has_output(const Mixer& mixer) {
  return form_of(mixer.kind).has_output && !(mixer.parallel && mixer.joined);
}

// The fields of each of a model's mixers.
struct MixerFields {
  FieldId kind, layers, key_heads, value_heads, key_dim, value_dim, conv_kernel, chunk, gate_rank, bias,
      parallel, joined;
};
// Those of one follow those of another in the list of fields.
constexpr bool is_of_mixer(FieldId field) {
  return field >= FieldId::mixer && field <= FieldId::mixer_joined;
}
// The same of another mixer; any other field as it is.
constexpr FieldId of_mixer(FieldId field, std::size_t which) {
  const int each = static_cast<int>(FieldId::mixer_joined) - static_cast<int>(FieldId::mixer) + 1;
  return is_of_mixer(field) ? FieldId(static_cast<int>(field) + static_cast<int>(which) * each) : field;
}
inline constexpr auto mixer_fields = [] {
  std::array<MixerFields, most_mixers> out{};
  for (std::size_t which = 0; which < most_mixers; ++which) {
    const auto at = [&](FieldId field) { return of_mixer(field, which); };
    out[which] = {at(FieldId::mixer),
                  at(FieldId::mixer_layers),
                  at(FieldId::mixer_key_heads),
                  at(FieldId::mixer_value_heads),
                  at(FieldId::mixer_key_dim),
                  at(FieldId::mixer_value_dim),
                  at(FieldId::mixer_conv_kernel),
                  at(FieldId::mixer_chunk),
                  at(FieldId::mixer_gate_rank),
                  at(FieldId::mixer_bias),
                  at(FieldId::mixer_parallel),
                  at(FieldId::mixer_joined)};
  }
  return out;
}();

// Sizes of a mixer, where a file does not state them: those of the kind's first paper or reference code. All
// 0 where the kind is none.
Mixer usual_sizes(const ModelSpec& model, MixerKind kind);

// Whether the model says what layers without attention have in its place.
constexpr bool has_mixer(const ModelSpec& model) {
  for (const Mixer& each : model.mixers) {
    if (each.kind != MixerKind::none) return true;
  }
  return false;
}
// Columns of all its keys, and of all its values.
std::int64_t key_columns(const Mixer& mixer);
std::int64_t value_columns(const Mixer& mixer);
std::int64_t columns(const Mixer& mixer, const MixerColumns& of);

// Parameters that are in no product: norms, decays, steps, and the biases of gates.
std::int64_t vector_parameters(const ModelSpec& model, const Mixer& mixer);
// Parameters of one layer's mixer, without the norm before it.
std::int64_t mixer_parameters(const ModelSpec& model, const Mixer& mixer);
// Multiply-adds of one layer's mixer for one token of a sequence of so many, forward, with whole chunks of
// products; one token at a time (decoding) without chunks.
double mixer_macs_per_token(const ModelSpec& model, const Mixer& mixer, const Plan& plan);
// Of these, those of one head's recurrence; of a long convolution over so many tokens, one at a time with 0.
double recurrence_products(MixerKind kind, double key_dim, double value_dim, double chunk, double tokens);

// Layers whose state or cache is of fixed size, and what one holds of one sequence: elements of the
// recurrence (in fp32) and inputs that the convolution still needs.
struct MixerState {
  double recurrent_elements = 0;
  double convolution_elements = 0;
};
MixerState mixer_state(const Mixer& mixer);

// Layers that a step runs in parts that are not alike, so that their numbers belong together: a hybrid,
// attention with a window in some of its layers, or stages of a pipeline.
bool has_layer_pattern(const Setup& setup);
// Whether a model may come to have such layers when the field changes.
bool makes_layer_pattern(FieldId field);

}  // namespace shapelint::model
