// Fused attention; equations in docs/explanation/gpu-model.md, section 1.
#include "cost/kernels/attention.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "cost/kernels/gemm.hpp"
#include "cost/kernels/memory.hpp"
#include "model/lower/emit.hpp"

namespace shapelint::cost {

namespace detail {

namespace {
// A step of decoding, with what it may verify in addition to the next token.
constexpr double few_queries = 16;
}  // namespace

std::int64_t at_least_one(const model::Dim& dim) {
  return std::max<std::int64_t>(dim.value, 1);
}

bool is_backward(model::Pass pass) {
  return pass == model::Pass::backward || pass == model::Pass::grad_input || pass == model::Pass::grad_weight;
}

Sizes sizes_of(const model::AttentionShape& shape, bool backward) {
  Sizes s{};
  s.sequences = static_cast<double>(at_least_one(shape.sequences));
  s.heads = static_cast<double>(at_least_one(shape.heads));
  s.key_value_heads = std::min(static_cast<double>(at_least_one(shape.key_value_heads)), s.heads);
  s.query_length = static_cast<double>(at_least_one(shape.query_length));
  s.key_length = static_cast<double>(at_least_one(shape.key_length));
  s.head_dim = static_cast<double>(at_least_one(shape.head_dim));
  s.value_head_dim = static_cast<double>(at_least_one(shape.value_head_dim));
  s.causal = shape.causal;
  s.version = shape.kernel_version;
  s.library = shape.library;
  // Where one query's window is all that is read of the keys, there are no more of them.
  s.window = static_cast<double>(shape.window);
  if (s.window > 0 && s.window + s.query_length <= s.key_length && s.query_length < few_queries) {
    s.key_length = s.window + s.query_length - 1;
    s.window = 0;
  }
  if (s.window >= s.key_length) s.window = 0;
  s.cache_bytes = backward ? 0 : shape.cache_bytes;
  s.backward = backward;
  s.decodes = !backward && s.query_length < few_queries;
  // MLA's absorbed form: one latent is key and value of all heads (DeepSeek-V2, arXiv 2405.04434, 2.1).
  s.latent = shape.is_one_tensor || (s.key_value_heads == 1 && s.heads > 1 && s.head_dim > s.value_head_dim &&
                                     s.value_head_dim >= 256);
  return s;
}

double flops_per_pair(double head_dim, double value_head_dim, bool backward) {
  return backward ? 2.0 * (3.0 * head_dim + 2.0 * value_head_dim) : 2.0 * (head_dim + value_head_dim);
}

double visible_pairs(const Sizes& s) {
  return model::visible_pairs(s.query_length, s.key_length, s.causal, s.window);
}

double once_bytes(const Sizes& s, double element) {
  const double query_side = s.sequences * s.heads * s.query_length;
  const double key_side = s.sequences * s.key_value_heads * s.key_length;
  const double key_value_width = s.latent ? s.head_dim : s.head_dim + s.value_head_dim;
  const double query_width = s.head_dim + s.value_head_dim;  // q and o
  const double cached = s.cache_bytes > 0 ? s.cache_bytes : element;
  const double bytes = query_side * query_width * element + key_side * key_value_width * cached;
  return s.backward ? 2.0 * bytes : bytes;
}

}  // namespace detail

double attention_flops(const model::AttentionShape& shape, model::Pass pass) {
  const detail::Sizes s = detail::sizes_of(shape, detail::is_backward(pass));
  return s.sequences * s.heads * detail::visible_pairs(s) *
         detail::flops_per_pair(s.head_dim, s.value_head_dim, s.backward);
}

AttentionBytes attention_bytes(const gpu::Gpu& gpu, const model::AttentionShape& shape, model::Pass pass,
                               DType dtype) {
  const detail::Sizes s = detail::sizes_of(shape, detail::is_backward(pass));
  const BucketUse use =
      attention_bucket(gpu, detail::at_least_one(shape.head_dim), detail::at_least_one(shape.value_head_dim),
                       s.latent || s.decodes, s.library);
  return detail::kernel_bytes(s, use, dtype);
}

AttentionBytes detail::kernel_bytes(const Sizes& s, const BucketUse& use, DType dtype) {
  AttentionBytes bytes;
  bytes.once = detail::once_bytes(s, bytes_of(dtype));
  bytes.products = s.backward ? 5 : 2;
  if (use.bucket == nullptr) {
    // Scores out, softmax over them (backward reads two), and in again.
    const double passes = s.backward ? 7 : 4;
    bytes.scores = passes * s.sequences * s.heads * s.query_length * s.key_length * bytes_of(dtype);
    return bytes;
  }
  const double query_tile =
      static_cast<double>(s.backward ? use.bucket->backward_query_tile : use.bucket->query_tile);
  const double width = (s.latent ? s.head_dim : s.head_dim + s.value_head_dim) *
                       (s.cache_bytes > 0 ? s.cache_bytes : bytes_of(dtype));
  if (!s.backward && s.query_length < query_tile) {
    const double rows = s.query_length * s.heads / s.key_value_heads;
    bytes.tile_rows = std::min(rows, detail::decode_query_tile);
    const double passes = std::ceil(rows / detail::decode_query_tile);
    bytes.reloads = s.sequences * s.key_value_heads * s.key_length * width * (passes - 1);
    return bytes;
  }
  bytes.tile_rows = query_tile;
  const double outer_tile = s.backward ? static_cast<double>(use.bucket->backward_key_tile) : query_tile;
  const double inner_rows = s.sequences * s.heads * detail::visible_pairs(s) / outer_tile;
  const double inner_once =
      s.backward ? s.sequences * s.heads * s.query_length : s.sequences * s.key_value_heads * s.key_length;
  bytes.reloads = std::max(0.0, inner_rows - inner_once) * width;
  return bytes;
}

namespace detail {

double causal_tiles(std::int64_t query_length, std::int64_t key_length, std::int64_t query_tile,
                    std::int64_t key_tile) {
  // Tile i of the queries ends at row (i + 1) * query_tile and sees `end` keys; it computes ceil(end /
  // key_tile).
  const std::int64_t offset = key_length - query_length;
  const std::int64_t tiles = (query_length + query_tile - 1) / query_tile;
  if (offset < 0) {
    // A key stands for several tokens (model::visible_pairs): tile j of the keys is seen from the queries on
    // that come behind its tokens.
    const double key_tiles = std::ceil(static_cast<double>(key_length) / static_cast<double>(key_tile));
    const double tokens = static_cast<double>(key_tile * query_length) / static_cast<double>(key_length);
    const double before = tokens / static_cast<double>(query_tile) * key_tiles * (key_tiles - 1) / 2;
    return static_cast<double>(tiles) * key_tiles - before;
  }
  const auto end = [&](std::int64_t i) { return (i + 1) * query_tile + offset; };
  const auto spare = [&](std::int64_t i) {  // columns computed beyond the end
    const std::int64_t rest = end(i) % key_tile;
    return rest == 0 ? std::int64_t{0} : key_tile - rest;
  };
  const auto whole = static_cast<double>(tiles - 1);  // all but the last, which the keys' end cuts short
  double columns = 0;
  if (whole > 0) {
    columns = whole * (static_cast<double>(end(0)) + static_cast<double>(end(tiles - 2))) / 2.0;
    // The spare columns repeat with this period.
    const std::int64_t period = key_tile / std::gcd(query_tile, key_tile);
    const auto count = static_cast<std::int64_t>(whole);
    double sum = 0;
    double partial = 0;
    for (std::int64_t i = 0; i < std::min(period, count); ++i) {
      if (i < count % period) partial += static_cast<double>(spare(i));
      sum += static_cast<double>(spare(i));
    }
    const std::int64_t periods = count / period;
    columns += static_cast<double>(periods) * sum + partial;
  }
  return columns / static_cast<double>(key_tile) +
         std::ceil(static_cast<double>(key_length) / static_cast<double>(key_tile));
}

}  // namespace detail

const gpu::AttentionKernels& attention_kernels(const gpu::Gpu& gpu, model::AttentionLibrary library) {
  return gpu::of_library(gpu.attention, library == model::AttentionLibrary::cudnn);
}

BucketUse attention_bucket(const gpu::Gpu& gpu, std::int64_t head_dim, std::int64_t value_head_dim,
                           bool decode, model::AttentionLibrary library) {
  BucketUse use;
  const gpu::AttentionKernels& kernels = attention_kernels(gpu, library);
  if (value_head_dim <= 0) value_head_dim = head_dim;
  const std::int64_t multiple = std::max<std::int64_t>(kernels.head_dim_multiple, 1);
  const auto round_up = [&](std::int64_t dim) { return (dim + multiple - 1) / multiple * multiple; };
  for (const gpu::AttentionBucket& bucket : kernels.buckets) {
    if (bucket.decode_only && !decode) continue;
    if (bucket.head_dim < round_up(head_dim) || bucket.value_head_dim < round_up(value_head_dim)) continue;
    use.bucket = &bucket;
    use.head_dim = bucket.head_dim;
    use.value_head_dim = bucket.value_head_dim;
    use.copies = round_up(head_dim) != head_dim || round_up(value_head_dim) != value_head_dim;
    break;
  }
  return use;
}

using detail::at_least_one;
using detail::decode_query_tile;
using detail::flops_per_pair;
using detail::is_backward;
using detail::once_bytes;
using detail::Sizes;
using detail::sizes_of;
using detail::visible_pairs;

namespace {

// Parts that the key sequence may be split into; the same kernel's limit is 128.
constexpr std::array<double, 8> key_splits{1, 2, 4, 8, 16, 32, 64, 128};
// Share of the SMs whose loads together fill the DRAM's queues. Estimated: on MI300X 67 of 304 compute units
// suffice (origami, gemm.cpp), on an A100 streaming saturates near half.
constexpr double saturating_sm_share = 0.5;
constexpr double accumulator_bytes = 4;  // fp32
// Kernels of the backward pass: dO * O row sums before, conversion of dQ after.
constexpr double backward_kernels = 3;

// Which losses to leave out, to see what they cost.
struct Ideal {
  bool padding = false;
  bool tiles = false;
  bool waves = false;
};

struct Times {
  double compute_us = 0;
  double memory_us = 0;
  double fixed_us = 0;
  double total() const { return fixed_us + std::max(compute_us, memory_us); }
};

class Kernel {
 public:
  Kernel(const gpu::Gpu& gpu, const Sizes& s, const BucketUse& use, DType dtype, const AttentionBytes& moved)
      : gpu_(gpu),
        kernels_(attention_kernels(gpu, s.library)),
        s_(s),
        use_(use),
        bucket_(*use.bucket),
        element_(bytes_of(dtype)) {
    double efficiency = s.backward ? bucket_.backward_efficiency : bucket_.forward_efficiency;
    for (const gpu::OlderKernels& older : kernels_.older) {
      if (older.version == s.version) efficiency *= s.backward ? older.backward_speed : older.forward_speed;
    }
    // Tables of attention are of parts whose tensor cores add in fp32 at full rate.
    if (gpu.fp32_accumulate_half_rate) efficiency = std::min(most_of_lower_peak, half_rates * efficiency);
    rate_ = peak_flops_per_us(gpu, dtype) * efficiency;
    sms_ = static_cast<double>(std::max<std::int64_t>(gpu.sm_count, 1));
    bandwidth_ = achieved_dram_bytes_per_us(gpu);
    const double l2 = l2_bytes_per_us(gpu);
    if (l2 > 0) l2_us_ = (moved.once + moved.reloads) / l2;
    query_tile_ = static_cast<double>(s.backward ? bucket_.backward_query_tile : bucket_.query_tile);
    key_tile_ = static_cast<double>(s.backward ? bucket_.backward_key_tile : bucket_.key_tile);
  }

