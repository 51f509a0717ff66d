// Bytes that training keeps of each parameter: they follow the optimizer and its precision. And those of an
// element of activations.
#pragma once

#include "model/spec.hpp"

namespace shapelint::model {

// Bytes of an element in 16 bits, and in fp32.
inline constexpr double half_bytes = 2;
inline constexpr double fp32_bytes = 4;
inline constexpr double bits_per_byte = 8;

// Bytes of one parameter that learns, before ranks share any of them.
struct ParameterBytes {
  double weight = 0;
  double master = 0;  // the copy that the optimizer updates
  double gradient = 0;
  double states = 0;  // the optimizer's, of a parameter that has all of them
};
// 2 + 4 + 2 + 8 of Adam in mixed precision (ZeRO, Rajbhandari et al. 2020, arXiv 1910.02054, section 3.1); 18
// with gradients of 32 bits (Megatron-LM, theoretical_memory_usage.py); 4 + 4 + 8 where weights are in fp32;
// 2 + 2 + 4 where all is in 16 bits, as PyTorch's optimizers keep states in their parameter's type. States of
// 8 bits or fewer have a scale in fp32 for each block of 256 (bitsandbytes, functional.py,
// quantize_blockwise; torchao, optim/subclass_8bit.py).
ParameterBytes parameter_bytes(const Plan& plan);

// Bytes of an element of activations: in the run's format, in 16 bits where that is a narrower one.
double wide_bytes(const Plan& plan);
// Of the residual stream: those of the run's format; 4 under autocast, which leaves what weights in fp32 put
// out as it is (PyTorch, torch.amp: an embedding is no autocast operation), unless ranks gather these weights
// in 16 bits.
double stream_bytes(const Plan& plan);

// States of a parameter that has all of them: Adam's two moments; fewer of other optimizers.
double number_of_states(Optimizer optimizer);

}  // namespace shapelint::model
