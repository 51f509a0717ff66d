// A step against a GPU's roofs: where each op stands, what it could reach there, and what bounds it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/dtype.hpp"
#include "cost/step.hpp"
#include "gpu/gpu.hpp"
#include "model/op.hpp"

namespace shapelint::cost {

// What one run of an op computes, and what it moves at each level of the memory: the coordinates of a
// roofline.

// Where bytes are counted: between DRAM and L2, between L2 and the SMs, in and out of shared memory (or L1).
enum class Level : std::uint8_t { dram, l2, shared };
inline constexpr std::size_t level_count = 3;
std::string_view name(Level level);  // `dram`, `l2`, `shared`

struct Work {
  double flops = 0;                         // that the op is for; padding and partial tiles are not counted
  double least_bytes = 0;                   // each operand and result once
  std::array<double, level_count> bytes{};  // by Level: what the predicted kernel moves
  double link_bytes = 0;                    // that this rank sends to others
  bool on_tensor_cores = false;             // which peak is its roof: tensor cores' for `dtype`, or
  DType dtype = DType::fp32;                // CUDA cores' (of fp32; of `dtype` for matrix products)
  double reduction = 1;                     // FLOPs / those that are multiplied (Winograd): raises that roof
};

// Equations: docs/explanation/roofline-figures.md, "The bytes of each level". A GEMM is taken apart as the
// cost model runs it: its tile, its split of k, the rereads that miss L2. Shared memory and L2 of attention
// are estimates.
Work work_of(const gpu::Gpu& gpu, const model::Op& op);

// How a figure is known.
enum class Basis : std::uint8_t {
  data_sheet,  // the vendor's figure
  profile,    // the profile states it: measured, or scaled from a relative (`shapelint gpus NAME` says which)
  derived,    // SMs x bytes per clock of the architecture x clock
  predicted,  // what the cost model reaches on a product of 8192 x 8192 x 8192
  assumed,    // 0.8 of the data sheet's bandwidth, if not measured
  unknown
};
std::string_view name(Basis basis);

// Bandwidth of one level. GB/s are decimal.
struct MemoryRoof {
  Level level = Level::dram;
  double gb_s = 0;           // in theory; of L2 the best figure that there is
  double achieved_gb_s = 0;  // that kernels reach; 0: unknown
  Basis basis = Basis::unknown;
  Basis achieved_basis = Basis::unknown;
};

// Arithmetic of one number format on one kind of unit.
struct ComputeRoof {
  DType dtype = DType::bf16;
  bool on_tensor_cores = false;
  double tflops = 0;           // dense, of the data sheet
  double achieved_tflops = 0;  // by large matrix products
  Basis achieved_basis = Basis::unknown;
};

struct Roofs {
  std::array<MemoryRoof, level_count> memory;  // by Level
  std::vector<ComputeRoof> compute;            // tensor cores first, by DType; CUDA cores after them
};

// Intensity in FLOP/B at which a roof of bandwidth meets one of arithmetic; 0 where either is unknown.
double ridge(double tflops, double gb_s);

// All roofs of a GPU. Formats that it cannot multiply are left out.
Roofs roofs_of(const gpu::Gpu& gpu);

// The roof that is lowest above a point.
enum class Limit : std::uint8_t { compute, dram, l2, shared, link };
std::string_view name(Limit limit);

// One op of the workload. Rates and times of one run, unless it says otherwise.
struct Point {
  std::size_t op = 0;  // index into the workload's ops
  Work work;
  std::array<double, level_count> intensity{};  // FLOP/B by Level; 0 where nothing moves
  double peak_tflops = 0;                       // of the units that it runs on
  double roof_tflops = 0;  // at its intensities, in theory: min(peak, intensity x bandwidth); 0: no FLOPs
  double achieved_roof_tflops = 0;  // the same with achieved bandwidth and arithmetic
  Limit limit = Limit::dram;        // which roof that is
  double tflops = 0;                // predicted
  double dram_gb_s = 0;             // predicted
  double share_of_roof = 0;         // time at the roof / predicted time; in theory
  double share_of_achieved = 0;     // the same for what is achieved elsewhere; may exceed 1
  double time_us = 0;               // of all runs
  double share_of_step = 0;         // of the step's time; 0 for collectives that overlap
  Bound bound = Bound::compute;
};

// The step as one operation under the roofs of its format and of DRAM. Bound as the classic roofline has it,
// by intensity against the ridge; StepCost's parts are by predicted times.
struct StepRoofline {
  double flops = 0;        // of all ops; collectives have none
  double dram_bytes = 0;   // that all ops move
  double intensity = 0;    // FLOP/B
  double ridge = 0;        // FLOP/B, in theory
  double roof_tflops = 0;  // in theory
  bool memory_bound = false;
  bool reduced = false;  // some ops multiply less than their FLOPs (Winograd): the roof is none for them
};

struct Roofline {
  Roofs roofs;
  StepCost step;
  Bound bound = Bound::compute;  // the largest part of the step
  bool bubble_bound = false;     // the pipeline's bubble is larger still
  std::vector<Point> points;     // in the workload's order
  StepRoofline whole;
  // The matrix products together: of the weights' intensity against the ridge.
  double product_flops = 0;
  double product_dram_bytes = 0;
  double product_compute_us = 0;  // predicted, each alone
  double product_memory_us = 0;
};

Roofline roofline(const gpu::Gpu& gpu, const model::Workload& workload, DType peak_dtype);
// For a step that is priced already.
Roofline roofline(const gpu::Gpu& gpu, const model::Workload& workload, DType peak_dtype, StepCost step);

}  // namespace shapelint::cost
