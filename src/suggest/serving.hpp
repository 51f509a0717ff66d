// What serving a model costs: time to the first token, time per token, and the memory that weights and cache
// take.
#pragma once

#include <cstdint>

#include "gpu/gpu.hpp"
#include "model/spec.hpp"

namespace shapelint::suggest {

// Times in microseconds, bytes on one rank.
struct Serving {
  std::int64_t prompt = 0;     // tokens: sequence_length of a prefill, the context of a decode
  std::int64_t chunk = 0;      // tokens of it per forward pass; `prompt` where it is not cut up
  double first_token_us = 0;   // one prompt alone, from its arrival on an idle GPU to its first token
  double token_us = 0;         // between two tokens of a sequence, with a cache as long as the prompt
  double accepted_tokens = 1;  // that a sequence gains per decoding step
  double tokens_per_s = 0;     // produced for all sequences of the batch together
  double tokens_per_s_per_gpu = 0;
  double cache_bytes_per_token = 0;
  double cache_bytes = 0;  // of the batch; with pipeline stages, of as many batches as there are stages
  double weight_bytes = 0;
};

// The plan's mode says which phase its lengths describe; both are priced. `chunk` 0: the prompt in one pass.
// Drafting (speculative_tokens) is not priced. Pipeline stages add up in both times.
Serving serving_of(const gpu::Gpu& gpu, const model::Setup& setup, std::int64_t chunk = 0);

// Tokens of the prompt that a plan is about.
std::int64_t prompt_of(const model::Plan& plan);

}  // namespace shapelint::suggest
