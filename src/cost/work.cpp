// Bytes and arithmetic of one run of an op; equations in docs/explanation/roofline-figures.md.
#include "cost/work.hpp"

#include <algorithm>
#include <cmath>

#include "cost/kernels/attention.hpp"
#include "cost/kernels/collective.hpp"
#include "cost/kernels/convolution.hpp"
#include "cost/kernels/gemm_search.hpp"
#include "cost/kernels/memory.hpp"
#include "cost/kernels/scan.hpp"

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

}  // namespace shapelint::cost
