// What one operation costs, and why it costs more than it ideally would.
#pragma once

#include <cstdint>
#include <string_view>

namespace shapelint::cost {

enum class Bound : std::uint8_t { compute, memory, communication, overhead };
std::string_view name(Bound bound);
// What bounds a kernel: launches where they are more than half of its time, else the longer of its parts.
constexpr Bound bound_of(double time_us, double compute_us, double memory_us, double launches_us) {
  if (2 * launches_us > time_us) return Bound::overhead;
  return memory_us > compute_us ? Bound::memory : Bound::compute;
}

// Shares in (0, 1] that multiply to ideal_us / time_us. 1 means that nothing is lost.
struct Efficiency {
  double alignment = 1;  // contiguous dimensions that are no multiple of what the hardware loads at once
  double tile = 1;       // partial tiles that are computed in full
  double wave = 1;       // SMs that idle in the last wave, or in the only one
  double rest = 1;       // everything else: launch, ramp, bandwidth and issue rates below the data sheet
};

struct OpCost {
  double time_us = 0;
  double ideal_us = 0;  // max(FLOPs / peak, bytes / DRAM bandwidth): the roofline
  Bound bound = Bound::compute;
  // What each would take alone; they overlap, so that together they exceed time_us. Of a collective all is
  // communication, and none of these.
  double compute_us = 0;
  double memory_us = 0;
  double overhead_us = 0;  // launches, reductions of a split, what no amount of work changes
  Efficiency efficiency;
  // gemm only; 0 elsewhere
  std::int64_t tile_m = 0;
  std::int64_t tile_n = 0;
  std::int64_t split_k = 0;
  double waves = 0;
  double quantize_us = 0;  // part of time_us: converting activations (fp8)
  double reduction = 1;    // multiplications that it is for / those that are done (Winograd)
};

}  // namespace shapelint::cost
