// What kernels of all kinds have in common: traffic that finds part of its data in L2.
#pragma once

#include <cmath>

#include "base/units.hpp"
#include "cost/kernels/memory.hpp"
#include "cost/kernels/overlap.hpp"
#include "cost/op_cost.hpp"
#include "gpu/engines.hpp"
#include "gpu/gpu.hpp"

namespace shapelint::cost::detail {

// Microseconds for each byte of a kernel that moves `bytes` in all.
inline double us_per_byte(const gpu::Gpu& gpu, const gpu::Traffic& traffic, double bytes) {
  const double dram = 1.0 / (traffic.dram_share * dram_bytes_per_us(gpu));
  const double l2 = l2_bytes_per_us(gpu) * traffic.resident_rate;
  const double room = traffic.resident_share * gpu.l2_size_mib * bytes_per_mib;
  if (l2 <= 0 || room <= 0) return dram;
  const double hits = 1.0 / (1.0 + std::pow(bytes / room, traffic.sharpness));
  return hits / l2 + (1.0 - hits) * dram;
}

// A cost from its parts.
inline OpCost cost_of(double compute_us, double memory_us, double fixed_us, double core_us, double ideal_us) {
  OpCost cost;
  cost.compute_us = compute_us;
  cost.memory_us = memory_us;
  cost.overhead_us = fixed_us;
  cost.time_us = fixed_us + core_us;
  cost.ideal_us = std::fmin(ideal_us, cost.time_us);
  cost.efficiency.rest = cost.time_us > 0 ? cost.ideal_us / cost.time_us : 1.0;
  cost.bound = bound_of(cost.time_us, compute_us, memory_us, fixed_us);
  return cost;
}

}  // namespace shapelint::cost::detail
