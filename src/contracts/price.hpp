// What unmet contracts cost: the step with padded sizes, other kernels and longer layers.
#pragma once

#include <span>
#include <string_view>

#include "contracts/check.hpp"
#include "gpu/gpu.hpp"
#include "model/op.hpp"

namespace shapelint::contracts {

struct Price {
  double as_written_us = 0;  // of the step, as if nothing were padded
  double time_us = 0;        // of the step as it is run
  double tokens_per_step = 0;
  double padding_us = 0;  // of time_us: zeros
  double slower_us = 0;   // of time_us: other kernels, and layers that take `factor` as long
};

// Of a setup without what is refused. A layer that takes `factor` as long does so in all of its operations;
// what runs beside it hides none of that.
Price price(const model::Setup& setup, std::span<const Verdict> verdicts, const gpu::Gpu& gpu);

// Whether an operation belongs to a kind of layer of contracts.
bool is_of(const model::Op& op, std::string_view layer);

}  // namespace shapelint::contracts
