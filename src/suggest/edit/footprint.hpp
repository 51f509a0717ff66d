// Memory that a setup needs on one GPU: a coarse estimate, good enough to keep proposals from running out.
#pragma once

#include "model/spec.hpp"

namespace shapelint::suggest {

// A start that does not fit by this estimate, and runs all the same, may grow by this share: the estimate is
// not finer than that.
inline constexpr double memory_slack = 0.05;

// Bytes per GPU: weights, gradients and optimizer states of mixed-precision Adam (16 bytes per parameter;
// ZeRO, Rajbhandari et al. 2020, arXiv 1910.02054, section 3.1), activations of one micro-batch (Korthikanti
// et al. 2022, arXiv 2205.05198, equations 1 to 6, per layer, with as many micro-batches in flight as there
// are pipeline stages) and fp32 logits. Inference: weights and the cache of keys and values.
// Buffers, fragmentation and temporary copies are not in it.
double memory_bytes(const model::Setup& setup);

}  // namespace shapelint::suggest