  // The fastest way that the library has.
  Times best(const Ideal& ideal) const {
    Times times = whole_sequence(ideal, false);
    // A mask never costs more than computing all.
    if (s_.causal || s_.window > 0) times = faster(times, whole_sequence(ideal, true));
    if (!s_.backward && s_.query_length < query_tile_) {
      for (const double splits : key_splits) times = faster(times, split_keys(ideal, splits));
    }
    times.fixed_us += copies_us(ideal);
    return times;
  }

 private:
  static Times faster(const Times& a, const Times& b) { return b.total() < a.total() ? b : a; }

  double pair_flops(const Ideal& ideal) const {
    return ideal.padding ? flops_per_pair(s_.head_dim, s_.value_head_dim, s_.backward)
                         : flops_per_pair(static_cast<double>(use_.head_dim),
                                          static_cast<double>(use_.value_head_dim), s_.backward);
  }

  // One CTA per sequence, head and tile of queries (backward: of keys), which passes over all of the other
  // side.
  Times whole_sequence(const Ideal& ideal, bool masked) const {
    const double heads = s_.sequences * s_.heads;
    const double outer_length = s_.backward ? s_.key_length : s_.query_length;
    const double outer_tile = s_.backward ? key_tile_ : query_tile_;
    const double inner_length = s_.backward ? s_.query_length : s_.key_length;
    const double inner_tile = s_.backward ? query_tile_ : key_tile_;
    const double outer_tiles = std::ceil(outer_length / outer_tile);
    const double rows = ideal.tiles ? outer_length : outer_tiles * outer_tile;
    const double columns = ideal.tiles ? inner_length : std::ceil(inner_length / inner_tile) * inner_tile;

    double pairs = rows * columns;
    if (masked) {
      pairs = ideal.tiles ? visible_pairs(s_) : s_.window > 0 ? windowed_pairs(outer_tiles) : causal_pairs();
    }
    pairs += rows * kernels_.prologue_keys;
    const double speed = rate_ * (masked ? bucket_.causal_efficiency : 1.0);
    const double busy_us = heads * pairs * pair_flops(ideal) / speed;

    Times times;
    times.compute_us = busy_us;
    const double load = heads * outer_tiles / sms_;
    if (!ideal.waves) {
      if (masked) {
        // Long tiles first (FlashAttention's order): the rest fills the gaps, only the longest can stand out.
        const double longest = s_.window > 0 ? std::min(columns, s_.window + outer_tile) : columns;
        const double longest_us =
            outer_tile * (longest + kernels_.prologue_keys) * pair_flops(ideal) / speed * sms_;
        times.compute_us = std::max(busy_us, longest_us);
      } else {
        const double a = kernels_.wave_softness;
        times.compute_us = busy_us / load * (a * std::max(load, 1.0) + (1.0 - a) * std::ceil(load));
      }
    }
    times.memory_us = memory_us(ideal.waves ? sms_ : load * sms_);
    times.fixed_us = launch_us(gpu_) * (s_.backward ? backward_kernels : 1.0) + backward_extra_us();
    return times;
  }

