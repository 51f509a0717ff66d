// Which profile a profiler's name of a device is of.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "text/document.hpp"

namespace shapelint::trace {

// "NVIDIA H100 80GB HBM3" → the id of the profile; nothing when none is called so.
std::optional<std::string> gpu_of(std::string_view device, std::span<const text::Document> own = {});

}  // namespace shapelint::trace
