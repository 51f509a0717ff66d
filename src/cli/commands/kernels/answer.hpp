// What `shapelint kernels` answers: to a row, and as JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "calibrate/kernel_rows.hpp"
#include "cost/engines/kinds.hpp"
#include "gpu/gpu.hpp"

namespace shapelint::cli {

// What is added to a row, or nothing where there is no prediction.
struct Answer {
  double time_us = 0;
  std::string_view bound;
  double efficiency = 0;  // ideal time / predicted time
};

std::optional<Answer> answer(const cost::KernelKind& kind, const gpu::Gpu& gpu,
                             const calibrate::KernelRow& row);

// `whole number`, `word`.
std::string_view type_of(const cost::KernelColumn& column);

std::string kernels_json_text(const cost::KernelKind& kind, const gpu::Gpu& gpu,
                              const calibrate::KernelTable& table);
std::string kernel_kinds_json_text();

}  // namespace shapelint::cli
