// Parameters before, behind and beside the layers' attention and MLPs.
#include "model/part_counts.hpp"

#include "model/arithmetic.hpp"
#include "model/lower/emit.hpp"

namespace shapelint::model {

namespace {

// Convolutions over 3 x 3 of a spectrogram, with biases, and the product of what is left of its bands.
std::int64_t spectrogram_parameters(const ModelSpec& model) {
  const FrontSizes sizes = front_sizes(model);
  const std::int64_t channels = sizes.channels;
  const std::int64_t each = model.front.separable
                                ? plus(times(10, channels), times(channels, plus(channels, 1)))
                                : times(channels, plus(times(9, channels), 1));
  return plus(times(10, channels), times(sizes.halvings - 1, each),
              times(plus(times(channels, sizes.bands), 1), model.hidden_size));
}

// What reads patches or frames, and what predicts patches, with biases.
std::int64_t front_parameters(const ModelSpec& model) {
  const std::int64_t hidden = model.hidden_size;
  const Diffusion& diffusion = model.diffusion;
  const std::int64_t square = plus(times(hidden, hidden), hidden);
  const std::int64_t input =
      model.input == Input::frames ? plus(times(3, plus(model.input_size, hidden), hidden), times(2, hidden))
      : model.input == Input::spectrogram ? spectrogram_parameters(model)
                                          : plus(times(model.input_size, hidden), hidden);
  return plus(when(model.input != Input::vocabulary, input),
              when(diffusion.text_size > 0, plus(times(diffusion.text_size, hidden), hidden)),
              times(diffusion.conditions, plus(times(plus(condition_size, 1), hidden), square)),
              times(shared_vectors(model), hidden, plus(condition_elements(model), 1)));
}
std::int64_t output_parameters(const ModelSpec& model) {
  if (model.output_size <= 0) return 0;
  const std::int64_t hidden = model.hidden_size;
  const std::int64_t steering =
      model.diffusion.modulation_shared ? times(2, hidden) : times(2, plus(times(hidden, hidden), hidden));
  return plus(times(model.output_size, plus(hidden, 1)), when(is_diffusion(model), steering));
}

}  // namespace

std::int64_t norm_parameters(const ModelSpec& model, std::int64_t width) {
  return plus(width, when(model.norm == Norm::layernorm && model.norm_bias, width));
}

// A product to both halves of a gated unit, the convolution, a batch norm, a product.
std::int64_t convolution_parameters(const ModelSpec& model) {
  if (model.convolution_kernel <= 0) return 0;
  const std::int64_t hidden = model.hidden_size;
  return plus(times(3, hidden, hidden), times(hidden, plus(model.convolution_kernel, 2)),
              when(model.mlp_bias, times(5, hidden)));
}

std::int64_t embedding_parameters(const ModelSpec& model) {
  const std::int64_t hidden = model.hidden_size;
  const std::int64_t rows = model.input == Input::vocabulary ? model.vocab_size : 0;
  return plus(times(plus(rows, model.learned_positions, model.token_types), hidden),
              when(model.embedding_norm, norm_parameters(model, hidden)), front_parameters(model));
}

std::int64_t head_parameters(const ModelSpec& model) {
  const std::int64_t hidden = model.hidden_size;
  const std::int64_t square = plus(times(hidden, hidden), hidden);  // with its bias
  std::int64_t count = plus(when(model.final_norm && !is_diffusion(model), norm_parameters(model, hidden)),
                            when(model.pooler, square), output_parameters(model));
  if (!model.lm_head) return count;
  count = plus(count, when(!model.tie_word_embeddings, times(model.vocab_size, hidden)),
               when(model.lm_head_bias, model.vocab_size));
  return plus(count, when(model.lm_head_transform, plus(square, norm_parameters(model, hidden))));
}

}  // namespace shapelint::model
