// Internal to the counts: parameters of the parts of a model.
#pragma once

#include <cstdint>

#include "model/lower/lower.hpp"
#include "model/spec.hpp"

namespace shapelint::model {

// A norm over `width` elements: a gain, and for a layer norm a bias.
std::int64_t norm_parameters(const ModelSpec& model, std::int64_t width);
// A conformer's convolution module; 0 where there is none.
std::int64_t convolution_parameters(const ModelSpec& model);
std::int64_t attention_parameters(const ModelSpec& model);
// Elements of keys and values that a layer's attention makes of a token, and of what an indexer's queries are
// made of.
std::int64_t key_value_columns(const ModelSpec& model);
std::int64_t index_inputs(const ModelSpec& model);
// What compresses keys of so many elements: two products, of keys and of gates, a bias of the gates for each
// of the tokens that become one, and a norm (transformers, modeling_deepseek_v4.py, DeepseekV4HCACompressor).
std::int64_t compressor_parameters(const ModelSpec& model, std::int64_t width);
// Of weights that several layers share, one layer's part, and what each has of its own: to less than a
// parameter.
std::int64_t shared_out(const ModelSpec& model, StepPart part, std::int64_t common, std::int64_t own);
// What comes before the layers, and what behind them.
std::int64_t embedding_parameters(const ModelSpec& model);
std::int64_t head_parameters(const ModelSpec& model);

}  // namespace shapelint::model
