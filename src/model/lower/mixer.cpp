// Layers without softmax attention: projections, a causal convolution, a recurrence, gates, a projection
// back. Heads are split over the tensor-parallel ranks; what ranks of context parallelism hold of a sequence
// is exchanged for heads before the recurrence, and back (Megatron-LM, ssm/mamba_context_parallel.py).
#include "model/mixer.hpp"

#include <array>
#include <string>

#include <fmt/format.h>

#include "model/lower/emit.hpp"

namespace shapelint::model {

namespace {

// Names of the ops of one kind.
struct Names {
  std::string_view in, gates, gate_down, gate_up, key_gate_up, exchange, conv, qk_norm, block_gates, chunk,
      gated, out, receptance, quantize;
};
#define NAMES(kind)                                                                                          \
  {                                                                                                          \
    "layer." kind ".in", "layer." kind ".gates", "layer." kind ".gate_down", "layer." kind ".gate_up",       \
        "layer." kind ".key_gate_up", "layer." kind ".exchange", "layer." kind ".conv",                      \
        "layer." kind ".qk_norm", "layer." kind ".block_gates", "layer." kind ".chunk",                      \
        "layer." kind ".gated", "layer." kind ".out", "layer." kind ".receptance", "layer." kind ".quantize" \
  }
// In the order of MixerKind.
constexpr std::array<Names, mixer_kinds> all_names{
    {NAMES("mixer"), NAMES("gated_delta_net"), NAMES("kimi_delta_attention"), NAMES("mamba"), NAMES("mamba2"),
     NAMES("gated_linear_attention"), NAMES("retention"), NAMES("rwkv7"), NAMES("lightning_attention"),
     NAMES("rg_lru"), NAMES("short_convolution"), NAMES("delta_net"), NAMES("mlstm"), NAMES("hyena"),
     NAMES("gated_memory"), NAMES("rwkv4"), NAMES("rwkv5"), NAMES("rwkv6"), NAMES("slstm")}};
#undef NAMES

// Length of queries and keys, its lower bound, a division; backwards the gradients of both paths to the
// input, each product by itself, and their sum (flash-linear-attention 5c41df15 of July 2024,
// layers/delta_net.py: torch.nn.functional.normalize). Under autocast lengths are in fp32, and what comes out
// is narrowed. Kernels of the gated delta rule normalize for themselves.
constexpr Modules normalize_modules{3, 0, 17, 0, 3, 9};
constexpr Modules normalize_autocast{3, 4, 3, 17, 5, 11};

// Expressions of the sizes of each of a model's mixers, by the names of its fields.
struct Texts {
  std::string keys, values, key_heads, value_heads, local_key_heads, local_value_heads, key_dim, value_dim,
      two_value_heads, two_value_dims, four_value_dims, rank, half_rank, rank_and_states, chunk;
};
const Texts& texts_of(std::size_t which) {
  static const auto all = [] {
    std::array<Texts, most_mixers> out;
    for (std::size_t mixer = 0; mixer < most_mixers; ++mixer) {
      const MixerFields& fields = mixer_fields[mixer];
      const auto text = [](const char* format, FieldId one, FieldId other = no_field) {
        return fmt::format(fmt::runtime(format), info(one).name,
                           other == no_field ? std::string_view{} : info(other).name);
      };
      out[mixer] = {text("{} / tensor * {}", fields.key_heads, fields.key_dim),
                    text("{} / tensor * {}", fields.value_heads, fields.value_dim),
                    text("{} / tensor", fields.key_heads),
                    text("{} / tensor", fields.value_heads),
                    text("{} / tensor / context", fields.key_heads),
                    text("{} / tensor / context", fields.value_heads),
                    text("{}", fields.key_dim),
                    text("{}", fields.value_dim),
                    text("2 * ({} / tensor)", fields.value_heads),
                    text("2 * {}", fields.value_dim),
                    text("4 * {}", fields.value_dim),
                    text("{}", fields.gate_rank),
                    text("{} / 2", fields.gate_rank),
                    text("{} + 2 * {}", fields.gate_rank, fields.key_dim),
                    text("{}", fields.chunk)};
    }
    return out;
  }();
  return all[which];
}

// The mixer of one rank.
struct Local : Mixer {
  Local(const LoweringContext& shared, std::size_t which)
      : Mixer(shared.model.mixers[which]), text(texts_of(which)) {
    key_heads = divide_up(key_heads, shared.plan.tensor);
    value_heads = divide_up(value_heads, shared.plan.tensor);
  }
  const Texts& text;
};

void lower_gates(const LoweringContext& shared, const Local& mixer, const Names& names, Repeat layer,
                 Emitter& emit) {
  const MixerTraits& form = form_of(mixer.kind);
  const DType dtype = shared.linear_dtype;
  const Dim keys = dim(key_columns(mixer), mixer.text.keys);
  const Dim values = dim(value_columns(mixer), mixer.text.values);
  const Dim rank = dim(mixer.gate_rank, mixer.text.rank);
  if (form.head_gates > 0)
    emit.linear(names.gates, shared.tokens,
                dim(times(form.head_gates, mixer.value_heads),
                    form.head_gates == 2 ? mixer.text.two_value_heads : mixer.text.value_heads),
                shared.hidden, dtype, layer);
  switch (form.gate) {
    case GateForm::none:
      return;
    case GateForm::keys:
      emit.linear(names.gate_down, shared.tokens, rank, shared.hidden, dtype, layer);
      emit.linear(names.gate_up, shared.tokens, keys, rank, dtype, layer);
      return;
    case GateForm::keys_and_values: {
      const Dim half = dim(divide_up(mixer.gate_rank, 2), mixer.text.half_rank);
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
                  dim(plus(mixer.gate_rank, times(2, mixer.key_dim)), mixer.text.rank_and_states), values,
                  dtype, layer);
      emit.linear(names.gate_up, shared.tokens, values, rank, dtype, layer);
      return;
  }
}

// Bytes of the states that a step of decoding reads and writes are the recurrence's own.
void lower_recurrence(const LoweringContext& shared, const Local& mixer, const Names& names, Repeat layer,
                      Emitter& emit) {
  const MixerTraits& form = form_of(mixer.kind);
  if (form.block_gates > 0) {
    emit.linear(names.block_gates, shared.tokens,
                dim(times(form.block_gates, mixer.value_dim),
                    form.block_gates == 2 ? mixer.text.two_value_dims : mixer.text.four_value_dims),
                dim(mixer.value_dim, mixer.text.value_dim), shared.linear_dtype, layer,
                dim(mixer.value_heads, mixer.text.value_heads));
  }
  if (!form.has_state) return;
  AttentionShape shape;
  shape.sequences = dim(shared.plan.micro_batch_size, "micro_batch_size");
  shape.heads = dim(divide_up(mixer.value_heads, shared.plan.context), mixer.text.local_value_heads);
  shape.key_value_heads = dim(divide_up(mixer.key_heads, shared.plan.context), mixer.text.local_key_heads);
  shape.query_length =
      shared.decoding ? shared.query_length : dim(shared.plan.sequence_length, "sequence_length");
  shape.key_length = shared.decoding ? Dim{1, "1"} : dim(mixer.chunk, mixer.text.chunk);
  shape.head_dim = dim(mixer.key_dim, mixer.text.key_dim);
  shape.value_head_dim = dim(mixer.value_dim, mixer.text.value_dim);
  emit.scan(names.chunk, mixer.kind, shape, layer);
}

}  // namespace

MixerTexts mixer_texts(MixerKind kind, std::size_t which) {
  static const auto all = [] {
    std::array<std::array<std::string, mixer_kinds>, most_mixers> out;
    for (std::size_t mixer = 0; mixer < most_mixers; ++mixer) {
      const Texts& text = texts_of(mixer);
      for (std::size_t i = 1; i < mixer_kinds; ++i) {
        const MixerColumns& in = form_of(static_cast<MixerKind>(i)).in;
        std::string& sum = out[mixer][i];
        const auto append = [&](std::int64_t number, std::string_view columns) {
          if (number <= 0) return;
          if (!sum.empty()) sum += " + ";
          sum += number > 1 ? fmt::format("{} * ({})", number, columns) : std::string(columns);
        };
        append(in.keys, text.keys);
        append(in.values, text.values);
        append(in.heads, text.value_heads);
      }
    }
    return out;
  }();
  const Names& names = all_names[static_cast<std::size_t>(kind)];
  return {names.in, names.out, all[which][static_cast<std::size_t>(kind)], texts_of(which).values};
}

void lower_mixer(const LoweringContext& shared, std::size_t which, double count, Emitter& emit) {
  const Local mixer(shared, which);
  if (mixer.kind == MixerKind::none) return;
  const MixerTraits& form = form_of(mixer.kind);
  const Names& names = all_names[static_cast<std::size_t>(mixer.kind)];
  const Repeat layer{count, Recomputed::with_layer};
  const double tokens = real(shared.tokens.value);
  if (columns(mixer, form.in) > 0)
    emit.linear(names.in, shared.tokens, dim(columns(mixer, form.in), mixer_texts(mixer.kind, which).columns),
                shared.hidden, shared.linear_dtype, layer);
  lower_gates(shared, mixer, names, layer, emit);

  const double channels = tokens * real(columns(mixer, form.convolved)) * shared.activation;
  const double values = tokens * real(value_columns(mixer)) * shared.activation;
  // Each rank hands out its part of the sequence of most heads, and gets the rest of its own.
  if (form.has_state && !shared.decoding && channels + values > 0)
    emit.collective(names.exchange, CollectiveKind::all_to_all, CollectiveKind::all_to_all, channels + values,
                    shared.plan.context, layer, false, shared.plan.tensor);
  if (mixer.conv_kernel > 0 && channels > 0) {
    const double taps = 2 * real(mixer.conv_kernel);
    const std::size_t first = emit.size();
    emit.elementwise(names.conv, 2 * channels, 3 * channels, layer,
                     of_each(channels / shared.activation, {taps, 2 * taps}));
    emit.convolve(first);
  }
  if (mixer.kind == MixerKind::delta_net) {
    Modules apart = shared.autocast ? normalize_autocast : normalize_modules;
    apart.forward_kernels *= 2;
    apart.backward_kernels *= 2;
    emit.modules_alone(names.qk_norm, 2 * tokens * real(key_columns(mixer)) * shared.activation, apart,
                       layer);
  }
  lower_recurrence(shared, mixer, names, layer, emit);
  // Norm and gate of the output; the gradient reads them again.
  if (values > 0)
    emit.elementwise(names.gated, form.elementwise_tensors * values, (form.elementwise_tensors + 2) * values,
                     layer, of_each(values / shared.activation, gated_activation_flops));
  if (has_output(mixer))
    emit.linear(names.out, shared.tokens, shared.hidden, dim(value_columns(mixer), mixer.text.values),
                shared.linear_dtype, layer);
  if (form.gates_mlp)
    emit.linear(names.receptance, shared.tokens,
                dim(divide_up(shared.hidden.value, shared.plan.tensor), "hidden_size / tensor"),
                shared.hidden, shared.linear_dtype, layer);
  emit.quantize(names.quantize, layer);
}

double scan_flops(const Op& op) {
  const AttentionShape& a = op.attention;
  const auto d = [](const Dim& each) { return static_cast<double>(each.value); };
  const double forward = 2 * d(a.sequences) * d(a.query_length) * d(a.heads) *
                         recurrence_products(op.mixer, d(a.head_dim), d(a.value_head_dim), d(a.key_length),
                                             op.is_decoding ? 0.0 : d(a.query_length));
  return op.pass == Pass::backward ? 2 * forward : forward;
}

}  // namespace shapelint::model
