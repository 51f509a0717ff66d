// Rows of the experts of a mixture.
#include <algorithm>
#include <array>

#include "cost/engines/rows.hpp"
#include "cost/kernels/experts.hpp"

namespace shapelint::cost {
namespace {

using namespace detail;

// Number formats of experts: what multiplies, and the bytes of a weight with its scales.
struct ExpertFormat {
  std::string_view name;
  DType dtype;
  double weight_bytes;
};
constexpr std::array expert_formats{ExpertFormat{"", DType::bf16, 0},
                                    ExpertFormat{"bfloat16", DType::bf16, 0},
                                    ExpertFormat{"fp8", DType::fp8, 0},
                                    ExpertFormat{"fp8_block", DType::fp8, 0},
                                    ExpertFormat{"nvfp4", DType::fp4, 0},
                                    ExpertFormat{"w4a8_mxfp4_mxfp8", DType::fp8, 0.53125},
                                    ExpertFormat{"int4_wo", DType::bf16, 0.515625}};

bool set_format(ExpertLayer& layer, std::string_view format) {
  for (const ExpertFormat& each : expert_formats) {
    if (each.name != format) continue;
    layer.dtype = each.dtype;
    layer.weight_bytes = each.weight_bytes;
    return true;
  }
  return false;
}

constexpr std::array moe_columns{
    size("num_tokens", "of all ranks that share the experts"),
    size("hidden_size", "elements"),
    size("inter_size", "of an expert, of the whole layer"),
    size("topk", "experts of each token"),
    size("num_experts", "of the whole layer"),
    size_or("moe_tp_size", 1, "ranks that an expert is cut over"),
    size_or("moe_ep_size", 1, "ranks that the experts are spread over"),
    word("moe_dtype", "bfloat16, fp8, fp8_block, nvfp4, w4a8_mxfp4_mxfp8 or int4_wo"),
    word("distribution", "of tokens over experts: balanced, power_law_1.01, power_law_1.2"),
    word("framework", "the engine: vllm, sglang, trtllm"),
    word("kernel_source", "its kernel"),
};

std::optional<OpCost> price_moe(const gpu::Gpu& gpu, Row row) {
  ExpertLayer layer;
  layer.tokens = number(row, 0);
  layer.hidden = number(row, 1);
  layer.intermediate = number(row, 2);
  layer.top_k = number(row, 3);
  layer.experts = number(row, 4);
  layer.tensor = number(row, 5);
  layer.expert = number(row, 6);
  return set_format(layer, row[7].word) ? price_experts(gpu, layer) : std::nullopt;
}

constexpr std::array amd_moe_columns{
    size("tokens", "of this rank"),  size("hidden", "elements"),
    size("inter", "of an expert"),   size("topk", "experts of each token"),
    size("experts", "of this rank"), word("q_a", "of activations"),
    word("q_w", "of weights"),       size_or("gated", 1, "1: gate and up, 0: up alone"),
};

std::optional<OpCost> price_amd_moe(const gpu::Gpu& gpu, Row row) {
  ExpertLayer layer;
  layer.tokens = number(row, 0);
  layer.hidden = number(row, 1);
  layer.intermediate = number(row, 2);
  layer.top_k = number(row, 3);
  layer.experts = number(row, 4);
  layer.gated = row[7].whole != 0;
  const auto dtype = dtype_of(row[5].word, DType::bf16);
  if (!dtype) return std::nullopt;
  layer.dtype = *dtype;
  return price_experts(gpu, layer);
}

constexpr std::array grouped_columns{
    size("num_experts", "of the whole layer"),
    size("num_gpus", "that the experts are spread over"),
    size("topk", "experts of each token"),
    size("hidden", "elements"),
    size("inter", "of an expert"),
    size("batch_or_seq_per_gpu", "tokens of each GPU"),
};

std::optional<OpCost> price_grouped(const gpu::Gpu& gpu, Row row) {
  ExpertLayer layer;
  layer.experts = number(row, 0);
  layer.expert = number(row, 1);
  layer.top_k = number(row, 2);
  layer.hidden = number(row, 3);
  layer.intermediate = number(row, 4);
  layer.tokens = number(row, 5) * layer.expert;
  layer.dtype = DType::fp8;
  return price_expert_up(gpu, layer);
}

constexpr std::array frontier_columns{
    size("num_tokens", "of all ranks that share the experts"),
    size("num_experts", "of the whole layer"),
    size_or("expert_parallel_size", 1, "ranks that the experts are spread over"),
    size("router_topk", "experts of each token"),
    size("hidden_dim", "elements"),
    size("expert_hidden_dim", "of an expert"),
    word("use_gated", "True: gate and up"),
    size_or("num_tensor_parallel_workers", 1, "ranks that an expert is cut over"),
};

std::optional<OpCost> price_frontier(const gpu::Gpu& gpu, Row row) {
  ExpertLayer layer;
  layer.tokens = number(row, 0);
  layer.experts = number(row, 1);
  layer.expert = number(row, 2);
  layer.top_k = number(row, 3);
  layer.hidden = number(row, 4);
  layer.intermediate = number(row, 5);
  layer.gated = row[6].word != "False";
  layer.tensor = number(row, 7);
  return price_experts(gpu, layer);
}

constexpr std::array kinds{
    KernelKind{"moe", "the experts of one layer on one rank", moe_columns, price_moe},
    KernelKind{"wide-ep-moe", "the same where experts are spread over many ranks", moe_columns, price_moe},
    KernelKind{"amd-moe", "the same as AMD's tuner names it", amd_moe_columns, price_amd_moe},
    KernelKind{"grouped-products", "the grouped product of gate and up, fp8 in blocks", grouped_columns,
               price_grouped},
    KernelKind{"frontier-moe", "the grouped products of one layer, 16 bits", frontier_columns,
               price_frontier},
};

}  // namespace

std::span<const KernelKind> detail::expert_kinds() {
  return kinds;
}

}  // namespace shapelint::cost
