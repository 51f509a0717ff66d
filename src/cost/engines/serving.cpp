// Attention and collectives of a step that serves, by the timed kernels of the plan's engine.
#include <algorithm>

#include "cost/engines/kernels.hpp"
#include "cost/kernels/collective.hpp"
#include "cost/kernels/memory.hpp"

namespace shapelint::cost {
namespace {

// Of a sequence in one step; more of them are a prompt's.
constexpr double most_decoded_tokens = 16;

KernelAttention sizes_of(const model::Op& op) {
  const model::AttentionShape& a = op.attention;
  const auto number = [](const model::Dim& dim) { return static_cast<double>(dim.value); };
  KernelAttention out;
  out.sequences = number(a.sequences);
  out.tokens = number(a.query_length);
  out.cached = std::max(0.0, number(a.key_length) - out.tokens);
  out.heads = number(a.heads);
  out.key_value_heads = number(a.key_value_heads);
  out.head_dim = number(a.head_dim);
  out.value_head_dim = number(a.value_head_dim);
  out.window = static_cast<double>(a.window);
  out.latent = out.key_value_heads == 1 && out.value_head_dim < out.head_dim;
  out.dtype = op.dtype;
  out.cache = a.cache_bytes > 0 && a.cache_bytes <= bytes_of(DType::fp8) ? DType::fp8 : DType::bf16;
  return out;
}

}  // namespace

double launches_in_step_us(const gpu::Gpu& gpu, double fixed_us, model::Engine engine) {
  const double kernels = engine == model::Engine::fastest ? 1 : 3;
  return std::min(fixed_us, kernels * launch_us(gpu));
}

std::optional<OpCost> price_serving_attention(const gpu::Gpu& gpu, const model::Op& op) {
  const KernelAttention shape = sizes_of(op);
  if (!can_multiply(gpu, shape.dtype)) return std::nullopt;
  const bool decodes = shape.tokens <= most_decoded_tokens && shape.cached > 0;
  // Queries over a latent, or heads that were unfolded from one (MLA).
  const bool is_unfolded = shape.heads == shape.key_value_heads && shape.value_head_dim < shape.head_dim;
  if (decodes ? is_unfolded && !shape.latent : shape.latent) return std::nullopt;  // never timed
  const gpu::EngineNames names{
      engine_name(op.experts.engine),        {}, name(shape.dtype), name(shape.cache), {}, {},
      static_cast<std::int64_t>(shape.heads)};
  const std::string& architecture = gpu.architecture.id;
  if (decodes) {
    const auto kernels = gpu::decode_kernels(shape.latent ? "mla-decode" : "attention-decode");
    const auto* known = gpu::closest(kernels, architecture, names);
    if (known == nullptr) return std::nullopt;
    gpu::DecodeKernel kernel = *known;
    kernel.fixed_us = launches_in_step_us(gpu, kernel.fixed_us, op.experts.engine);
    kernel.resident_share = 0;  // the cache of each layer is read once, from DRAM
    kernel.timed_share = 1;     // and all of it
    return price_decode(gpu, kernel, shape);
  }
  const auto kernels = gpu::prefill_kernels(is_unfolded ? "mla-prefill" : "attention-prefill");
  const auto* known = gpu::closest(kernels, architecture, names);
  if (known == nullptr) return std::nullopt;
  gpu::PrefillKernel kernel = *known;
  kernel.fixed_us = launches_in_step_us(gpu, kernel.fixed_us, op.experts.engine);
  return price_prefill(gpu, kernel, shape);
}

std::optional<OpCost> price_serving_exchange(const gpu::Gpu& gpu, const model::Op& op) {
  if (op.ranks <= 1 || op.ranks * op.stride > gpus_of_node(gpu)) return std::nullopt;
  gpu::EngineNames names;
  std::string_view kind = "nccl";
  double times = 1;  // that each rank sends its share
  switch (op.collective) {
    case model::CollectiveKind::all_reduce:
      kind = "all-reduce";
      names.engine = engine_name(op.experts.engine);
      names.operation = "all_reduce";
      times = 2;
      break;
    case model::CollectiveKind::all_gather:
      names.operation = "all_gather";
      break;
    case model::CollectiveKind::reduce_scatter:
      names.operation = "reduce_scatter";
      break;
    case model::CollectiveKind::all_to_all:
    case model::CollectiveKind::send:
    case model::CollectiveKind::host_copy:
      return std::nullopt;
  }
  const gpu::CollectiveKernel* kernel = exchange_kernel(gpu, kind, names);
  if (kernel == nullptr) return std::nullopt;
  const auto ranks = static_cast<double>(op.ranks);
  return price_exchange(gpu, *kernel, op.bytes, ranks, times * (ranks - 1) / ranks);
}

}  // namespace shapelint::cost
