// Passes over memory and scans of engines, and attention and collectives of a step that serves, by the timed
// kernels of the plan's engine.
#include "cost/engines/kernels.hpp"

#include <algorithm>
#include <cmath>

#include "cost/kernels/collective.hpp"
#include "cost/kernels/memory.hpp"

namespace shapelint::cost {

namespace {

constexpr double columns_of_width = 8192;

// Share of DRAM bandwidth that frameworks' passes to MXFP8 reach: they write both directions, with a scale
// for every 32 elements that another kernel arranges as tensor cores read it
// (blog.fal.ai/chasing-6-tb-s-an-mxfp8-quantizer-on-blackwell describes that kernel). Fitted together with
// mxfp8_speed (cost/price.cpp).
constexpr double mxfp8_bandwidth_share = 0.58;

}  // namespace

OpCost price_pass(const gpu::Gpu& gpu, const gpu::ElementwiseKernel& kernel, double m, double k,
                  double bytes) {
  const double sms = static_cast<double>(std::max<std::int64_t>(gpu.sm_count, 1));
  const double moved = bytes * m * k;
  const double memory_us = moved * detail::us_per_byte(gpu, kernel, moved);
  const double rows_us = m / sms * kernel.row_us;
  const double fixed_us = kernel.fixed_us + kernel.width_us * k / columns_of_width;
  return detail::cost_of(0, memory_us, fixed_us, smooth_max(memory_us, rows_us),
                         moved / dram_bytes_per_us(gpu));
}

std::optional<OpCost> price_quantizing(const gpu::Gpu& gpu, const model::Op& op) {
  // The plainest kernels of those that were timed, as frameworks that train have them: one pass for each
  // step.
  const gpu::EngineNames names{"trtllm", {}, {}, {}, {}};
  const auto& architecture = gpu.architecture.id;
  const auto* narrows = gpu::closest(gpu::pass_kernels("fp8-quantize"), architecture, names);
  const auto* scans = gpu::closest(gpu::pass_kernels("fp8-scale"), architecture, names);
  if (narrows == nullptr) return std::nullopt;
  const double moved = op.bytes - op.scanned_bytes;
  double memory_us = moved * detail::us_per_byte(gpu, *narrows, moved);
  double fixed_us = narrows->fixed_us;
  if (op.scanned_bytes > 0) {
    const gpu::ElementwiseKernel& scan = scans != nullptr ? *scans : *narrows;
    memory_us += op.scanned_bytes * detail::us_per_byte(gpu, scan, op.scanned_bytes);
    fixed_us += scan.fixed_us;
  }
  const double ideal_us = op.bytes / dram_bytes_per_us(gpu);
  if (op.recipe == Recipe::mxfp8) memory_us = std::max(memory_us, ideal_us / mxfp8_bandwidth_share);
  return detail::cost_of(0, memory_us, fixed_us, memory_us, ideal_us);
}

const gpu::CollectiveKernel* exchange_kernel(const gpu::Gpu& gpu, std::string_view kind,
                                             const gpu::EngineNames& names, bool over_link) {
  const auto kernels = gpu::collective_kernels(kind);
  const std::string& architecture = gpu.architecture.id;
  // An architecture with a link was timed over it, and bridges of its cards join two.
  const bool goes_round_link = gpu.link_gb_s > 0 && !over_link;
  const auto* known = goes_round_link ? nullptr : gpu::closest(kernels, architecture, names);
  // Links matter more than SMs.
  if (known == nullptr && gpu.vendor == "NVIDIA")
    known = gpu::closest(kernels, over_link ? "hopper" : "ada", names);
  // Engines leave all-reduces to NCCL where no link joins the GPUs: vLLM of more than two
  // (device_communicators/custom_all_reduce.py), TensorRT-LLM of all (thop/allreduceOp.cpp,
  // ifFallbackToNCCL).
  if (known == nullptr && !over_link && kind == "all-reduce")
    known = gpu::closest(gpu::collective_kernels("nccl"), architecture, names);
  return known;
}

OpCost price_exchange(const gpu::Gpu& gpu, const gpu::CollectiveKernel& kernel, double bytes, double ranks,
                      double sent, bool over_link) {
  OpCost cost;
  cost.bound = Bound::communication;
  if (ranks <= 1 || !(bytes > 0)) return cost;
  const double link = over_link ? gpu.link_gb_s * bytes_per_us_per_gb_s : pcie_bytes_per_us(gpu);
  const double more = ranks - 2;
  const auto rate = [&](double share, double power) { return link * share * std::pow(ranks / 2, power); };
  const double short_us =
      kernel.short_us + kernel.short_rank_us * more +
      bytes * (kernel.one_shot ? ranks - 1 : sent) / rate(kernel.short_share, kernel.short_power);
  const double transfer_us = bytes * sent / rate(kernel.long_share, kernel.long_power);
  const double long_us =
      kernel.long_us + kernel.long_rank_us * more + transfer_us + kernel.ramp * std::sqrt(transfer_us);
  cost.time_us = std::min(short_us, long_us);
  cost.ideal_us = std::min(bytes * sent / link, cost.time_us);
  cost.efficiency.rest = cost.ideal_us / cost.time_us;
  return cost;
}

namespace {

// Where the hidden size is timed, lanes are tokens of this many elements.
constexpr double lane_elements = 4096;

struct Steps {
  double number = 1;  // of one lane, that wait for each other
  double lanes = 1;
};

// The bytes that a kernel and the next one have in common must fit L2.
struct Moved {
  double bytes = 0;
  double footprint = 0;
};

OpCost price_steps(const gpu::Gpu& gpu, const gpu::ScanKernel& kernel, const Steps& steps, double fixed_us,
                   const Moved& moved, double ideal_us) {
  const double sms = static_cast<double>(std::max<std::int64_t>(gpu.sm_count, 1));
  const double memory_us = moved.bytes * detail::us_per_byte(gpu, kernel, moved.footprint);
  const double waves = steps.lanes / (sms * kernel.slots);
  const double rounds =
      waves < 1 ? 1 : kernel.wave_rounding * std::ceil(waves) + (1 - kernel.wave_rounding) * waves;
  const double steps_us = steps.number * kernel.step_us * rounds;
  const double longer = std::max(memory_us, steps_us);
  const double shorter = std::min(memory_us, steps_us);
  const double p = kernel.overlap_power;
  // The sum of powers, scaled so that none overflows.
  const double core_us = longer > 0 ? longer * std::pow(1 + std::pow(shorter / longer, p), 1 / p) : 0;
  return detail::cost_of(steps_us, memory_us, fixed_us, core_us, ideal_us);
}

}  // namespace

OpCost price_scan_kernel(const gpu::Gpu& gpu, const gpu::ScanKernel& kernel, ScanKind kind,
                         const ScanSizes& sizes, ScanPass pass, bool verifies) {
  const ScanWork work = scan_work(kind, sizes, pass);
  double once = work.once_bytes;
  if (pass == ScanPass::forward && sizes.keeps_state) {
    once -= (2 - kernel.state_passes) * scan_state_bytes(kind, sizes);
  }
  if (verifies) {
    // A state is read once and written after each token; a convolution's are windows, each moved by itself.
    const double reads = kind == ScanKind::short_convolution ? sizes.seq_len : 1;
    once += scan_state_bytes(kind, sizes) * (sizes.seq_len + reads - 2);
  }
  const double chunk = static_cast<double>(kernel.chunk);
  const double lanes =
      sizes.batch *
      (kind == ScanKind::short_convolution ? sizes.value_heads * sizes.value_dim : sizes.value_heads);
  const double ideal_us =
      std::max(work.product_flops / peak_flops_per_us(gpu, DType::bf16), once / dram_bytes_per_us(gpu));
  const double between = kernel.is_fused ? 0 : work.between_bytes;
  return price_steps(gpu, kernel, {std::ceil(sizes.seq_len / chunk), lanes},
                     kernel.fixed_us + kernel.row_us * std::min(sizes.seq_len, chunk),
                     {once + between, once + between * part_in_common}, ideal_us);
}

std::optional<OpCost> price_timed_scan(const gpu::Gpu& gpu, ScanKind kind, const ScanSizes& sizes,
                                       ScanPass pass) {
  const bool gated = kind == ScanKind::gated_delta;
  if ((!gated && kind != ScanKind::kimi_delta) || pass == ScanPass::backward) return std::nullopt;
  const bool decodes = pass == ScanPass::decode;
  const bool verifies = decodes && sizes.seq_len > 1;
  gpu::EngineNames names{"sglang", {}, {}, {}, "scan-context"};
  if (!decodes) names.kernel = gated ? "chunk_gated_delta_rule" : "chunk_kda";
  if (decodes) names.operation = verifies ? "scan-verify" : "scan-generation";
  const auto kernels = gpu::scan_kernels(gated ? "gated-delta-net" : "kimi-delta-attention");
  const auto* known = gpu::closest(kernels, gpu.architecture.id, names);
  if (known == nullptr && verifies) {  // the same kernels, which were timed with one token only
    names.operation = "scan-generation";
    known = gpu::closest(kernels, gpu.architecture.id, names);
  }
  if (known == nullptr) return std::nullopt;
  return price_scan_kernel(gpu, *known, kind, sizes, pass, verifies);
}

OpCost price_streams(const gpu::Gpu& gpu, const gpu::ScanKernel& kernel, double tokens, double hidden,
                     double streams, double calls) {
  // Before a layer the streams are read twice, for the weights of the mixture and for the mixture itself;
  // after it they are read and written.
  const double bytes = calls * tokens * hidden * (2 * streams + 1) * bytes_of(DType::bf16);
  return price_steps(gpu, kernel, {1, calls * tokens * hidden / lane_elements}, calls * kernel.fixed_us,
                     {bytes, bytes}, bytes / dram_bytes_per_us(gpu));
}

namespace {

// Tokens of a sequence in one step; more of them are a prompt's.
constexpr double max_decoded_tokens = 16;

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

double launches_in_step_us(const gpu::Gpu& gpu, double fixed_us, model::ServingEngine engine) {
  const double kernels = engine == model::ServingEngine::fastest ? 1 : 3;
  return std::min(fixed_us, kernels * launch_us(gpu));
}

std::optional<OpCost> price_serving_attention(const gpu::Gpu& gpu, const model::Op& op) {
  const KernelAttention shape = sizes_of(op);
  if (!can_multiply(gpu, shape.dtype)) return std::nullopt;
  const bool decodes = shape.tokens <= max_decoded_tokens && shape.cached > 0;
  // Queries over a latent, or heads that were unfolded from one (MLA).
  const bool is_unfolded = shape.heads == shape.key_value_heads && shape.value_head_dim < shape.head_dim;
  if (decodes ? is_unfolded && !shape.latent : shape.latent) return std::nullopt;  // never timed
  gpu::EngineNames names{
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
  if (is_unfolded) names.kernel = latent_prompt_kernel(names.engine, shape.sequences * shape.cached);
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
  const bool over_link = meet_over_link(gpu, op.ranks, op.stride);
  const gpu::CollectiveKernel* kernel = exchange_kernel(gpu, kind, names, over_link);
  if (kernel == nullptr) return std::nullopt;
  const auto ranks = static_cast<double>(op.ranks);
  return price_exchange(gpu, *kernel, op.bytes, ranks, times * (ranks - 1) / ranks, over_link);
}

}  // namespace shapelint::cost
