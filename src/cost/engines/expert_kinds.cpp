// Rows of the experts of a mixture.
#include <algorithm>
#include <array>

#include "base/number.hpp"
#include "cost/engines/kernels.hpp"
#include "cost/engines/rows.hpp"
#include "cost/kernels/experts.hpp"

namespace shapelint::cost {
namespace {

using namespace detail;

constexpr std::array expert_formats{ExpertFormat{"", DType::bf16, 2, 0, true},
                                    ExpertFormat{"bfloat16", DType::bf16, 2, 0, true},
                                    ExpertFormat{"fp8", DType::fp8, 1, 0, true},
                                    ExpertFormat{"fp8_block", DType::fp8, 1, 0, false},
                                    ExpertFormat{"nvfp4", DType::fp4, 0.5625, 0, false},
                                    ExpertFormat{"mxfp4", DType::fp4, 0.53125, 0, false},
                                    ExpertFormat{"w4a8_mxfp4_mxfp8", DType::fp8, 0.53125, 0.53125, false},
                                    ExpertFormat{"int4_wo", DType::bf16, 0.515625, 0.515625, false}};

// Grouped GEMMs alone, as one study timed them; other architectures use the engines' kernels.
constexpr std::string_view frontier_kind = "frontier-moe";

// Each token's experts are drawn, all alike.
constexpr std::string_view drawn_routing = "drawn";

// For `power_law_1.2` or `power_law_1.2_eplb`: experts are moved and copied so that ranks have equal rows.
struct Distribution {
  double skew = 0;  // 0: even routing
  bool is_balanced = false;
};
Distribution distribution_of(std::string_view name) {
  constexpr std::string_view skewed = "power_law_";
  constexpr std::string_view balanced = "_eplb";
  if (!name.starts_with(skewed)) return {};
  name.remove_prefix(skewed.size());
  const bool is_balanced = name.ends_with(balanced);
  if (is_balanced) name.remove_suffix(balanced.size());
  return {parse_number(name).value_or(0), is_balanced};
}

// For an engine's experts of these sizes; the fastest in general if none is named.
gpu::EngineNames names_of(gpu::EngineNames names, const ExpertLayer& layer, const ExpertFormat& format) {
  if (names.engine.empty() && names.kernel.empty()) names.engine = "trtllm";
  names.experts = {static_cast<std::int64_t>(layer.experts / layer.expert),
                   static_cast<std::int64_t>(layer.intermediate / layer.tensor)};
  names.dtype = format.is_plain ? name(format.dtype) : format.name;
  return names;
}

// `row`: without loads; its layer's experts are without copies.
std::optional<ExpertRow> whole_row(ExpertRow row, std::string_view format) {
  row.format = find_expert_format(format);
  if (row.format == nullptr) return std::nullopt;
  row.layer.dtype = row.format->dtype;
  row.layer.weight_bytes = row.format->packed_bytes;
  if (row.names.kernel.find("nongated") != std::string_view::npos) row.layer.gated = false;
  row.names = names_of(row.names, row.layer, *row.format);
  return row;
}

std::optional<OpCost> price_layer(const gpu::Gpu& gpu, std::string_view kind,
                                  const std::optional<ExpertRow>& of) {
  if (!of || !can_multiply(gpu, of->format->dtype)) return std::nullopt;
  const auto* known = gpu::closest(gpu::moe_kernels(kind), gpu.architecture.id, of->names, true);
  if (known == nullptr && kind == frontier_kind) return std::nullopt;
  ExpertLayer layer = of->layer;
  layer.experts = std::max(layer.experts, of->slots);
  if (known == nullptr) return price_experts(gpu, layer);
  return price_moe_kernel(gpu, *known, layer, routed_loads(of->layer, of->distribution, of->slots),
                          of->format->stored_bytes);
}

bool is_expert_format(std::string_view word) {
  return find_expert_format(word) != nullptr;
}

constexpr std::array moe_columns{
    size("num_tokens", "tokens of all ranks that share the experts"),
    size("hidden_size", "hidden size of the model"),
    size("inter_size", "expert intermediate size, before TP"),
    size("topk", "experts per token (top-k)"),
    size("num_experts", "experts of the layer, all ranks"),
    size_or("moe_tp_size", 1, "TP of the experts"),
    size_or("moe_ep_size", 1, "EP"),
    word("moe_dtype", "bfloat16, fp8, fp8_block, nvfp4, w4a8_mxfp4_mxfp8 or int4_wo", is_expert_format),
    word("distribution", "tokens over experts: balanced, power_law_1.01, power_law_1.2"),
    word("framework", "engine: vllm, sglang, trtllm"),
    word("kernel_source", "kernel of the engine"),
};

// The layer of the first five of these columns.
ExpertLayer whole_layer_of(Row row) {
  ExpertLayer layer;
  layer.tokens = number(row, 0);
  layer.hidden = number(row, 1);
  layer.intermediate = number(row, 2);
  layer.top_k = number(row, 3);
  layer.experts = number(row, 4);
  return layer;
}

// And spread over ranks, as the next two say.
ExpertLayer layer_of(Row row) {
  ExpertLayer layer = whole_layer_of(row);
  layer.tensor = number(row, 5);
  layer.expert = number(row, 6);
  return layer;
}

std::optional<ExpertRow> moe_row(Row row, double slots = 0) {
  return whole_row(
      {layer_of(row), {}, nullptr, {row[9].word, row[10].word, {}, {}, {}}, 0, slots, row[8].word},
      row[7].word);
}

std::optional<OpCost> price_moe(const gpu::Gpu& gpu, Row row) {
  return price_layer(gpu, "moe", moe_row(row));
}

constexpr std::array wide_columns{
    moe_columns[0],
    moe_columns[1],
    moe_columns[2],
    moe_columns[3],
    moe_columns[4],
    moe_columns[5],
    moe_columns[6],
    moe_columns[7],
    word("distribution", "as for moe; `..._eplb`: busy experts are replicated"),
    moe_columns[9],
    moe_columns[10],
    size_or("num_slots", 0, "expert slots, replicas included; 0 or empty: no replicas"),
};

std::optional<OpCost> price_wide(const gpu::Gpu& gpu, Row row) {
  return price_layer(gpu, "wide-ep-moe", moe_row(row, number(row, 11)));
}

constexpr std::array amd_moe_columns{
    size("tokens", "tokens per rank"),
    size("hidden", "hidden size of the model"),
    size("inter", "expert intermediate size"),
    size("topk", "experts per token (top-k)"),
    size("experts", "experts per rank"),
    word("q_a", "dtype of the activations"),
    word("q_w", "dtype of the weights"),
    size_or("gated", 1, "1: gate and up projection, 0: up only"),
    word("q_type", "per_1x128: scaled in blocks"),
};

// As `moe_dtype` names the format of these activations, weights and scales. Empty: none.
std::string_view amd_format(std::string_view activations, std::string_view weights, std::string_view scales) {
  const auto dtype = activations.starts_with("float4") ? DType::fp4 : dtype_of(activations, DType::bf16);
  if (!dtype) return {};
  if (weights == "int4" || weights.starts_with("float4")) {
    if (*dtype == DType::fp4) return "mxfp4";
    return *dtype == DType::fp8 ? "w4a8_mxfp4_mxfp8" : "int4_wo";
  }
  if (*dtype == DType::fp8 || *dtype == DType::int8) return scales == "per_1x128" ? "fp8_block" : "fp8";
  return *dtype == DType::bf16 || *dtype == DType::fp16 ? "bfloat16" : std::string_view{};
}

std::optional<ExpertRow> amd_row(Row row) {
  ExpertLayer layer = whole_layer_of(row);
  layer.gated = row[7].whole != 0;
  const std::string_view format = amd_format(row[5].word, row[6].word, row[8].word);
  if (format.empty()) return std::nullopt;
  return whole_row({layer, {}, nullptr, {"aiter", {}, {}, {}, {}}, 0, 0, drawn_routing}, format);
}

std::optional<OpCost> price_amd_moe(const gpu::Gpu& gpu, Row row) {
  return price_layer(gpu, "moe", amd_row(row));
}

constexpr std::array grouped_columns{
    size("num_experts", "experts of the layer, all ranks"),
    size("num_gpus", "EP"),
    size("topk", "experts per token (top-k)"),
    size("hidden", "hidden size of the model"),
    size("inter", "expert intermediate size"),
    size("batch_or_seq_per_gpu", "tokens per GPU"),
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
  const auto* known = gpu::closest(gpu::moe_kernels("grouped-gemm"), gpu.architecture.id,
                                   {"deepgemm", {}, "fp8_block", {}, {}}, true);
  if (known == nullptr || !can_multiply(gpu, layer.dtype)) return price_expert_up(gpu, layer);
  const double visited = visited_experts(layer);
  return price_grouped_product(gpu, *known,
                               {{layer.tokens * layer.top_k / layer.expert / visited, visited},
                                layer.dtype,
                                bytes_of(layer.dtype),
                                2 * layer.intermediate,
                                layer.hidden});
}

constexpr std::array frontier_columns{
    size("num_tokens", "tokens of all ranks that share the experts"),
    size("num_experts", "experts of the layer, all ranks"),
    size_or("expert_parallel_size", 1, "EP"),
    size("router_topk", "experts per token (top-k)"),
    size("hidden_dim", "hidden size of the model"),
    size("expert_hidden_dim", "expert intermediate size"),
    word("use_gated", "True: gate and up"),
    size_or("num_tensor_parallel_workers", 1, "TP of the experts"),
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
  if (const auto timed =
          price_layer(gpu, frontier_kind,
                      whole_row({layer, {}, nullptr, {"frontier", {}, {}, {}, {}}, 0, 0, drawn_routing}, "")))
    return timed;
  return price_layer(gpu, "moe", whole_row({layer, {}, nullptr, {"vllm", {}, {}, {}, {}}, 0, 0, {}}, ""));
}

constexpr std::array expert_kind_table{
    KernelKind{"moe", "the experts of one layer on one rank", moe_columns, price_moe},
    KernelKind{"wide-ep-moe", "the experts of one layer on one rank, wide EP", wide_columns, price_wide},
    KernelKind{"amd-moe", "the experts of one layer on one rank, columns of AMD's tuner", amd_moe_columns,
               price_amd_moe},
    KernelKind{"grouped-gemm", "grouped GEMM of the gate and up projections, FP8 with block scales",
               grouped_columns, price_grouped, "grouped-products"},
    KernelKind{"frontier-moe", "grouped GEMMs of one layer, 16 bits", frontier_columns, price_frontier},
};

}  // namespace

const ExpertFormat* find_expert_format(std::string_view name) {
  const auto* found = std::find_if(expert_formats.begin(), expert_formats.end(),
                                   [&](const ExpertFormat& each) { return each.name == name; });
  return found == expert_formats.end() ? nullptr : found;
}

std::vector<ExpertLoad> routed_loads(const ExpertLayer& layer, std::string_view distribution, double slots) {
  if (distribution == drawn_routing) {
    const double visited = visited_experts(layer);
    return {{layer.tokens * std::min(layer.top_k, layer.experts) / layer.expert / visited, visited}};
  }
  const Distribution routed = distribution_of(distribution);
  return routed.is_balanced ? balanced_loads(layer, routed.skew, std::max(slots, layer.experts))
                            : expert_loads(layer, routed.skew);
}

std::optional<ExpertRow> expert_row(std::string_view kind, Row row) {
  std::optional<ExpertRow> out = kind == "amd-moe"       ? amd_row(row)
                                 : kind == "wide-ep-moe" ? moe_row(row, number(row, 11))
                                                         : moe_row(row);
  if (!out) return out;
  out->loads = routed_loads(out->layer, out->distribution, out->slots);
  out->experts = out->layer.experts;
  out->layer.experts = std::max(out->layer.experts, out->slots);
  return out;
}

std::span<const KernelKind> detail::expert_kinds() {
  return expert_kind_table;
}

}  // namespace shapelint::cost
