// What elementwise operations keep for the backward pass beside what products and fused kernels do, and in
// which format the residual stream is.
#pragma once

#include "model/spec.hpp"

namespace shapelint::model {

// Bytes of an element in the run's format, in 16 bits where that is a narrower one.
double wide_bytes(const Plan& plan);

// Bytes of an element of the residual stream: those of the run's format; 4 under autocast, which leaves what
// weights in fp32 put out as it is (PyTorch, torch.amp: an embedding is no autocast operation), unless ranks
// gather these weights in 16 bits.
double stream_bytes(const Plan& plan);

// Bytes of a token and a layer in the mean: on every rank of tensor parallelism, and on all of them together.
struct ElementwiseBytes {
  double whole = 0;
  double split = 0;
};
// Operation after operation (`eager`), RMSNorm keeps its input in fp32 and the normalized one, which the
// weight multiplies (Llama's `hidden_states.to(torch.float32)`), and a gated MLP what its activation function
// puts out. Layer norm and GELU are single kernels there, too. With a residual stream in fp32 each norm's
// input is.
ElementwiseBytes elementwise_bytes(const ModelSpec& model, const Plan& plan);

}  // namespace shapelint::model
