// Single kernels as serving engines run and time them, priced with the constants of gpus/engines. Equations:
// docs/explanation/kernels.md.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/dtype.hpp"
#include "base/units.hpp"
#include "cost/engines/kinds.hpp"
#include "cost/kernels/experts.hpp"
#include "cost/kernels/layer_scan.hpp"
#include "cost/kernels/memory.hpp"
#include "cost/op_cost.hpp"
#include "gpu/engines.hpp"
#include "gpu/gpu.hpp"
#include "model/op.hpp"

namespace shapelint::cost {

// One layer's attention on one rank: `tokens` new ones of each sequence, and `cached` before them.
struct KernelAttention {
  double sequences = 1;
  double tokens = 1;
  double cached = 0;
  double heads = 1;
  double key_value_heads = 1;
  double head_dim = 128;
  double value_head_dim = 128;
  double window = 0;    // of keys that a query sees; 0: all
  bool latent = false;  // keys and values are one latent, of head_dim (MLA while decoding)
  DType dtype = DType::bf16;
  DType cache = DType::bf16;
};

// A row of a table of the kind `attention-prefill`, `attention-decode`, `mla-prefill` or `mla-decode`, its
// cells in the order of that kind's columns. Nothing where a number format is not known.
struct AttentionRow {
  KernelAttention attention;
  gpu::EngineNames names;
};
std::optional<AttentionRow> attention_row(std::string_view kind, std::span<const KernelCell> row);

// How many times faster the tensor cores are that a kernel was timed on: of a whole part (`full_rate`, fp16
// FLOP per clock and SM), or of a card of this architecture that adds in fp32 at full rate, as an L40S and an
// RTX PRO 6000 do.
double times_faster(const gpu::Gpu& gpu, std::int64_t full_rate);
// Share of a peak that a kernel reaches which reached `share` of another one: more of a lower one.
double share_of_peak(const gpu::Gpu& gpu, std::int64_t full_rate, double share);

// SGLang's kernel for new tokens over a latent, by the tokens that are cached before them, of all sequences
// together.
std::string_view latent_prompt_kernel(std::string_view engine, double cached_tokens);

OpCost price_prefill(const gpu::Gpu& gpu, const gpu::PrefillKernel& kernel, const KernelAttention& shape);
OpCost price_decode(const gpu::Gpu& gpu, const gpu::DecodeKernel& kernel, const KernelAttention& shape);

// A number format of experts, as tables of timings name it: what multiplies, the bytes of a weight with its
// scales as stored, and as packed for products of other formats (0: as they multiply).
struct ExpertFormat {
  std::string_view name;
  DType dtype;
  double stored_bytes;
  double packed_bytes;
  bool is_plain;  // known by the number format's name
};
const ExpertFormat* find_expert_format(std::string_view name);  // null: none

// Rows of the slowest rank's experts, routed as tables of timings say: `balanced`, `power_law_1.2`,
// `power_law_1.2_eplb`. `slots`: experts with their copies; 0: no copies.
std::vector<ExpertLoad> routed_loads(const ExpertLayer& layer, std::string_view distribution,
                                     double slots = 0);

// A row of a table of the kind `moe`, `wide-ep-moe` or `amd-moe`, its cells in the order of that kind's
// columns: the rank's layer, where copied experts count, and the rows that each expert gets. Nothing where
// the format is not known.
struct ExpertRow {
  ExpertLayer layer;
  std::vector<ExpertLoad> loads;
  const ExpertFormat* format = nullptr;
  gpu::EngineNames names;
  double experts = 0;  // without copies
  double slots = 0;    // with them; 0: no copies
  std::string_view distribution;
};
std::optional<ExpertRow> expert_row(std::string_view kind, std::span<const KernelCell> row);

// The experts of one rank; `weight_bytes` of an element of their weights as stored, scales included.
OpCost price_moe_kernel(const gpu::Gpu& gpu, const gpu::MoeKernel& kernel, const ExpertLayer& layer,
                        std::span<const ExpertLoad> loads, double weight_bytes);

// An op of a mixture's experts in a serving step, priced by its engine's kernel: where weights come from DRAM
// and the launches are shared out among its five ops. Nothing where no such kernel was measured.
std::optional<OpCost> price_expert_op(const gpu::Gpu& gpu, const model::Op& op);

// Whether the engine's kernel computes a shared expert of that layer as one more of those that each token
// chooses.
bool computes_shared(const gpu::Gpu& gpu, const model::ExpertWork& work);

// C[rows, n] = A[rows, k] B[expert][k, n] of experts with as many rows each.
struct GroupedProduct {
  ExpertLoad load;
  DType dtype = DType::bf16;
  double weight_bytes = 2;  // of an element, with its scales
  double n = 1;
  double k = 1;
  bool is_even = true;
};
OpCost price_grouped_product(const gpu::Gpu& gpu, const gpu::MoeKernel& kernel, const GroupedProduct& of);

// As gpus/engines names it; `fastest` is TensorRT-LLM.
std::string_view engine_name(model::ServingEngine engine);

// Attention, and a collective within a node, of a step that serves, by the kernels of the engine that the op
// names. Nothing where none was timed.
std::optional<OpCost> price_serving_attention(const gpu::Gpu& gpu, const model::Op& op);
std::optional<OpCost> price_serving_exchange(const gpu::Gpu& gpu, const model::Op& op);

// What of a timed kernel's launches a step waits for: timed alone, its wrapper's helpers count too, which a
// step hands over as one graph. Three kernels' are left of an engine's: what it does, what that prepares, and
// what joins it; one where no engine is named.
double launches_in_step_us(const gpu::Gpu& gpu, double fixed_us, model::ServingEngine engine);

// An op that quantizes, by the kernels that were timed on this architecture. Nothing where none was.
std::optional<OpCost> price_quantizing(const gpu::Gpu& gpu, const model::Op& op);

// Training: how long an op of a mixture waits for the host, forward or backward.
double host_stall_us(const gpu::Gpu& gpu, const model::ExpertWork& work);

// A pass over m x k elements that moves `bytes` for each.
OpCost price_pass(const gpu::Gpu& gpu, const gpu::ElementwiseKernel& kernel, double m, double k,
                  double bytes);

// `verifies`: decoding that leaves a state for each token, of which the last accepted one is kept.
OpCost price_scan_kernel(const gpu::Gpu& gpu, const gpu::ScanKernel& kernel, ScanKind kind,
                         const ScanSizes& sizes, ScanPass pass, bool verifies);

// The same for a step: by SGLang's kernels, which are flash-linear-attention's. Nothing where none were
// timed: other kinds, architectures, and backward; price_layer_scan() then.
std::optional<OpCost> price_timed_scan(const gpu::Gpu& gpu, ScanKind kind, const ScanSizes& sizes,
                                       ScanPass pass);

// One way through the streams of hyper-connections: `streams` of them and the layer's own `hidden`, of 16
// bits. `calls` one after the other.
OpCost price_streams(const gpu::Gpu& gpu, const gpu::ScanKernel& kernel, double tokens, double hidden,
                     double streams, double calls);

// The kernel of this GPU's architecture; of one that was never timed, of a GPU with such a link, and for an
// all-reduce of engines over PCIe NCCL's. Null: none. `over_link`: whether the ranks meet over the profile's
// link.
const gpu::CollectiveKernel* exchange_kernel(const gpu::Gpu& gpu, std::string_view kind,
                                             const gpu::EngineNames& names, bool over_link);

// A collective of `ranks` GPUs in one node over a buffer of `bytes` (an all-gather's result, a
// reduce-scatter's operand). `sent`: the share of it that each rank sends.
OpCost price_exchange(const gpu::Gpu& gpu, const gpu::CollectiveKernel& kernel, double bytes, double ranks,
                      double sent, bool over_link);

}  // namespace shapelint::cost

