// How far a whole step may be from its prediction, from the times of published runs.
#pragma once

#include <cstdint>

#include "gpu/gpu.hpp"
#include "model/spec.hpp"

namespace shapelint::cost {

// Whose kernels a step runs, as far as a plan says it.
enum class Stack : std::uint8_t {
  engine,    // a serving engine's: vLLM, SGLang, TensorRT-LLM
  fused,     // training: Megatron-LM's and its relatives', which add gradients in their products
  compiled,  // training: torch.compile
  eager,     // training: PyTorch's modules one after the other
  other      // not stated: FSDP, DeepSpeed, a model without a run
};
Stack stack_of(const model::Plan& plan);

// Multiples of a predicted time between which 80 of 100 measured ones lie.
struct Spread {
  double low = 1;
  double high = 1;
};
// For a training step, a pass over prompts alone, or a decoding step.
Spread step_spread(const gpu::Gpu& gpu, const model::Setup& setup);
// The same where one run of the model on the GPU is measured, and what is predicted is scaled by that run's.
Spread anchored_spread(const gpu::Gpu& gpu, const model::Setup& setup);
// For the time to the first token, from the request's arrival: queueing behind up to three others, tokenizing
// and the engine's scheduler are part of what is published, and of no prediction. `is_host_known`: the
// prediction counts the host that launches the prompt's pass.
Spread first_token_spread(const gpu::Gpu& gpu, const model::Setup& setup, bool is_host_known);

// Between which 80 of 100 measured steps lie that are predicted to take `time_us`.
struct StepInterval {
  double low_us = 0;
  double high_us = 0;
};
StepInterval step_interval(const gpu::Gpu& gpu, const model::Setup& setup, double time_us);

}  // namespace shapelint::cost
