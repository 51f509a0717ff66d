// What engines that serve take of a GPU's memory beside weights and KV cache, and what they demand of that
// cache at startup: gpus/engines/serving-memory.toml.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "gpu/fields.hpp"
#include "text/document.hpp"

namespace shapelint::gpu {

struct EngineMemory {
  std::string engine;               // as the field `engine` names it
  std::string package;              // of contracts
  std::int64_t memory_percent = 0;  // of the memory that it takes by default; 0: depends on more
  std::int64_t cache_percent = 0;   // of what the weights leave; 0: all
  bool checks_longest = false;      // it stops at startup where the cache does not hold the longest sequence
  // Activations of its longest step: a part that is always there, one of mixtures, and bytes for each row of
  // the vocabulary and each sequence that it may sample for (logits, their probabilities, their order).
  double activation_gib = 0;
  double mixture_gib = 0;
  double sampler_bytes = 0;
  // Outside of PyTorch: context, kernels; and buffers of NCCL where ranks exchange tensors.
  double runtime_gib = 0;
  double runtime_ranks_gib = 0;
  // Sequences that it may run at a time, where nobody says: on GPUs below a size fewer.
  std::int64_t sequences = 0;
  std::int64_t small_sequences = 0;
  double small_below_gib = 0;
};

std::span<const Field<EngineMemory>> engine_memory_fields();

// Of the built-in file, read at the first call. Null: none of that name.
const EngineMemory* engine_memory(std::string_view engine);
const EngineMemory* engine_memory_of_package(std::string_view package);

// The same from a document; errors are appended.
std::vector<EngineMemory> read_engine_memory(text::NodeRef root, std::vector<Error>& errors);

}  // namespace shapelint::gpu
