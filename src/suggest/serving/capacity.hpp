// What an engine has room for on one GPU: KV cache beside the weights, in tokens and requests, and whether it
// starts. The one answer of lint, fits and roofline.
#pragma once

#include <cstdint>

#include "gpu/gpu.hpp"
#include "model/spec.hpp"

namespace shapelint::suggest {

// Bytes on one GPU; of data-parallel ranks each has as much.
struct Capacity {
  bool is_known = false;    // the GPU's memory and the weights' format are
  double budget_bytes = 0;  // that the engine may take (memory_percent)
  double weight_bytes = 0;
  double runtime_bytes = 0;  // estimated: activations of its longest step, context, kernels, NCCL's buffers
  double cache_bytes = 0;    // left for the KV cache, at least 0
  double token_bytes = 0;    // that one token takes of it, while no window is full
  std::int64_t longest = 0;  // tokens of the longest sequence that is admitted; 0: not known
  double longest_bytes = 0;  // KV cache of one such sequence
  std::int64_t tokens = 0;   // that the cache holds, in sequences of that length (vLLM's "GPU KV cache size")
  double requests = 0;       // such sequences at a time ("Maximum concurrency")
  std::int64_t largest = 0;  // tokens of the longest sequence that has room; 0: none
  // vLLM stops at startup where one sequence of `longest` tokens has no room.
  bool checks_longest = false;
};

Capacity capacity_of(const gpu::Gpu& gpu, const model::Setup& setup);

// Whether the engine stops at startup: for certain, where not even memory without any activations has room
// for the longest sequence; and by the estimate above.
bool certainly_lacks_cache(const Capacity& capacity);
bool lacks_cache(const Capacity& capacity);

// Tokens of the longest sequence that an engine admits: what is stated, or the model's positions; 0: neither
// is known.
std::int64_t longest_sequence(const model::Setup& setup);

// The setup with a KV cache of 8 bits.
model::Setup with_narrow_cache(model::Setup setup);

}  // namespace shapelint::suggest
