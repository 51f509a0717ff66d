// Which ways of scaling operands a GPU has units for.
#pragma once

#include "base/recipe.hpp"
#include "gpu/gpu.hpp"

namespace shapelint::gpu {

// Whether the GPU runs products of the recipe. Scales of 32 along k in 8 bits are applied by the units that
// came with fp4: compute capability 10.0 (Transformer Engine, pytorch/quantization.py,
// _compute_mxfp8_support), gfx950 (its ROCm fork, the same) and Trainium3.
inline bool can_scale(const Gpu& gpu, Recipe recipe) {
  return recipe != Recipe::mxfp8 || can_multiply(gpu, DType::fp4);
}

}  // namespace shapelint::gpu
