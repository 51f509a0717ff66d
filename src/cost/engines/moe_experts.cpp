// Experts of engines: grouped GEMMs over the rows that each expert gets.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "base/recipe.hpp"
#include "cost/engines/kernels.hpp"

namespace shapelint::cost {
namespace {

constexpr double tile_columns = 128;

// Whether the busiest expert has much more than its share.
bool is_skewed(std::span<const ExpertLoad> loads) {
  return loads.size() > 2;
}

double rows_of(std::span<const ExpertLoad> loads) {
  return std::accumulate(loads.begin(), loads.end(), 0.0,
                         [](double sum, const ExpertLoad& load) { return sum + load.rows * load.experts; });
}

// Rows of tiles to choose from: doubled from the first to the last.
struct TileRows {
  double first = 16;
  double last = 128;
};

TileRows tile_rows(const gpu::MoeKernel& kernel, double tokens, double experts) {
  const auto least = static_cast<double>(kernel.least_tile);
  const auto most = static_cast<double>(kernel.most_tile);
  if (!kernel.tiles_by_tokens) return {least, most};
  return tokens <= experts ? TileRows{least, least} : TileRows{most, most};
}

// Tiles for few tokens are narrow, and step through longer pieces of the sum: weights arrive faster with
// them.
gpu::L2Residency traffic_of(const gpu::MoeKernel& kernel, double tokens, double experts) {
  gpu::L2Residency traffic = kernel;
  if (kernel.tiles_by_tokens && tokens <= experts && kernel.few_dram_share > 0)
    traffic.dram_share = kernel.few_dram_share;
  return traffic;
}

// Busy time of all SMs for one grouped product C[rows, n] = A[rows, k] B[expert][k, n], with the tile height
// that is fastest.
double product_us(const gpu::Gpu& gpu, const gpu::MoeKernel& kernel, TileRows tiles,
                  std::span<const ExpertLoad> loads, DType dtype, double weight_bytes, double n, double k,
                  double speed) {
  const double sms = static_cast<double>(std::max<std::int64_t>(gpu.sm_count, 1));
  const double sm_flops = peak_flops_per_us(gpu, dtype) * speed / sms;
  const double feed = kernel.feed_gb_s * bytes_per_us_per_gb_s;
  const double columns = std::ceil(n / tile_columns);
  double best = 0;
  for (double tile = tiles.first; tile <= tiles.last; tile *= 2) {
    double row_tiles = 0;
    for (const ExpertLoad& load : loads) row_tiles += load.experts * std::ceil(load.rows / tile);
    const double arithmetic_us = 2 * tile * tile_columns * k / sm_flops;
    const double loads_us = k * (tile * bytes_of(dtype) + tile_columns * weight_bytes) / feed;
    const double tile_us = std::sqrt(arithmetic_us * arithmetic_us + loads_us * loads_us) + kernel.tile_us;
    const double waves = row_tiles * columns / sms;
    const double rounds = waves < 1
                              ? std::max(waves, kernel.least_wave)
                              : kernel.wave_rounding * std::ceil(waves) + (1 - kernel.wave_rounding) * waves;
    const double time_us = tile_us * rounds;
    if (best <= 0 || time_us < best) best = time_us;
  }
  return best;
}

// Share of the peak that tensor cores reach. 4-bit products are as fast on cards that add 16 bits at half
// rate.
double speed_of(const gpu::Gpu& gpu, const gpu::MoeKernel& kernel, DType dtype, bool is_even) {
  const double speed = kernel.efficiency * (is_even ? 1 : kernel.skewed_speed);
  return dtype == DType::fp4 ? speed : share_of_peak(gpu, kernel.full_rate, speed);
}

// All choices of the tokens that reach this rank, those of experts elsewhere among them, spread as its own
// are. A token reaches it with its share s of all choices: k s where they are dealt out in turn, 1 - (1 -
// s)^k else.
void add_absent(const ExpertLayer& layer, std::span<ExpertLoad> loads) {
  const double rows = rows_of(loads);
  const double choices = layer.tokens * layer.top_k;
  if (rows <= 0 || choices <= 0) return;
  const double share = std::min(1.0, rows / choices);
  const double reached =
      is_skewed(loads) ? 1 - std::pow(1 - share, layer.top_k) : std::min(1.0, layer.top_k * share);
  const double times = std::max(1.0, reached * choices / rows);
  for (ExpertLoad& load : loads) load.rows *= times;
}

}  // namespace

OpCost price_moe_kernel(const gpu::Gpu& gpu, const gpu::MoeKernel& kernel, const ExpertLayer& layer,
                        std::span<const ExpertLoad> loads, double weight_bytes) {
  std::vector<ExpertLoad> with_absent;
  const bool computes_absent =
      kernel.computes_absent || layer.experts <= static_cast<double>(kernel.computes_absent_up_to);
  if (computes_absent) {
    with_absent.assign(loads.begin(), loads.end());
    add_absent(layer, with_absent);
    loads = with_absent;
  }
  const double width = layer.intermediate / layer.tensor;
  const double branches = layer.gated ? 2 : 1;
  const double rows = rows_of(loads);
  double experts = 0;
  for (const ExpertLoad& load : loads) experts += load.experts;
  const double speed = speed_of(gpu, kernel, layer.dtype, !is_skewed(loads));
  const double local = std::max(1.0, layer.experts / layer.expert);
  const TileRows tiles = tile_rows(kernel, layer.tokens, local);
  const double compute_us =
      product_us(gpu, kernel, tiles, loads, layer.dtype, weight_bytes, branches * width, layer.hidden,
                 speed) +
      product_us(gpu, kernel, tiles, loads, layer.dtype, weight_bytes, layer.hidden, width, speed);

  const double element = bytes_of(DType::bf16);
  const double weights = experts * (branches + 1) * layer.hidden * width * weight_bytes;
  const double operands = rows * (layer.hidden + width) * bytes_of(layer.dtype) +
                          rows * (branches * width + layer.hidden) * element;
  const double passed =
      kernel.passes_absent && !computes_absent ? std::max(rows, layer.tokens * layer.top_k) : rows;
  const double extra =
      passed * (kernel.hidden_passes * layer.hidden + kernel.width_passes * width) * element +
      kernel.token_passes * layer.tokens * layer.hidden * element;
  const double rate =
      detail::us_per_byte(gpu, traffic_of(kernel, layer.tokens, local), weights + operands + extra);
  const double memory_us = (weights + operands) * rate;
  const double fixed_us = kernel.fixed_us + kernel.expert_us * local;
  const double core_us = smooth_max(compute_us, memory_us, kernel.overlap_power) + extra * rate;
  const double flops = 2 * rows * (branches + 1) * layer.hidden * width;
  const double ideal_us =
      std::max(flops / peak_flops_per_us(gpu, layer.dtype), (weights + operands) / dram_bytes_per_us(gpu));
  return detail::cost_of(compute_us, memory_us + extra * rate, fixed_us, core_us, ideal_us);
}

namespace {

// Bytes of the scales of a weight, as stored.
double scale_bytes_of(const model::Op& op) {
  return op.dtype == DType::fp4 ? info(Recipe::nvfp4).weight_scale_bytes : info(op.recipe).weight_scale_bytes;
}

constexpr double ops_of_a_layer = 5;  // dispatch, up, activation, down, combine

// As gpus/engines/moe.toml names formats of experts; empty: none that was measured. Published mixtures in fp8
// are scaled by blocks (DeepSeek-V3, Qwen3, MiniMax-M2), those with 4-bit weights in groups of 32 are MXFP4
// (gpt-oss), which Blackwell multiplies with 8-bit activations.
std::string_view format_of(const gpu::Gpu& gpu, const model::ExpertWork& work) {
  constexpr double four_bits = 0.5625;  // bytes, with scales of 16 bits for each 32
  constexpr double group_of_64 = 0.53125;
  if (work.weight_bytes > 0) {
    if (work.weight_bytes > four_bits) return {};
    const bool is_mxfp4 = work.weight_bytes > group_of_64;
    return work.dtype == DType::fp8 || (is_mxfp4 && can_multiply(gpu, DType::fp4)) ? "w4a8_mxfp4_mxfp8"
                                                                                   : "int4_wo";
  }
  switch (work.dtype) {
    case DType::bf16:
    case DType::fp16:
      return "bf16";
    case DType::fp8:
      return work.recipe == Recipe::tensor || work.recipe == Recipe::row ? "fp8" : "fp8_block";
    case DType::fp4:
      return "nvfp4";
    default:
      return {};
  }
}

std::string_view name(model::ExpertKernels kernels) {
  switch (kernels) {
    case model::ExpertKernels::cutlass:
      return "cutlass";
    case model::ExpertKernels::triton:
      return "triton";
    case model::ExpertKernels::deepgemm:
      return "deepgemm";
    case model::ExpertKernels::flashinfer:
      return "flashinfer";
    case model::ExpertKernels::default_ones:
      break;
  }
  return {};
}

// For the layer's routed experts; null if no such kernel was measured.
const gpu::MoeKernel* kernel_of(const gpu::Gpu& gpu, const model::ExpertWork& work) {
  const std::string_view format = format_of(gpu, work);
  if (format.empty() || !can_multiply(gpu, work.dtype)) return nullptr;
  const auto kernel_for = [&](std::string_view its_format) {
    return gpu::moe_kernel_of(gpu.architecture.id, its_format, engine_name(work.engine), name(work.kernels),
                              {static_cast<std::int64_t>(work.local_experts), work.width});
  };
  if (const gpu::MoeKernel* kernel = kernel_for(format)) return kernel;
  if (format == "fp8_block") return kernel_for("fp8");
  if (format == "nvfp4") return kernel_for("mxfp4");  // 4 bits of AMD's
  return nullptr;
}

// One grouped product, its weights from DRAM.
OpCost product_cost(const gpu::Gpu& gpu, const gpu::MoeKernel& kernel, const GroupedProduct& of,
                    TileRows tiles, const gpu::L2Residency& traffic, double fixed_us) {
  const double rows = of.load.rows * of.load.experts;
  const double speed = speed_of(gpu, kernel, of.dtype, of.is_even);
  const double compute_us =
      product_us(gpu, kernel, tiles, {&of.load, 1}, of.dtype, of.weight_bytes, of.n, of.k, speed);
  const double weights = of.load.experts * of.n * of.k * of.weight_bytes;
  const double operands = rows * (of.k * bytes_of(of.dtype) + of.n * bytes_of(DType::bf16));
  const double memory_us = weights / (traffic.dram_share * dram_bytes_per_us(gpu)) +
                           operands * detail::us_per_byte(gpu, traffic, operands);
  const double core_us = smooth_max(compute_us, memory_us, kernel.overlap_power);
  const double ideal_us = std::max(2 * rows * of.n * of.k / peak_flops_per_us(gpu, of.dtype),
                                   (weights + operands) / dram_bytes_per_us(gpu));
  return detail::cost_of(compute_us, memory_us, fixed_us, core_us, ideal_us);
}

OpCost grouped_product(const gpu::Gpu& gpu, const gpu::MoeKernel& kernel, const model::Op& op,
                       double fixed_us) {
  const double experts = static_cast<double>(op.batch.value);
  const GroupedProduct of{{op.experts.rows / experts, experts},
                          op.dtype,
                          op.weight_bytes > 0 ? op.weight_bytes : bytes_of(op.dtype) + scale_bytes_of(op),
                          static_cast<double>(op.n.value),
                          static_cast<double>(op.k.value),
                          op.experts.is_even};
  const TileRows tiles = tile_rows(kernel, op.experts.tokens, op.experts.local_experts);
  return product_cost(gpu, kernel, of, tiles, traffic_of(kernel, op.experts.tokens, op.experts.local_experts),
                      fixed_us);
}

}  // namespace

OpCost price_grouped_product(const gpu::Gpu& gpu, const gpu::MoeKernel& kernel, const GroupedProduct& of) {
  const double rows = of.load.rows * of.load.experts;
  return product_cost(gpu, kernel, of, tile_rows(kernel, rows, of.load.experts), kernel, kernel.fixed_us);
}

std::string_view engine_name(model::ServingEngine engine) {
  switch (engine) {
    case model::ServingEngine::vllm:
      return "vllm";
    case model::ServingEngine::sglang:
      return "sglang";
    case model::ServingEngine::fastest:
    case model::ServingEngine::trtllm:
      break;
  }
  return "trtllm";
}

bool computes_shared(const gpu::Gpu& gpu, const model::ExpertWork& work) {
  const gpu::MoeKernel* kernel = kernel_of(gpu, work);
  return kernel != nullptr && kernel->computes_shared;
}

std::optional<OpCost> price_expert_op(const gpu::Gpu& gpu, const model::Op& op) {
  const model::ExpertWork& work = op.experts;
  const gpu::MoeKernel* kernel = kernel_of(gpu, work);
  if (kernel == nullptr) return std::nullopt;
  const double fixed_us = launches_in_step_us(gpu, kernel->fixed_us / ops_of_a_layer, work.engine);
  if (op.kind == model::OpKind::gemm) return grouped_product(gpu, *kernel, op, fixed_us);
  const double element = bytes_of(DType::bf16);
  double elements = 0;
  double sorting_us = 0;
  if (work.part == model::ExpertPart::activation) {
    elements = kernel->width_passes * work.rows * work.row_elements;
  } else {  // copies to the experts, and back
    elements =
        (kernel->hidden_passes * work.rows + kernel->token_passes * work.tokens) * work.row_elements / 2;
    if (work.part == model::ExpertPart::dispatch) sorting_us = kernel->expert_us * work.local_experts;
  }
  const double bytes = elements * element;
  const double memory_us = bytes * detail::us_per_byte(gpu, *kernel, bytes);
  return detail::cost_of(0, memory_us, fixed_us + sorting_us, memory_us, bytes / dram_bytes_per_us(gpu));
}

double host_stall_us(const gpu::Gpu& gpu, const model::ExpertWork& work) {
  if (work.graphs == model::CudaGraphScope::step) return 0;
  if (work.graphs == model::CudaGraphScope::parts) return gpu.architecture.mixture_stall_us / 2;
  const std::string& until = gpu.architecture.mixture_stall_until;
  const auto number = [&](std::size_t at, std::size_t size) {
    int value = 0;
    std::from_chars(until.data() + at, until.data() + at + size, value);
    return value;
  };
  if (!until.empty()) {
    if (work.software == model::Software::newest) return 0;
    const int months =
        until.size() == 7 ? 12 * (number(0, 4) - model::first_software_year) + number(5, 2) : 0;
    if (static_cast<int>(work.software) >= months) return 0;
  }
  return gpu.architecture.mixture_stall_us / 2;
}

}  // namespace shapelint::cost
