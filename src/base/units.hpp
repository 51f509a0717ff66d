// Factors between the units that names carry.
#pragma once

namespace shapelint {

inline constexpr double us_per_s = 1e6;
inline constexpr double us_per_ms = 1e3;
inline constexpr double bytes_per_gb = 1e9;                      // 10^9, as memories and bandwidths are sold
inline constexpr double bytes_per_mib = 1024.0 * 1024.0;         // as caches are
inline constexpr double bytes_per_gib = 1024.0 * bytes_per_mib;  // as drivers and allocators count memory
inline constexpr double bytes_per_us_per_gb_s = 1e3;
inline constexpr double flops_per_us_per_tflops = 1e6;

}  // namespace shapelint
