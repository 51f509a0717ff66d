// Which FlashAttention a plan asks for.
#pragma once

#include <cstdint>

#include "model/spec.hpp"

namespace shapelint::model {

// 0: the newest that the GPU has.
std::int64_t kernel_version(Attention attention);

}  // namespace shapelint::model