  // A few queries over many keys: heads of a group share a tile, the keys are split, a second kernel joins
  // the parts.
  Times split_keys(const Ideal& ideal, double splits) const {
    const double group = s_.heads / s_.key_value_heads;
    const double rows = s_.query_length * group;
    const double query_tiles = std::ceil(rows / decode_query_tile);
    const double key_tiles = std::ceil(s_.key_length / key_tile_);
    const double used = std::min(splits, key_tiles);
    const double ctas = s_.sequences * s_.key_value_heads * query_tiles * used;
    const double tiled_rows = ideal.tiles ? rows : query_tiles * decode_query_tile;
    const double keys = ideal.tiles ? s_.key_length / used : std::ceil(key_tiles / used) * key_tile_;
    const double work =
        s_.sequences * s_.key_value_heads * tiled_rows * used * keys * pair_flops(ideal) / rate_;
    Times times;
    const double load = ctas / sms_;
    times.compute_us = ideal.waves ? work : work / load * std::ceil(load);
    times.memory_us = memory_us(ideal.waves ? sms_ : ctas);
    times.fixed_us = launch_us(gpu_);
    if (used > 1) {
      const double parts = s_.sequences * s_.heads * s_.query_length * s_.value_head_dim * used;
      times.fixed_us += launch_us(gpu_) + 2.0 * parts * accumulator_bytes / bandwidth_;
    }
    return times;
  }

