// Single kernels as serving engines run them: constants of gpus/engines, fitted to public timings. A file
// holds one kind of kernel, and a table for each engine, architecture and number format whose kernels differ.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "gpu/fields.hpp"
#include "text/document.hpp"

namespace shapelint::gpu {

// Whose kernel it is. An empty text: the timings do not say.
struct EngineKernel {
  std::string architecture;   // id: `hopper`
  std::string engine;         // `vllm`, `sglang`, `trtllm`, `nccl`
  std::string kernel;         // the engine's name of it
  std::string shared_engine;  // another engine with the same constants
  std::string shared_kernel;  // that engine's name of its kernel
  std::string dtype;          // that it computes in: `bf16`, `fp8`
  std::string cache;          // of the cached keys and values
  std::string operation;      // of a collective; of a scan its part and phase: `scan-context`
  std::int64_t rows = 0;      // timings that the constants were fitted to
};

// L2 residency model: how much of a kernel's traffic finds its data there, and how fast: measurements repeat
// a kernel on the same buffers, and so do the layers of a step as far as their activations fit.
struct L2Residency {
  double dram_share = 0.85;     // of the data sheet's bandwidth
  double resident_share = 0.4;  // of L2: footprint at which half of the bytes come from there
  double resident_rate = 0.3;   // share of L2's bandwidth that they move at
  double sharpness = 4;         // of the fall from L2's speed to DRAM's
};

// Attention of many queries, attention over a latent (MLA) among it.
struct PrefillKernel : EngineKernel, L2Residency {
  double fixed_us = 9;            // launches of all kernels that are timed together
  double tile_us = 1;             // start and end of one tile of queries
  std::int64_t query_tile = 128;  // rows
  std::int64_t key_tile = 128;
  bool packs_heads = false;   // query heads that share keys fill a tile together
  bool skips_window = true;   // keys outside of the window are not computed; else masked only
  double masked_us = 0;       // where they are skipped tile by tile: what one of those tiles takes
  double head_masked_us = 0;  // and for each 128 of head dim
  double window_share = 1;    // of the speed that is left under a window
  double cut_tile_us = 0;     // of a tile of queries whose first keys the window cuts off
  double efficiency_64 = 0;   // share of the peak by head dim, whole tiles; 0: none was measured
  double efficiency_128 = 0;
  double efficiency_192 = 0;
  double efficiency_256 = 0;
  double efficiency_512 = 0;
  std::int64_t full_rate = 0;  // fp16 FLOP per clock and SM of the GPUs that were timed; 0: not stated
  double tail = 0.5;           // of the longest tile's time that the last SMs wait
  double power_drop = 0;       // share of the clock that long kernels lose
  double query_passes = 0;     // more passes over queries or output (quantizing, copying), as their bytes
  double key_passes = 0;       // the same over keys or values: writing the cache
  double token_kb = 0;         // more traffic of each token, whatever the heads
};

// Attention of one query over a cache.
struct DecodeKernel : EngineKernel, L2Residency {
  std::int64_t heads = 0;  // that it is for; 0: any number
  double fixed_us = 9;
  double tile_us = 1;            // one CTA, whatever it reads, where heads that share keys are packed
  double unpacked_tile_us = 1;   // where they are not
  double head_tile_us = 0;       // and for each 128 of head dim
  std::int64_t query_tile = 64;  // rows computed together
  std::int64_t key_tile = 64;
  std::int64_t slots = 2;          // CTAs per SM up to which keys are split
  bool balances_splits = false;    // into parts of as many tiles as an SM has of all (FlashAttention 3)
  bool fills_waves = false;        // into the fewest parts that nearly fill their waves (FlashAttention 2)
  bool splits_packed = false;      // only where heads that share keys are packed
  std::int64_t most_splits = 128;  // parts at most, in these two ways
  std::int64_t fixed_splits = 0;   // that many parts, whatever there is to do
  std::int64_t fixed_up_to = 512;  // up to so many sequences; none of more
  std::int64_t packs_from = 1;     // heads that share keys are packed from this many on
  std::int64_t packs_up_to = 128;  // up to this many; more run one by one
  bool window_unpacks = false;     // not under a window
  bool splits_all_keys = false;    // keys outside of the window are split off too
  bool window_straddles = false;   // a window takes one tile of keys more than it fills
  double sm_gb_s = 30;             // that one SM reads
  double efficiency = 0.3;         // share of the peak
  double efficiency_64 = 0;        // at this head dim and less; 0: as others
  double efficiency_192 = 0;       // above 128, up to this one
  double efficiency_256 = 0;
  std::int64_t full_rate = 0;       // fp16 FLOP per clock and SM of the GPUs that were timed; 0: not stated
  double throttled_efficiency = 0;  // where tensor cores run below that (H20); 0: as elsewhere
  std::int64_t narrow_tile = 0;     // rows: of a narrower tile, where all fit into it; 0: none
  double wave_rounding = 0.3;       // 0: SMs never idle; 1: whole waves
  double overlap_power = 4;         // 1: CTAs and DRAM one after the other; large: at once
  double split_us = 2;              // joining the parts of split keys
  double sequence_us = 0;           // of each sequence: what is prepared for it
  double search_us = 0;             // in each CTA, for each sequence: finding its own
  double join_ns = 0;               // joining parts: for each head, sequence and sequence
  double query_passes = 1;          // more passes over queries, new keys and values
  bool shares_in_place = false;     // no such passes where one head of keys is shared by all
  double timed_share = 1;           // of packed heads' cache, that the timings moved
  double token_kb = 0;
};

// Experts of one rank and the width of each on it.
struct ExpertShape {
  std::int64_t experts = 0;
  std::int64_t width = 0;
  bool operator==(const ExpertShape&) const = default;
};

// The experts of an MoE layer on one rank: grouped GEMMs, what is between them, and copies of rows.
struct MoeKernel : EngineKernel, L2Residency {
  // Sizes that its tiles were searched for and written down, which are all that it serves. Empty: any.
  std::vector<ExpertShape> tuned;
  // A token's choices of experts that other ranks hold are computed, too; or their rows are only passed over.
  bool computes_absent = false;
  bool passes_absent = false;
  bool computes_shared = false;  // in a step: a shared expert is one more of those that each token chooses
  std::int64_t computes_absent_up_to = 0;  // experts of the whole layer: computed of these only
  double fixed_us = 20;
  std::int64_t least_tile = 16;  // rows of a tile; larger ones are twice as many each, up to
  std::int64_t most_tile = 128;
  // Nothing was searched for: tiles are least_tile high up to as many tokens as experts of the rank, else
  // most_tile.
  bool tiles_by_tokens = false;
  double efficiency = 0.6;     // share of the peak
  std::int64_t full_rate = 0;  // fp16 FLOP per clock and SM of the GPUs that were timed; 0: not stated
  double skewed_speed = 1;     // of it, where experts' rows differ
  double tile_us = 1;          // start and end of a tile
  double feed_gb_s = 200;      // operands into one SM
  double few_dram_share = 0;   // dram_share with tiles of least_tile, where tiles_by_tokens; 0: the same
  double wave_rounding = 0.5;  // 0: SMs never idle; 1: whole waves
  double least_wave = 1;       // that few tiles take: where smaller, their products are split
  double overlap_power = 4;    // 1: arithmetic and traffic one after the other; large: at once
  double hidden_passes = 4;    // over rows of hidden size: copies to experts and back, quantizing
  double width_passes = 3;     // over rows of an expert's width: activation
  double token_passes = 2;     // over tokens, before they are copied
  double expert_us = 0;        // for each expert of the rank: sorting rows by expert
};

// One pass over a matrix: quantizing it, or finding its scale.
struct ElementwiseKernel : EngineKernel, L2Residency {
  double fixed_us = 2;
  double row_us = 0;    // that an SM takes for a row, however short
  double width_us = 0;  // for each 8192 columns: one row is worked through by one CTA
};

// A kernel of linear attention or state space: a scan over a sequence, or the convolution before it.
struct ScanKernel : EngineKernel, L2Residency {
  double fixed_us = 10;      // all launches that are timed together
  double row_us = 0;         // each token of the first chunk: rows of its triangle's inverse
  std::int64_t chunk = 64;   // tokens of a step; steps wait for each other
  double step_us = 0;        // one step of one lane; 0: traffic alone counts
  double slots = 2;          // lanes (heads of a sequence, channels) of an SM that run as if alone
  double wave_rounding = 0;  // 0: SMs never idle; 1: whole waves
  double overlap_power = 4;  // 1: steps and traffic one after the other; large: at once
  double state_passes = 2;   // over the state of each sequence in a prompt: it is read and written
  bool is_fused = false;     // one kernel: nothing is handed on through memory
  bool keys_alone = false;   // a convolution of the keys' channels, not of queries and values
};

// A collective among the GPUs of a node: a protocol for short messages and one for long ones.
struct CollectiveKernel : EngineKernel {
  bool one_shot = false;     // short: every rank reads all of the others' buffers
  double short_us = 5;       // of two ranks
  double short_rank_us = 1;  // each further rank
  double short_share = 0.2;  // of the link's bandwidth
  double short_power = 0;    // bandwidth grows by this power of ranks / 2
  double long_us = 10;
  double long_rank_us = 1;
  double long_share = 0.7;
  double long_power = 0;
  double ramp = 1;  // us^(1/2): how slowly long messages reach it
};

// Constants of a kind, with unit, bounds and meaning; those of Traffic come on top.
std::span<const Field<L2Residency>> traffic_fields();
std::span<const Field<PrefillKernel>> prefill_fields();
std::span<const Field<DecodeKernel>> decode_fields();
std::span<const Field<MoeKernel>> moe_fields();
std::span<const Field<ElementwiseKernel>> pass_fields();
std::span<const Field<ScanKernel>> scan_fields();
std::span<const Field<CollectiveKernel>> collective_fields();

// All kernels of gpus/engines/KIND.toml, read at the first call: `attention-prefill`, `mla-prefill`.
std::span<const PrefillKernel> prefill_kernels(std::string_view kind);
std::span<const DecodeKernel> decode_kernels(std::string_view kind);     // `attention-decode`, `mla-decode`
std::span<const MoeKernel> moe_kernels(std::string_view kind);           // `moe`, `wide-ep-moe`
std::span<const ElementwiseKernel> pass_kernels(std::string_view kind);  // `fp8-quantize`, `fp8-scale`
// `gated-delta-net`, `kimi-delta-attention`, `mamba2`, `hyper-connections`
std::span<const ScanKernel> scan_kernels(std::string_view kind);
std::span<const CollectiveKernel> collective_kernels(std::string_view kind);  // `nccl`, `all-reduce`

// The same from a document; errors are appended.
template <class Kernel>
std::vector<Kernel> read_kernels(text::NodeRef root, std::span<const Field<Kernel>> fields,
                                 std::vector<Error>& errors);

// What of a row distinguishes kernels.
struct EngineNames {
  std::string_view engine;
  std::string_view kernel;
  std::string_view dtype;
  std::string_view cache;
  std::string_view operation;
  ExpertShape experts = {};
  std::int64_t heads = 0;  // of queries
};

// Whether a kernel that was tuned for some sizes only is for these: 1, or 0 where it is for any; -1: not.
template <class Kernel>
int tuned_for(const Kernel& kernel, const ExpertShape& shape, std::int64_t heads = 0) {
  if constexpr (requires { kernel.tuned; }) {
    if (!kernel.tuned.empty())
      return std::find(kernel.tuned.begin(), kernel.tuned.end(), shape) != kernel.tuned.end() ? 1 : -1;
  }
  if constexpr (requires { kernel.heads; }) {
    if (kernel.heads > 0) return kernel.heads == heads ? 1 : -1;
  }
  return 0;
}

// The kernel of this architecture that is closest by name: of the same operation, then the same kernel,
// engine, number format and cache, and tuned for these sizes. Null: none of this architecture.
template <class Kernel>
const Kernel* closest(std::span<const Kernel> kernels, std::string_view architecture,
                      const EngineNames& names, bool same_dtype = false) {
  const Kernel* best = nullptr;
  int most = -1;
  for (const Kernel& each : kernels) {
    if (each.architecture != architecture || each.operation != names.operation) continue;
    if (same_dtype && each.dtype != names.dtype) continue;
    const int tuned = tuned_for(each, names.experts, names.heads);
    if (tuned < 0) continue;
    const bool is_shared = !each.shared_kernel.empty() && each.shared_kernel == names.kernel &&
                           each.shared_engine == names.engine;
    const int same = (is_shared || each.kernel == names.kernel ? 16 : 0) +
                     (is_shared || each.engine == names.engine ? 8 : 0) +
                     (each.dtype == names.dtype ? 4 : 0) + (each.cache == names.cache ? 2 : 0) + tuned;
    if (same < most || (same == most && each.rows <= best->rows)) continue;
    most = same;
    best = &each;
  }
  return best;
}

// The experts' kernel that a step runs: of this architecture and format, then of the family that is asked for
// (a part of the kernel's name; empty: none), the engine, no Triton where there are others, and tuned for
// these sizes. Null: none.
const MoeKernel* moe_kernel_of(std::string_view architecture, std::string_view format,
                               std::string_view engine, std::string_view family, const ExpertShape& shape);

// GPU memory that serving engines take apart from weights and KV cache, and what they demand of that
// cache at startup: gpus/engines/serving-memory.toml.

struct EngineMemory {
  std::string engine;               // as the field `engine` names it
  std::string package;              // of contracts
  std::int64_t memory_percent = 0;  // of the memory that it takes by default; 0: depends on more
  std::int64_t cache_percent = 0;   // of what the weights leave; 0: all
  bool shares_free = false;         // a share of what is free before it loads, activations not in it
  bool checks_longest = false;      // it stops at startup where the cache does not hold the longest sequence
  // Activations of its longest step: a part that is always there, one of mixtures, and bytes for each row of
  // the vocabulary and each sequence that it may sample for (logits, their probabilities, their order).
  double activation_gib = 0;
  double mixture_gib = 0;
  double sampler_bytes = 0;
  // Outside of PyTorch: context, kernels; and buffers of NCCL where ranks exchange tensors.
  double runtime_gib = 0;
  double runtime_ranks_gib = 0;
  // Default for concurrent sequences: on GPUs below a size fewer.
  std::int64_t sequences = 0;
  std::int64_t small_sequences = 0;
  double small_below_gib = 0;
  // The same of tokens that a step reads at most; 0: not known.
  std::int64_t step_tokens = 0;
  std::int64_t small_step_tokens = 0;
};

std::span<const Field<EngineMemory>> engine_memory_fields();

// From the built-in file, read at the first call. Null: none of that name.
const EngineMemory* engine_memory(std::string_view engine);
const EngineMemory* engine_memory_of_package(std::string_view package);

// The same from a document; errors are appended.
std::vector<EngineMemory> read_engine_memory(text::NodeRef root, std::vector<Error>& errors);

}  // namespace shapelint::gpu
