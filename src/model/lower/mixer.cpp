// Layers without softmax attention: projections, a causal convolution, a recurrence, gates, a projection
// back. Heads are split over the tensor-parallel ranks; what ranks of context parallelism hold of a sequence
// is exchanged for heads before the recurrence, and back (Megatron-LM, ssm/mamba_context_parallel.py).
#include "model/mixer.hpp"
#include "model/lower/emit.hpp"

namespace shapelint::model {

namespace {

// Names of the ops of one kind.
struct Names {
  std::string_view in, gates, gate_down, gate_up, key_gate_up, exchange, conv, block_gates, chunk, gated, out,
      quantize;
};
#define NAMES(kind)                                                                                         \
  {                                                                                                         \
    "layer." kind ".in", "layer." kind ".gates", "layer." kind ".gate_down", "layer." kind ".gate_up",      \
        "layer." kind ".key_gate_up", "layer." kind ".exchange", "layer." kind ".conv",                     \
        "layer." kind ".block_gates", "layer." kind ".chunk", "layer." kind ".gated", "layer." kind ".out", \
        "layer." kind ".quantize"                                                                           \
  }
// In the order of MixerKind.
constexpr std::array<Names, 11> all_names{
    {NAMES("mixer"), NAMES("gated_delta_net"), NAMES("kimi_delta_attention"), NAMES("mamba"), NAMES("mamba2"),
     NAMES("gated_linear_attention"), NAMES("retention"), NAMES("rwkv7"), NAMES("lightning_attention"),
     NAMES("rg_lru"), NAMES("short_convolution")}};
#undef NAMES

constexpr std::string_view key_columns_text = "mixer_key_heads / tensor * mixer_key_dim";
constexpr std::string_view value_columns_text = "mixer_value_heads / tensor * mixer_value_dim";

// The mixer of one rank.
Mixer on_rank(const Shared& shared) {
  Mixer out = shared.model.mixer;
  out.key_heads = divide_up(out.key_heads, shared.plan.tensor);
  out.value_heads = divide_up(out.value_heads, shared.plan.tensor);
  return out;
}

double real(std::int64_t value) {
  return static_cast<double>(value);
}

void lower_gates(const Shared& shared, const Mixer& mixer, const Names& names, Repeat layer, Emitter& emit) {
  const MixerForm& form = form_of(mixer.kind);
  const DType dtype = shared.linear_dtype;
  const Dim keys = dim(key_columns(mixer), key_columns_text);
  const Dim values = dim(value_columns(mixer), value_columns_text);
  const Dim rank = dim(mixer.gate_rank, "mixer_gate_rank");
  if (form.head_gates > 0)
    emit.linear(names.gates, shared.tokens,
                dim(times(form.head_gates, mixer.value_heads),
                    form.head_gates == 2 ? "2 * (mixer_value_heads / tensor)" : "mixer_value_heads / tensor"),
                shared.hidden, dtype, layer);
  switch (form.gate) {
    case GateForm::none:
      return;
    case GateForm::keys:
      emit.linear(names.gate_down, shared.tokens, rank, shared.hidden, dtype, layer);
      emit.linear(names.gate_up, shared.tokens, keys, rank, dtype, layer);
      return;
    case GateForm::keys_and_values: {
      const Dim half = dim(divide_up(mixer.gate_rank, 2), "mixer_gate_rank / 2");
      emit.linear(names.gate_down, shared.tokens, rank, shared.hidden, dtype, layer);
      emit.linear(names.key_gate_up, shared.tokens, keys, half, dtype, layer);
      emit.linear(names.gate_up, shared.tokens, values, half, dtype, layer);
      return;
    }
    case GateForm::values:
      if (mixer.gate_rank <= 0) return;
      emit.linear(names.gate_down, shared.tokens, rank, shared.hidden, dtype, layer);
      emit.linear(names.gate_up, shared.tokens, values, rank, dtype, layer);
      return;
    case GateForm::time_step:
      emit.linear(names.gate_down, shared.tokens,
                  dim(plus(mixer.gate_rank, times(2, mixer.key_dim)), "mixer_gate_rank + 2 * mixer_key_dim"),
                  values, dtype, layer);
      emit.linear(names.gate_up, shared.tokens, values, rank, dtype, layer);
      return;
  }
}

// Bytes of the states that a step of decoding reads and writes are the recurrence's own.
void lower_recurrence(const Shared& shared, const Mixer& mixer, const Names& names, Repeat layer,
                      Emitter& emit) {
  const MixerForm& form = form_of(mixer.kind);
  if (form.block_gates) {
    emit.linear(names.block_gates, shared.tokens, dim(times(2, mixer.value_dim), "2 * mixer_value_dim"),
                dim(mixer.value_dim, "mixer_value_dim"), shared.linear_dtype, layer,
                dim(mixer.value_heads, "mixer_value_heads / tensor"));
  }
  if (!form.has_state) return;
  AttentionShape shape;
  shape.sequences = dim(shared.plan.micro_batch_size, "micro_batch_size");
  shape.heads =
      dim(divide_up(mixer.value_heads, shared.plan.context), "mixer_value_heads / tensor / context");
  shape.key_value_heads =
      dim(divide_up(mixer.key_heads, shared.plan.context), "mixer_key_heads / tensor / context");
  shape.query_length =
      shared.decoding ? shared.query_length : dim(shared.plan.sequence_length, "sequence_length");
  shape.key_length = shared.decoding ? Dim{1, "1"} : dim(mixer.chunk, "mixer_chunk");
  shape.head_dim = dim(mixer.key_dim, "mixer_key_dim");
  shape.value_head_dim = dim(mixer.value_dim, "mixer_value_dim");
  emit.scan(names.chunk, mixer.kind, shape, layer);
}

}  // namespace

void lower_mixer(const Shared& shared, double count, Emitter& emit) {
  const Mixer mixer = on_rank(shared);
  if (mixer.kind == MixerKind::none) return;
  const MixerForm& form = form_of(mixer.kind);
  const Names& names = all_names[static_cast<std::size_t>(mixer.kind)];
  const Repeat layer{count, Recomputed::with_layer};
  const double tokens = real(shared.tokens.value);
  emit.linear(names.in, shared.tokens, dim(columns(mixer, form.in), form.in_expression), shared.hidden,
              shared.linear_dtype, layer);
  lower_gates(shared, mixer, names, layer, emit);

  const double channels = tokens * real(columns(mixer, form.convolved)) * shared.activation;
  const double values = tokens * real(value_columns(mixer)) * shared.activation;
  // Each rank hands out its part of the sequence of most heads, and gets the rest of its own.
  if (form.has_state && !shared.decoding && channels + values > 0)
    emit.collective(names.exchange, CollectiveKind::all_to_all, CollectiveKind::all_to_all, channels + values,
                    shared.plan.context, layer, false, shared.plan.tensor);
  if (mixer.conv_kernel > 0 && channels > 0) {
    const double taps = 2 * real(mixer.conv_kernel);
    emit.elementwise(names.conv, 2 * channels, 3 * channels, layer,
                     of_each(channels / shared.activation, {taps, 2 * taps}));
  }
  lower_recurrence(shared, mixer, names, layer, emit);
  // Norm and gate of the output; the gradient reads them again.
  if (values > 0)
    emit.elementwise(names.gated, form.passes * values, (form.passes + 2) * values, layer,
                     of_each(values / shared.activation, gated_activation_flops));
  emit.linear(names.out, shared.tokens, shared.hidden, dim(value_columns(mixer), value_columns_text),
              shared.linear_dtype, layer);
  emit.quantize(names.quantize, layer);
}

double scan_flops(const Op& op) {
  const AttentionShape& a = op.attention;
  const auto d = [](const Dim& each) { return static_cast<double>(each.value); };
  const double forward = 2 * d(a.sequences) * d(a.query_length) * d(a.heads) *
                         recurrence_products(op.mixer, d(a.head_dim), d(a.value_head_dim), d(a.key_length));
  return op.pass == Pass::backward ? 2 * forward : forward;
}

}  // namespace shapelint::model