  // Whole tiles that a causal mask leaves.
  double causal_pairs() const {
    return query_tile_ * key_tile_ *
           detail::causal_tiles(static_cast<std::int64_t>(s_.query_length),
                                static_cast<std::int64_t>(s_.key_length),
                                static_cast<std::int64_t>(query_tile_), static_cast<std::int64_t>(key_tile_));
  }

  // In whole tiles: each tile of queries (backward: of keys) meets a window and its own width of the other
  // side, an edge of a tile more.
  double windowed_pairs(double outer_tiles) const {
    const double outer_tile = s_.backward ? key_tile_ : query_tile_;
    const double inner_tile = s_.backward ? query_tile_ : key_tile_;
    const double inner_length = s_.backward ? s_.query_length : s_.key_length;
    const double most = std::ceil(inner_length / inner_tile);
    const double met = std::min(most, std::ceil((s_.window + outer_tile) / inner_tile) + 0.5);
    const double whole = outer_tiles * met * outer_tile * inner_tile;
    return std::min(whole, causal_pairs());
  }

  double memory_us(double ctas) const {
    const double saturation = std::min(1.0, ctas / (saturating_sm_share * sms_));
    return std::max(once_bytes(s_, element_) / (bandwidth_ * saturation), l2_us_);
  }

  // Passes over memory apart from the main backward kernel: rows of dO * O, dQ accumulated and converted, and
  // where key/value heads are shared, dK and dV per query head before they are summed.
  double backward_extra_us() const {
    if (!s_.backward) return 0;
    const double queries = s_.sequences * s_.heads * s_.query_length;
    double bytes =
        queries * (2.0 * s_.value_head_dim * element_ + s_.head_dim * (2.0 * accumulator_bytes + element_));
    if (s_.heads > s_.key_value_heads) {
      bytes += 2.0 * s_.sequences * s_.heads * s_.key_length * (s_.head_dim + s_.value_head_dim) * element_;
    }
    return bytes / bandwidth_;
  }

