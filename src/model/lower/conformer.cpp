// Speech encoders: a spectrogram read by strided convolutions, and the convolution module of a conformer
// (Gulati et al. 2020, arXiv 2005.08100, section 2.2; NeMo, asr/parts/submodules/conformer_modules.py and
// subsampling.py).
#include "model/lower/emit.hpp"

namespace shapelint::model {

namespace {

constexpr double taps_of_front = 9;            // 3 x 3
constexpr Arithmetic relu_flops{1, 1};         // per element
constexpr Arithmetic glu_flops{4, 7};          // a sigmoid and a product
constexpr Arithmetic batch_norm_flops{9, 17};  // with the SiLU behind it

// Points of time and band behind each of the convolutions, of which the last leaves tokens.
constexpr std::array<std::string_view, 6> points_expressions{
    "micro_batch_size * sequence_length / context * (input_reduction / 2) * (input_size / 2)",
    "micro_batch_size * sequence_length / context * (input_reduction / 4) * (input_size / 4)",
    "micro_batch_size * sequence_length / context * (input_reduction / 8) * (input_size / 8)",
    "micro_batch_size * sequence_length / context * (input_reduction / 16) * (input_size / 16)",
    "micro_batch_size * sequence_length / context * (input_reduction / 32) * (input_size / 32)",
    "micro_batch_size * sequence_length / context * (input_reduction / 64) * (input_size / 64)"};
constexpr std::array<std::string_view, 6> bands_expressions{
    "input_channels * (input_size / 2)",  "input_channels * (input_size / 4)",
    "input_channels * (input_size / 8)",  "input_channels * (input_size / 16)",
    "input_channels * (input_size / 32)", "input_channels * (input_size / 64)"};

// A convolution that reads `channels` channels at four times as many points; its bytes in and out.
void lower_depthwise(const LoweringContext& shared, double written, Repeat once, Emitter& emit) {
  const double moved = 5 * written * shared.activation;
  emit.elementwise("embedding.depthwise", moved, 2 * moved, once,
                   of_each(written, {2 * taps_of_front, 4 * taps_of_front}));
}

}  // namespace

FrontSizes front_sizes(const ModelSpec& model) {
  FrontSizes out;
  out.channels = model.front.channels;
  constexpr auto most = static_cast<std::int64_t>(points_expressions.size());
  while (out.halvings < most && (std::int64_t{1} << out.halvings) < model.front.reduction) ++out.halvings;
  out.bands = divide_up(model.input_size, std::int64_t{1} << out.halvings);
  return out;
}

void lower_spectrogram(const LoweringContext& shared, Dim tokens, Repeat once, Emitter& emit) {
  const ModelSpec& model = shared.model;
  const FrontSizes sizes = front_sizes(model);
  const Dim channels = dim(sizes.channels, "input_channels");
  for (std::int64_t i = 0; i < sizes.halvings; ++i) {
    const std::int64_t halved = std::int64_t{2} << i;
    const Dim points = dim(
        times(tokens.value, divide_up(model.front.reduction, halved), divide_up(model.input_size, halved)),
        points_expressions[static_cast<std::size_t>(i)]);
    const double written = real(points.value) * real(sizes.channels);
    if (i == 0) {
      emit.input_linear("embedding.convolution", points, channels, {9, "9"}, once);
    } else if (model.front.separable) {
      lower_depthwise(shared, written, once, emit);
      emit.wide_linear("embedding.pointwise", points, channels, channels, once);
    } else {
      emit.wide_linear("embedding.convolution", points, channels,
                       dim(times(9, sizes.channels), "9 * input_channels"), once);
    }
    emit.elementwise("embedding.activation", 2 * written * shared.activation, 3 * written * shared.activation,
                     once, of_each(written, relu_flops));
  }
  emit.wide_linear("embedding.bands", tokens, shared.hidden,
                   dim(times(sizes.channels, sizes.bands),
                       bands_expressions[static_cast<std::size_t>(sizes.halvings - 1)]),
                   once);
}

void lower_convolution_module(const LoweringContext& shared, double count, Emitter& emit) {
  const ModelSpec& model = shared.model;
  const Repeat layer{count, Recomputed::with_layer};
  const Dim width = dim(divide_up(model.hidden_size, shared.plan.tensor), "hidden_size / tensor");
  const double elements = real(shared.tokens.value) * real(width.value);
  const double bytes = elements * shared.activation;
  emit.linear("layer.convolution.in", shared.tokens, dim(times(2, width.value), "2 * (hidden_size / tensor)"),
              shared.hidden, shared.linear_dtype, layer);
  emit.elementwise("layer.convolution.glu", 3 * bytes, 5 * bytes, layer, of_each(elements, glu_flops));
  const double taps = 2 * real(model.convolution_kernel);
  const std::size_t first = emit.size();
  emit.elementwise("layer.convolution.depthwise", 2 * bytes, 3 * bytes, layer,
                   of_each(elements, {taps, 2 * taps}));
  emit.convolve(first);
  // A batch norm in training reads its input for the statistics and once more.
  const double reads = shared.training ? 3 : 2;
  emit.elementwise("layer.convolution.norm", reads * bytes, 5 * bytes, layer,
                   of_each(elements, batch_norm_flops));
  emit.linear("layer.convolution.out", shared.tokens, shared.hidden, width, shared.linear_dtype, layer);
  emit.quantize("layer.convolution.quantize", layer);
}

}  // namespace shapelint::model
