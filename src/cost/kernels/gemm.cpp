// Time of one GEMM: the best of the library's tiles and splits of k. Equations:
// docs/explanation/cost-model.md.
#include "cost/kernels/gemm.hpp"

#include <algorithm>
#include <cmath>

#include "base/units.hpp"
#include "cost/kernels/gemm_terms.hpp"
#include "cost/kernels/memory.hpp"

namespace shapelint::cost {

using namespace product;

namespace {

// Widening a packed weight in registers: 13 instructions for eight 4-bit ones (mask, magic number, scale), as
// FasterTransformer's converters have them (arXiv 2211.10017, section 3.1; CUTLASS
// interleaved_numeric_conversion.h). Each tile of rows does it again.
constexpr double instructions_per_weight = 1.6;
// The fewest rows of tiles that kernels for misaligned rows have: CUTLASS's for 2, 4 and 8 B have 64. On an
// H200 2 rows take as long as 64 (measured/), and one, a vector, has kernels of its own.
constexpr double misaligned_rows = 64;
constexpr std::int64_t few_rows = 64;  // the slice `decode` of gpu::GemmErrors
// What these read of the data sheet's bandwidth where none were timed, as other kernels (memory.cpp).
constexpr double few_rows_dram_share = 0.8;
// Operands larger than this share of L2 are evicted between the tiles that need them.
constexpr double kept_share_of_l2 = 0.5;

// Converting activations from 16 to 8 bits, a pass of its own: each SM takes a row at a time, finds its
// largest value and scales the row.
double quantize_us(const GemmModel& g, const Terms& t) {
  if (g.quantize_launch_us <= 0) return 0;
  const double rows = t.batch * t.m;
  const double bytes = (2 + 1) * rows * t.exact_k;
  return g.quantize_launch_us +
         std::max(rows * g.quantize_us_per_row,
                  bytes * g.us_per_dram_byte * g.constants.dram_efficiency / g.constants.quantize_bandwidth);
}

// Elements of the operands and of the result in memory, all products of the batch together.
struct Elements {
  double a = 0;
  double b = 0;
  double c = 0;
};
Elements elements_of(const GemmShape& shape) {
  const double batch = static_cast<double>(shape.batch);
  const double m = static_cast<double>(shape.m);
  const double n = static_cast<double>(shape.n);
  const double k = static_cast<double>(shape.k);
  const auto stored = [](double own, double whole) { return own > 0 ? own : whole; };
  const model::ImplicitGemm& implicit = shape.implicit;
  return {stored(implicit.a_elements, batch * m * k), stored(implicit.b_elements, batch * k * n),
          stored(implicit.c_elements, batch * m * n)};
}

}  // namespace

Terms product::terms_of(const GemmModel& g, const GemmShape& shape) {
  Terms t{};
  t.batch = static_cast<double>(shape.batch);
  t.m = static_cast<double>(shape.m);
  t.n = static_cast<double>(shape.n);
  t.exact_k = static_cast<double>(shape.k);
  t.k = std::ceil(t.exact_k / g.array_depth) * g.array_depth;
  const gpu::GemmConstants& c = g.constants;
  const double area = t.batch * t.m * t.n;
  const Elements elements = elements_of(shape);
  t.a_share = elements.a / (t.batch * t.m * t.k);
  t.b_share = elements.b / (t.batch * t.k * t.n);
  const double weights = g.weight_bytes * elements.b;
  const double activations = g.element_bytes * elements.a;
  t.result_bytes = g.result_bytes * elements.c;
  const double others = activations + t.result_bytes;
  t.operand_bytes = weights + activations;
  t.unpack_us = g.unpack_us * t.batch * t.exact_k * t.n;

  double kept_weights = 0;
  double kept_others = 0;
  if (c.rotation_reach > 1) {
    // The benchmark rotates as many weights as fill L2, within limits; what exceeds it decides how many are
    // found.
    const double buffers =
        std::max(c.rotation_least, std::min(std::ceil(g.l2_bytes / weights), c.rotation_most));
    const double footprint = buffers * weights / g.l2_bytes;
    kept_weights =
        c.rotation_hits * std::clamp((c.rotation_reach - footprint) / (c.rotation_reach - 1), 0.0, 1.0);
    kept_others = 1 / (1 + fourth_power(others / g.resident_bytes));
  } else if (g.weights_are_cold && shape.batch == 1) {
    // The rest of the model was read since.
    kept_others = 1 / (1 + fourth_power(others / g.resident_bytes));
  } else {
    kept_weights = kept_others = 1 / (1 + fourth_power((weights + others) / g.resident_bytes));
  }
  t.resident_us = (kept_weights * weights + kept_others * others) / g.resident_bytes_per_us;
  t.dram_bytes = (1 - kept_weights) * weights + (1 - kept_others) * others;
  if (shape.m <= few_rows) t.dram_bytes /= g.few_rows_dram_speed;

  const double ideal_us = 2 * area * t.exact_k / g.peak_flops_per_us;
  // A step goes on for longer than any product: its clock is that of the longest, as far as the product can
  // keep the tensor cores busy at all.
  const auto run = [](std::int64_t own, std::int64_t whole) { return own > 0 ? own : whole; };
  const model::ImplicitGemm& implicit = shape.implicit;
  const AlignmentUse aligned = alignment_use(g.alignment, shape.layout, run(implicit.run_m, shape.m),
                                             run(implicit.run_n, shape.n), run(implicit.run_k, shape.k));
  t.alignment = aligned.speed;
  t.prologue_k = c.prologue_k * aligned.speed / aligned.prologue_speed;
  t.min_columns = aligned.least_tile;
  t.min_rows = aligned.least_tile > 0 && shape.m > 1 ? std::min(aligned.least_tile, misaligned_rows) : 0;
  const double busy =
      t.alignment * ideal_us / std::max(ideal_us, (weights + others) / g.roofline_bytes_per_us);
  const auto reached = [&](double time_us) { return time_us / (time_us + c.power_us); };
  t.slowdown = 1 / (1 - c.power_drop * std::max(reached(ideal_us), busy * reached(c.power_reach_us)));
  if (shape.batch > 1) {
    // Its tiles are slower by as much, whether they load or multiply.
    t.slowdown /= c.batch_speed;
    t.resident_us /= c.batch_speed;
    t.dram_bytes /= c.batch_speed;
  }
  t.reduction_us = partial_sum_bytes * area * c.split_traffic / g.dram_bytes_per_us;
  return t;
}

namespace {

struct Bytes {
  double a, b, c;  // of an element in memory
};

// Constants of a part whose tensor cores accumulate in fp32 at full rate, on one of its architecture that
// does at half: operands are loaded as fast and each FLOP takes the same power, so that loads, misaligned
// ones too, and the power limit allow twice the share of the lower peak.
gpu::GemmConstants at_half_rate(gpu::GemmConstants c) {
  const auto raise = [](double& share) { share = std::min(1.0, half_rates * share); };
  c.mainloop_efficiency = std::min(most_of_lower_peak, half_rates * c.mainloop_efficiency);
  for (double* const share : {&c.align_k_2b, &c.align_k_4b, &c.align_k_8b, &c.align_k_16b, &c.align_n_2b,
                              &c.align_n_4b, &c.align_n_8b, &c.align_n_16b, &c.align_c_2b}) {
    raise(*share);
  }
  c.power_drop = std::max(0.0, 1 - half_rates * (1 - c.power_drop));
  return c;
}

GemmModel model_with(const gpu::Gpu& gpu, DType dtype, Timing timing, gpu::ConstantSet set,
                     const Bytes& bytes) {
  GemmModel g;
  const gpu::GemmCalibration& calibration = gpu.calibration.gemm[static_cast<std::size_t>(set)];
  // Rates that were measured on this GPU are surer than its figures; a relative's are not.
  const bool is_own = gpu::is_of_recipe(set) ? calibration.own : gpu.calibration.status == "calibrated";
  const bool uses_tensor_cores = set != gpu::ConstantSet::single;
  const bool halves_rate = !is_own && uses_tensor_cores && gpu.fp32_accumulate_half_rate &&
                           !gpu.calibration.fp32_accumulate_half_rate;
  g.constants = halves_rate ? at_half_rate(calibration.constants) : calibration.constants;
  if (timing == Timing::in_step) {
    g.constants.host_us = 0;
    // The rest of the model is read between two uses of a layer's weights, whatever a benchmark that repeats
    // one product finds in L2.
    g.weights_are_cold = true;
    g.constants.rotation_reach = 0;
  } else {
    g.constants.power_reach_us = 0;  // each product was timed by itself
  }
  const gpu::GemmConstants& c = g.constants;
  g.dtype = dtype;
  g.element_bytes = bytes.a;
  g.weight_bytes = bytes.b;
  g.result_bytes = bytes.c;
  g.peak_flops_per_us = std::max(1e-3, peak_tflops(gpu, dtype)) * flops_per_us_per_tflops;
  const double sms = std::max(1.0, static_cast<double>(gpu.sm_count));
  const double bandwidth = std::max(1.0, gpu.dram_bandwidth_gb_s) * bytes_per_us_per_gb_s;
  g.roofline_bytes_per_us = bandwidth;
  g.dram_bytes_per_us = bandwidth * c.dram_efficiency;
  g.sm_dram_bytes_per_us = c.sm_dram_gb_s * bytes_per_us_per_gb_s;
  // What a stencil was measured to draw from this GPU's DRAM, weights are read at, too.
  // Its own rates are those of this set; others may be of a relative.
  if (!is_own || !calibration.own)
    g.dram_bytes_per_us = std::max(g.dram_bytes_per_us, min_dram_bytes_per_us(gpu));
  // Constants that were fitted without few rows hold what GEMMs of many draw: of a V100 half, whose tiles
  // cannot fill it.
  if (calibration.errors.all > 0 && calibration.errors.decode <= 0) {
    const double read = std::min(few_rows_dram_share * bandwidth, achieved_dram_bytes_per_us(gpu));
    g.few_rows_dram_speed = std::max(1.0, read / g.dram_bytes_per_us);
  }
  // What one SM can draw was fitted together with the DRAM's bandwidth, and is known only up to an SM's share
  // of it. On a relative with faster DRAM, all SMs together draw what that gives.
  if (!is_own) {
    g.sm_dram_bytes_per_us = std::max(g.sm_dram_bytes_per_us, g.dram_bytes_per_us / sms);
  }
  g.l2_bytes = std::max(1.0, gpu.l2_size_mib) * bytes_per_mib;
  g.array_depth = static_cast<double>(std::max<std::int64_t>(1, gpu.architecture.array_depth));
  g.resident_bytes = c.resident_share * g.l2_bytes;
  g.resident_bytes_per_us = c.resident_sm_gb_s * sms * bytes_per_us_per_gb_s;
  g.us_per_feed_byte = 1 / (c.l2_feed_sm_gb_s * sms * bytes_per_us_per_gb_s);
  g.us_per_dram_byte = 1 / g.dram_bytes_per_us;
  g.inverse_kept_bytes = 1 / (kept_share_of_l2 * g.l2_bytes);
  g.multicasts = gpu.architecture.has_clusters;
  if (!is_own) {
    const auto min_us = [](double bytes_per_us) { return bytes_per_us > 0 ? 1 / bytes_per_us : 0; };
    g.us_per_l2_byte = min_us(l2_bytes_per_us(gpu));
    // SMs of the same architecture have the same shared memory and tensor cores: what one of them
    // reached, another does.
    if (gpu.calibration.status != "architecture") g.us_per_shared_byte = min_us(shared_bytes_per_us(gpu));
  }
  g.launch_us = c.launch_us + c.host_us;
  g.quantize_launch_us = c.quantize_us;
  g.quantize_us_per_row = c.quantize_row_us / sms;
  g.tiles = tile_table(gpu, c, dtype, g.peak_flops_per_us, g.element_bytes, g.weight_bytes);
  g.alignment = alignment_table(c, static_cast<std::int64_t>(8 * bytes_of(dtype)));
  const auto sides = g.tiles.plain_n.begin();
  const double widest = *std::max_element(sides, sides + static_cast<std::ptrdiff_t>(g.tiles.count));
  for (double& side : g.alignment.least_tile) side = std::min(side, widest);
  return g;
}

}  // namespace

GemmModel gemm_model(const gpu::Gpu& gpu, DType dtype, Timing timing, double weight_bytes) {
  const double element = bytes_of(dtype);
  const bool packed = weight_bytes > 0 && weight_bytes < element;
  GemmModel g = model_with(gpu, dtype, timing, gpu::constant_set(dtype),
                           {element, packed ? weight_bytes : element, element});
  if (packed)
    g.unpack_us = instructions_per_weight * 2 / cuda_flops_per_us(gpu);  // an FMA counts as two FLOPs
  return g;
}

GemmModel gemm_model(const gpu::Gpu& gpu, DType dtype, Recipe recipe, Timing timing,
                     Quantization quantization) {
  if (recipe == Recipe::none) return gemm_model(gpu, dtype, timing);
  const RecipeInfo& scales = info(recipe);
  const double element = bytes_of(dtype);
  GemmModel g = model_with(
      gpu, dtype, timing, gpu::constants_for(gpu.calibration, dtype, recipe),
      {element + scales.a_scale_bytes, element + scales.weight_scale_bytes, bytes_of(DType::bf16)});
  // Products of a recipe were timed in short bursts. In a step the same GPU is under the same power limit as
  // with 16-bit ones, whose loss of clock is known.
  const gpu::GemmConstants& wide = gpu::gemm_calibration(gpu.calibration, DType::bf16).constants;
  if (timing == Timing::in_step && g.constants.power_reach_us <= 0) {
    g.constants.power_drop = wide.power_drop;
    g.constants.power_us = wide.power_us;
    g.constants.power_reach_us = wide.power_reach_us;
  }
  // The pass is known from products that were measured with it.
  const gpu::GemmConstants& with_pass = gpu::gemm_calibration(gpu.calibration, dtype).constants;
  const bool included = quantization == Quantization::included;
  g.quantize_launch_us = included ? with_pass.quantize_us : 0;
  g.quantize_us_per_row = with_pass.quantize_row_us / std::max(1.0, static_cast<double>(gpu.sm_count));
  g.constants.quantize_bandwidth = with_pass.quantize_bandwidth;
  return g;
}

const GemmModel& GemmModels::of(const GemmShape& shape) {
  auto& slot = models_[static_cast<std::size_t>(shape.dtype) * recipes.size() +
                       static_cast<std::size_t>(shape.recipe)];
  if (!slot)
    slot = std::make_unique<GemmModel>(gemm_model(gpu_, shape.dtype, shape.recipe, timing_, quantization_));
  return *slot;
}

double predict_gemm_us(const GemmModel& g, const GemmShape& shape) {
  const Terms t = terms_of(g, shape);
  const Candidate best = best_candidate(g, t);
  return g.launch_us + split_us(g, t, best.split) + quantize_us(g, t) +
         smooth_max(clamped_compute_us(g, t, best), memory_us(g, t, best, best.reread));
}

OpCost predict_gemm(const GemmModel& g, const GemmShape& shape) {
  const Terms t = terms_of(g, shape);
  const Candidate best = best_candidate(g, t);
  const double memory = memory_us(g, t, best, best.reread);
  const double split = split_us(g, t, best.split);

  OpCost cost;
  cost.tile_m = static_cast<std::int64_t>(best.tile->m);
  cost.tile_n = static_cast<std::int64_t>(best.tile->n);
  cost.split_k = static_cast<std::int64_t>(best.split);
  cost.waves = best.waves;
  cost.quantize_us = quantize_us(g, t);
  const double fixed = g.launch_us + split + cost.quantize_us;

  // The losses, taken away one after the other from the same candidate.
  const double compute = clamped_compute_us(g, t, best);
  cost.time_us = fixed + smooth_max(compute, memory);
  // A main loop whose steps wait for their latency is no arithmetic, however long it takes; nor is unpacking
  // weights.
  const double unpack = t.unpack_us * best.rows;
  const double waiting = (compute - unpack) * (1 - best.tile->busy_share);
  cost.compute_us = compute - unpack - waiting;
  cost.memory_us = memory;
  cost.overhead_us = fixed + unpack + waiting;
  Terms aligned = t;
  aligned.alignment = 1;
  aligned.min_rows = 0;
  aligned.prologue_k = g.constants.prologue_k;
  const double aligned_compute = std::min(compute, clamped_compute_us(g, aligned, best));
  const double aligned_us = fixed + smooth_max(aligned_compute, memory);
  Candidate exact = best;  // tiles cut to the edges
  exact.ctas = t.batch * t.m * best.tile->inverse_m * t.n * best.tile->inverse_n * best.split;
  exact.waves = exact.ctas * best.tile->inverse_units;
  exact.slice *= t.exact_k / t.k;
  const double exact_compute =
      std::min(aligned_compute, compute_us(g, aligned, exact, rounded_waves(g, aligned, exact.waves)));
  const double exact_us = fixed + smooth_max(exact_compute, memory);
  const double even_compute = std::min(exact_compute, compute_us(g, aligned, exact, exact.waves));
  const double even_us = fixed + smooth_max(even_compute, memory);
  // What the same tiles would take without a last wave: the rest of what exact tiles save is that of their
  // edges, also where fewer tiles would leave a wave half empty.
  const double full_us =
      fixed + smooth_max(std::min(aligned_compute, compute_us(g, aligned, best, best.waves)), memory);

  const double flops_us = 2 * t.batch * t.m * t.n * t.exact_k / g.peak_flops_per_us;
  const double bytes = t.operand_bytes + t.result_bytes;
  cost.ideal_us = std::max(flops_us, bytes / g.roofline_bytes_per_us);
  cost.efficiency.alignment = aligned_us / cost.time_us;
  cost.efficiency.wave = std::max(even_us / exact_us, full_us / aligned_us);
  cost.efficiency.tile = even_us / (aligned_us * cost.efficiency.wave);
  cost.efficiency.rest = cost.ideal_us / even_us;
  cost.bound = bound_of(cost.time_us, cost.compute_us, memory, g.launch_us);
  return cost;
}

OpCost predict_gemm(const gpu::Gpu& gpu, const GemmShape& shape, Timing timing, Quantization quantization) {
  return predict_gemm(gemm_model(gpu, shape.dtype, shape.recipe, timing, quantization), shape);
}

}  // namespace shapelint::cost
