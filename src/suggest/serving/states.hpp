// Room for layers that keep a state of each sequence instead of its keys and values (linear attention, SSMs).
#pragma once

#include <cstdint>

#include "gpu/gpu.hpp"
#include "model/spec.hpp"

namespace shapelint::suggest {

// Blocks of vLLM's cache on one GPU, of which it wants one for each sequence that it may run. 0: the model
// has no such layers, or the engine is another.
struct StateRoom {
  double blocks = 0;           // that have room
  double most_blocks = 0;      // the same where nothing but weights and cache takes memory
  std::int64_t sequences = 0;  // that the engine may run at a time
};

StateRoom state_room(const gpu::Gpu& gpu, const model::Setup& setup);

}  // namespace shapelint::suggest
