// Where a step's time goes, one loss after the other: from the model's arithmetic at the peak of the data
// sheet to the predicted time.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "cost/step.hpp"

namespace shapelint::cost {

enum class Loss : std::uint8_t {
  model_flops,     // the model's FLOPs at the peak: what MFU is measured against
  extra_flops,     // of recomputation, padding, slower formats, less what kernels skip; at the peak
  traffic,         // roofline time beyond arithmetic: ops whose bytes take longer than their FLOPs
  alignment,       // of dimensions that the hardware cannot load in whole vectors
  tile,            // partial tiles
  wave,            // SMs that idle in a last wave
  kernel_rate,     // compute-bound ops: issue, ramp and power below the data sheet
  bandwidth_rate,  // memory-bound ops: bandwidth below the data sheet
  overhead,        // ops whose fixed latency is longest
  communication,   // waited for
  bubble,          // of the pipeline
  // Only of a step on a stack of packages, beyond the step of the sizes as they are written:
  padding,       // zeros that fill sizes up to what kernels take
  other_kernels  // that run instead, and layers that take longer
};
inline constexpr std::size_t loss_count = 13;
std::string_view id(Loss loss);    // `model_flops`
std::string_view name(Loss loss);  // `model FLOPs at peak`

// Microseconds by Loss; together StepCost::time_us. All are losses except `extra_flops`, which is negative
// where kernels skip what MFU counts by convention: the masked half of causal attention. An op's time beyond
// its ideal is shared among its losses by the logarithms of their efficiencies, so that their order does not
// matter.
struct Waterfall {
  std::array<double, loss_count> us{};
};
Waterfall waterfall(const gpu::Gpu& gpu, const model::Workload& workload, const StepCost& step,
                    DType peak_dtype);

}  // namespace shapelint::cost
