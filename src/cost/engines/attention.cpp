// Attention of engines: many queries (prefill), and one query over a cache (decode).
#include <algorithm>
#include <cmath>

#include "cost/engines/kernels.hpp"

namespace shapelint::cost {
namespace {

// Tiles of queries that are counted one by one; beyond, their edges no longer matter.
constexpr double max_counted_tiles = 4096;
// Ideal time at which half of the power limit's loss is reached (as in fitted products).
constexpr double power_us = 2000;
constexpr double kb = 1000;
constexpr double us_per_ns = 1e-3;

double efficiency_of(const gpu::PrefillKernel& kernel, double head_dim) {
  struct Speed {
    double head_dim;
    double share;
  };
  const Speed speeds[] = {{64, kernel.efficiency_64},
                          {128, kernel.efficiency_128},
                          {192, kernel.efficiency_192},
                          {256, kernel.efficiency_256},
                          {512, kernel.efficiency_512}};
  // The smallest kernel that fits, of those that were measured; beyond them the largest.
  double share = 0;
  for (const Speed& each : speeds) {
    if (each.share <= 0) continue;
    share = each.share;
    if (each.head_dim >= head_dim) break;
  }
  return share > 0 ? share : 0.5;
}

constexpr double head_dims_unit = 128;
// A window as wide is the chunk of Llama 4, which engines run as sequences of that length.
constexpr double chunk_window = 8192;

// Keys that tiles of queries load, of one head; `longest` is the most that one of them does.
struct Visited {
  double keys = 0;
  double longest = 0;
  double cut = 0;  // tiles of queries that do not see the first keys
};

Visited visited(const KernelAttention& shape, double window, double tiles, double positions,
                double key_tile) {
  const double keys = shape.cached + shape.tokens;
  Visited out;
  if (tiles > max_counted_tiles) {
    const double mean = shape.cached + shape.tokens / 2;
    if (window <= 0) return {tiles * mean, keys, 0};
    const double cut = std::clamp(1 - (window - shape.cached) / std::max(shape.tokens, 1.0), 0.0, 1.0);
    return {tiles * std::min(mean, window + positions), std::min(keys, window + positions), tiles * cut};
  }
  for (double tile = 0; tile < tiles; ++tile) {
    const double end = std::min(keys, shape.cached + (tile + 1) * positions);
    const double begin = window > 0 ? std::max(0.0, shape.cached + tile * positions - window) : 0;
    const double here = std::ceil(end / key_tile) * key_tile - std::floor(begin / key_tile) * key_tile;
    out.keys += here;
    out.longest = std::max(out.longest, here);
    if (begin > 0) ++out.cut;
  }
  return out;
}

// FlashAttention 3 gives each SM a tenth more tiles than there are for it
// (hopper/flash_prepare_scheduler.cu).
constexpr double split_margin = 1.1;
// FlashAttention 2 takes the fewest parts whose waves are at least so full, as a share of the fullest, and
// none where that much of a wave is filled without (csrc/flash_attn/flash_api.cpp, num_splits_heuristic).
constexpr double nearly_full = 0.85;
constexpr double filled_wave = 0.8;

double fewest_that_fill(double heads, double tiles, double slots, double most) {
  if (heads >= filled_wave * slots) return 1;
  most = std::min({most, slots, tiles});
  const auto filled = [&](double splits) {
    // Parts of as many tiles as with one part less would leave one without work.
    if (splits > 1 && std::ceil(tiles / splits) == std::ceil(tiles / (splits - 1))) return 0.0;
    const double waves = heads * splits / slots;
    return waves / std::ceil(waves);
  };
  double best = 0;
  for (double splits = 1; splits <= most; ++splits) best = std::max(best, filled(splits));
  for (double splits = 1; splits <= most; ++splits) {
    if (filled(splits) >= nearly_full * best) return splits;
  }
  return 1;
}

// Parts that the keys of `heads` CTAs are split into, each of `tiles` tiles.
double splits_of(const gpu::DecodeKernel& kernel, double heads, double tiles, double slots,
                 double sequences) {
  const auto most = static_cast<double>(kernel.most_splits);
  if (kernel.fixed_splits > 0) {
    return sequences <= static_cast<double>(kernel.fixed_up_to) ? static_cast<double>(kernel.fixed_splits)
                                                                : 1;
  }
  if (kernel.balances_splits) {
    const double each = std::ceil(split_margin * tiles * heads / slots);
    return std::clamp(std::ceil(tiles / each), 1.0, most);
  }
  if (kernel.fills_waves) return fewest_that_fill(heads, tiles, slots, most);
  return std::clamp(std::floor(slots / heads), 1.0, tiles);
}

double efficiency_of(const gpu::DecodeKernel& kernel, double head_dim) {
  const double own = head_dim <= 64    ? kernel.efficiency_64
                     : head_dim <= 128 ? 0
                     : head_dim <= 192 ? kernel.efficiency_192
                     : head_dim <= 256 ? kernel.efficiency_256
                                       : 0;
  return own > 0 ? own : kernel.efficiency;
}

bool is_throttled(const gpu::Gpu& gpu, std::int64_t full_rate) {
  return times_faster(gpu, full_rate) > 1;
}

template <class Kernel>
double efficiency_on(const gpu::Gpu& gpu, const Kernel& kernel, double head_dim) {
  return share_of_peak(gpu, kernel.full_rate, efficiency_of(kernel, head_dim));
}
double efficiency_on(const gpu::Gpu& gpu, const gpu::DecodeKernel& kernel, double head_dim) {
  return is_throttled(gpu, kernel.full_rate) && kernel.throttled_efficiency > 0
             ? kernel.throttled_efficiency
             : efficiency_on<gpu::DecodeKernel>(gpu, kernel, head_dim);
}

double visible_pairs(const KernelAttention& shape) {
  const double all = shape.tokens * shape.cached + shape.tokens * (shape.tokens + 1) / 2;
  return shape.window > 0 ? std::min(all, shape.tokens * shape.window) : all;
}

}  // namespace

double times_faster(const gpu::Gpu& gpu, std::int64_t full_rate) {
  const std::int64_t own = gpu.fp16_flops_per_clock_per_sm;
  if (own > 0 && own < full_rate) return static_cast<double>(full_rate) / static_cast<double>(own);
  return gpu.fp32_accumulate_half_rate ? half_rates : 1;
}

double share_of_peak(const gpu::Gpu& gpu, std::int64_t full_rate, double share) {
  const double times = times_faster(gpu, full_rate);
  return times > 1 ? std::min(most_of_lower_peak, times * share) : share;
}

OpCost price_prefill(const gpu::Gpu& gpu, const gpu::PrefillKernel& kernel, const KernelAttention& shape) {
  const double peak = peak_flops_per_us(gpu, shape.dtype);
  const double sms = static_cast<double>(std::max<std::int64_t>(gpu.sm_count, 1));
  const auto query_tile = static_cast<double>(kernel.query_tile);
  const double packed = kernel.packs_heads ? shape.heads / shape.key_value_heads : 1;
  const double heads = shape.sequences * shape.heads / packed;
  const double tiles = std::ceil(shape.tokens * packed / query_tile);
  const Visited keys = visited(shape, kernel.skips_window ? shape.window : 0, tiles, query_tile / packed,
                               static_cast<double>(kernel.key_tile));

  const double pair_flops = 2 * (shape.head_dim + shape.value_head_dim);
  const double share = shape.window > 0 && shape.window < chunk_window ? kernel.window_share : 1;
  const double key_us =
      query_tile * pair_flops * sms / (peak * efficiency_on(gpu, kernel, shape.head_dim) * share);
  // Triton's kernels walk over all keys, and leave a tile out once its mask turns out to be empty.
  const double masked_us = kernel.masked_us + kernel.head_masked_us * shape.head_dim / head_dims_unit;
  Visited masked;
  if (kernel.skips_window && shape.window > 0 && masked_us > 0) {
    masked = visited(shape, 0, tiles, query_tile / packed, static_cast<double>(kernel.key_tile));
    masked = {masked.keys - keys.keys, masked.longest - keys.longest, 0};
  }
  const double masked_key_us = std::min(key_us, masked_us / static_cast<double>(kernel.key_tile));
  const double busy_us = heads *
                         (keys.keys * key_us + masked.keys * masked_key_us + tiles * kernel.tile_us +
                          keys.cut * kernel.cut_tile_us) /
                         sms;
  const double longest_us = keys.longest * key_us + masked.longest * masked_key_us + kernel.tile_us +
                            (keys.cut > 0 ? kernel.cut_tile_us : 0);
  const double load = std::min(1.0, heads * tiles / sms);
  const double at_peak_us = heads * keys.keys * query_tile * pair_flops / peak;
  // Throttled tensor cores do not reach the power limit.
  const double power_drop = is_throttled(gpu, kernel.full_rate) ? 0 : kernel.power_drop;
  const double clock = 1 - power_drop * at_peak_us / (at_peak_us + power_us);
  const double compute_us = std::max(busy_us + kernel.tail * longest_us * load, longest_us) / clock;

  const double element = bytes_of(DType::bf16);  // of queries, new keys and the output
  const double tokens = shape.sequences * shape.tokens;
  const double query_bytes = tokens * shape.heads * (shape.head_dim + shape.value_head_dim) / 2 * element;
  const double key_bytes =
      tokens * shape.key_value_heads * (shape.head_dim + shape.value_head_dim) / 2 * element;
  const double once = 2 * query_bytes + 2 * key_bytes;
  const double extra =
      kernel.query_passes * query_bytes + kernel.key_passes * key_bytes + tokens * kernel.token_kb * kb;
  const double rate = detail::us_per_byte(gpu, kernel, once + extra);
  const double core_us = smooth_max(compute_us, once * rate) + extra * rate;
  const double ideal_us = std::max(shape.sequences * shape.heads * visible_pairs(shape) * pair_flops / peak,
                                   once / dram_bytes_per_us(gpu));
  return detail::cost_of(compute_us, (once + extra) * rate, kernel.fixed_us, core_us, ideal_us);
}

OpCost price_decode(const gpu::Gpu& gpu, const gpu::DecodeKernel& kernel, const KernelAttention& shape) {
  const double sms = static_cast<double>(std::max<std::int64_t>(gpu.sm_count, 1));
  const double all_keys = shape.cached + shape.tokens;
  const double seen = shape.window > 0 ? std::min(all_keys, shape.window) : all_keys;
  // Under a window the kernel reads whole tiles, of which the first is cut.
  const double more = kernel.window_straddles && seen < all_keys ? static_cast<double>(kernel.key_tile) : 0;
  const double keys = std::min(all_keys, seen + more);
  const double group = shape.heads / shape.key_value_heads;
  const bool packs = group >= static_cast<double>(kernel.packs_from) &&
                     group <= static_cast<double>(kernel.packs_up_to) &&
                     !(kernel.window_unpacks && shape.window > 0);
  const double rows = packs ? group * shape.tokens : shape.tokens;
  // Elsewhere the wait for memory hides it, and constants were fitted without it.
  const auto narrow = is_throttled(gpu, kernel.full_rate) ? static_cast<double>(kernel.narrow_tile) : 0.0;
  const double query_tile = narrow > 0 && rows <= narrow ? narrow : static_cast<double>(kernel.query_tile);
  const double row_tiles = std::ceil(rows / query_tile);
  const double heads = shape.sequences * (packs ? shape.key_value_heads : shape.heads) * row_tiles;

  // Keys are split until every SM has its CTAs.
  const auto key_tile = static_cast<double>(kernel.key_tile);
  const double tiles = std::ceil(keys / key_tile);
  const double split_tiles = kernel.splits_all_keys ? std::ceil(all_keys / key_tile) : tiles;
  const double slots = static_cast<double>(kernel.slots) * sms;
  const double splits =
      kernel.splits_packed && !packs ? 1 : splits_of(kernel, heads, split_tiles, slots, shape.sequences);
  const double tiles_each = std::min(tiles, std::ceil(split_tiles / splits));
  // Parts of a fixed number are started even where there are no keys for them.
  const double ctas = heads * (kernel.fixed_splits > 0 ? splits : std::ceil(tiles / tiles_each));

  const double key_width = shape.latent ? shape.head_dim : shape.head_dim + shape.value_head_dim;
  const double cached = bytes_of(shape.cache);
  const double element = bytes_of(DType::bf16);
  const double tokens = shape.sequences * shape.tokens;
  const double query_width = shape.head_dim + shape.value_head_dim;
  const double moved = packs ? kernel.timed_share : 1;
  const double bytes = moved * shape.sequences * shape.key_value_heads * keys * key_width * cached +
                       tokens * shape.heads * query_width * element;
  const double rate = detail::us_per_byte(gpu, kernel, bytes);
  const double memory_us = bytes * rate;

  // One CTA reads its keys at what an SM draws, which on a GPU with more bandwidth than the one that was
  // timed is more; and it computes whole tiles of rows.
  const double sm_rate =
      std::max(kernel.sm_gb_s * bytes_per_us_per_gb_s, kernel.dram_share * dram_bytes_per_us(gpu) / sms);
  const double read_us = moved * tiles_each * key_tile * key_width * cached / sm_rate;
  const double pair_flops = 2 * query_width;
  const double peak = peak_flops_per_us(gpu, shape.dtype);
  const double compute_us = query_tile * tiles_each * key_tile * pair_flops * sms /
                            (peak * efficiency_on(gpu, kernel, shape.head_dim));
  const double start_us = (packs ? kernel.tile_us : kernel.unpacked_tile_us) +
                          kernel.head_tile_us * shape.value_head_dim / 128 +
                          kernel.search_us * shape.sequences;
  const double waves = ctas / sms;
  const double rounds =
      waves < 1 ? 1 : kernel.wave_rounding * std::ceil(waves) + (1 - kernel.wave_rounding) * waves;
  const double busy_us = (std::max(read_us, compute_us) + start_us) * rounds;

  const double passes =
      kernel.shares_in_place && !(packs && shape.key_value_heads > 1) ? 0 : kernel.query_passes;
  const double extra =
      passes * tokens * (shape.heads + 2 * shape.key_value_heads) * query_width / 2 * element +
      tokens * kernel.token_kb * kb;
  const double extra_us =
      extra / (kernel.dram_share * dram_bytes_per_us(gpu)) + kernel.sequence_us * shape.sequences;
  const double join_us =
      kernel.split_us + kernel.join_ns * us_per_ns * shape.sequences * shape.sequences * shape.heads;
  const double core_us =
      smooth_max(busy_us, memory_us, kernel.overlap_power) + (splits > 1 ? join_us : 0) + extra_us;
  const double arithmetic_us = shape.sequences * shape.heads * shape.tokens * seen * pair_flops / peak;
  const double traffic_us = bytes / dram_bytes_per_us(gpu);
  // Padded rows are computed while keys are read: what bounds is what would at the peaks.
  const bool waits = traffic_us > arithmetic_us;
  return detail::cost_of(waits ? arithmetic_us : busy_us, waits ? std::max(memory_us, busy_us) : memory_us,
                         kernel.fixed_us, core_us, std::max(arithmetic_us, traffic_us));
}

}  // namespace shapelint::cost
