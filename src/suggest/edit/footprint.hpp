// Memory that a setup needs on one GPU: a coarse estimate, good enough to keep proposals from running out.
#pragma once

#include "model/lower/lower.hpp"
#include "model/spec.hpp"

namespace shapelint::gpu {
struct EngineMemory;
}

namespace shapelint::suggest {

// A model that does not fit by this estimate, and runs anyway, may grow by this share: the estimate is
// not finer than that.
inline constexpr double memory_slack = 0.05;

// The margin that is assumed: what is in a GPU's memory before the first tensor, the driver's part, the CUDA
// context, loaded kernels and NCCL's buffers ("the kernels are also loaded, which can take up 1-2GB":
// Hugging Face, Model training anatomy) …
inline constexpr double context_bytes = 2e9;
// … and what an allocator cannot use, and temporary copies, as a share of what is asked of it. Assumed: ZeRO
// (arXiv 1910.02054, section 3.2) reports far more in extreme cases.
inline constexpr double fragmentation = 0.05;

struct Footprint {
  // Training: weights, gradients and optimizer states (model/memory/training.hpp). Inference: weights and the
  // cache of keys and values.
  double state_bytes = 0;
  // Training: what the fullest moment of a step takes beside them (model/memory/training.hpp).
  double activation_bytes = 0;
  // In the host's memory, of the same GPU.
  double host_bytes = 0;
};

// On each GPU. Buffers, fragmentation and temporary copies are not in it.
Footprint footprint(const model::Setup& setup);
// The same over as many data-parallel ranks as there may ever be: what ZeRO shares takes nothing.
Footprint min_footprint(const model::Setup& setup);
// All of footprint().
double memory_bytes(const model::Setup& setup);
// Where the parameters of a rank are known.
double memory_bytes(const model::Setup& setup, model::RankParameters held);

// What is known of the plan's engine. Null: nothing.
const gpu::EngineMemory* engine_of(const model::Plan& plan);

// What of a GPU's memory tensors can have: less the margin above. Infinite where the memory is not known.
double usable_bytes(double memory_gib);
// The same of what the engine that serves a setup may take: a share of the memory (`memory_percent`) without
// runtime_bytes(), and for keys and values a share of what the weights leave of that (`cache_percent`); in
// training without what colocated models keep (`colocated_mib`).
double usable_bytes(double memory_gib, const model::Setup& setup);
// What serving takes of budget_bytes() beside weights and cache: what the engine is known to take
// (gpus/engines/serving-memory.toml), else the margin above.
double runtime_bytes(double memory_gib, const model::Setup& setup);
// Bytes of a GPU's memory that an engine may take, no margin counted: all but where it has a share.
double budget_bytes(double memory_gib, const model::Plan& plan);
// Sequences that an engine runs at a time: as stated, or its default on a GPU of so much memory; 0: not
// known.
std::int64_t sequences_at_a_time(double memory_gib, const model::Plan& plan);
// Sequences of a micro-batch for whose keys and values the memory has room beside the weights, each of
// `plan.context_length` tokens and what a step adds; at least 1.
std::int64_t resident_sequences(double memory_gib, const model::Setup& setup);

// Whether a candidate may be proposed that needs `needed` bytes, where `usable` are there. A start that fits
// must go on to; of one that does not, the model may grow a little, but its plan may not ask for more, and
// weights and states that the GPU can hold must stay so. What lies beside it changes as it does.
bool memory_allowed(const model::Setup& candidate, double needed, const model::Setup& start,
                    double start_needs, double usable);

}  // namespace shapelint::suggest
