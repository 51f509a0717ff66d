// Room for the KV cache, in words.
#pragma once

#include <string>

#include "gpu/gpu.hpp"
#include "model/spec.hpp"
#include "suggest/serving/capacity.hpp"

namespace shapelint::report {

// "KV cache for 44,900 tokens, 0.34 requests of 131,072"; empty where nothing is known.
std::string capacity_words(const suggest::Capacity& capacity);

// "56.8 of 80.0 GiB".
std::string memory_words(double bytes, const gpu::Gpu& gpu);

// "does not fit: 158 of 80.0 GiB per GPU", the same wherever a run is too large.
std::string does_not_fit_words(double bytes, const gpu::Gpu& gpu);

}  // namespace shapelint::report
