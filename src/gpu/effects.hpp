// How well the cost model knows each kind of effect on a GPU: the table [errors] of a profile or
// architecture.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "text/document.hpp"

namespace shapelint::gpu {

enum class Effect : std::uint8_t {
  alignment,      // contiguous dimensions of a matrix product
  tile,           // its partial tiles
  wave,           // SMs that idle in its last wave
  throughput,     // its size: everything else about it
  attention,      // fused kernels: head-dim buckets, masks, lengths
  memory,         // streaming kernels
  communication,  // collectives
};
inline constexpr std::size_t effect_count = 7;
std::string_view name(Effect effect);

struct EffectError {
  double relative = 0;    // mean absolute error of the predicted size of the effect, as a share of it
  bool measured = false;  // timings on this GPU (or one of its architecture) show the effect
};

// By Effect; starts with the assumption for unmeasured effects.
struct EffectErrors {
  EffectErrors();
  std::array<EffectError, effect_count> by_effect;
  const EffectError& operator[](Effect effect) const { return by_effect[static_cast<std::size_t>(effect)]; }
  EffectError& operator[](Effect effect) { return by_effect[static_cast<std::size_t>(effect)]; }
};

// Reads a table [errors] over `into`: one table per effect with `relative`, `measured`, `sources` and `note`.
// Mistakes are appended with their places. An absent table changes nothing.
void read_effect_errors(text::NodeRef table, EffectErrors& into, std::vector<Error>& errors);

}  // namespace shapelint::gpu
