// Models and GPUs that the tests of serving share.
#pragma once

#include <cstdint>
#include <string_view>

#include "gpu/gpu.hpp"
#include "model/spec.hpp"

namespace shapelint::tests {

// Llama 2 (arXiv 2307.09288, table 1; config.json of the released models), 7 B or 70 B, decoding one
// sequence.
model::Setup llama2(bool large);
// The small one in fp16 with so many tokens in the cache.
model::Setup llama2_7b_decoding(std::int64_t context);
gpu::Gpu gpu_named(std::string_view name);

}  // namespace shapelint::tests
