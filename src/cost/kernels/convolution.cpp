// The algorithms of a convolution, each priced as the products and passes that it consists of.
#include "cost/kernels/convolution.hpp"

#include <algorithm>

#include "cost/kernels/memory.hpp"
#include "model/arithmetic.hpp"

namespace shapelint::cost {

namespace {

using model::real;

constexpr std::int64_t taps = 9;  // of a 3 x 3 kernel

// Instructions of the transformations of one tile of one channel: arXiv 1509.09308, sections 4.1 and 4.3.
struct Winograd {
  Algorithm algorithm;
  std::int64_t side;       // of a tile of outputs
  std::int64_t points;     // products per tile: (side + 2)^2
  double data_operations;  // of a tile of inputs
  double filter_operations;
  double inverse_operations;  // of a tile of outputs
  double reduction() const { return static_cast<double>(side * side * taps) / static_cast<double>(points); }
};
constexpr Winograd small_tiles{Algorithm::winograd_2x2, 2, 16, 32, 28, 24};
constexpr Winograd large_tiles{Algorithm::winograd_4x4, 4, 36, 156, 72, 90};

std::int64_t tiles_of(const model::ImplicitGemm& of, std::int64_t side) {
  return of.images * ((of.out_height + side - 1) / side) * ((of.out_width + side - 1) / side);
}

// One product per point of the tiles.
GemmShape shape_of(const Winograd& way, const model::Op& op) {
  GemmShape shape = gemm_shape(op);
  shape.implicit = {};
  shape.batch = way.points;
  const std::int64_t tiles = tiles_of(op.implicit, way.side);
  if (op.pass == model::Pass::grad_weight) {
    shape.n = std::max<std::int64_t>(1, op.n.value / taps);
    shape.k = tiles;
  } else {
    shape.m = tiles;
    shape.k = std::max<std::int64_t>(1, op.k.value / taps);
  }
  return shape;
}

// The cost of the products becomes that of the whole, which takes longer by `further`.
ProductCost whole(const gpu::Gpu& gpu, const Winograd& way, const model::Op& op, const GemmShape& shape,
                  OpCost cost, const OpCost& further, double transform_bytes) {
  const Efficiency& kept = cost.efficiency;
  const double bytes =
      bytes_of(op.dtype) * (op.implicit.a_elements + op.implicit.b_elements + op.implicit.c_elements);
  const double flops = 2 * real(shape.batch) * real(shape.m) * real(shape.n) * real(shape.k);
  cost.time_us += further.time_us;
  cost.compute_us += further.compute_us;
  cost.memory_us += further.memory_us;
  cost.overhead_us += further.overhead_us;
  cost.ideal_us = std::min(
      cost.time_us, std::max(flops / peak_flops_per_us(gpu, op.dtype), bytes / dram_bytes_per_us(gpu)));
  cost.efficiency.rest = cost.ideal_us / (cost.time_us * kept.alignment * kept.tile * kept.wave);
  cost.bound = bound_of(cost.time_us, cost.compute_us, cost.memory_us, cost.overhead_us);
  cost.reduction = way.reduction();
  return {cost, way.algorithm, shape, transform_bytes};
}

// One kernel that transforms on the way in and out; every column of tiles transforms the inputs again.
ProductCost fused(const gpu::Gpu& gpu, const GemmModel& model, const model::Op& op) {
  GemmShape shape = shape_of(small_tiles, op);
  shape.implicit.a_elements = op.implicit.a_elements;
  shape.implicit.b_elements = op.implicit.b_elements;
  shape.implicit.c_elements = op.implicit.c_elements;
  const OpCost product = predict_gemm(model, shape);
  const std::int64_t columns = (shape.n + product.tile_n - 1) / product.tile_n;
  const double operations = real(shape.m) * (small_tiles.data_operations * real(shape.k) * real(columns) +
                                             small_tiles.inverse_operations * real(shape.n)) +
                            small_tiles.filter_operations * real(shape.n) * real(shape.k);
  OpCost further;
  further.time_us = further.compute_us = 2 * operations / cuda_flops_per_us(gpu);  // an FMA is two FLOPs
  return whole(gpu, small_tiles, op, shape, product, further, 0);
}

// Kernels that transform both operands into buffers, products over these, and one that transforms back.
ProductCost not_fused(const gpu::Gpu& gpu, const GemmModel& model, const model::Op& op) {
  const GemmShape shape = shape_of(large_tiles, op);
  const double element = bytes_of(op.dtype);
  const bool weight_gradient = op.pass == model::Pass::grad_weight;
  OpCost further;
  double bytes = 0;
  const auto pass = [&](double stored, std::int64_t rows, std::int64_t columns, double operations) {
    const double tiles = real(rows) * real(columns);
    const double moved = element * (stored + real(shape.batch) * tiles);
    const OpCost cost = price_elementwise(gpu, moved, 2 * operations * tiles);
    further.time_us += cost.time_us;
    further.compute_us += cost.compute_us;
    further.memory_us += cost.memory_us;
    further.overhead_us += cost.overhead_us;
    bytes += moved;
  };
  pass(op.implicit.a_elements, shape.m, shape.k, large_tiles.data_operations);
  pass(op.implicit.b_elements, shape.k, shape.n,
       weight_gradient ? large_tiles.data_operations : large_tiles.filter_operations);
  pass(op.implicit.c_elements, shape.m, shape.n, large_tiles.inverse_operations);
  return whole(gpu, large_tiles, op, shape, predict_gemm(model, shape), further, bytes);
}

// Tensor cores multiply channels that lie together (NVIDIA, Convolutional Layers User's Guide, section 3.1,
// Tensor Layouts in Memory: NCHW vs NHWC): of images in NCHW, what the convolution reads is transposed before
// it, and what it writes after it.
void transpose(const gpu::Gpu& gpu, const model::Op& op, ProductCost& product) {
  const model::ImplicitGemm& of = op.implicit;
  const bool weight_gradient = op.pass == model::Pass::grad_weight;
  for (const double elements : {of.a_elements, weight_gradient ? of.b_elements : of.c_elements}) {
    const double bytes = 2 * bytes_of(op.dtype) * elements;  // in and out
    const OpCost pass = price_elementwise(gpu, bytes, 0);
    OpCost& cost = product.cost;
    cost.time_us += pass.time_us;
    cost.memory_us += pass.memory_us;
    cost.overhead_us += pass.overhead_us;
    product.transform_bytes += bytes;
  }
  OpCost& cost = product.cost;
  cost.efficiency.rest = cost.ideal_us / (cost.time_us * cost.efficiency.alignment * cost.efficiency.tile *
                                          cost.efficiency.wave);
  if (cost.bound != Bound::overhead && cost.memory_us > cost.compute_us) cost.bound = Bound::memory;
}

}  // namespace

ProductCost predict_product(const gpu::Gpu& gpu, const GemmModel& model, const model::Op& op) {
  ProductCost best;
  best.shape = gemm_shape(op);
  best.cost = predict_gemm(model, best.shape);
  if (op.implicit.channels_first && gpu::on_tensor_cores(gpu, op.dtype)) transpose(gpu, op, best);
  if (op.implicit.images == 0 || op.dtype != DType::fp32 || gpu::on_tensor_cores(gpu, op.dtype)) return best;
  const auto take = [&](ProductCost other) {
    if (other.cost.time_us < best.cost.time_us) best = other;
  };
  // cuDNN's gradient of the weights has no fused kernel (cudnnConvolutionBwdFilterAlgo_t).
  if (op.pass != model::Pass::grad_weight) take(fused(gpu, model, op));
  take(not_fused(gpu, model, op));
  return best;
}

}  // namespace shapelint::cost
