// Experts: grouped products as batched ones of the experts that tokens visit.
#include "cost/kernels/experts.hpp"

#include <algorithm>
#include <cmath>

#include "cost/kernels/gemm.hpp"
#include "cost/kernels/memory.hpp"

namespace shapelint::cost {
namespace {

constexpr double activation_flops = 5;  // of an element of the gated branch
constexpr double most_size = 1e12;

std::int64_t whole(double value) {
  return static_cast<std::int64_t>(std::clamp(std::ceil(value - 1e-9), 1.0, most_size));
}

void add(OpCost& sum, const OpCost& part) {
  sum.time_us += part.time_us;
  sum.ideal_us += part.ideal_us;
  sum.compute_us += part.compute_us;
  sum.memory_us += part.memory_us;
  sum.overhead_us += part.overhead_us;
}

OpCost finished(OpCost cost) {
  cost.efficiency.rest = cost.time_us > 0 ? cost.ideal_us / cost.time_us : 1;
  cost.bound = bound_of(cost.time_us, cost.compute_us, cost.memory_us, cost.overhead_us);
  return cost;
}

// Rows of all experts of this rank.
double routed(const ExpertLayer& layer) {
  return layer.tokens * std::min(layer.top_k, layer.experts) / layer.expert;
}

OpCost grouped(const GemmModel& model, const ExpertLayer& layer, double n, double k) {
  const double visited = visited_experts(layer);
  GemmShape shape;
  shape.batch = whole(visited);
  shape.m = whole(routed(layer) / visited);
  shape.n = whole(n);
  shape.k = whole(k);
  shape.dtype = layer.dtype;
  return predict_gemm(model, shape);
}

}  // namespace

double visited_experts(const ExpertLayer& layer) {
  const double local = std::max(1.0, layer.experts / layer.expert);
  const double missed = std::pow(1 - std::min(1.0, layer.top_k / layer.experts), layer.tokens);
  return std::clamp(local * (1 - missed), 1.0, std::max(1.0, std::min(local, routed(layer))));
}

std::optional<OpCost> price_expert_up(const gpu::Gpu& gpu, const ExpertLayer& layer) {
  if (!can_multiply(gpu, layer.dtype)) return std::nullopt;
  const GemmModel model = gemm_model(gpu, layer.dtype, Timing::in_step, layer.weight_bytes);
  const double width = layer.intermediate / layer.tensor;
  return finished(grouped(model, layer, (layer.gated ? 2 : 1) * width, layer.hidden));
}

std::optional<OpCost> price_experts(const gpu::Gpu& gpu, const ExpertLayer& layer) {
  if (!can_multiply(gpu, layer.dtype)) return std::nullopt;
  const GemmModel model = gemm_model(gpu, layer.dtype, Timing::in_step, layer.weight_bytes);
  const double width = layer.intermediate / layer.tensor;
  const double rows = routed(layer);
  const double element = bytes_of(DType::bf16);
  OpCost cost;
  add(cost, grouped(model, layer, (layer.gated ? 2 : 1) * width, layer.hidden));
  const double branches = layer.gated ? 3 : 2;
  add(cost, price_elementwise(gpu, branches * rows * width * element, activation_flops * rows * width));
  add(cost, grouped(model, layer, layer.hidden, width));
  // In: each token once, and a row for each of its experts. Out: the other way round.
  const double moved = (layer.tokens / layer.expert + rows) * layer.hidden * element;
  add(cost, price_elementwise(gpu, moved, 0));
  add(cost, price_elementwise(gpu, moved, 2 * rows * layer.hidden));
  return finished(cost);
}

}  // namespace shapelint::cost
