// A step's time as a sum of losses.
#include "cost/waterfall.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "cost/kernels/memory.hpp"
#include "cost/roofline.hpp"

namespace shapelint::cost {
namespace {

constexpr std::array<std::string_view, loss_count> loss_names{
    "model FLOPs at peak", "other FLOPs at peak", "DRAM traffic",          "alignment",
    "tile quantization",   "wave quantization",   "kernels below peak",    "bandwidth below peak",
    "launch latency",      "communication",       "bubble and stragglers", "padding of kernels",
    "other kernels"};

constexpr std::array<std::string_view, loss_count> loss_ids{
    "model_flops",    "extra_flops", "traffic",       "alignment", "tile",    "wave",         "kernel_rate",
    "bandwidth_rate", "overhead",    "communication", "bubble",    "padding", "other_kernels"};

Loss rest_of(Bound bound) {
  switch (bound) {
    case Bound::memory:
      return Loss::bandwidth_rate;
    case Bound::overhead:
      return Loss::overhead;
    case Bound::compute:
    case Bound::communication:
      break;
  }
  return Loss::kernel_rate;
}

}  // namespace

std::string_view id(Loss loss) {
  return loss_ids[static_cast<std::size_t>(loss)];
}

std::string_view name(Loss loss) {
  return loss_names[static_cast<std::size_t>(loss)];
}

Waterfall waterfall(const gpu::Gpu& gpu, const model::Workload& workload, const StepCost& step,
                    DType peak_dtype) {
  Waterfall out;
  const auto at = [&](Loss loss) -> double& { return out.us[static_cast<std::size_t>(loss)]; };
  double arithmetic_us = 0;
  double busy_us = 0;
  for (std::size_t i = 0; i < workload.ops.size(); ++i) {
    const model::Op& op = workload.ops[i];
    if (op.kind == model::OpKind::collective) continue;
    const OpCost& cost = step.ops[i];
    busy_us += op.count * cost.time_us;
    const bool has_arithmetic = op.kind == model::OpKind::gemm || op.kind == model::OpKind::attention ||
                                op.kind == model::OpKind::scan;
    const double op_peak = has_arithmetic ? peak_flops_per_us(gpu, op.dtype) : 0;
    const double own_us =
        op_peak > 0 ? std::min(work_of(gpu, op).flops / op_peak, cost.ideal_us) * op.count : 0;
    arithmetic_us += own_us;
    at(Loss::traffic) += op.count * cost.ideal_us - own_us;
    const double lost_us = op.count * (cost.time_us - cost.ideal_us);
    const Efficiency& kept = cost.efficiency;
    const std::array<std::pair<Loss, double>, 4> shares{{{Loss::alignment, -std::log(kept.alignment)},
                                                         {Loss::tile, -std::log(kept.tile)},
                                                         {Loss::wave, -std::log(kept.wave)},
                                                         {rest_of(cost.bound), -std::log(kept.rest)}}};
    double all = 0;
    for (const auto& [loss, share] : shares) all += share;
    if (!(all > 0) || !std::isfinite(all)) {
      at(rest_of(cost.bound)) += lost_us;
      continue;
    }
    for (const auto& [loss, share] : shares) at(loss) += lost_us * share / all;
  }
  const double peak = peak_flops_per_us(gpu, peak_dtype);
  if (peak > 0) at(Loss::model_flops) = workload.model_flops / peak;
  at(Loss::extra_flops) = arithmetic_us - at(Loss::model_flops);
  at(Loss::bubble) = step.bubble_us;
  at(Loss::overhead) += step.host_wait_us;
  at(Loss::communication) = step.time_us - step.bubble_us - step.host_wait_us - busy_us;
  return out;
}

}  // namespace shapelint::cost
