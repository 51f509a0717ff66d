// GPUs that paths of files are called after.
#pragma once

#include <optional>
#include <string_view>

#include "gpu/gpu.hpp"

namespace shapelint::gpu {

// The one built-in GPU that a word of the path names (`configs/gb300/8b.yaml`, `8b_h100.yaml`); none where
// words name several.
std::optional<Gpu> gpu_in_path(std::string_view path);

}  // namespace shapelint::gpu
