// What training keeps of a layer between its forward and its backward pass.
#pragma once

#include "model/spec.hpp"

namespace shapelint::model {

// Bytes of one layer and micro-batch on one rank (Korthikanti et al. 2022, arXiv 2205.05198, equations 1 to
// 6).
struct LayerActivations {
  double kept = 0;
  double scores = 0;  // beside them: the score matrices that attention keeps where it is not fused
};
LayerActivations layer_activations(const Setup& setup);

}  // namespace shapelint::model
