// Titles, roofs and hover texts of one model on one GPU.
#include "chart/figures.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/number.hpp"
#include "cost/waterfall.hpp"

namespace shapelint::chart {

namespace {

constexpr double giga = 1e9;
constexpr double mega = 1e6;
constexpr double bytes_per_us_per_gb_s = 1e3;
constexpr double least_told = 5e-4;  // shares that would be printed as nought are not told

// What a loss means, for who points at its bar; by Loss.
constexpr std::array<std::string_view, cost::loss_count> explanations{
    "FLOPs that the model needs, at the peak of the data sheet: alone they would be 100 % MFU",
    "activation recomputation, padding, dtypes slower than the one that MFU refers to; negative if kernels "
    "skip what MFU counts, the masked half of causal attention",
    "memory-bound operations: time of their bytes at the data sheet's bandwidth beyond their FLOPs",
    "dimensions that are misaligned for tensor cores",
    "tile quantization: tiles at the edges of matrices, computed in full and used in part",
    "wave quantization: SMs without a tile in the last wave, or in the only one",
    "issue, ramp and power: what large GEMMs lose against the data sheet",
    "bandwidth below the data sheet's",
    "operations that take no longer than launch and fixed latency",
    "exposed communication",
    "pipeline bubble, and waiting for the slowest rank",
    "padding by the kernels of the stack; negative if the padded sizes are faster",
    "fallback kernels of the stack, and those that are slower with these sizes"};

// Kinds of losses, each with its colour; by Loss.
enum class LossKind : std::uint8_t { work, other_work, shape, kernel, launch, waiting, stack };
constexpr std::array<std::string_view, 7> kind_names{"model FLOPs",
                                                     "other FLOPs and memory traffic",
                                                     "shape: alignment, tiles, waves",
                                                     "kernels below the roofline",
                                                     "launch overhead",
                                                     "communication and bubble",
                                                     "stack"};
constexpr std::array<LossKind, cost::loss_count> kinds{
    LossKind::work,    LossKind::other_work, LossKind::other_work, LossKind::shape,  LossKind::shape,
    LossKind::shape,   LossKind::kernel,     LossKind::kernel,     LossKind::launch, LossKind::waiting,
    LossKind::waiting, LossKind::stack,      LossKind::stack};

std::string title_of(const report::RooflineCase& of) {
  return fmt::format("{} on {}", of.model.empty() ? of.path : of.model, of.gpu.name);
}

std::string op_name(const model::Op& op) {
  return op.pass == model::Pass::forward ? std::string(op.name)
                                         : fmt::format("{} {}", op.name, report::short_name(op.pass));
}

// The ceilings that some op of the model runs under.
bool is_used(const cost::ComputeRoof& roof, const cost::Roofline& line) {
  return std::any_of(line.points.begin(), line.points.end(), [&](const cost::Point& point) {
    return point.work.flops > 0 && point.work.dtype == roof.dtype &&
           point.work.on_tensor_cores == roof.on_tensor_cores;
  });
}

std::string level_name(cost::Level level) {
  switch (level) {
    case cost::Level::dram:
      return "DRAM";
    case cost::Level::l2:
      return "L2";
    case cost::Level::shared:
      break;
  }
  return "shared memory";
}

}  // namespace

RooflineFigure roofline_figure(const report::RooflineCase& of) {
  RooflineFigure out;
  out.title = fmt::format("Roofline: {}", title_of(of));
  out.groups = {"compute-bound", "memory-bound", "communication-bound", "overhead-bound"};
  for (const cost::MemoryRoof& roof : of.line.roofs.memory) {
    const std::string level = level_name(roof.level);
    if (roof.gb_s > 0) {
      out.roofs.push_back({fmt::format("{} {:.0f} GB/s", level, roof.gb_s), roof.gb_s, 0, false,
                           fmt::format("{}: {:.0f} GB/s ({})", level, roof.gb_s, cost::name(roof.basis))});
    }
    if (roof.level == cost::Level::dram && roof.achieved_gb_s > 0) {
      out.roofs.push_back({level, roof.achieved_gb_s, 0, true,
                           fmt::format("{} as achieved: {:.0f} GB/s ({})", level, roof.achieved_gb_s,
                                       cost::name(roof.achieved_basis))});
    }
  }
  for (const cost::ComputeRoof& roof : of.line.roofs.compute) {
    if (!is_used(roof, of.line)) continue;
    const std::string units =
        fmt::format("{}, {} cores", name(roof.dtype), roof.on_tensor_cores ? "tensor" : "CUDA");
    out.roofs.push_back({fmt::format("{} {:.4g} TFLOP/s", units, roof.tflops), 0, roof.tflops, false,
                         fmt::format("{}: {:.4g} TFLOP/s (data sheet)", units, roof.tflops)});
    if (roof.achieved_tflops > 0) {
      out.roofs.push_back({units, 0, roof.achieved_tflops, true,
                           fmt::format("{} as achieved: {:.4g} TFLOP/s ({})", units, roof.achieved_tflops,
                                       cost::name(roof.achieved_basis))});
    }
  }
  double unseen_share = 0;
  for (const cost::Point& point : of.line.points) {
    const double intensity = point.intensity[static_cast<std::size_t>(cost::Level::dram)];
    if (!(intensity > 0 && point.tflops > 0)) {
      unseen_share += point.share_of_step;
      continue;
    }
    const model::Op& op = of.workload.ops[point.op];
    const std::string what = op_name(op);
    RooflineMark mark;
    mark.name = what;
    mark.intensity = intensity;
    mark.tflops = point.tflops;
    mark.area = point.share_of_step;
    mark.group = static_cast<std::size_t>(point.bound);
    mark.hover = fmt::format(
        "{}\n{:.4g} GFLOP, {:.4g} MB: {:.4g} FLOP/B\n{:.4g} TFLOP/s predicted, {} of the roof's "
        "{:.4g}\n{}-bound, "
        "{} of the step",
        what, point.work.flops / giga, point.work.bytes[0] / mega, intensity, point.tflops,
        percent(point.share_of_roof), point.roof_tflops, cost::name(point.bound),
        percent(point.share_of_step));
    out.marks.push_back(std::move(mark));
  }
  out.subtitle = fmt::format("{}; area of a mark: share of the step", report::plan_text(of.setup));
  if (unseen_share >= least_told) {
    out.subtitle +=
        fmt::format("; operations without FLOPs ({} of the step) are not shown", percent(unseen_share));
  }
  return out;
}

WaterfallFigure waterfall_figure(const report::RooflineCase& of) {
  WaterfallFigure out;
  const cost::Waterfall losses = report::losses_of(of);
  out.title = fmt::format("Where a step goes: {}", title_of(of));
  out.subtitle = fmt::format("{}; MFU {}", report::plan_text(of.setup), percent(of.line.step.mfu));
  // MFU says little of a step that reads weights and caches.
  const double bytes_us = of.line.whole.dram_bytes / (of.gpu.dram_bandwidth_gb_s * bytes_per_us_per_gb_s);
  if (of.line.whole.memory_bound && bytes_us > 0) {
    out.subtitle +=
        fmt::format("; DRAM bandwidth utilization (MBU) {}", percent(bytes_us / of.line.step.time_us));
  }
  out.total_label = "the step";
  const bool counts_bytes = of.line.whole.memory_bound && of.setup.plan.mode != model::Mode::train;
  out.hidden_us = of.line.step.hidden_us;
  for (const std::string_view name : kind_names) out.groups.emplace_back(name);
  if (counts_bytes) out.groups.front() = "model FLOPs and memory traffic";
  constexpr auto traffic = static_cast<std::size_t>(cost::Loss::traffic);
  for (std::size_t i = 0; i < cost::loss_count; ++i) {
    const std::string label(cost::name(static_cast<cost::Loss>(i)));
    out.bars.push_back({label, losses.us[i],
                        fmt::format("{}: {}, {} of the step\n{}", label, duration(losses.us[i]),
                                    percent(losses.us[i] / of.line.step.time_us), explanations[i]),
                        static_cast<std::size_t>(counts_bytes && i == traffic ? LossKind::work : kinds[i])});
  }
  return out;
}

}  // namespace shapelint::chart
