// The weights before the layers, behind them, and of layers that predict further tokens. `visit` gets a
// Weight each.
#pragma once

#include "model/lower/emit.hpp"
#include "model/weights.hpp"

namespace shapelint::model {

template <class Visit>
void visit_embedding(const ModelSpec& model, Visit&& visit) {
  const std::int64_t hidden = model.hidden_size;
  const auto with_bias = [&](std::int64_t inputs, std::int64_t outputs, std::int64_t copies = 1) {
    visit_product(inputs, outputs, visit, Rows::few, copies);
    visit_vector(times(copies, outputs), visit);
  };
  const std::int64_t rows = model.input == Input::vocabulary ? model.vocab_size : 0;
  visit_vector(times(plus(rows, model.learned_positions, model.token_types), hidden), visit);
  visit_vector(model.tower_parameters, visit);
  if (model.embedding_norm) visit_vector(norm_parameters(model, hidden), visit);
  // What all layers read is made at once: rows of a table, and a product of the stream, normed (transformers,
  // modeling_gemma3n.py: embed_tokens_per_layer, per_layer_model_projection, per_layer_projection_norm).
  if (const std::int64_t read = layer_embedding_elements(model); read > 0) {
    visit_vector(times(model.layer_embedding_rows, read), visit);
    visit_product(hidden, read, visit);
    visit_vector(norm_parameters(model, model.layer_embedding_size), visit);
  }
  // The other streams of AltUp begin as products of the first, and end as ones (altup_projections).
  if (const std::int64_t streams = altup_streams(model); streams > 0)
    visit_product(hidden, times(streams - 1, hidden), visit);
  if (model.input == Input::patches) with_bias(model.input_size, hidden);
  if (model.input == Input::frames) {
    with_bias(times(3, model.input_size), hidden);
    with_bias(times(3, hidden), hidden);
  }
  if (model.input == Input::spectrogram) {
    // Convolutions over 3 x 3, and a product of what is left of its bands.
    const FrontSizes sizes = front_sizes(model);
    const std::int64_t channels = sizes.channels;
    with_bias(9, channels);
    if (const std::int64_t others = sizes.halvings - 1; model.front.separable) {
      visit_vector(times(others, 10, channels), visit);  // filters with biases
      with_bias(channels, channels, others);
    } else {
      with_bias(times(9, channels), channels, others);
    }
    with_bias(times(channels, sizes.bands), hidden);
  }
  const Diffusion& diffusion = model.diffusion;
  if (diffusion.text_size > 0) with_bias(diffusion.text_size, hidden);
  if (diffusion.conditions > 0) {
    with_bias(condition_size, hidden, diffusion.conditions);
    with_bias(hidden, hidden, diffusion.conditions);
  }
  if (const std::int64_t vectors = shared_vectors(model); vectors > 0)
    with_bias(condition_elements(model), times(vectors, hidden));
}

// Logits of a head that is tied to the embedding are `is_lent`: multiplied, and counted there.
template <class Visit>
void visit_head(const ModelSpec& model, Visit&& visit) {
  const std::int64_t hidden = model.hidden_size;
  if (const std::int64_t streams = altup_streams(model); streams > 0)
    visit_product(hidden, times(streams - 1, hidden), visit);
  if (model.final_norm && !is_diffusion(model)) visit_vector(norm_parameters(model, hidden), visit);
  if (model.pooler) {
    visit_product(hidden, hidden, visit, Rows::few);
    visit_vector(hidden, visit);
  }
  if (model.output_size > 0) {
    visit_product(hidden, model.output_size, visit, Rows::few);
    visit_vector(model.output_size, visit);
    if (is_diffusion(model)) {
      if (!model.diffusion.modulation_shared) visit_product(hidden, times(2, hidden), visit, Rows::few);
      visit_vector(times(2, hidden), visit);
    }
  }
  if (!model.lm_head) return;
  if (model.lm_head_transform) {
    visit_product(hidden, hidden, visit);
    visit_vector(plus(hidden, norm_parameters(model, hidden)), visit);
  }
  Weight logits{WeightKind::product, {}, whole(hidden), whole(model.vocab_size)};
  logits.is_lent = model.tie_word_embeddings;
  visit(logits);
  if (model.lm_head_bias) visit_vector(model.vocab_size, visit);
}

// Of each of those layers, in addition to the last layer's: a product of two hidden sizes and two norms
// (DeepSeek-V3, 2412.19437, section 2.2).
template <class Visit>
void visit_further(const ModelSpec& model, Visit&& visit) {
  visit_product(times(2, model.hidden_size), model.hidden_size, visit);
  visit_vector(times(2, norm_parameters(model, model.hidden_size)), visit);
}

}  // namespace shapelint::model
