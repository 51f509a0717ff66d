// What training keeps of a layer between its forward and its backward pass.
#pragma once

#include "model/spec.hpp"

namespace shapelint::model {

// Bytes of one layer and micro-batch on one rank, what each operation needs for its gradient. Of GPT's layer
// that is sbh (10 + 24/t + 5 a s / (h t)), with sequence parallelism sbh/t (34 + 5 a s / h), and with full
// recomputation the layer's input, 2 sbh (Korthikanti et al. 2022, arXiv 2205.05198, equations 1 to 6);
// other layers have fewer keys, a wider MLP, latents, experts, or inputs that are kept in 8 bits.
struct LayerActivations {
  double kept = 0;
  double scores = 0;  // beside them: the score matrices that attention keeps where it is not fused
  double again = 0;   // of the one layer whose forward pass runs again, while it does
};
LayerActivations layer_activations(const Setup& setup);

}  // namespace shapelint::model
