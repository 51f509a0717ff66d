// The table of mixers, and what follows from it.
#include "model/mixer.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "model/arithmetic.hpp"
#include "model/layer_weights.hpp"
#include "model/lower/lower.hpp"

namespace shapelint::model {

namespace {

constexpr std::int64_t slstm_gates = 4;  // of input, forgetting and output, and the cell's input

constexpr std::array<MixerTraits, mixer_kinds> forms{{
    {},
    {.name = "gated_delta_net",
     .in = {2, 2, 0},
     .convolved = {2, 1, 0},
     .head_gates = 2,
     .elementwise_tensors = 3,
     .is_delta = true},
    {.name = "kimi_delta_attention",
     .in = {2, 1, 0},
     .convolved = {2, 1, 0},
     .head_gates = 1,
     .gate = GateForm::keys_and_values,
     .elementwise_tensors = 3,
     .is_delta = true},
    {.name = "mamba",
     .in = {0, 2, 0},
     .convolved = {0, 1, 0},
     .conv_bias = true,
     .gate = GateForm::time_step,
     .elementwise_tensors = 3,
     .is_matrix = false,
     .convolves_again = true},
    {.name = "mamba2",
     .in = {2, 2, 1},
     .convolved = {2, 1, 0},
     .conv_bias = true,
     .elementwise_tensors = 3,
     .convolves_again = true},
    {.name = "gated_linear_attention",
     .in = {2, 2, 0},
     .convolved = {2, 1, 0},
     .gate = GateForm::keys,
     .elementwise_tensors = 3},
    {.name = "retention", .in = {2, 2, 0}, .convolved = {2, 1, 0}, .elementwise_tensors = 3},
    {.name = "rwkv7",
     .in = {2, 1, 0},
     .gate = GateForm::values,
     .elementwise_tensors = 9,  // six inputs mixed with the token before, decay, gate, and the norm of heads
     .is_delta = true},
    {.name = "lightning_attention", .in = {2, 2, 0}, .elementwise_tensors = 3},
    {.name = "rg_lru",
     .in = {0, 2, 0},
     .convolved = {0, 1, 0},
     .conv_bias = true,
     .elementwise_tensors = 3,
     .is_matrix = false,
     .block_gates = 2},
    {.name = "short_convolution",
     .in = {0, 3, 0},
     .convolved = {0, 1, 0},
     .elementwise_tensors = 4,  // gated before and after
     .has_state = false},
    {.name = "delta_net",
     .in = {2, 1, 0},
     .convolved = {2, 1, 0},
     .head_gates = 1,
     .elementwise_tensors = 2,
     .is_delta = true},
    {.name = "mlstm", .in = {2, 2, 0}, .head_gates = 2, .elementwise_tensors = 3},
    {.name = "hyena",
     .in = {0, 3, 0},
     .convolved = {0, 3, 0},
     .conv_bias = true,
     .elementwise_tensors = 6,  // gated before and after
     .is_matrix = false,
     .is_long = true},
    {.name = "gated_memory", .in = {0, 1, 0}, .elementwise_tensors = 3, .has_state = false},
    // Each input of a projection is mixed with the token before.
    {.name = "rwkv4", .in = {0, 3, 0}, .elementwise_tensors = 7, .is_matrix = false, .gates_mlp = true},
    {.name = "rwkv5", .in = {2, 2, 0}, .elementwise_tensors = 9, .gates_mlp = true},
    {.name = "rwkv6", .in = {2, 2, 0}, .gate = GateForm::keys, .elementwise_tensors = 11, .gates_mlp = true},
    // As wide as the hidden size: its gates read the stream, and the MLP behind it what it puts out.
    {.name = "slstm",
     .convolved = {0, 1, 0},
     .conv_bias = true,
     .elementwise_tensors = 2,
     .is_matrix = false,
     .block_gates = slstm_gates,
     .has_output = false},
}};

// Elements of a position that Hyena's filters are made of (safari, HyenaFilter: emb_dim).
constexpr std::int64_t hyena_positions = 3;

}  // namespace

std::int64_t vector_parameters(const ModelSpec& model, const Mixer& mixer) {
  const std::int64_t keys = key_columns(mixer);
  const std::int64_t values = value_columns(mixer);
  const std::int64_t hidden = model.hidden_size;
  switch (mixer.kind) {
    case MixerKind::none:
    case MixerKind::short_convolution:
    case MixerKind::gated_memory:
      return 0;
    case MixerKind::slstm:  // what the last token's output adds to the gates, their biases, the norm of heads
      return plus(times(slstm_gates, values, plus(mixer.value_dim, 1)), values);
    case MixerKind::delta_net:  // the norm of a head
      return mixer.value_dim;
    case MixerKind::mlstm:  // biases of the gates of input and forgetting, the norm of heads
      return plus(times(2, mixer.value_heads), values);
    case MixerKind::hyena:  // what makes the filters: positions, two inner layers, sines; a direct path
      return plus(times(mixer.gate_rank, plus(hyena_positions, times(2, mixer.gate_rank), 4)),
                  times(mixer.gate_rank, values), values);
    case MixerKind::gated_delta_net:  // A_log, dt_bias, the norm of a head
      return plus(times(2, mixer.value_heads), mixer.value_dim);
    case MixerKind::kimi_delta_attention:
      return plus(mixer.value_heads, keys, mixer.value_dim);
    case MixerKind::mamba:  // A_log, D, the bias of the time step
      return plus(times(values, mixer.key_dim), times(2, values));
    case MixerKind::mamba2:  // A_log, D, dt_bias, the norm
      return plus(times(3, mixer.value_heads), values);
    case MixerKind::gated_linear_attention:  // the gate's bias, the norm of a head
      return plus(keys, mixer.value_dim);
    case MixerKind::retention:
      return mixer.value_dim;
    case MixerKind::rwkv7:  // six shares of the token before; decay, learning rate and residual of values
                            // with biases; k_k, k_a, r_k; the norm of heads with its bias
      return plus(times(9, hidden), times(3, keys), times(2, values));
    // Shares of the token before, in it and in the MLP; decay and bonus; the norm of heads with its bias.
    case MixerKind::rwkv4:
      return plus(times(5, hidden), times(2, values));
    case MixerKind::rwkv5:
      return plus(times(6, hidden), times(2, keys), times(2, values));
    case MixerKind::rwkv6:  // the shares by a product of half the decay's rank for each of five inputs
      return plus(times(8, hidden), times(2, keys), times(2, values), times(5, mixer.gate_rank, hidden));
    case MixerKind::lightning_attention:  // the norm
      return values;
    case MixerKind::rg_lru:  // the decay; biases of the gates of input and decay
      return times(3, values);
  }
  return 0;
}

const MixerTraits& form_of(MixerKind kind) {
  return forms[static_cast<std::size_t>(kind)];
}

std::int64_t key_columns(const Mixer& mixer) {
  return times(mixer.key_heads, mixer.key_dim);
}

std::int64_t value_columns(const Mixer& mixer) {
  return times(mixer.value_heads, mixer.value_dim);
}

std::int64_t columns(const Mixer& mixer, const MixerColumns& of) {
  return plus(times(of.keys, key_columns(mixer)), times(of.values, value_columns(mixer)),
              times(of.heads, mixer.value_heads));
}

Mixer usual_sizes(const ModelSpec& model, MixerKind kind) {
  Mixer out;
  const std::int64_t hidden = model.hidden_size;
  const std::int64_t heads = std::max<std::int64_t>(1, model.num_attention_heads);
  const auto sizes = [&](std::int64_t key_heads, std::int64_t value_heads, std::int64_t key_dim,
                         std::int64_t value_dim, std::int64_t taps, std::int64_t chunk, std::int64_t rank) {
    out.key_heads = key_heads;
    out.value_heads = value_heads;
    out.key_dim = key_dim;
    out.value_dim = value_dim;
    out.conv_kernel = taps;
    out.chunk = chunk;
    out.gate_rank = rank;
  };
  switch (kind) {
    case MixerKind::none:
      break;
    case MixerKind::gated_delta_net:
      sizes(16, 32, 128, 128, 4, 64, 0);
      break;
    case MixerKind::kimi_delta_attention:
      sizes(heads, heads, 128, 128, 4, 64, 256);
      break;
    case MixerKind::mamba:
      sizes(1, times(2, hidden), 16, 1, 4, 1, divide_up(hidden, 16));  // each channel is a head
      break;
    case MixerKind::mamba2:
      sizes(1, divide_up(times(2, hidden), 64), 128, 64, 4, 256, 0);
      break;
    case MixerKind::gated_linear_attention:
      sizes(heads, heads, divide_up(hidden, times(2, heads)), divide_up(hidden, heads), 0, 64, 16);
      break;
    case MixerKind::retention:
      sizes(heads, heads, divide_up(hidden, heads), divide_up(times(2, hidden), heads), 0, 64, 0);
      break;
    case MixerKind::rwkv7:
      sizes(divide_up(hidden, 64), divide_up(hidden, 64), 64, 64, 0, 16, 0);
      break;
    case MixerKind::lightning_attention:
      sizes(heads, heads, model.head_dim, model.head_dim, 0, 256, 0);
      break;
    case MixerKind::rg_lru:
      sizes(1, heads, 1, divide_up(hidden, heads), 4, 1, 0);
      out.bias = true;
      break;
    case MixerKind::short_convolution:
      sizes(1, hidden, 1, 1, 3, 1, 0);
      break;
    case MixerKind::delta_net:
      sizes(heads, heads, divide_up(hidden, heads), divide_up(hidden, heads), 4, 64, 0);
      break;
    case MixerKind::mlstm:
      sizes(heads, heads, divide_up(hidden, times(2, heads)), divide_up(hidden, heads), 0, 64, 0);
      break;
    case MixerKind::hyena:  // 64 wide: the network of its filters; 16: its states while decoding (2310.18780)
      sizes(1, hidden, 16, 1, 3, 1, 64);
      out.bias = true;
      break;
    case MixerKind::gated_memory:
      sizes(1, times(2, hidden), 1, 1, 0, 1, 0);
      break;
    case MixerKind::rwkv4:  // each channel keeps a sum of values, one of weights, and their exponent
      sizes(1, hidden, 3, 1, 0, 1, 0);
      break;
    case MixerKind::rwkv5:
      sizes(divide_up(hidden, 64), divide_up(hidden, 64), 64, 64, 0, 64, 0);
      break;
    case MixerKind::rwkv6:
      sizes(divide_up(hidden, 64), divide_up(hidden, 64), 64, 64, 0, 64, 64);
      break;
    case MixerKind::slstm:  // each channel keeps a cell, its normalizer, its stabilizer, and what it put out
      sizes(1, heads, 4, divide_up(hidden, heads), 4, 1, 0);
      break;
  }
  return out;
}

std::int64_t mixer_parameters(const ModelSpec& model, const Mixer& mixer) {
  std::int64_t sum = 0;
  const auto add = [&](const Weight& weight) { sum = plus(sum, elements_of(weight)); };
  visit_mixer(model, mixer, {}, {}, add);
  return sum;
}

double recurrence_products(MixerKind kind, double key_dim, double value_dim, double chunk, double tokens) {
  const MixerTraits& form = form_of(kind);
  if (!form.has_state) return 0;
  // Two transforms of real numbers over twice the sequence, so that its end does not reach its beginning, of
  // 2.5 N log2 N operations each.
  if (form.is_long && tokens > 0) return 5 * std::log2(2 * std::max(1.0, tokens)) * value_dim;
  if (!form.is_matrix) {  // decay, input, output of each element of the state
    const double again = kind == MixerKind::slstm ? static_cast<double>(slstm_gates) * value_dim : 0;
    return (3 * key_dim + again) * value_dim;
  }
  // Within a chunk: scores of queries and keys, and these over the values; across chunks: the state is
  // updated and read (2312.06635, section 4.2).
  const double across = 2 * key_dim * value_dim;
  if (chunk <= 1) return across + (form.is_delta ? key_dim * value_dim : 0);
  const double within = chunk * (key_dim + value_dim);
  if (!form.is_delta) return across + within;
  // The delta rule also multiplies keys by keys, applies the inverse of that triangle to keys and values, and
  // subtracts what the state holds (2406.06484, section 3.2).
  return across + within + chunk * key_dim + chunk * (key_dim + value_dim) + key_dim * value_dim;
}

double mixer_macs_per_token(const ModelSpec& model, const Mixer& mixer, const Plan& plan) {
  if (mixer.kind == MixerKind::none) return 0;
  double products = 0;
  const auto add = [&](const Weight& weight) { products += products_of(weight); };
  visit_mixer(model, mixer, {}, {}, add);
  const bool decoding = plan.mode == Mode::decode;
  return products +
         real(mixer.value_heads) * recurrence_products(mixer.kind, real(mixer.key_dim), real(mixer.value_dim),
                                                       decoding ? 1.0 : real(mixer.chunk),
                                                       decoding ? 0.0 : real(plan.sequence_length));
}

MixerState mixer_state(const Mixer& mixer) {
  if (mixer.kind == MixerKind::none) return {};
  const MixerTraits& form = form_of(mixer.kind);
  const auto values = static_cast<double>(value_columns(mixer));
  MixerState out;
  if (form.has_state) out.recurrent_elements = values * static_cast<double>(mixer.key_dim);
  if (mixer.conv_kernel > 1)
    out.convolution_elements =
        static_cast<double>(columns(mixer, form.convolved)) * static_cast<double>(mixer.conv_kernel - 1);
  return out;
}

bool has_layer_pattern(const Setup& setup) {
  const ModelSpec& model = setup.model;
  return model.layers_differ || setup.plan.pipeline > 1 || setup.plan.wide_layers > 0 ||
         setup.plan.recompute_layers > 0 || model.layers_without_attention > 0 ||
         model.layers_without_mlp > 0 || num_mixer_layers(model) > 0 || model.diffusion.joint_layers > 0 ||
         model.shared_key_value_layers > 0 || model.window.size > 0 || model.shared_block.blocks > 0 ||
         model.layer_embedding_size > 0;
}

bool makes_layer_pattern(FieldId field) {
  const std::string_view section = info(field).section;
  return section.ends_with("mixer") || section == "model.window" || section == "model.diffusion" ||
         section == "model.shared_block" || field == FieldId::layers_without_attention ||
         field == FieldId::pipeline || field == FieldId::recompute_layers ||
         field == FieldId::layers_without_mlp || field == FieldId::shared_key_value_layers ||
         field == FieldId::wide_layers || field == FieldId::layer_embedding_size;
}

}  // namespace shapelint::model
