// Files of gpus/engines.
#include "gpu/engines.hpp"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <type_traits>

#include <fmt/format.h>

#include "catalog/catalog.hpp"
#include "gpu/figures.hpp"
#include "gpu/registry.hpp"

namespace shapelint::gpu {

namespace {

using text::NodeRef;

constexpr double max_us = 1e4;
constexpr double max_passes = 64;

constexpr Field<EngineKernel> name_table[] = {
    {"", "architecture", "", Type::text, &EngineKernel::architecture, 0, 0, "id of gpus/architectures"},
    {"", "engine", "", Type::text, &EngineKernel::engine, 0, 0, "whose kernel"},
    {"", "kernel", "", Type::text, &EngineKernel::kernel, 0, 0, "the engine's name of it"},
    {"", "shared_engine", "", Type::text, &EngineKernel::shared_engine, 0, 0,
     "another with the same constants"},
    {"", "shared_kernel", "", Type::text, &EngineKernel::shared_kernel, 0, 0,
     "that engine's name of its kernel"},
    {"", "dtype", "", Type::text, &EngineKernel::dtype, 0, 0, "that it computes in"},
    {"", "cache", "", Type::text, &EngineKernel::cache, 0, 0, "dtype of the KV cache"},
    {"", "operation", "", Type::text, &EngineKernel::operation, 0, 0, "of a collective or scan"},
    {"", "rows", "", Type::integer, &EngineKernel::rows, 2, 1e9, "timings that it was fitted to"},
};

constexpr Field<L2Residency> traffic_table[] = {
    {"", "dram_share", "", Type::number, &L2Residency::dram_share, 0.01, 1.2,
     "of the data sheet's bandwidth"},
    {"", "resident_share", "", Type::number, &L2Residency::resident_share, 0.01, 4, "of L2, half from there"},
    {"", "resident_rate", "", Type::number, &L2Residency::resident_rate, 0.01, 2, "share of L2's bandwidth"},
    {"", "sharpness", "", Type::number, &L2Residency::sharpness, 1, 40, "of the fall from L2's speed"},
};

constexpr Field<PrefillKernel> prefill_table[] = {
    {"", "fixed_us", "us", Type::number, &PrefillKernel::fixed_us, 0, 400, "all launches timed together"},
    {"", "tile_us", "us", Type::number, &PrefillKernel::tile_us, 0, 8, "start and end of a tile of queries"},
    {"", "query_tile", "rows", Type::integer, &PrefillKernel::query_tile, 1, max_rows, "of queries"},
    {"", "key_tile", "rows", Type::integer, &PrefillKernel::key_tile, 1, max_rows, "of keys"},
    {"", "packs_heads", "", Type::boolean, &PrefillKernel::packs_heads, 0, 0,
     "heads that share keys fill a tile together"},
    {"", "skips_window", "", Type::boolean, &PrefillKernel::skips_window, 0, 0,
     "keys outside of the window are not computed"},
    {"", "masked_us", "us", Type::number, &PrefillKernel::masked_us, 0, 20, "a tile of keys that is skipped"},
    {"", "head_masked_us", "us", Type::number, &PrefillKernel::head_masked_us, 0, 20,
     "and for each 128 of head dim"},
    {"", "window_share", "", Type::number, &PrefillKernel::window_share, 0.05, 1.5,
     "of the speed, under a window"},
    {"", "cut_tile_us", "us", Type::number, &PrefillKernel::cut_tile_us, 0, 1000,
     "of a tile of queries whose first keys the window cuts off"},
    {"", "efficiency_64", "", Type::number, &PrefillKernel::efficiency_64, 0, 1.3, "head dim 64"},
    {"", "efficiency_128", "", Type::number, &PrefillKernel::efficiency_128, 0, 1.3, "head dim 128"},
    {"", "efficiency_192", "", Type::number, &PrefillKernel::efficiency_192, 0, 1.3, "head dim 192"},
    {"", "efficiency_256", "", Type::number, &PrefillKernel::efficiency_256, 0, 1.3, "head dim 256"},
    {"", "efficiency_512", "", Type::number, &PrefillKernel::efficiency_512, 0, 1.3, "head dim 512"},
    {"", "full_rate", "FLOP", Type::integer, &PrefillKernel::full_rate, 0, 1e6,
     "of fp16 per clock and SM, of the GPUs that were timed"},
    {"", "tail", "", Type::number, &PrefillKernel::tail, 0, 2,
     "longest tile's time that SMs wait at the end"},
    {"", "power_drop", "", Type::number, &PrefillKernel::power_drop, 0, 0.4, "clock that long kernels lose"},
    {"", "query_passes", "", Type::number, &PrefillKernel::query_passes, 0, max_passes,
     "more passes over queries"},
    {"", "key_passes", "", Type::number, &PrefillKernel::key_passes, 0, max_passes, "more passes over keys"},
    {"", "token_kb", "kB", Type::number, &PrefillKernel::token_kb, 0, 1000, "additional traffic per token"},
};

constexpr Field<DecodeKernel> decode_table[] = {
    {"", "heads", "", Type::integer, &DecodeKernel::heads, 0, 1e6, "heads of the kernel"},
    {"", "fixed_us", "us", Type::number, &DecodeKernel::fixed_us, 0, 500, "all launches timed together"},
    {"", "tile_us", "us", Type::number, &DecodeKernel::tile_us, 0, 30, "one CTA of packed heads"},
    {"", "unpacked_tile_us", "us", Type::number, &DecodeKernel::unpacked_tile_us, 0, 60,
     "one CTA of one head"},
    {"", "head_tile_us", "us", Type::number, &DecodeKernel::head_tile_us, 0, 10,
     "and for each 128 of head dim"},
    {"", "query_tile", "rows", Type::integer, &DecodeKernel::query_tile, 1, max_rows, "computed together"},
    {"", "key_tile", "rows", Type::integer, &DecodeKernel::key_tile, 1, max_rows, "smallest split"},
    {"", "slots", "", Type::integer, &DecodeKernel::slots, 0, 64, "CTAs per SM up to which keys are split"},
    {"", "balances_splits", "", Type::boolean, &DecodeKernel::balances_splits, 0, 0,
     "parts of as many tiles as an SM has"},
    {"", "fills_waves", "", Type::boolean, &DecodeKernel::fills_waves, 0, 0,
     "fewest parts that nearly fill their waves"},
    {"", "splits_packed", "", Type::boolean, &DecodeKernel::splits_packed, 0, 0,
     "only packed heads are split"},
    {"", "most_splits", "", Type::integer, &DecodeKernel::most_splits, 1, max_rows, "parts at most"},
    {"", "fixed_splits", "", Type::integer, &DecodeKernel::fixed_splits, 0, max_rows, "parts, always"},
    {"", "fixed_up_to", "", Type::integer, &DecodeKernel::fixed_up_to, 1, 1e9,
     "sequences; more are not split"},
    {"", "packs_from", "", Type::integer, &DecodeKernel::packs_from, 1, max_rows, "heads that share keys"},
    {"", "packs_up_to", "", Type::integer, &DecodeKernel::packs_up_to, 0, max_rows, "more run one by one"},
    {"", "window_unpacks", "", Type::boolean, &DecodeKernel::window_unpacks, 0, 0,
     "one by one under a window"},
    {"", "splits_all_keys", "", Type::boolean, &DecodeKernel::splits_all_keys, 0, 0,
     "keys outside of the window too"},
    {"", "window_straddles", "", Type::boolean, &DecodeKernel::window_straddles, 0, 0,
     "a window takes one tile of keys more"},
    {"", "sm_gb_s", "GB/s", Type::number, &DecodeKernel::sm_gb_s, 1, 900, "that one SM reads"},
    {"", "efficiency", "", Type::number, &DecodeKernel::efficiency, 0.001, 2, "share of the peak"},
    {"", "efficiency_64", "", Type::number, &DecodeKernel::efficiency_64, 0, 2, "head dim 64"},
    {"", "efficiency_192", "", Type::number, &DecodeKernel::efficiency_192, 0, 2, "head dim 192"},
    {"", "efficiency_256", "", Type::number, &DecodeKernel::efficiency_256, 0, 2, "head dim 256"},
    {"", "full_rate", "FLOP", Type::integer, &DecodeKernel::full_rate, 0, 1e6,
     "of fp16 per clock and SM, of the GPUs that were timed"},
    {"", "throttled_efficiency", "", Type::number, &DecodeKernel::throttled_efficiency, 0, 1,
     "where tensor cores run below that rate (H20)"},
    {"", "narrow_tile", "rows", Type::integer, &DecodeKernel::narrow_tile, 0, 1024,
     "of a narrower tile, where all rows fit into it"},
    {"", "wave_rounding", "", Type::number, &DecodeKernel::wave_rounding, 0, 1, "1: whole waves"},
    {"", "split_us", "us", Type::number, &DecodeKernel::split_us, 0, 40, "joining split keys"},
    {"", "overlap_power", "", Type::number, &DecodeKernel::overlap_power, 1, 30, "1: one after the other"},
    {"", "sequence_us", "us", Type::number, &DecodeKernel::sequence_us, 0, 1, "of each sequence"},
    {"", "search_us", "us", Type::number, &DecodeKernel::search_us, 0, 1, "a CTA finds its sequence"},
    {"", "join_ns", "ns", Type::number, &DecodeKernel::join_ns, 0, 100,
     "joining parts, for each head, sequence and sequence"},
    {"", "shares_in_place", "", Type::boolean, &DecodeKernel::shares_in_place, 0, 0,
     "query_passes only with several KV heads"},
    {"", "timed_share", "", Type::number, &DecodeKernel::timed_share, 0.1, 1.2,
     "of packed heads' cache that the timings moved"},
    {"", "query_passes", "", Type::number, &DecodeKernel::query_passes, 0, max_passes, "over the new token"},
    {"", "token_kb", "kB", Type::number, &DecodeKernel::token_kb, 0, 1000, "additional traffic per token"},
};

constexpr Field<MoeKernel> moe_table[] = {
    {"", "fixed_us", "us", Type::number, &MoeKernel::fixed_us, 0, 400, "all launches timed together"},
    {"", "computes_absent", "", Type::boolean, &MoeKernel::computes_absent, 0, 0,
     "choices of experts that other ranks hold, too"},
    {"", "computes_absent_up_to", "experts", Type::integer, &MoeKernel::computes_absent_up_to, 1, max_rows,
     "computes_absent of layers with so many, on all ranks"},
    {"", "computes_shared", "", Type::boolean, &MoeKernel::computes_shared, 0, 0,
     "a shared expert as one more of those that each token chooses"},
    {"", "passes_absent", "", Type::boolean, &MoeKernel::passes_absent, 0, 0,
     "hidden_passes and width_passes over their rows, too"},
    {"", "least_tile", "rows", Type::integer, &MoeKernel::least_tile, 1, max_rows, "of a tile"},
    {"", "most_tile", "rows", Type::integer, &MoeKernel::most_tile, 1, max_rows, "of a tile"},
    {"", "tiles_by_tokens", "", Type::boolean, &MoeKernel::tiles_by_tokens, 0, 0,
     "least_tile up to as many tokens as experts, then most_tile"},
    {"", "efficiency", "", Type::number, &MoeKernel::efficiency, 0.005, 1.3, "share of the peak"},
    {"", "full_rate", "FLOP", Type::integer, &MoeKernel::full_rate, 0, 1e6,
     "of fp16 per clock and SM, of the GPUs that were timed"},
    {"", "skewed_speed", "", Type::number, &MoeKernel::skewed_speed, 0.1, 1.5, "where experts' rows differ"},
    {"", "tile_us", "us", Type::number, &MoeKernel::tile_us, 0, 20, "start and end of a tile"},
    {"", "feed_gb_s", "GB/s", Type::number, &MoeKernel::feed_gb_s, 5, 1000, "operands into one SM"},
    {"", "few_dram_share", "", Type::number, &MoeKernel::few_dram_share, 0, 1.2,
     "dram_share with tiles of least_tile for few tokens"},
    {"", "wave_rounding", "", Type::number, &MoeKernel::wave_rounding, 0, 1, "1: whole waves"},
    {"", "least_wave", "", Type::number, &MoeKernel::least_wave, 0.01, 1, "that few tiles take"},
    {"", "overlap_power", "", Type::number, &MoeKernel::overlap_power, 1, 8, "1: one after the other"},
    {"", "hidden_passes", "", Type::number, &MoeKernel::hidden_passes, 0, max_passes, "rows of hidden size"},
    {"", "width_passes", "", Type::number, &MoeKernel::width_passes, 0, max_passes, "rows of the width"},
    {"", "token_passes", "", Type::number, &MoeKernel::token_passes, 0, max_passes, "tokens of hidden size"},
    {"", "expert_us", "us", Type::number, &MoeKernel::expert_us, 0, 10, "for each expert of the rank"},
};

constexpr Field<ElementwiseKernel> pass_table[] = {
    {"", "fixed_us", "us", Type::number, &ElementwiseKernel::fixed_us, 0, max_us, "launch"},
    {"", "row_us", "us", Type::number, &ElementwiseKernel::row_us, 0, 10, "a row on one SM"},
    {"", "width_us", "us", Type::number, &ElementwiseKernel::width_us, 0, 10, "for each 8192 columns"},
};

constexpr Field<ScanKernel> scan_table[] = {
    {"", "fixed_us", "us", Type::number, &ScanKernel::fixed_us, 0, 1000, "all launches timed together"},
    {"", "row_us", "us", Type::number, &ScanKernel::row_us, 0, 10, "each token of the first chunk"},
    {"", "chunk", "tokens", Type::integer, &ScanKernel::chunk, 1, 1e9, "of a step"},
    {"", "step_us", "us", Type::number, &ScanKernel::step_us, 0, 100, "a step of one lane"},
    {"", "slots", "", Type::number, &ScanKernel::slots, 0.01, 1e4, "lanes of an SM that run as if alone"},
    {"", "wave_rounding", "", Type::number, &ScanKernel::wave_rounding, 0, 1, "1: whole waves"},
    {"", "overlap_power", "", Type::number, &ScanKernel::overlap_power, 1, 8, "1: one after the other"},
    {"", "state_passes", "", Type::number, &ScanKernel::state_passes, 0, 2, "over a prompt's states"},
    {"", "is_fused", "", Type::boolean, &ScanKernel::is_fused, 0, 0, "one kernel"},
    {"", "keys_alone", "", Type::boolean, &ScanKernel::keys_alone, 0, 0, "convolves the keys' channels"},
};

constexpr Field<CollectiveKernel> collective_table[] = {
    {"", "one_shot", "", Type::boolean, &CollectiveKernel::one_shot, 0, 0, "short: all read all"},
    {"", "short_us", "us", Type::number, &CollectiveKernel::short_us, 0, 200, "two ranks"},
    {"", "short_rank_us", "us", Type::number, &CollectiveKernel::short_rank_us, 0, 20, "each further rank"},
    {"", "short_share", "", Type::number, &CollectiveKernel::short_share, 1e-4, 1.3, "of the link"},
    {"", "short_power", "", Type::number, &CollectiveKernel::short_power, -4, 2, "of ranks / 2"},
    {"", "long_us", "us", Type::number, &CollectiveKernel::long_us, 0, 200, "two ranks"},
    {"", "long_rank_us", "us", Type::number, &CollectiveKernel::long_rank_us, 0, 20, "each further rank"},
    {"", "long_share", "", Type::number, &CollectiveKernel::long_share, 1e-3, 1.4, "of the link"},
    {"", "long_power", "", Type::number, &CollectiveKernel::long_power, -4, 2, "of ranks / 2"},
    {"", "ramp", "us^1/2", Type::number, &CollectiveKernel::ramp, 0, 6, "how slowly they reach it"},
};

constexpr std::string_view kernel_file_keys[] = {"kind", "sources", "notes", "kernels"};

template <class T>
void add_keys(std::span<const Field<T>> fields, std::vector<std::string_view>& keys) {
  for (const Field<T>& field : fields) keys.push_back(field.key);
}

constexpr std::string_view tuned_key = "tuned";

// [[8, 3584], …]: experts and their width.
std::vector<ExpertShape> read_shapes(NodeRef list, std::vector<Error>& errors) {
  std::vector<ExpertShape> shapes;
  if (list && !list.is(text::Kind::list)) {
    errors.push_back(list.error(fmt::format("`{}` must be a list of pairs of sizes", list.path())));
  }
  for (const NodeRef pair : list) {
    const auto experts = pair[0].as_integer();
    const auto width = pair[1].as_integer();
    if (pair.size() == 2 && experts && width && *experts > 0 && *width > 0) {
      shapes.push_back({*experts, *width});
    } else {
      errors.push_back(pair.error(fmt::format("`{}` must hold two sizes", pair.path())));
    }
  }
  return shapes;
}

template <class Kernel>
using ByKind = std::map<std::string_view, std::vector<Kernel>>;

// The built-in files of these kinds. One that does not read well is a defect of the build, which a test
// finds.
template <class Kernel>
ByKind<Kernel> builtin_kernels(std::initializer_list<std::string_view> kinds,
                               std::span<const Field<Kernel>> fields) {
  ByKind<Kernel> known;
  for (const std::string_view kind : kinds) {
    for (const text::Document& document : catalog::builtin("gpus/engines")) {
      std::vector<Error> errors;
      if (id_of(document) == kind) known[kind] = read_kernels<Kernel>(document.root(), fields, errors);
    }
  }
  return known;
}

template <class Kernel>
std::span<const Kernel> of_kind(const ByKind<Kernel>& known, std::string_view kind) {
  const auto found = known.find(kind);
  return found == known.end() ? std::span<const Kernel>() : found->second;
}

}  // namespace

std::span<const Field<L2Residency>> traffic_fields() {
  return traffic_table;
}
std::span<const Field<PrefillKernel>> prefill_fields() {
  return prefill_table;
}
std::span<const Field<DecodeKernel>> decode_fields() {
  return decode_table;
}
std::span<const Field<MoeKernel>> moe_fields() {
  return moe_table;
}
std::span<const Field<ElementwiseKernel>> pass_fields() {
  return pass_table;
}
std::span<const Field<ScanKernel>> scan_fields() {
  return scan_table;
}
std::span<const Field<CollectiveKernel>> collective_fields() {
  return collective_table;
}

template <class Kernel>
std::vector<Kernel> read_kernels(NodeRef root, std::span<const Field<Kernel>> fields,
                                 std::vector<Error>& errors) {
  check_keys(root, kernel_file_keys, errors);
  std::vector<Kernel> kernels;
  for (const NodeRef item : root["kernels"]) {
    Kernel kernel;
    std::vector<std::string_view> others;
    add_keys<EngineKernel>(name_table, others);
    if constexpr (std::is_base_of_v<L2Residency, Kernel>) add_keys<L2Residency>(traffic_table, others);
    if constexpr (std::is_same_v<Kernel, MoeKernel>) {
      others.push_back(tuned_key);
      kernel.tuned = read_shapes(item[tuned_key], errors);
    }
    read_fields<Kernel>(item, "", fields, others, kernel, errors);
    add_keys(fields, others);
    read_fields<EngineKernel>(item, "", name_table, others, kernel, errors);
    if constexpr (std::is_base_of_v<L2Residency, Kernel>) {
      read_fields<L2Residency>(item, "", traffic_table, others, kernel, errors);
    }
    check_architecture(item, kernel.architecture, errors);
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

template std::vector<PrefillKernel> read_kernels(NodeRef, std::span<const Field<PrefillKernel>>,
                                                 std::vector<Error>&);
template std::vector<DecodeKernel> read_kernels(NodeRef, std::span<const Field<DecodeKernel>>,
                                                std::vector<Error>&);
template std::vector<MoeKernel> read_kernels(NodeRef, std::span<const Field<MoeKernel>>, std::vector<Error>&);
template std::vector<ElementwiseKernel> read_kernels(NodeRef, std::span<const Field<ElementwiseKernel>>,
                                                     std::vector<Error>&);
template std::vector<ScanKernel> read_kernels(NodeRef, std::span<const Field<ScanKernel>>,
                                              std::vector<Error>&);
template std::vector<CollectiveKernel> read_kernels(NodeRef, std::span<const Field<CollectiveKernel>>,
                                                    std::vector<Error>&);

std::span<const PrefillKernel> prefill_kernels(std::string_view kind) {
  static const auto known =
      builtin_kernels<PrefillKernel>({"attention-prefill", "mla-prefill"}, prefill_fields());
  return of_kind(known, kind);
}
std::span<const DecodeKernel> decode_kernels(std::string_view kind) {
  static const auto known =
      builtin_kernels<DecodeKernel>({"attention-decode", "mla-decode"}, decode_fields());
  return of_kind(known, kind);
}
std::span<const MoeKernel> moe_kernels(std::string_view kind) {
  static const auto known =
      builtin_kernels<MoeKernel>({"moe", "wide-ep-moe", "frontier-moe", "grouped-gemm"}, moe_fields());
  return of_kind(known, kind);
}
std::span<const ElementwiseKernel> pass_kernels(std::string_view kind) {
  static const auto known = builtin_kernels<ElementwiseKernel>({"fp8-quantize", "fp8-scale"}, pass_fields());
  return of_kind(known, kind);
}
std::span<const ScanKernel> scan_kernels(std::string_view kind) {
  static const auto known = builtin_kernels<ScanKernel>(
      {"gated-delta-net", "kimi-delta-attention", "mamba2", "hyper-connections"}, scan_fields());
  return of_kind(known, kind);
}
std::span<const CollectiveKernel> collective_kernels(std::string_view kind) {
  static const auto known = builtin_kernels<CollectiveKernel>({"all-reduce", "nccl"}, collective_fields());
  return of_kind(known, kind);
}

const MoeKernel* moe_kernel_of(std::string_view architecture, std::string_view format,
                               std::string_view engine, std::string_view family, const ExpertShape& shape) {
  const MoeKernel* best = nullptr;
  int most = -1;
  for (const MoeKernel& each : moe_kernels("moe")) {
    if (each.architecture != architecture || each.dtype != format) continue;
    const auto is_of = [&](std::string_view name) { return each.kernel.find(name) != std::string::npos; };
    const int tuned = tuned_for(each, shape);
    if (is_of("nongated") || tuned < 0) continue;
    const int same = (!family.empty() && is_of(family) ? 8 : 0) + (each.engine == engine ? 4 : 0) +
                     (is_of("triton") && !is_of("trtllm") ? 0 : 2) + tuned;
    if (same < most || (same == most && each.rows <= best->rows)) continue;
    most = same;
    best = &each;
  }
  return best;
}

namespace {

using text::NodeRef;

constexpr std::string_view file_kind = "serving-memory";
constexpr double max_gib = 1e3;
constexpr double most_sequences = 1e6;
constexpr double most_tokens = 1e9;

constexpr Field<EngineMemory> engine_memory_table[] = {
    {"", "engine", "", Type::text, &EngineMemory::engine, 0, 0, "as the field `engine` names it"},
    {"", "package", "", Type::text, &EngineMemory::package, 0, 0, "of contracts"},
    {"", "memory_percent", "percent", Type::integer, &EngineMemory::memory_percent, 1, 100,
     "of the memory, by default"},
    {"", "cache_percent", "percent", Type::integer, &EngineMemory::cache_percent, 1, 100,
     "of what weights leave, by default"},
    {"", "shares_free", "", Type::boolean, &EngineMemory::shares_free, 0, 0,
     "its share is of the memory that is free before it loads, without activations"},
    {"", "checks_longest", "", Type::boolean, &EngineMemory::checks_longest, 0, 0,
     "fails at startup if the KV cache cannot hold the longest sequence"},
    {"", "activation_gib", "GiB", Type::number, &EngineMemory::activation_gib, 0, max_gib,
     "activations of its longest step"},
    {"", "mixture_gib", "GiB", Type::number, &EngineMemory::mixture_gib, 0, max_gib,
     "the same for MoE models"},
    {"", "sampler_bytes", "bytes", Type::number, &EngineMemory::sampler_bytes, 0, 1e3,
     "for each row of the vocabulary and sequence"},
    {"", "runtime_gib", "GiB", Type::number, &EngineMemory::runtime_gib, 0, max_gib, "context and kernels"},
    {"", "runtime_ranks_gib", "GiB", Type::number, &EngineMemory::runtime_ranks_gib, 0, max_gib,
     "the same with several ranks"},
    {"", "sequences", "sequences", Type::integer, &EngineMemory::sequences, 1, most_sequences,
     "at a time, by default"},
    {"", "small_sequences", "sequences", Type::integer, &EngineMemory::small_sequences, 1, most_sequences,
     "on small GPUs"},
    {"", "small_below_gib", "GiB", Type::number, &EngineMemory::small_below_gib, 0, max_gib,
     "memory up to which a GPU counts as small"},
    {"", "step_tokens", "tokens", Type::integer, &EngineMemory::step_tokens, 1, most_tokens,
     "that a step reads at most, by default"},
    {"", "small_step_tokens", "tokens", Type::integer, &EngineMemory::small_step_tokens, 1, most_tokens,
     "on small GPUs"},
};

const std::vector<EngineMemory>& known() {
  static const std::vector<EngineMemory>& all = *[] {
    auto* out = new std::vector<EngineMemory>;
    std::vector<Error> errors;  // the file is checked by a test
    for (const text::Document& document : catalog::builtin("gpus/engines")) {
      if (document.root()["kind"].as_string() == file_kind)
        *out = read_engine_memory(document.root(), errors);
    }
    return out;
  }();
  return all;
}

const EngineMemory* find(std::string EngineMemory::*name, std::string_view text) {
  const auto& all = known();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const EngineMemory& each) { return each.*name == text; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

std::span<const Field<EngineMemory>> engine_memory_fields() {
  return engine_memory_table;
}

std::vector<EngineMemory> read_engine_memory(NodeRef root, std::vector<Error>& errors) {
  constexpr std::string_view file_keys[] = {"kind", "sources", "notes", "engines"};
  check_keys(root, file_keys, errors);
  std::vector<EngineMemory> out;
  for (const NodeRef item : root["engines"])
    read_fields<EngineMemory>(item, "", engine_memory_table, {}, out.emplace_back(), errors);
  return out;
}

const EngineMemory* engine_memory(std::string_view engine) {
  return find(&EngineMemory::engine, engine);
}

const EngineMemory* engine_memory_of_package(std::string_view package) {
  return find(&EngineMemory::package, package);
}

}  // namespace shapelint::gpu
