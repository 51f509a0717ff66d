// Roofs from a profile, and the points under them; equations in docs/explanation/roofline-figures.md.
#include "cost/roofline.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/units.hpp"
#include "cost/kernels/attention.hpp"
#include "cost/kernels/collective.hpp"
#include "cost/kernels/convolution.hpp"
#include "cost/kernels/gemm_terms.hpp"
#include "cost/kernels/layer_scan.hpp"
#include "cost/kernels/memory.hpp"

namespace shapelint::cost {

namespace {

constexpr auto dram = static_cast<std::size_t>(Level::dram);
constexpr auto l2 = static_cast<std::size_t>(Level::l2);
constexpr auto shared = static_cast<std::size_t>(Level::shared);

Work gemm_work(const gpu::Gpu& gpu, const model::Op& op) {
  const GemmModel g = op.recipe != Recipe::none ? gemm_model(gpu, op.dtype, op.recipe, Timing::in_step)
                                                : gemm_model(gpu, op.dtype, Timing::in_step, op.weight_bytes);
  const ProductCost product = predict_product(gpu, g, op);
  const GemmShape& shape = product.shape;
  Work work;
  work.dtype = shape.dtype;
  work.on_tensor_cores = on_tensor_cores(gpu, shape.dtype);
  work.reduction = product.cost.reduction;
  const product::Terms t = product::terms_of(g, shape);
  const product::Candidate c = product::best_candidate(g, t);
  const double area = t.batch * t.m * t.n;
  const double result_bytes = t.result_bytes;
  const GemmShape asked = gemm_shape(op);
  work.flops = 2 * static_cast<double>(asked.batch) * static_cast<double>(asked.m) *
               static_cast<double>(asked.n) * static_cast<double>(asked.k);
  work.least_bytes = t.operand_bytes + result_bytes;

  const bool splits = c.split > 1;
  const double sums = splits ? product::partial_sum_bytes * area * c.split : 0;
  const double quantized = g.quantize_launch_us > 0 ? (2 + 1) * t.batch * t.m * t.k : 0;
  work.bytes[dram] = t.dram_bytes + c.reread + sums * g.constants.split_traffic + quantized;

  const product::Traffic moved = product::traffic_of(g, t, c);
  work.bytes[l2] = moved.l2 + quantized;
  work.bytes[shared] = moved.shared + quantized;
  for (double& bytes : work.bytes) bytes += product.transform_bytes;
  return work;
}

// Rows of queries whose warps share one read of keys and values in shared memory. Estimated from the kernels'
// layouts: FlashAttention-2 gives a warp 32 of 128 rows, version 3 a warp group 64, tcgen05 reads once.
double reader_rows(const gpu::Gpu& gpu) {
  if (gpu.architecture.has_tcgen05) return 128;
  return gpu.architecture.has_wgmma ? 64 : 32;
}

Work attention_work(const gpu::Gpu& gpu, const model::Op& op) {
  Work work;
  work.dtype = op.dtype;
  work.on_tensor_cores = on_tensor_cores(gpu, op.dtype);
  work.flops = attention_flops(op.attention, op.pass);
  const AttentionBytes moved = attention_bytes(gpu, op.attention, op.pass, op.dtype);
  work.least_bytes = moved.once;
  work.bytes[dram] = moved.once + moved.scores;
  work.bytes[l2] = moved.once + moved.reloads + moved.scores;
  const double readers = std::max(1.0, std::ceil(moved.tile_rows / reader_rows(gpu)));
  work.bytes[shared] = (moved.once + moved.reloads) * (1 + readers * moved.products / 2) + moved.scores;
  return work;
}

Work work_of_scan(const gpu::Gpu& gpu, const model::Op& op) {
  Work work;
  work.dtype = op.dtype;
  const ScanWork done = scan_work(op);
  work.on_tensor_cores = done.product_flops > 0 && on_tensor_cores(gpu, op.dtype);
  work.flops = done.product_flops + done.elementwise_flops;
  work.least_bytes = done.once_bytes;
  const double bytes = done.once_bytes + done.between_bytes;
  work.bytes = {bytes, bytes, bytes};
  return work;
}

Work elementwise_work(const gpu::Gpu& gpu, const model::Op& op) {
  Work work;
  const double bytes = std::max(0.0, op.bytes);
  work.flops = op.flops;
  work.least_bytes = bytes;
  work.bytes = {bytes * (1 - resident_share(gpu, bytes)), bytes, bytes};
  return work;
}

}  // namespace

std::string_view name(Level level) {
  constexpr std::array<std::string_view, level_count> names{"dram", "l2", "shared"};
  return names[static_cast<std::size_t>(level)];
}

Work work_of(const gpu::Gpu& gpu, const model::Op& op) {
  Work work;
  switch (op.kind) {
    case model::OpKind::gemm:
      return gemm_work(gpu, op);
    case model::OpKind::attention:
      return attention_work(gpu, op);
    case model::OpKind::scan:
      return work_of_scan(gpu, op);
    case model::OpKind::elementwise:
      return elementwise_work(gpu, op);
    case model::OpKind::collective:
      work.dtype = op.dtype;
      work.link_bytes = sent_bytes(gpu, op.collective, op.bytes, op.ranks, op.stride, op.copies);
      work.least_bytes = work.link_bytes;
      return work;
  }
  return work;
}

namespace {

// Side of the square product that stands for what a GPU reaches where no measurement is known.
constexpr std::int64_t large = 8192;

MemoryRoof dram_roof(const gpu::Gpu& gpu) {
  return {Level::dram, dram_bytes_per_us(gpu) / bytes_per_us_per_gb_s,
          achieved_dram_bytes_per_us(gpu) / bytes_per_us_per_gb_s, Basis::data_sheet,
          gpu.dram_measured_gb_s > 0 ? Basis::profile : Basis::assumed};
}

// In theory, and what benchmarks or the profile's figure say is achieved.
MemoryRoof l2_roof(const gpu::Gpu& gpu) {
  const double theory = l2_bytes_per_us(gpu) / bytes_per_us_per_gb_s;
  const double stated = gpu.l2_bandwidth_gb_s;
  const Basis basis = theory > stated ? Basis::derived : stated > 0 ? Basis::profile : Basis::unknown;
  return {Level::l2, theory, stated > 0 ? stated : theory, basis, stated > 0 ? Basis::profile : basis};
}

MemoryRoof shared_roof(const gpu::Gpu& gpu) {
  const double derived = shared_bytes_per_us(gpu) / bytes_per_us_per_gb_s;
  return {Level::shared, derived, 0, derived > 0 ? Basis::derived : Basis::unknown, Basis::unknown};
}

// What large products of this format were measured to reach on tensor cores; 0 if not measured.
double measured_tflops(const gpu::Gpu& gpu, DType dtype) {
  const gpu::Measured& m = gpu.measured;
  switch (dtype) {
    case DType::bf16:
    case DType::fp16:
      return gpu.gemm_achievable_tflops;
    case DType::fp8:
      return m.gemm_fp8_p99_tflops > 0 ? m.gemm_fp8_p99_tflops : m.gemm_fp8_mamf_tflops;
    case DType::int8:
      return m.gemm_int8_p99_tops;
    case DType::fp4:
      return m.gemm_nvfp4_p99_tflops;
    case DType::fp32:
    case DType::tf32:
      return 0;
  }
  return 0;
}

ComputeRoof compute_roof(const gpu::Gpu& gpu, DType dtype, bool on_tensor_cores, double tflops) {
  ComputeRoof roof{dtype, on_tensor_cores, tflops, 0, Basis::unknown};
  if (const double measured = measured_tflops(gpu, dtype); on_tensor_cores && measured > 0) {
    roof.achieved_tflops = measured;
    roof.achieved_basis = Basis::profile;
    return roof;
  }
  // Products of this format run on the other kind of unit: nothing predicts what these would reach.
  if (on_tensor_cores != gpu::on_tensor_cores(gpu, dtype)) return roof;
  GemmShape shape;
  shape.m = shape.n = shape.k = large;
  shape.dtype = dtype;
  const double side = static_cast<double>(large);
  roof.achieved_tflops =
      std::min(tflops, 2 * side * side * side / predict_gemm(gpu, shape).time_us / flops_per_us_per_tflops);
  roof.achieved_basis = Basis::predicted;
  return roof;
}

// The least time that a roof allows, and which one it is.
struct Roof {
  double time_us = 0;
  Limit limit = Limit::compute;
};

Roof lowest(const Work& work, double tflops, const std::array<double, level_count>& gb_s) {
  Roof roof;
  if (tflops > 0) roof.time_us = work.flops / (tflops * flops_per_us_per_tflops);
  for (std::size_t i = 0; i < level_count; ++i) {
    if (gb_s[i] <= 0) continue;
    const double us = work.bytes[i] / (gb_s[i] * bytes_per_us_per_gb_s);
    if (us > roof.time_us) roof = {us, static_cast<Limit>(static_cast<std::size_t>(Limit::dram) + i)};
  }
  return roof;
}

// The roof of an op's units: of its format where it is a matrix product, of fp32 for all other arithmetic.
const ComputeRoof* roof_of(const Roofs& roofs, const Work& work) {
  const auto found = std::find_if(roofs.compute.begin(), roofs.compute.end(), [&](const ComputeRoof& roof) {
    return roof.on_tensor_cores == work.on_tensor_cores && roof.dtype == work.dtype;
  });
  return found == roofs.compute.end() ? nullptr : &*found;
}

Point point_of(const gpu::Gpu& gpu, const model::Op& op, const OpCost& cost, const Roofs& roofs,
               double step_us) {
  Point point;
  point.work = work_of(gpu, op);
  point.bound = cost.bound;
  point.time_us = op.count * cost.time_us;
  const bool hidden = op.kind == model::OpKind::collective && op.overlapped;
  if (!hidden && step_us > 0) point.share_of_step = point.time_us / step_us;
  if (op.kind == model::OpKind::collective) {
    point.limit = Limit::link;
    point.share_of_roof = cost.time_us > 0 ? cost.ideal_us / cost.time_us : 0;
    point.share_of_achieved = point.share_of_roof;
    return point;
  }
  const Work& work = point.work;
  const ComputeRoof* units = roof_of(roofs, work);
  point.peak_tflops =
      work.reduction *
      (units != nullptr ? units->tflops : peak_flops_per_us(gpu, work.dtype) / flops_per_us_per_tflops);
  const double achieved_peak = units != nullptr && units->achieved_tflops > 0
                                   ? work.reduction * units->achieved_tflops
                                   : point.peak_tflops;
  std::array<double, level_count> theory{};
  std::array<double, level_count> achieved{};
  for (std::size_t i = 0; i < level_count; ++i) {
    point.intensity[i] = work.bytes[i] > 0 ? work.flops / work.bytes[i] : 0;
    theory[i] = roofs.memory[i].gb_s;
    achieved[i] = roofs.memory[i].achieved_gb_s > 0 ? roofs.memory[i].achieved_gb_s : theory[i];
  }
  const Roof roof = lowest(work, point.peak_tflops, theory);
  const Roof achieved_roof = lowest(work, achieved_peak, achieved);
  point.limit = roof.limit;
  const auto rate = [&](double time_us) {
    return time_us > 0 ? work.flops / time_us / flops_per_us_per_tflops : 0;
  };
  point.roof_tflops = rate(roof.time_us);
  point.achieved_roof_tflops = rate(achieved_roof.time_us);
  point.tflops = rate(cost.time_us);
  if (cost.time_us > 0) {
    point.dram_gb_s =
        work.bytes[static_cast<std::size_t>(Level::dram)] / cost.time_us / bytes_per_us_per_gb_s;
    point.share_of_roof = roof.time_us / cost.time_us;
    point.share_of_achieved = achieved_roof.time_us / cost.time_us;
  }
  return point;
}

}  // namespace

std::string_view name(Basis basis) {
  constexpr std::array<std::string_view, 6> names{"data sheet", "profile", "derived",
                                                  "predicted",  "assumed", "unknown"};
  return names[static_cast<std::size_t>(basis)];
}

std::string_view name(Limit limit) {
  constexpr std::array<std::string_view, 5> names{"compute", "dram", "l2", "shared", "link"};
  return names[static_cast<std::size_t>(limit)];
}

double ridge(double tflops, double gb_s) {
  return gb_s > 0 ? tflops * flops_per_us_per_tflops / (gb_s * bytes_per_us_per_gb_s) : 0;
}

Roofs roofs_of(const gpu::Gpu& gpu) {
  Roofs roofs;
  roofs.memory = {dram_roof(gpu), l2_roof(gpu), shared_roof(gpu)};
  for (const DTypeInfo& each : dtypes) {
    const double tensor = gpu.tensor_tflops[static_cast<std::size_t>(each.dtype)];
    if (tensor > 0) roofs.compute.push_back(compute_roof(gpu, each.dtype, true, tensor));
  }
  roofs.compute.push_back(compute_roof(gpu, DType::fp32, false, gpu.peak_fp32_cuda_tflops));
  // Formats without tensor cores that are multiplied anyway, at their own rate.
  for (const DTypeInfo& each : dtypes) {
    const bool shown = each.dtype == DType::fp32 || gpu::on_tensor_cores(gpu, each.dtype);
    if (shown || !can_multiply(gpu, each.dtype)) continue;
    roofs.compute.push_back(compute_roof(gpu, each.dtype, false, gpu::peak_tflops(gpu, each.dtype)));
  }
  return roofs;
}

Roofline roofline(const gpu::Gpu& gpu, const model::Workload& workload, DType peak_dtype) {
  return roofline(gpu, workload, peak_dtype, price(gpu, workload, peak_dtype));
}

Roofline roofline(const gpu::Gpu& gpu, const model::Workload& workload, DType peak_dtype, StepCost step) {
  Roofline out;
  out.roofs = roofs_of(gpu);
  out.step = std::move(step);
  out.bound = bound_of(out.step);
  out.bubble_bound = out.step.bubble_us > std::max({out.step.compute_us, out.step.memory_us,
                                                    out.step.communication_us, out.step.overhead_us});
  StepRoofline& whole = out.whole;
  out.points.reserve(workload.ops.size());
  for (std::size_t i = 0; i < workload.ops.size(); ++i) {
    const model::Op& op = workload.ops[i];
    const OpCost& cost = out.step.ops[i];
    out.points.push_back(point_of(gpu, op, cost, out.roofs, out.step.time_us));
    Point& point = out.points.back();
    point.op = i;
    whole.reduced = whole.reduced || point.work.reduction > 1;
    whole.flops += op.count * point.work.flops;
    whole.dram_bytes += op.count * point.work.bytes[static_cast<std::size_t>(Level::dram)];
    if (op.kind != model::OpKind::gemm) continue;
    out.product_flops += op.count * point.work.flops;
    out.product_dram_bytes += op.count * point.work.bytes[static_cast<std::size_t>(Level::dram)];
    out.product_compute_us += op.count * cost.compute_us;
    out.product_memory_us += op.count * cost.memory_us;
  }
  const double peak = peak_flops_per_us(gpu, peak_dtype) / flops_per_us_per_tflops;
  const double dram_gb_s = out.roofs.memory[0].gb_s;
  whole.ridge = ridge(peak, dram_gb_s);
  whole.intensity = whole.dram_bytes > 0 ? whole.flops / whole.dram_bytes : 0;
  whole.memory_bound = whole.dram_bytes > 0 && whole.intensity < whole.ridge;
  whole.roof_tflops = whole.memory_bound
                          ? whole.intensity * dram_gb_s * bytes_per_us_per_gb_s / flops_per_us_per_tflops
                          : peak;
  return out;
}

}  // namespace shapelint::cost