namespace shapelint::cost::detail {

// What kernels of all kinds have in common: traffic that finds part of its data in L2.

// Microseconds for each byte of a kernel that moves `bytes` in all.
inline double us_per_byte(const gpu::Gpu& gpu, const gpu::L2Residency& traffic, double bytes) {
  const double dram = 1.0 / (traffic.dram_share * dram_bytes_per_us(gpu));
  const double l2 = l2_bytes_per_us(gpu) * traffic.resident_rate;
  const double room = traffic.resident_share * gpu.l2_size_mib * bytes_per_mib;
  if (l2 <= 0 || room <= 0) return dram;
  const double hits = 1.0 / (1.0 + std::pow(bytes / room, traffic.sharpness));
  return hits / l2 + (1.0 - hits) * dram;
}

// A cost from its parts.
inline OpCost cost_of(double compute_us, double memory_us, double fixed_us, double core_us, double ideal_us) {
  OpCost cost;
  cost.compute_us = compute_us;
  cost.memory_us = memory_us;
  cost.overhead_us = fixed_us;
  cost.time_us = fixed_us + core_us;
  cost.ideal_us = std::fmin(ideal_us, cost.time_us);
  cost.efficiency.rest = cost.time_us > 0 ? cost.ideal_us / cost.time_us : 1.0;
  cost.bound = bound_of(cost.time_us, compute_us, memory_us, fixed_us);
  return cost;
}

}  // namespace shapelint::cost::detail
