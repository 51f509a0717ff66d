// Sequences that an engine runs at a time.
#pragma once

#include <cstdint>

#include "model/spec.hpp"

namespace shapelint::suggest {

// What is stated, or the engine's default on a GPU of so much memory; 0: not known.
std::int64_t sequences_at_a_time(double memory_gib, const model::Plan& plan);

}  // namespace shapelint::suggest