  // Padding in memory: read and write q, k, v before and the output after; backward the gradients likewise.
  double copies_us(const Ideal& ideal) const {
    if (!use_.copies || ideal.padding) return 0;
    const double kernels = s_.backward ? 5.0 : 4.0;
    return 2.0 * once_bytes(s_, element_) / bandwidth_ + kernels * launch_us(gpu_);
  }

  const gpu::Gpu& gpu_;
  const gpu::AttentionKernels& kernels_;
  Sizes s_;
  BucketUse use_;
  const gpu::AttentionBucket& bucket_;
  double element_, rate_ = 0, sms_ = 1, bandwidth_ = 1, query_tile_ = 1, key_tile_ = 1;
  double l2_us_ = 0;  // of what each tile of queries loads again, at the best that L2 delivers
};

// What frameworks do without a fused kernel: scores as batched products, written out, softmax, and back.
OpCost unfused(const gpu::Gpu& gpu, const model::AttentionShape& shape, const Sizes& s, DType dtype) {
  const auto product = [&](std::int64_t n, std::int64_t k, model::Layout layout) {
    GemmShape gemm;
    gemm.batch = at_least_one(shape.sequences) * at_least_one(shape.heads);
    gemm.m = at_least_one(shape.query_length);
    gemm.n = n;
    gemm.k = k;
    gemm.dtype = dtype;
    gemm.layout = layout;
    const OpCost tiled = predict_gemm(gpu, gemm);
    if (gemm.m > 1) return tiled;
    // One row over a matrix: the library's kernel for vectors (gemv), which only reads it.
    const auto read = static_cast<double>(gemm.batch) * static_cast<double>(n * k + n + k) * bytes_of(dtype);
    const OpCost vector = price_elementwise(gpu, read, 0);
    return vector.time_us < tiled.time_us ? vector : tiled;
  };
  // For the keys that a decoding query's window leaves, as everywhere (sizes_of).
  const auto keys = static_cast<std::int64_t>(s.key_length);
  const OpCost scores = product(keys, at_least_one(shape.head_dim), model::Layout::tn);
  const OpCost values = product(at_least_one(shape.value_head_dim), keys, model::Layout::nn);
  const double score_bytes = s.sequences * s.heads * s.query_length * s.key_length * bytes_of(dtype);
  const double passes = s.backward ? 3.0 : 2.0;  // read and write; backward reads two
  const OpCost softmax = price_elementwise(gpu, passes * score_bytes, 0);

  const double products = s.backward ? 2.0 : 1.0;
  OpCost cost;
  cost.time_us = products * (scores.time_us + values.time_us) + softmax.time_us;
  cost.compute_us = products * (scores.compute_us + values.compute_us) + softmax.compute_us;
  cost.memory_us = products * (scores.memory_us + values.memory_us) + softmax.memory_us;
  cost.overhead_us = products * (scores.overhead_us + values.overhead_us) + softmax.overhead_us;
  cost.bound = softmax.time_us > 0.5 * cost.time_us ? Bound::memory : scores.bound;
  const double dense =
      std::max(attention_flops(shape, s.backward ? model::Pass::backward : model::Pass::forward) /
                   peak_flops_per_us(gpu, dtype),
               once_bytes(s, bytes_of(dtype)) / dram_bytes_per_us(gpu));
  cost.ideal_us = std::min(dense, cost.time_us);
  cost.efficiency.rest = cost.ideal_us / cost.time_us;
  return cost;
}

}  // namespace

OpCost price_attention(const gpu::Gpu& gpu, const model::AttentionShape& shape, model::Pass pass,
                       DType dtype) {
  const Sizes s = sizes_of(shape, is_backward(pass));
  const BucketUse use =
      attention_bucket(gpu, at_least_one(shape.head_dim), at_least_one(shape.value_head_dim),
                       s.latent || s.decodes, s.library);
  if (use.bucket == nullptr) return unfused(gpu, shape, s, dtype);

  const Kernel kernel(gpu, s, use, dtype, detail::kernel_bytes(s, use, dtype));
  const Times full = kernel.best({});
  Ideal ideal;
  ideal.padding = true;
  const double unpadded_us = kernel.best(ideal).total();
  ideal.tiles = true;
  const double untiled_us = kernel.best(ideal).total();
  ideal.waves = true;
  const double filled_us = kernel.best(ideal).total();

  OpCost cost;
  cost.time_us = full.total();
  cost.compute_us = full.compute_us;
  cost.memory_us = full.memory_us;
  cost.overhead_us = full.fixed_us;
  cost.ideal_us = std::max(attention_flops(shape, pass) / peak_flops_per_us(gpu, dtype),
                           once_bytes(s, bytes_of(dtype)) / dram_bytes_per_us(gpu));
  cost.ideal_us = std::min(cost.ideal_us, filled_us);
  cost.efficiency.alignment = unpadded_us / cost.time_us;
  cost.efficiency.tile = untiled_us / unpadded_us;
  cost.efficiency.wave = filled_us / untiled_us;
  cost.efficiency.rest = cost.ideal_us / filled_us;
  cost.bound = bound_of(cost.time_us, full.compute_us, full.memory_us, full.fixed_us);
  return cost;
}

}  // namespace shapelint::cost
