// What serving a model costs: time to the first token, time per token, and the memory that weights and cache
// take.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gpu/gpu.hpp"
#include "model/spec.hpp"

namespace shapelint::suggest {

// Times in microseconds, bytes on one rank.
struct Serving {
  std::int64_t prompt = 0;    // tokens: sequence_length of a prefill, the context of a decode
  std::int64_t chunk = 0;     // tokens of it per forward pass; `prompt` where it is not cut up
  double first_token_us = 0;  // one prompt alone, from its arrival on an idle GPU to its first token
  double token_us = 0;        // between two tokens of a sequence, with a cache as long as the prompt
  // Between which 80 of 100 of those times lie (cost/step_interval.hpp).
  double first_token_low_us = 0;
  double first_token_high_us = 0;
  double token_low_us = 0;
  double token_high_us = 0;
  double accepted_tokens = 1;  // that a sequence gains per decoding step
  double tokens_per_s = 0;     // produced for all sequences, of all data-parallel ranks
  double tokens_per_s_per_gpu = 0;
  // Of a decode that reads a prompt along, prefill_tokens of it with each step:
  double mixed_first_token_us = 0;  // from its first chunk to its first token; 0: none is read along
  double token_alone_us = 0;        // token_us without the prompt
  double prompt_tokens_per_s = 0;   // read
  std::optional<std::int64_t> prompt_compute_bound_from;  // prefill_tokens that make products compute-bound
  double draft_us = 0;                     // of token_us's step: drafting; 0: without a draft, not counted
  double cache_bytes_per_token = 0;        // that one more token adds, behind the prompt
  double first_cache_bytes_per_token = 0;  // the same within the window of layers that have one
  double cache_bytes = 0;  // of the batch; with pipeline stages, of as many batches as there are stages
  double weight_bytes = 0;
};

// A model that drafts tokens for another: with its own parallelism, otherwise run as the other one is.
struct Draft {
  std::string name;
  model::Setup setup;
};

// What drafting the tokens of one step takes: a decoding step of the draft for each, microseconds.
double draft_us(const gpu::Gpu& gpu, const model::Plan& plan, const Draft& draft);
// Its weights and cache on one GPU; 0 where nothing is speculated.
double draft_bytes(const model::Plan& plan, const Draft& draft);

// The plan's mode says which phase its lengths describe; both are priced. `chunk` 0: the prompt in one pass.
// Drafting (speculative_tokens) is priced with a draft only. Pipeline stages add up in both times.
Serving serving_of(const gpu::Gpu& gpu, const model::Setup& setup, std::int64_t chunk = 0,
                   const Draft* draft = nullptr);

// What a batch of requests takes from its arrival on an idle GPU to the last token: all prompts are read
// together, then every sequence gets `output` tokens, the first of them from the prompts' pass (static
// batching).
struct Generation {
  std::int64_t output = 0;  // tokens of each sequence
  double prompts_us = 0;    // until every sequence has its first token
  double total_us = 0;
  double tokens_per_s = 0;  // new ones, of all sequences and data-parallel ranks
  double tokens_per_s_per_gpu = 0;
};

Generation generation_of(const gpu::Gpu& gpu, const model::Setup& setup, std::int64_t prompt,
                         std::int64_t output, const Draft* draft = nullptr);

// Tokens of the prompt that a plan is about.
std::int64_t prompt_of(const model::Plan& plan);

}  // namespace shapelint::suggest
